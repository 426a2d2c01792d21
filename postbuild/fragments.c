/* fragments.c - see fragments.h. Three questions about a link with -fgpu-rdc: which fragments are
 * there, and which headers do they read; which of them does each function of a blob choose; and is
 * there device code in the link already, in objects that are no stubs, that the blobs may need? If
 * there is, nothing can be left for later.
 */
#include "fragments.h"

#include "step.h"
#include "flags.h"
#include "groupheaders.h"
#include "core/base/ar.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/device/rdc.h"

#include <blake2.h>
#include <ctype.h>
#include <unistd.h>

/* ---- reading ---- */

/* All that decides which headers R's source reads: command, directory, and its directives; free()
 * it. */
static char *group_key(const struct record *r, const char *text, size_t len, struct argv *flags) {
  struct buf key = {0};
  struct cxx_text t;
  flags_code(flags, r);
  autofree char *joined = argv_join(flags->args), *dir = path_dir(r->source);
  buf_printf(&key, "%s\n%s\n%s\n%s\n", r->compiler, r->cwd, joined, dir);
  cxx_lex(&t, text, len);
  for (uint32_t i = 0; i < t.n; i++)
    if (t.toks[i].kind == TOK_DIRECTIVE) {
      buf_add(&key, t.text + t.toks[i].at, t.toks[i].len);
      buf_putc(&key, '\n');
    }
  cxx_text_free(&t);
  return key.data;
}

static size_t group_of(struct fragments *f, const struct record *r, const char *text, size_t len) {
  struct argv flags = {0};
  char *key = group_key(r, text, len, &flags);
  for (size_t i = f->ngroups; i-- > 0;)
    if (strcmp(f->keys[i], key) == 0) {
      free(key);
      argv_free(&flags);
      return i;
    }
  vec_reserve(f->keys, f->ngroups, 1);
  f->keys[f->ngroups] = key;
  vec_push(f->groups, f->ngroups, (struct group){.sample = r, .flags = flags});
  return f->ngroups - 1;
}

void fragments_add(struct fragments *f, const struct record *r) {
  size_t len;
  autofree char *text = file_read_text(r->source, &len);
  if (!text)
    die(EXIT_FAILED, "%s: cannot read the source of the stub object %s: %s; build the object again",
        r->source, r->output, strerror(errno));
  struct fragment one = {.record = r, .group = group_of(f, r, text, len)};
  if (!fragment_read(&one.text, text, len))
    die(EXIT_FAILED,
        "%s: it no longer defines device functions alone, as it did when the stub object %s was written; "
        "build the object again",
        r->source, r->output);
  const char *compiled = r->source_text ? r->source_text : text; /* a copy has a line more */
  blake2b(one.digest, compiled, NULL, sizeof one.digest, r->source_text ? strlen(compiled) : len, 0);
  vec_push(f->list, f->n, one);
}

void fragments_add_unit(struct fragments *f, const struct blob *b) {
  size_t len;
  autofree char *text = file_read_text(b->record->source, &len);
  struct fragment one = {.record = b->record, .blob = b, .group = SIZE_MAX};
  struct cxx_scan s;
  if (!text) /* blob_read has read it */
    return;
  cxx_scan(&s, text, len);
  fragment_functions(&one.text.functions, &s);
  cxx_scan_free(&s);
  memcpy(one.digest, b->digest, sizeof one.digest);
  vec_push(f->list, f->n, one);
}

void fragments_settle(struct fragments *f) {
  for (size_t i = 0; i < f->n; i++) {
    size_t len;
    const struct record *r = f->list[i].record;
    bool apart = f->list[i].blob && f->list[i].blob->fate == BLOB_UNUSED;
    autofree char *text = apart ? file_read_text(r->source, &len) : NULL;
    if (text)
      f->list[i].group = group_of(f, r, text, len);
  }
}

size_t fragments_alone(const struct fragments *f) {
  size_t n = 0;
  for (size_t i = 0; i < f->n; i++)
    n += !f->list[i].blob;
  return n;
}

void fragments_free(struct fragments *f) {
  for (size_t i = 0; i < f->n; i++)
    fragment_free(&f->list[i].text);
  for (size_t g = 0; g < f->ngroups; g++) {
    free(f->keys[g]);
    argv_free(&f->groups[g].flags);
    free(f->groups[g].headers_digest);
    for (size_t i = 0; i < f->groups[g].ninputs; i++)
      free(f->groups[g].inputs[i].path);
    free(f->groups[g].inputs);
  }
  free(f->list);
  free(f->groups);
  free(f->keys);
  *f = (struct fragments){0};
}

