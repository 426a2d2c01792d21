/* lines.c - texts come out of the lines of a file as they were put in; what is cut off or of another version is refused. */
// tier: check
#include "core/base/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ckjit-test 2"

static bool open_text(struct lines *l, const char *text, size_t n) {
  return lines_open_text(l, "the-file", text, n, HEAD);
}

static void texts(void) {
  static const char *const some[] = {"",   "plain",   "a\nb\\n",      "\\", "\n\n",
                                     "\t", "a\tb\\t", " two blanks ", NULL};
  struct buf b = {0};
  struct argv all = {0};
  struct lines l;
  buf_puts(&b, HEAD "\n");
  for (const char *const *s = some; *s; s++) {
    argv_add(&all, *s);
    lines_put(&b, "one", *s, NULL);
  }
  lines_put_all(&b, "all", &all);
  lines_put(&b, "none", NULL);
  assert(open_text(&l, b.data, b.len));
  for (const char *const *s = some; *s; s++)
    assert(lines_next(&l) && lines_is(&l, "one", 1) && strcmp(l.field[1], *s) == 0 && !l.field[2]);
  assert(lines_next(&l) && lines_is(&l, "all", all.n));
  for (size_t i = 0; i < all.n; i++)
    assert(strcmp(l.field[i + 1], some[i]) == 0);
  assert(lines_next(&l) && lines_is(&l, "none", 0) && l.number == all.n + 3);
  assert(!lines_next(&l) && lines_ended(&l));
  lines_close(&l);

  /* Cut off anywhere, it is whole after a newline only. */
  for (size_t n = strlen(HEAD) + 1; n <= b.len; n++) {
    assert(open_text(&l, b.data, n));
    while (lines_next(&l))
      continue;
    assert(lines_ended(&l) == (b.data[n - 1] == '\n'));
    lines_close(&l);
  }
  argv_free(&all);
  buf_free(&b);
}

/* TEXT of N bytes is refused in line LINE. */
static void refused(const char *text, size_t n, const char *line) {
  struct lines l;
  if (open_text(&l, text, n))
    while (lines_next(&l))
      continue;
  assert(!*line || !lines_ended(&l) || l.at == l.text);
  char *err = lines_error(&l, "something else"),
       *want = xasprintf("the-file:%s: expected something else", line);
  assert(strcmp(err, want) == 0);
  free(want);
  free(err);
  lines_close(&l);
}

int main(void) {
  struct lines l;
  texts();
  refused("", 0, "1");
  refused("ckjit-test 1\na b\n", 17, "1");
  refused("ckjit-test 22\na b\n", 18, "1");
  refused(HEAD "\na b\nc", strlen(HEAD) + 6, "3");
  refused(HEAD "\na b\n\0\nc\n", strlen(HEAD) + 9, "3");
  assert(!lines_open(&l, "no-file", HEAD));
  char *err = lines_error(&l, "something else");
  assert(strstr(err, "no-file: cannot read: No such file"));
  free(err);
  lines_close(&l);
  char *torn = lines_unescape("ab\\", 3); /* what a field that was cut off holds */
  assert(strcmp(torn, "ab\\") == 0);
  free(torn);
  return 0;
}
