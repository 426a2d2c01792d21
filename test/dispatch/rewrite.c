/* rewrite - dispatch_rewrite as a program, so that scripts can compare what it writes with what it read.
 *
 *     rewrite --level text|erased|tables [--function NAME]... FILE
 *
 * The rewritten text goes to standard output, "helpers=N tables=N rows=N" to standard error. */
#include "postbuild/dispatch.h"
#include "core/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef DISPATCH_LEVELS /* until dispatch_rewrite takes a level: its text as it is, or erased */
enum dispatch_level { DISPATCH_TEXT, DISPATCH_ERASED, DISPATCH_TABLES };
struct dispatch_stats {
  size_t helpers, tables, rows;
};
static void rewrite_at(struct buf *out, const char *text, size_t len, const struct functions *f,
                       enum dispatch_level level, struct dispatch_stats *stats) {
  if (level == DISPATCH_TEXT)
    buf_add(out, text, len);
  else
    stats->helpers = dispatch_rewrite(out, text, len, f);
}
#define dispatch_rewrite rewrite_at
#endif

static const char usage[] = "usage: rewrite --level text|erased|tables [--function NAME]... FILE";

static enum dispatch_level level_of(const char *name) {
  static const char *const names[] = {"text", "erased", "tables"};
  for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return (enum dispatch_level)i;
  die(EXIT_USAGE, "%s", usage);
}

int main(int argc, char **argv) {
  program_name = "rewrite";
  enum dispatch_level level = DISPATCH_TABLES;
  struct functions f = {0};
  int i = 1;
  for (; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--level") == 0)
      level = level_of(argv[i + 1]);
    else if (strcmp(argv[i], "--function") == 0)
      functions_add(&f, argv[i + 1], "same");
    else
      die(EXIT_USAGE, "%s", usage);
  }
  if (i + 1 != argc)
    die(EXIT_USAGE, "%s", usage);

  size_t len;
  char *text = file_read(argv[i], &len);
  if (!text)
    die(EXIT_FAILED, "%s: cannot be read: %s", argv[i], strerror(errno));
  struct buf out = {0};
  struct dispatch_stats stats = {0};
  dispatch_rewrite(&out, text, len, &f, level, &stats);
  if (out.len && fwrite(out.data, out.len, 1, stdout) != 1)
    die(EXIT_FAILED, "standard output: %s", strerror(errno));
  fprintf(stderr, "helpers=%zu tables=%zu rows=%zu\n", stats.helpers, stats.tables, stats.rows);
  buf_free(&out);
  free(text);
  functions_free(&f);
  return EXIT_OK;
}
