#include "linkedunit.h"
#include "unittext.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ckjit-linked 1\n"

/* ---- tags ---- */

char *linkedunit_tag(const char *text) {
  static const char word[] = "ckjit_fragment";
  for (const char *p = text; (p = strstr(p, word)); p += sizeof word - 1) {
    const char *q = p + sizeof word - 1;
    q += strspn(q, " \t\n");
    if (*q != '=')
      continue;
    struct buf tag = {0};
    for (q++; *q && *q != ';'; q++)
      if (!isspace((unsigned char)*q))
        buf_putc(&tag, *q);
    if (*q && tag.len)
      return tag.data;
    buf_free(&tag);
  }
  return NULL;
}

/* A mangled name has a class as its length and its letters: 9euclidean. Namespaces before it may be left out. */
bool linkedunit_is_chosen(const char *tag, const char *kernel) {
  const char *name = tag;
  for (const char *p; (p = strstr(name, "::"));)
    name = p + 2;
  char *mangled = xasprintf("%zu%s", strlen(name), name);
  bool chosen = false;
  const char *arguments = strchr(kernel, 'I'); /* no argument of a template comes before it */
  for (const char *at = arguments; !chosen && at && (at = strstr(at, mangled)); at++)
    chosen = !isdigit((unsigned char)at[-1]);
  free(mangled);
  return chosen;
}

/* ---- beside a text ---- */

/* KEY.linked for KEY.text */
static char *beside(const char *file) {
  size_t n = strlen(file), ext = sizeof UNITTEXT_EXT - 1;
  return xasprintf("%.*s" UNITTEXT_LINKED, (int)(n > ext ? n - ext : n), file);
}

static void put_words(struct buf *out, const char *what, const struct argv *words) {
  char *text = argv_join(words->args ? words->args : (char *[]){NULL});
  buf_printf(out, "%s %s\n", what, text);
  free(text);
}

static void put_facts(struct buf *out, const char *tag, const struct argv *defines) {
  if (tag)
    buf_printf(out, "tag %s\n", tag);
  put_words(out, "defines", defines);
}

bool linkedunit_write(const char *file, const char *tag, const struct argv *defines) {
  struct buf out = {0};
  char *name = beside(file);
  buf_puts(&out, HEAD);
  put_facts(&out, tag, defines);
  bool done = file_update(name, out.data, out.len, 0666);
  free(name);
  buf_free(&out);
  return done;
}

/* Take LINE, N bytes, for U. */
static void take_line(struct linkedunit *u, const char *line, size_t n) {
  static const char device[] = "device ", tag[] = "tag ", defines[] = "defines ";
  if (str_starts(line, device))
    argv_split(&u->device, line + sizeof device - 1, n - (sizeof device - 1));
  else if (str_starts(line, defines))
    argv_split(&u->defines, line + sizeof defines - 1, n - (sizeof defines - 1));
  else if (str_starts(line, tag) && !u->tag)
    u->tag = xstrndup(line + sizeof tag - 1, n - (sizeof tag - 1));
}

bool linkedunit_read(struct linkedunit *u, const char *file) {
  size_t len;
  char *name = beside(file), *text = file_read(name, &len);
  bool is = text && str_starts(text, HEAD);
  for (const char *p = text; is && *p;) {
    size_t n = strcspn(p, "\n");
    take_line(u, p, n);
    p += n + (p[n] == '\n');
  }
  free(text);
  free(name);
  return is;
}

/* ---- lists ---- */

void linkedunits_put(struct buf *out, const struct linkedunit *u) {
  if (!out->len)
    buf_puts(out, HEAD);
  buf_printf(out, "unit %s %s\n", u->key, u->stem);
  put_words(out, "device", &u->device);
  put_facts(out, u->tag, &u->defines);
}

bool linkedunits_is_list(const char *text) {
  return str_starts(text, HEAD "unit ");
}

/* `unit KEY STEM`, N bytes behind the first word. The key is part of a file's name. */
static bool take_unit(struct linkedunits *all, const char *line, size_t n) {
  size_t key = strspn(line, "0123456789abcdef");
  if (key >= n || line[key] != ' ' || n == key + 1)
    return false;
  vec_push(all->list, all->n,
           (struct linkedunit){.key = xstrndup(line, key), .stem = xstrndup(line + key + 1, n - key - 1)});
  return true;
}

bool linkedunits_read(struct linkedunits *all, const char *text) {
  static const char unit[] = "unit ";
  *all = (struct linkedunits){0};
  bool good = linkedunits_is_list(text);
  for (const char *p = good ? text + sizeof HEAD - 1 : ""; good && *p;) {
    size_t n = strcspn(p, "\n");
    if (str_starts(p, unit))
      good = take_unit(all, p + sizeof unit - 1, n - (sizeof unit - 1));
    else
      take_line(&all->list[all->n - 1], p, n);
    p += n + (p[n] == '\n');
  }
  return good;
}

void linkedunit_free(struct linkedunit *u) {
  free(u->key);
  free(u->stem);
  free(u->tag);
  argv_free(&u->device);
  argv_free(&u->defines);
}

void linkedunits_free(struct linkedunits *all) {
  for (size_t i = 0; i < all->n; i++)
    linkedunit_free(&all->list[i]);
  free(all->list);
  *all = (struct linkedunits){0};
}