/* ---- headers ---- */

static void take_headers(struct group *g, struct step *s) {
  if (s->status)
    die(EXIT_FAILED, "%s: the compiler ended with status %d when it was asked for the headers\n%s", s->source,
        s->status, s->output.len ? s->output.data : "");
  group_add_headers(g, s);
}

const char *fragments_headers(struct fragments *f, const char *dir, struct runner *with) {
  const char *takes = NULL;
  autofree struct step *steps = NULL;
  size_t n = 0;
  autofree size_t *group = NULL;
  for (size_t g = 0; g < f->ngroups; g++) {
    const struct group *gr = &f->groups[g];
    autofree char *name = xasprintf("%s/objs/fragments-%zu", dir, g);
    autofree_argv archs = {0};
    if (flags_is_hip(gr->sample))
      flags_archs(&archs, gr->sample);
    if (flags_is_hip(gr->sample) && !archs.n)
      argv_add(&archs, "");
    for (size_t i = 0; i <= archs.n; i++) {
      const char *arch = i < archs.n ? archs.args[i] : NULL;
      vec_reserve(group, n, 1);
      group[n] = g;
      vec_push(steps, n, group_headers_step(gr, gr->sample->source, name, (unsigned)g + 1, arch));
    }
  }
  if (n)
    steps_run(with, steps, n);
  for (size_t i = 0; i < n; i++) {
    take_headers(&f->groups[group[i]], &steps[i]);
    takes = takes ? takes : steps[i].takes;
    step_free(&steps[i]);
  }
  return takes;
}

/* ---- combinations ---- */

/* Append the words of TEXT, which has a space before each. */
static void split_words(struct argv *words, const char *text) {
  for (const char *p = text + strspn(text, " "); *p; p += strspn(p, " ")) {
    size_t n = strcspn(p, " ");
    argv_add_own(words, xstrndup(p, n));
    p += n;
  }
}

/* Do the names at word I of X and at word K of Y have the same qualifiers, as far as both have any?
 * `euclidean` and `search::euclidean` do. */
static bool same_qualifiers(const struct argv *x, size_t i, const struct argv *y, size_t k) {
  while (i >= 2 && k >= 2 && strcmp(x->args[i - 1], "::") == 0 && strcmp(y->args[k - 1], "::") == 0) {
    i -= 2;
    k -= 2;
    if (strcmp(x->args[i], y->args[k]) != 0)
      return false;
  }
  return true;
}

/* Returns the index of a tag's name, after its qualifiers. */
static size_t tag_name(const struct argv *words) {
  size_t name = 0;
  while (name + 2 < words->n && strcmp(words->args[name + 1], "::") == 0)
    name += 2;
  return name;
}

/* Is the tag TAG among ARGUMENTS, both in the form of words_render: the same words one after the
 * other? */
static bool is_chosen(const char *tag, const char *arguments) {
  autofree_argv t = {0}, a = {0};
  split_words(&t, tag);
  split_words(&a, arguments);
  size_t name = tag_name(&t);
  bool chosen = false;
  for (size_t i = 0; i + (t.n - name) <= a.n && t.n && !chosen; i++) {
    size_t k = 0;
    while (name + k < t.n && strcmp(a.args[i + k], t.args[name + k]) == 0)
      k++;
    chosen = name + k == t.n && same_qualifiers(&a, i, &t, name);
  }
  return chosen;
}

static bool same_choice(const struct fragments *f, const bool *a, const bool *b) {
  return !f->n || memcmp(a, b, f->n * sizeof *a) == 0;
}

/* STEM+tag+tag…: letters and digits of the chosen tags, each tag once, without namespaces; free()
 * it. With DIGEST, a digest of the full tags follows, because the plain form does not distinguish
 * the combinations. */
static char *combination_stem(const struct fragments *f, const char *stem, const bool *uses, bool digest) {
  struct buf b = {0};
  autofree_buf full = {0};
  buf_puts(&b, stem);
  buf_puts(&full, stem);
  for (size_t i = 0; i < f->n; i++) {
    const char *tag = f->list[i].text.tag;
    bool said = !uses[i] || !tag;
    for (size_t k = 0; k < i && !said; k++)
      said = uses[k] && f->list[k].text.tag && strcmp(f->list[k].text.tag, tag) == 0;
    if (said)
      continue;
    autofree_argv words = {0};
    split_words(&words, tag);
    buf_puts(&full, tag);
    buf_putc(&b, '+');
    for (size_t k = tag_name(&words); k < words.n; k++)
      for (const char *p = words.args[k]; *p; p++)
        buf_putc(&b, isalnum((unsigned char)*p) || *p == '_' ? *p : '-');
  }
  enum { MOST = 160 }; /* The most bytes of a stem: file names have more after it. */
  char hex[DIGEST_HEX], *out = b.data;
  digest_bytes(hex, full.data, full.len);
  if (digest || b.len > MOST) {
    out = xasprintf("%.*s+%s", MOST - DIGEST_HEX, b.data, hex);
    buf_free(&b);
  }
  return out;
}

