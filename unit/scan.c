/* scan.c - may a unit have kernels, by the text of its files alone?
 *
 * Many units of HIP have none: main programs, bindings, what is HIP because its library is. To preprocess one of them costs up to a tenth
 * of its compile, to read its files a hundredth. So the word __global__ is looked for in the source and in all that it includes, as far as
 * the wrapper's own scan for depfiles finds it: not in the compiler's own directories. Who gets kernels from there alone
 * (Debian's hipCUB) is compiled by the real compiler, as ever.
 *
 * HIP's own headers have the word: they define it, and speak of it in messages.
 */
#include "unit.h"
#include "core/base/path.h"
#include "core/cc/deps.h"

#include <stdlib.h>
#include <string.h>

/* Is what stands between LINE, the start of a line, and AT in that line the beginning of a comment, a string or a definition of the
 * word? */
static bool is_told_only(const char *line, const char *at) {
  size_t quotes = 0;
  const char *word = line + strspn(line, " \t");
  if (*word == '*' || str_starts(word, "//"))
    return true;
  for (const char *p = line; p < at; p++) {
    quotes += *p == '"';
    if (p[0] == '/' && p[1] == '/')
      return true;
  }
  if (quotes % 2)
    return true;
  if (*word != '#')
    return false;
  word += 1 + strspn(word + 1, " \t");
  static const char define[] = "define";
  if (!str_starts(word, define))
    return false;
  word += sizeof define - 1;
  return str_starts(word + strspn(word, " \t"), "__global__");
}

/* The words of a kernel, or with DEVICE those of any device code. */
static bool has_word(const char *text, bool device) {
  enum { MAX_LINE = 4096, OF_KERNELS = 2 }; /* what is in a longer one is taken for a kernel */
  static const char *const words[] = {"__global__", "((global))", "__device__", "((device))"};
  for (size_t i = 0; i < (device ? sizeof words / sizeof words[0] : OF_KERNELS); i++)
    for (const char *at = text; (at = strstr(at, words[i])); at++) {
      const char *line = at;
      while (line > text && at - line < MAX_LINE && line[-1] != '\n')
        line--;
      if (at - line == MAX_LINE || !is_told_only(line, at))
        return true;
    }
  return false;
}

static bool file_has_word(const char *file, bool device) {
  size_t len;
  char *text = file_read_text(file, &len);
  bool has = text && has_word(text, device);
  free(text);
  return has;
}

bool unit_file_has_kernels(const char *file) {
  return file_has_word(file, false);
}

void unit_files(const struct unit *u, bool system, struct argv *files) {
  struct ccargs all = u->record.cc;
  char *cache = path_join(u->work, DEPS_CACHE);
  struct buf rule = {0};
  size_t len;
  char *text = file_read_text(all.source->text, &len);
  all.deps = (struct cc_deps){.wanted = true, .system = system};
  if (text) {
    deps_format(&rule, &all, NULL, text, len, cache);
    deps_read(files, rule.data);
  }
  buf_free(&rule);
  free(text);
  free(cache);
}

bool unit_may_have_kernels(struct unit *u) {
  bool device = unit_is_linked(u); /* whose functions kernels of others may call */
  struct argv files = {0};
  bool may = file_has_word(u->record.cc.source->text, device);
  if (!may)
    unit_files(u, true, &files);
  for (size_t i = 1; i < files.n && !may; i++)
    may = file_has_word(files.args[i], device);
  argv_free(&files);
  return may || unit_not_lazy(u, "neither it nor what it includes has %s in it",
                              device ? "__device__" : "__global__");
}
