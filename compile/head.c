/* head.c - finds the leading #include block of a source.
 *
 * The precompiled header is made from its #include lines; the pass is then started after the block
 * (-preamble-bytes), so that a header without a guard is not read twice. Anything that could change
 * the meaning of the #include lines ends the block: a condition, a macro, a line that continues.
 */
#include "head.h"
#include "core/base/path.h"
#include "core/base/directives.h"

static const char *skip_blanks(const char *p) {
  return p + strspn(p, " \t\r\f\v");
}

/* Returns P after the comment there, if there is one; a // comment ends before its newline. Returns
 * NULL if the comment does not end, or continues on the next line in a way that is better left to
 * the compiler. */
static const char *skip_comment(const char *p) {
  if (p[0] != '/' || (p[1] != '/' && p[1] != '*'))
    return p;
  if (p[1] == '*') {
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : NULL;
  }
  size_t n = strcspn(p, "\n");
  return memchr(p, '\\', n) || !p[n] ? NULL : p + n;
}

/* Returns the place after the #include line at P, which points at the '#', before END. *NAME: what
 * is included, as HOW says. NULL: it is not a plain #include. */
static const char *take_include(const char *p, const char *end, struct span *name, enum include *how) {
  p = skip_blanks(p + 1);
  if (!str_starts(p, "include"))
    return NULL;
  p = skip_blanks(p + strlen("include"));
  *name = span_header(p, end, how);
  if (!name->n || memchr(name->p, '\\', name->n))
    return NULL;
  p = skip_blanks(name->p + name->n + 1);
  if (p[0] == '/' && p[1] == '/')
    p = skip_comment(p);
  return p && *p == '\n' ? p + 1 : NULL;
}

/* "name.h" is first looked for beside the source, and the text of the precompiled header lies
 * elsewhere. */
static void add_include(struct head *h, const char *source_dir, struct span span, enum include how) {
  autofree char *name = xstrndup(span.p, span.n), *beside = path_join(source_dir, name);
  bool found = how == QUOTED && *name != '/' && file_exists(beside);
  buf_printf(&h->text, how == QUOTED ? "#include \"%s\"\n" : "#include <%s>\n", found ? beside : name);
}

bool head_read(struct head *h, const char *source) {
  size_t len;
  *h = (struct head){0};
  autofree char *text = file_read_text(source, &len), *dir = path_dir(source);
  if (text && strlen(text) == len) {
    for (const char *p = text; p;) {
      p = skip_blanks(p);
      if (*p == '\n') {
        p++;
        continue;
      }
      const char *behind = skip_comment(p);
      struct span name;
      enum include how;
      if (behind != p) {
        p = behind;
        continue;
      }
      if (*p != '#' || !(p = take_include(p, text + len, &name, &how)))
        break;
      add_include(h, dir, name, how);
      h->bytes = (size_t)(p - text);
    }
  }
  return h->bytes > 0;
}
