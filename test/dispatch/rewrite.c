/* rewrite - dispatch_rewrite as a program, so that scripts can compare what it writes with what it read.
 *
 *     rewrite --level text|erased|tables [--function NAME]... [--header FILE --to REWRITTEN]... FILE
 *
 * The rewritten text goes to standard output, "helpers=N tables=N rows=N" to standard error. */
#include "postbuild/dispatch/dispatch.h"
#include "core/base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: rewrite --level text|erased|tables [--function NAME]... [--header FILE --to REWRITTEN]... FILE";

/* Write the header SOURCE to TARGET with its helpers erased, or as it is if it has none. Returns whether it has. */
static size_t rewrite_header(struct helpers *headers, const char *source, const char *target,
                             const struct functions *f) {
  size_t len;
  char *text = source ? file_read(source, &len) : NULL;
  if (!text)
    die(EXIT_FAILED, "%s: cannot be read: %s", source ? source : "--header", strerror(errno));
  struct buf out = {0};
  bool any = dispatch_header(headers, &out, text, len, f);
  if (any ? !file_write(target, out.data, out.len, 0666) : !file_write(target, text, len, 0666))
    die(EXIT_FAILED, "%s: cannot be written: %s", target, strerror(errno));
  buf_free(&out);
  free(text);
  return any;
}

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
  struct helpers *headers = dispatch_headers();
  size_t rewritten = 0;
  const char *header = NULL;
  int i = 1;
  for (; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--level") == 0)
      level = level_of(argv[i + 1]);
    else if (strcmp(argv[i], "--function") == 0)
      functions_add(&f, argv[i + 1], "same");
    else if (strcmp(argv[i], "--header") == 0)
      header = argv[i + 1];
    else if (strcmp(argv[i], "--to") == 0)
      rewritten += rewrite_header(headers, header, argv[i + 1], &f);
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
  dispatch_rewrite(&out, text, len, &f, headers, level, &stats);
  if (out.len && fwrite(out.data, out.len, 1, stdout) != 1)
    die(EXIT_FAILED, "standard output: %s", strerror(errno));
  fprintf(stderr, "helpers=%zu tables=%zu rows=%zu\n", stats.helpers + rewritten, stats.tables, stats.rows);
  buf_free(&out);
  free(text);
  dispatch_headers_free(headers);
  functions_free(&f);
  return EXIT_OK;
}