static bool is_taken(const struct blob *b, const char *stem) {
  for (size_t i = 0; i < b->ncombinations; i++)
    if (strcmp(b->combinations[i].stem, stem) == 0)
      return true;
  return false;
}

static void add_combination(const struct fragments *f, struct blob *b, bool *uses) {
  char *stem = combination_stem(f, b->record->stem, uses, false);
  if (is_taken(b, stem)) {
    free(stem);
    stem = combination_stem(f, b->record->stem, uses, true);
  }
  vec_push(b->combinations, b->ncombinations, (struct combination){.stem = stem, .uses = uses});
}

void fragments_combine(const struct fragments *f, struct blob *b) {
  size_t n = b->functions.n;
  b->combination_of = xcalloc(n + 1, sizeof *b->combination_of);
  for (size_t k = 0; k < n; k++) {
    bool *uses = xcalloc(f->n + 1, sizeof *uses);
    for (size_t i = 0; i < f->n; i++)
      uses[i] = !f->list[i].text.tag || is_chosen(f->list[i].text.tag, b->arguments.args[k]);
    size_t c = 0;
    while (c < b->ncombinations && !same_choice(f, b->combinations[c].uses, uses))
      c++;
    b->combination_of[k] = (unsigned)c;
    if (c < b->ncombinations)
      free(uses);
    else
      add_combination(f, b, uses);
  }
  if (b->ncombinations == 1) { /* nothing to tell apart */
    free(b->combinations[0].stem);
    b->combinations[0].stem = xstrdup(b->record->stem);
  }
}

/* ---- what is there already ---- */

struct look {
  const char *bytes; /* of the file */
  size_t n;
  /* The first device function or variable that it defines. */
  char *defines;
  bool needs;
};

/* Is S a kernel? A kernel is registered by its name, so the host's code has that as a text. No
 * other device code calls it. */
static bool is_kernel(const struct look *l, const struct rdc_symbol *s) {
  return s->function && memmem(l->bytes, l->n, s->name, strlen(s->name) + 1) != NULL;
}

static void look_at(const struct rdc_symbol *s, void *user) {
  struct look *l = user;
  if (!s->global || str_starts(s->name, "__")) /* the compiler's own, which every unit has */
    return;
  if (!s->defined)
    l->needs |= !s->weak;
  else if (!l->defines && !is_kernel(l, s))
    l->defines = xstrdup(s->name);
}

/* The obstacle that the object of N BYTES is, which is at PLACE; as fragments_obstacle. */
static char *obstacle_of(const char *place, const char *bytes, size_t n, bool *needs, bool *device) {
  struct look l = {.bytes = bytes, .n = n};
  enum rdc_state state = rdc_symbols(bytes, n, look_at, &l);
  char *why = NULL;
  *device |= state != RDC_NONE;
  *needs |= l.needs;
  if (state == RDC_UNKNOWN)
    why = xasprintf("%s has device code in it that is not understood", place);
  else if (l.defines)
    why = xasprintf("%s, which was compiled already, defines %s for the device", place, l.defines);
  free(l.defines);
  return why;
}

char *fragments_obstacle(const char *file, bool *needs, bool *device) {
  struct ar a;
  struct ar_member m;
  size_t n;
  autofree char *bytes = file_read(file, &n);
  char *why = NULL;
  *needs = *device = false;
  if (bytes && !ar_open(&a, bytes, n))
    return obstacle_of(file, bytes, n, needs, device);
  while (bytes && !why && ar_next(&a, &m, NULL)) {
    autofree char *path = a.thin ? ar_member_file(file, &m) : NULL,
                  *own = path ? file_read(path, &m.size) : NULL,
                  *place = xasprintf("%s(%.*s)", file, (int)m.name_len, m.name);
    const char *member = own ? own : (const char *)m.data;
    why = member ? obstacle_of(place, member, m.size, needs, device) : NULL;
    if (!why && a.thin && *device) /* clang's driver does not read it: no other device code may be left */
      why = xasprintf("the thin archive %s has device code that was compiled already", file);
  }
  return why;
}
