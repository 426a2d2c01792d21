/* view.c - `trace view FILE`: a page that shows a file of CK_JIT_TRACE, or of `ckjit full --trace`. */
#include "page.h"
#include "prebuild/prebuild.h"
#include "core/base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_words(const struct request *r) {
  const char *what = r->names.n ? r->names.args[0] : NULL;
  if (!what || strcmp(what, "view") != 0)
    die(EXIT_USAGE, "trace: expected view FILE%s%s%s; see ckjit trace --help", what ? ", found '" : "",
        what ? what : "", what ? "'" : "");
  if (r->names.n < 2 || !*r->names.args[1])
    die(EXIT_USAGE, "trace view: expected FILE, a trace; see ckjit trace --help");
  if (r->names.n > 2)
    die(EXIT_USAGE, "trace view: unexpected argument '%s'; see ckjit trace --help", r->names.args[2]);
}

/* FILE.html, without the .json of FILE */
static char *output_of(const char *file) {
  size_t n = strlen(file);
  if (str_ends(file, ".json"))
    n -= strlen(".json");
  return xasprintf("%.*s.html", (int)n, file);
}

static void check_output(const char *output, const char *input) {
  struct stat a, b;
  if (stat(output, &a))
    return;
  if (S_ISDIR(a.st_mode))
    die(EXIT_FAILED, "--output %s: it is a directory; expected a file, such as trace.html", output);
  if (stat(input, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    die(EXIT_USAGE, "--output %s: is the trace; expected another file", output);
}

static void write_page(const char *output, const struct buf *page) {
  if (strcmp(output, "-") == 0) {
    if (fwrite(page->data, 1, page->len, stdout) < page->len || fflush(stdout))
      die(EXIT_FAILED, "standard output cannot be written: %s", strerror(errno));
    return;
  }
  if (!file_put(output, page->data, page->len, 0666))
    die(EXIT_FAILED, "--output %s: cannot be written: %s", output, strerror(errno));
  if (!file_is_special(output)) /* or the name would be in /dev/stdout, too */
    puts(output);
}

int prebuild_trace(struct request *r) {
  check_words(r);
  const char *file = r->names.args[1];
  bool is_stdin = strcmp(file, "-") == 0;
  char *own = r->output ? NULL : is_stdin ? xstrdup("-") : output_of(file), *err;
  const char *output = r->output ? r->output : own;
  struct trace t = {0};
  struct buf page = {0};
  if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
    die(EXIT_USAGE, "trace view: standard output is a terminal; say --output FILE, or name a pipe");
  if (strcmp(output, "-") != 0)
    check_output(output, file);
  if (!trace_read(&t, file, &err))
    die(EXIT_FAILED, "%s", err);
  lanes_lay(&t);
  page_write(&page, &t, is_stdin ? "trace" : path_base(file));
  write_page(output, &page);
  if (t.damaged)
    warn("%s: lines that are no events, and are left out: %zu", file, t.damaged);
  buf_free(&page);
  trace_free(&t);
  free(own);
  return EXIT_OK;
}
