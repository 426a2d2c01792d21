#include "verbose.h"

#include <ctype.h>

/* "clang version 15.0.6", "Debian clang version …", "AMD clang version …" */
static bool is_version(const char *line, size_t n) {
  const char *at = memmem(line, n, "clang version ", strlen("clang version "));
  while (at && line < at && (isalpha((unsigned char)*line) || *line == ' '))
    line++;
  return at == line;
}

/* Does a line that begins with it come of -v? Of clang 14 to 22; a line that is missed here stays
 * in the log. */
static bool is_chatter(const char *line, size_t n) {
  static const char *const heads[] = {
      "Target: ",
      "Thread model: ",
      "InstalledDir: ",
      "Build config: ",
      "System configuration file directory: ",
      "User configuration file directory: ",
      "Found candidate GCC installation: ",
      "Selected GCC installation: ",
      "Candidate multilib: ",
      "Selected multilib: ",
      "Found CUDA installation: ",
      "Found HIP installation: ",
      " (in-process)",
      "clang -cc1 version ",
      "ignoring nonexistent directory \"",
      "ignoring duplicate directory \"",
      "  as it is a non-system directory that duplicates a system directory",
  };
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (str_starts(line, heads[i]))
      return true;
  return is_version(line, n);
}

static bool is_answer(const char *line) {
  return str_starts(line, " \"/") || str_starts(line, "Configuration file: /");
}

void verbose_split(const char *text, struct buf *answer, struct buf *rest) {
  bool directories = false; /* in the list of directories that are searched for headers */
  for (size_t n; *text; text += n) {
    n = strcspn(text, "\n");
    n += text[n] == '\n';
    if (str_starts(text, "#include \"...\" search starts here:"))
      directories = true;
    if (is_answer(text))
      buf_add(answer, text, n);
    else if (!directories && !is_chatter(text, n))
      buf_add(rest, text, n);
    if (str_starts(text, "End of search list."))
      directories = false;
  }
}
