#include "linkedunit.h"
#include "unittext.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ckjit-linked 3\nlinker "  /* of a list */
#define HEAD_OF_UNIT "ckjit-linked 4\n" /* of what stands beside a text */

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

static bool is_tail(const char *whole, const char *tail) {
  size_t n = strlen(whole), k = strlen(tail);
  return n > k + 2 && strcmp(whole + n - k, tail) == 0 && memcmp(whole + n - k - 2, "::", 2) == 0;
}

bool linkedunit_is_tag(const char *tag, const char *asked) {
  return strcmp(tag, asked) == 0 || is_tail(tag, asked) || is_tail(asked, tag);
}

char *linkedunit_combination(const char *name, struct argv *tags) {
  size_t n = strcspn(name, "+");
  for (const char *p = name + n; *p;) {
    size_t k = strcspn(++p, "+");
    argv_add_own(tags, xstrndup(p, k));
    p += k;
  }
  return xstrndup(name, n);
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

static void put_tag(struct buf *out, const char *tag) {
  if (tag)
    buf_printf(out, "tag %s\n", tag);
}

static void put_code(struct buf *out, const struct linkedcode *c) {
  buf_printf(out, "arch %s\n", c->arch);
  put_words(out, "strong", &c->strong);
  put_words(out, "weak", &c->weak);
  put_words(out, "needs", &c->needs);
  put_words(out, "variables", &c->variables);
  put_words(out, "fixed", &c->fixed);
  put_words(out, "statics", &c->statics);
}

bool linkedunit_write(const char *file, const char *tag, const struct linkedcode *code, size_t n) {
  struct buf out = {0};
  char *name = beside(file);
  buf_puts(&out, HEAD_OF_UNIT);
  put_tag(&out, tag);
  for (size_t i = 0; i < n; i++)
    put_code(&out, &code[i]);
  bool done = file_update(name, out.data, out.len, 0666);
  free(name);
  buf_free(&out);
  return done;
}

/* Append the words of LINE, N bytes, to V if it is called NAME. */
static bool take_words(struct argv *v, const char *name, const char *line, size_t n) {
  size_t len = strlen(name);
  bool is = n > len && line[len] == ' ' && memcmp(line, name, len) == 0;
  if (is)
    argv_split(v, line + len + 1, n - len - 1);
  return is;
}

/* Take LINE, N bytes, for U. */
static void take_line(struct linkedunit *u, const char *line, size_t n) {
  static const char tag[] = "tag ", arch[] = "arch ";
  struct linkedcode *c = u->ncode ? &u->code[u->ncode - 1] : NULL;
  if (str_starts(line, arch))
    vec_push(u->code, u->ncode,
             (struct linkedcode){.arch = xstrndup(line + sizeof arch - 1, n - (sizeof arch - 1))});
  else if (str_starts(line, tag) && !u->tag)
    u->tag = xstrndup(line + sizeof tag - 1, n - (sizeof tag - 1));
  else if (c)
    (void)(take_words(&c->strong, "strong", line, n) || take_words(&c->weak, "weak", line, n) ||
           take_words(&c->needs, "needs", line, n) || take_words(&c->variables, "variables", line, n) ||
           take_words(&c->fixed, "fixed", line, n) || take_words(&c->statics, "statics", line, n));
  else
    (void)(take_words(&u->device, "device", line, n) || take_words(&u->defines, "defines", line, n));
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Set defines: the functions of all architectures, each once. */
static void join_defines(struct linkedunit *u) {
  struct argv all = {0};
  for (size_t i = 0; i < u->ncode; i++) {
    argv_add_all(&all, u->code[i].strong.args);
    argv_add_all(&all, u->code[i].weak.args);
  }
  if (all.n)
    qsort(all.args, all.n, sizeof *all.args, by_text);
  for (size_t i = 0; i < all.n; i++)
    if (!i || strcmp(all.args[i], all.args[i - 1]) != 0)
      argv_add(&u->defines, all.args[i]);
  argv_free(&all);
}

bool linkedunit_read(struct linkedunit *u, const char *file) {
  size_t len;
  char *name = beside(file), *text = file_read(name, &len);
  bool is = text && str_starts(text, HEAD_OF_UNIT);
  for (const char *p = text; is && *p;) {
    size_t n = strcspn(p, "\n");
    take_line(u, p, n);
    p += n + (p[n] == '\n');
  }
  join_defines(u);
  free(text);
  free(name);
  return is;
}

/* ---- lists ---- */

void linkedunits_put_head(struct buf *out, const char *linker) {
  buf_printf(out, HEAD "%s\n", linker);
}

void linkedunits_put(struct buf *out, const struct linkedunit *u) {
  buf_printf(out, "unit %s %s\n", u->key, u->stem);
  put_words(out, "device", &u->device);
  put_tag(out, u->tag);
  put_words(out, "defines", &u->defines);
}

bool linkedunits_is_list(const char *text) {
  return str_starts(text, HEAD);
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
  if (!linkedunits_is_list(text))
    return false;
  const char *p = text + sizeof HEAD - 1, *end = p + strcspn(p, "\n");
  all->linker = xstrndup(p, (size_t)(end - p));
  bool good = *end && str_starts(end + 1, unit);
  for (p = good ? end + 1 : ""; good && *p;) {
    size_t n = strcspn(p, "\n");
    if (str_starts(p, unit))
      good = take_unit(all, p + sizeof unit - 1, n - (sizeof unit - 1));
    else
      take_line(&all->list[all->n - 1], p, n);
    p += n + (p[n] == '\n');
  }
  return good;
}

void linkedcode_free(struct linkedcode *c) {
  free(c->arch);
  argv_free(&c->strong);
  argv_free(&c->weak);
  argv_free(&c->needs);
  argv_free(&c->variables);
  argv_free(&c->fixed);
  argv_free(&c->statics);
}

void linkedunit_free(struct linkedunit *u) {
  for (size_t i = 0; i < u->ncode; i++)
    linkedcode_free(&u->code[i]);
  free(u->code);
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
  free(all->linker);
  *all = (struct linkedunits){0};
}
