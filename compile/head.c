/* head.c - finds the leading #include block of a source.
 *
 * The precompiled header is made from its #include lines; the pass is then started after the block
 * (-preamble-bytes), so that a header without a guard is not read twice. Anything that could change
 * the meaning of the #include lines ends the block: a condition, a macro, a line that continues.
 */
#include "head.h"
#include "core/base/path.h"

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

/* Returns the place after the #include line at P, which points at the '#'; *NAME gets the N bytes
 * of the name with its quotes. NULL: it is not a plain #include. */
static const char *take_include(const char *p, const char **name, size_t *n) {
  p = skip_blanks(p + 1);
  if (!str_starts(p, "include"))
    return NULL;
  p = skip_blanks(p + strlen("include"));
  char close = *p == '"' ? '"' : *p == '<' ? '>' : 0;
  if (!close)
    return NULL;
  *name = p;
  p++;
  p += strcspn(p, close == '"' ? "\"\n\\" : ">\n\\");
  if (*p != close)
    return NULL;
  *n = (size_t)(++p - *name);
  p = skip_blanks(p);
  if (p[0] == '/' && p[1] == '/')
    p = skip_comment(p);
  return p && *p == '\n' ? p + 1 : NULL;
}

/* "name.h" is first looked for beside the source, and the text of the precompiled header lies
 * elsewhere. */
static void add_include(struct head *h, const char *source_dir, const char *name, size_t n) {
  autofree char *inner = xstrndup(name + 1, n - 2), *beside = path_join(source_dir, inner);
  if (name[0] == '"' && inner[0] != '/' && file_exists(beside))
    buf_printf(&h->text, "#include \"%s\"\n", beside);
  else
    buf_printf(&h->text, "#include %.*s\n", (int)n, name);
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
      const char *name, *behind = skip_comment(p);
      size_t n;
      if (behind != p) {
        p = behind;
        continue;
      }
      if (*p != '#' || !(p = take_include(p, &name, &n)))
        break;
      add_include(h, dir, name, n);
      h->bytes = (size_t)(p - text);
    }
  }
  return h->bytes > 0;
}
