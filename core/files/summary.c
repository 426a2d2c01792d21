/* summary.c - see summary.h. */
#include "summary.h"
#include "core/base/base.h"
#include "core/base/env.h"

bool summary_is_whole(void) {
  return env_flag("CK_JIT_SUMMARY") || env_flag("CK_JIT_VERBOSE");
}

void summary_print(FILE *out, const char *text, const char *file, bool whole) {
  enum { REASONS = 3 };
  size_t reasons = 0;
  if (whole) {
    fputs(text, out);
    return;
  }
  for (const char *line = text, *end; *line; line = end) {
    end = strchr(line, '\n');
    end = end ? end + 1 : line + strlen(line);
    bool reason = str_starts(line, SUMMARY_AHEAD "/");
    reasons += reason;
    if (reason ? reasons <= REASONS
               : line == text || str_starts(line, SUMMARY_AHEAD) || str_starts(line, SUMMARY_STAYS))
      fwrite(line, 1, (size_t)(end - line), out);
  }
  if (reasons > REASONS)
    fprintf(out, "ckjit-link: ahead of time: %zu more; %s has the reasons\n", reasons - REASONS,
            file);
}
