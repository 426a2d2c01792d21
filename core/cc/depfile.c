/* depfile.c - names in make's depfiles; see deps.h. */
#include "deps.h"

/* Escape as GNU cpp's munge() does, so that make and ninja's depfile parser read it back as one name. */
void deps_put_name(struct buf *out, const char *name) {
  size_t backslashes = 0, plain = strcspn(name, " \t$#\\");
  buf_add(out, name, plain);
  for (const char *p = name + plain; *p; p++) {
    if (*p == ' ' || *p == '\t') {
      while (backslashes--)
        buf_putc(out, '\\'); /* backslashes before a blank are doubled */
      buf_putc(out, '\\');
    } else if (*p == '$') {
      buf_putc(out, '$');
    } else if (*p == '#') {
      buf_putc(out, '\\');
    }
    backslashes = *p == '\\' ? backslashes + 1 : 0;
    buf_putc(out, *p);
  }
}

void deps_put_files(struct buf *out, const struct argv *files, size_t n) {
  buf_putc(out, ':');
  for (size_t i = 0; i < files->n; i++) {
    buf_puts(out, i ? " \\\n  " : " ");
    deps_put_name(out, files->args[i]);
  }
  for (size_t i = n; i < files->n; i++) {
    buf_putc(out, '\n');
    deps_put_name(out, files->args[i]);
    buf_putc(out, ':');
  }
  buf_putc(out, '\n');
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* Read the name at P into WORD; returns the text after it. A backslash is literal, except before a blank,
 * where pairs stand for one and an odd one escapes the blank; before a #, which it escapes; and before a
 * newline, where it continues the line. */
static const char *take_name(struct buf *word, const char *p) {
  for (;;) {
    size_t n = strspn(p, "\\");
    char c = p[n];
    bool hides = n && (c == '#' || (is_blank(c) && n % 2)), continues = n && c == '\n';
    buf_add(word, p, is_blank(c) ? n / 2 : n - (hides || continues));
    p += n - continues;
    if (!c || c == '\n' || (is_blank(c) && !hides))
      return p;
    if (c == '$' && p[1] == '$')
      p++;
    buf_putc(word, *p++);
  }
}

void deps_read(struct argv *out, const char *text) {
  const char *p = text;
  while (*p && !(*p == ':' && (p[1] == ' ' || p[1] == '\n' || p[1] == '\\' || !p[1])))
    p++;
  if (*p)
    p++;
  for (;;) {
    while (is_blank(*p) || (*p == '\\' && p[1] == '\n'))
      p += *p == '\\' ? 2 : 1;
    if (!*p || *p == '\n')
      return;
    struct buf word = {0};
    p = take_name(&word, p);
    argv_add_own(out, word.data);
  }
}
