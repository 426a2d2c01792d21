#include "linkedunit.h"
#include "unittext.h"
#include "core/base/memofile.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_protocol.h"

#include <ctype.h>

#define HEAD "ckjit-linked-units 1" /* of a list */
#define MEMO "linked 5"             /* beside a text */

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

/* In a mangled name a class is its length and its letters: 9euclidean. The namespaces before it may
 * be missing. */
bool linkedunit_is_chosen(const char *tag, const char *kernel) {
  const char *name = tag;
  for (const char *p; (p = strstr(name, "::"));)
    name = p + 2;
  autofree char *mangled = xasprintf("%zu%s", strlen(name), name);
  bool chosen = false;
  const char *arguments = strchr(kernel, 'I'); /* no template argument comes before it */
  for (const char *at = arguments; !chosen && at && (at = strstr(at, mangled)); at++)
    chosen = !isdigit((unsigned char)at[-1]);
  return chosen;
}

static bool is_tail(const char *whole, const char *tail) {
  size_t n = strlen(whole), k = strlen(tail);
  return n > k + 2 && strcmp(whole + n - k, tail) == 0 && memcmp(whole + n - k - 2, "::", 2) == 0;
}

bool linkedunit_is_tag(const char *tag, const char *asked) {
  return strcmp(tag, asked) == 0 || is_tail(tag, asked) || is_tail(asked, tag);
}

void linkedunit_choices_read(struct linkedunit_choices *c, const char *name) {
  size_t n = strcspn(name, CKJIT_CHOICE);
  *c = (struct linkedunit_choices){.kernel = xstrndup(name, n)};
  for (const char *p = name + n; *p == CKJIT_CHOICE[0];) {
    char kind = *++p;
    bool text = kind == CKJIT_CHOICE_TEXT, option = kind == CKJIT_CHOICE_OPTION;
    p += text;
    size_t k = strcspn(p, text ? CKJIT_CHOICE_TEXT_END : CKJIT_CHOICE);
    argv_add_own(text ? &c->texts : option ? &c->options : &c->tags, xstrndup(p, k));
    p += k + (text && p[k]);
  }
}

void linkedunit_choices_free(struct linkedunit_choices *c) {
  free(c->kernel);
  argv_free(&c->tags);
  argv_free(&c->options);
  argv_free(&c->texts);
}

/* ---- beside a text ---- */

/* KEY.linked for KEY.text. */
static char *beside(const char *file) {
  size_t n = strlen(file), ext = sizeof UNITTEXT_EXT - 1;
  return xasprintf("%.*s" UNITTEXT_LINKED, (int)(n > ext ? n - ext : n), file);
}

/* The lists of C by their keys. */
enum { LISTS = 6 };
static const char *const list_keys[LISTS] = {"strong",    "weak",  "needs",
                                             "variables", "fixed", "statics"};
static struct argv *list_of(struct linkedcode *c, size_t i) {
  return (struct argv *[LISTS]){&c->strong,    &c->weak,  &c->needs,
                                &c->variables, &c->fixed, &c->statics}[i];
}

bool linkedunit_write(const char *file, const char *tag, struct linkedcode *code, size_t n) {
  autofree_buf out = {0};
  autofree char *name = beside(file);
  if (tag)
    lines_put(&out, "tag", tag, NULL);
  for (size_t i = 0; i < n; i++) {
    lines_put(&out, "arch", code[i].arch, NULL);
    for (size_t k = 0; k < LISTS; k++)
      lines_put_all(&out, list_keys[k], list_of(&code[i], k));
  }
  buf_putc(&out, 0);
  return memofile_update(name, MEMO, out.data);
}

/* Read a line into U. */
static bool take_line(struct linkedunit *u, const struct lines *l) {
  const char *key = l->field[0];
  struct linkedcode *c = u->ncode ? &u->code[u->ncode - 1] : NULL;
  struct argv *words = strcmp(key, "device") == 0    ? &u->device
                       : strcmp(key, "defines") == 0 ? &u->defines
                                                     : NULL;
  if (lines_is(l, "arch", 1))
    vec_push(u->code, u->ncode, (struct linkedcode){.arch = xstrdup(l->field[1])});
  else if (!u->tag && lines_is(l, "tag", 1))
    u->tag = xstrdup(l->field[1]);
  else {
    for (size_t i = 0; c && i < LISTS; i++)
      if (strcmp(key, list_keys[i]) == 0)
        words = list_of(c, i);
    if (words)
      argv_add_all(words, l->field + 1);
    return words;
  }
  return true;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Set defines: the functions of all architectures, each once. */
static void join_defines(struct linkedunit *u) {
  autofree_argv all = {0};
  for (size_t i = 0; i < u->ncode; i++) {
    argv_add_all(&all, u->code[i].strong.args);
    argv_add_all(&all, u->code[i].weak.args);
  }
  if (all.n)
    qsort(all.args, all.n, sizeof *all.args, by_text);
  for (size_t i = 0; i < all.n; i++)
    if (!i || strcmp(all.args[i], all.args[i - 1]) != 0)
      argv_add(&u->defines, all.args[i]);
}

bool linkedunit_read(struct linkedunit *u, const char *file) {
  struct lines l;
  autofree char *name = beside(file);
  bool good = memofile_open(&l, name, MEMO);
  while (good && lines_next(&l))
    good = take_line(u, &l);
  good = good && lines_ended(&l);
  join_defines(u);
  lines_close(&l);
  return good;
}

/* ---- lists ---- */

void linkedunits_put_head(struct buf *out, const char *linker) {
  buf_puts(out, HEAD "\n");
  lines_put(out, "linker", linker, NULL);
}

void linkedunits_put(struct buf *out, const struct linkedunit *u) {
  lines_put(out, "unit", u->key, u->stem, NULL);
  lines_put_all(out, "device", &u->device);
  if (u->tag)
    lines_put(out, "tag", u->tag, NULL);
  lines_put_all(out, "defines", &u->defines);
}

bool linkedunits_is_list(const char *text) {
  return str_starts(text, HEAD "\n");
}

bool linkedunits_read(struct linkedunits *all, const char *text) {
  struct lines l;
  *all = (struct linkedunits){0};
  bool good = lines_open_text(&l, "", text, strlen(text), HEAD) && lines_next(&l) &&
              lines_is(&l, "linker", 1);
  if (good)
    all->linker = xstrdup(l.field[1]);
  while (good && lines_next(&l)) {
    const char *key = l.field[1];
    if (!lines_is(&l, "unit", 2))
      good = all->n && take_line(&all->list[all->n - 1], &l);
    else if ((good =
                  *key && !key[strspn(key, "0123456789abcdef")])) /* it is part of a file's name */
      vec_push(all->list, all->n,
               (struct linkedunit){.key = xstrdup(key), .stem = xstrdup(l.field[2])});
  }
  good = good && lines_ended(&l) && all->n;
  lines_close(&l);
  return good;
}

void linkedcode_free(struct linkedcode *c) {
  free(c->arch);
  for (size_t i = 0; i < LISTS; i++)
    argv_free(list_of(c, i));
}

void linkedunit_free(struct linkedunit *u) {
  for (size_t i = 0; i < u->ncode; i++)
    linkedcode_free(&u->code[i]);
  free(u->code);
  free(u->key);
  free(u->stem);
  free(u->tag);
  free(u->program_text);
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
