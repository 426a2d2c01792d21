#include "embed.h"

#include "flags.h"
#include "core/cache/key.h"

#include "core/cc/compiler.h"
#include "core/base/env.h"
#include "core/base/install.h"
#include "core/files/manifest.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/toolchain.h"
#include "abi/ck_jit_abi.h"

#include <blake2.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- strings of the embedded tables
 * ------------------------------------------------------------------------ */

/* All texts at offsets, NUL behind each; offset 0 is the empty one. The last of those that repeat is kept in
 * mind: blobs come in runs of one directory. */
struct strings {
  struct buf bytes;
  char *last;
  uint32_t last_at;
};

static uint32_t strings_add(struct strings *s, const char *text) {
  if (!*text)
    return 0;
  uint32_t at = (uint32_t)s->bytes.len;
  buf_add(&s->bytes, text, strlen(text) + 1);
  return at;
}

static uint32_t strings_repeat(struct strings *s, const char *text) {
  if (!s->last || strcmp(s->last, text) != 0) {
    free(s->last);
    s->last = xstrdup(text);
    s->last_at = strings_add(s, text);
  }
  return s->last_at;
}

static void put_c_text(struct buf *out, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      buf_printf(out, "\\%c", c);
    else if (c < 0x20 || c >= 0x7f || c == '?') /* octal of three digits: no digit behind it can join */
      buf_printf(out, "\\%03o", c);
    else
      buf_putc(out, (char)c);
  }
}

static void put_define(struct buf *out, const char *name, const char *value) {
  buf_printf(out, "#define %s \"", name);
  put_c_text(out, value, strlen(value));
  buf_puts(out, "\"\n");
}

/* ---- the manifest in memory
 * -------------------------------------------------------------------------------- */

static void fill_group(struct manifest_group *m, const struct embed *e, const struct group *g) {
  flags_blob(&m->flags, g->sample, e->base);
  flags_archs(&m->archs, g->sample);
  argv_add_all(&m->link, e->link.args);
}

/* Whom the compiler names itself in what it makes: the first text of section .comment of OBJECT, "" where
 * there is none. */
static char *comment_of(const char *object) {
  size_t n = 0, skip = 0;
  char *all = inputs_comment(object, &n);
  while (skip < n && !all[skip])
    skip++;
  char *first = xstrdup(all ? all + skip : "");
  free(all);
  return first;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

/* Write IN; its name, free() it. */
static char *write_list(struct embed *e, const struct inputs *in) {
  char *dir = path_join(e->dir, INPUTS_DIR), name[DIGEST_HEX];
  if (!inputs_write(in, dir, name))
    die(EXIT_FAILED, "%s: cannot write the list of headers: %s", dir, strerror(errno));
  argv_add(&e->lists, name);
  free(dir);
  return xstrdup(name);
}

/* The list of what the keys of group G are made from; its name, free() it. COMMENT is that of its objects. */
static char *write_inputs(struct embed *e, const struct group *g, const struct inputs *compiler,
                          char *comment) {
  struct inputs in = *compiler;
  struct argv flags = {0}, dirs = {0}, missing = {0};
  in.header = NULL;
  in.nheaders = 0;
  in.comment = comment;
  digest_bytes(in.headers, "", 0);
  if (g->headers_digest)
    snprintf(in.headers, sizeof in.headers, "%s", g->headers_digest);
  if (g->ninputs)
    qsort(g->inputs, g->ninputs, sizeof *g->inputs, by_path);
  flags_blob(&flags, g->sample, NULL); /* with absolute directories */
  inputs_directories(&dirs, flags.args);
  for (size_t i = 0; i < g->ninputs; i++) {
    if (i && strcmp(g->inputs[i].path, g->inputs[i - 1].path) == 0)
      continue;
    inputs_add(&in.header, &in.nheaders, g->inputs[i].digest, flags_rooted(g->inputs[i].path, e->base));
    inputs_missing(&missing, &dirs, g->inputs[i].path);
  }
  inputs_unique(&missing);
  for (size_t i = 0; i < missing.n; i++)
    inputs_add(&in.header, &in.nheaders, DIGEST_NONE, flags_rooted(missing.args[i], e->base));
  char *name = write_list(e, &in);
  for (size_t i = 0; i < in.nheaders; i++)
    free(in.header[i].path);
  free(in.header);
  argv_free(&flags);
  argv_free(&dirs);
  argv_free(&missing);
  return name;
}

/* .comment of what the compiler makes for group G, "" where that is not known; free() it */
static char *comment_for(const struct group *g, const struct units *u) {
  return g->nunits ? comment_of(u->units[g->first_unit].object) : xstrdup("");
}

/* What the compiler of E consists of, for the first architecture of U's first group with a device side. */
static struct inputs *read_compiler(const struct embed *e, const struct units *u) {
  struct inputs *in = xcalloc(1, sizeof *in);
  struct argv archs = {0};
  bool device = false;
  for (size_t g = 0; g < u->ngroups && !device; g++) {
    device = flags_kind(u->groups[g].sample) != NULL;
    if (device)
      flags_archs(&archs, u->groups[g].sample);
  }
  char *name = xstrdup(e->compiler), *memo;
  for (char *p = name; *p; p++)
    if (*p == '/')
      *p = '-';
  memo = xasprintf("%s/.compilers/%s%s", e->work, name, device ? "" : ".host");
  toolchain_read(in, e->compiler, device ? archs.n ? archs.args[0] : "" : NULL, memo);
  argv_free(&archs);
  free(memo);
  free(name);
  return in;
}

/* Combination C of B; 0 for a blob that has none. HEADERS: the digest of all headers, and of fragments. */
static void fill_blob(struct manifest_blob *m, const struct embed *e, const struct blob *b,
                      const struct unit *u, size_t c, const char *headers, const char *flags,
                      const char *compiler) {
  m->stem = xstrdup(b->ncombinations ? b->combinations[c].stem : b->record->stem);
  m->linked = b->fate == BLOB_WANTED;
  m->source = flags_rooted(b->record->source, e->base);
  char *link = argv_join(e->link.args);
  key_blob(m->key, b->digest, flags, headers, link, compiler);
  free(link);
  const char *last = NULL;
  for (size_t i = 0; i < b->functions.n; i++) {
    if (b->ncombinations && b->combination_of[i] != c)
      continue;
    if (!last || strcmp(b->functions.args[i], last) != 0)
      argv_add(&m->functions, b->functions.args[i]);
    if (u->names[b->first_function + i])
      argv_add(&m->symbols, u->names[b->first_function + i]);
    last = b->functions.args[i];
  }
}

/* What the flags are worth to the key, per group; entry strings are the caller's to free. */
static char **group_keys(const struct units *u, const struct manifest_group *groups) {
  char **keys = xcalloc(u->ngroups, sizeof *keys);
  for (size_t g = 0; g < u->ngroups; g++) {
    struct argv reduced = {0};
    key_flags(&reduced, compiler_dialect(u->groups[g].sample->compiler),
              groups[g].flags.args ? groups[g].flags.args : (char *[]){NULL});
    keys[g] = argv_join(reduced.args);
    argv_free(&reduced);
  }
  return keys;
}

/* ---- fragments ---- */

static void to_hex(char hex[DIGEST_HEX], const unsigned char key[CKJIT_KEY_SIZE]) {
  for (int i = 0; i < CKJIT_KEY_SIZE; i++)
    sprintf(hex + 2 * i, "%02x", key[i]);
}

/* The keys of all fragments, and the lists of what they are made from. The link flags are not in them: an
 * object is linked with none. */
static void key_fragments(struct embed *e, const struct units *u, const struct inputs *compiler) {
  struct fragments *f = e->fragments;
  for (size_t g = 0; g < f->ngroups; g++) {
    struct group *group = &f->groups[g];
    struct argv flags = {0}, reduced = {0};
    flags_blob(&flags, group->sample, e->base);
    key_flags(&reduced, CC_GNU, flags.args ? flags.args : (char *[]){NULL}); /* -fgpu-rdc is HIP's */
    char *joined = argv_join(reduced.args);
    char *comment = u->nunits ? comment_of(u->units[0].object) : xstrdup("");
    char *list = write_inputs(e, group, compiler, comment);
    for (size_t i = 0; i < f->n; i++) {
      if (f->list[i].group != g)
        continue;
      unsigned char key[CKJIT_KEY_SIZE];
      key_blob(key, f->list[i].digest, joined, group->headers_digest, "", compiler->compiler);
      to_hex(f->list[i].key, key);
      snprintf(f->list[i].list, sizeof f->list[i].list, "%s", list);
    }
    free(list);
    free(comment);
    free(joined);
    argv_free(&flags);
    argv_free(&reduced);
  }
}

static void add_fragment(struct inputs *in, const struct embed *e, const struct fragment *f) {
  struct input_fragment *to = inputs_add_fragment(in);
  struct argv flags = {0};
  flags_blob(&flags, f->record, e->base);
  memcpy(to->key, f->key, sizeof to->key);
  memcpy(to->list, f->list, sizeof to->list);
  to->stem = xstrdup(f->record->stem);
  to->source = flags_rooted(f->record->source, e->base);
  to->flags = argv_join(flags.args);
  to->tag = f->text.tag ? xstrdup(f->text.tag) : NULL;
  argv_add_all(&to->functions, f->text.functions.args);
  argv_free(&flags);
}

/* A list of a choice of fragments is written once, and has a group of the manifest. */
struct choices {
  struct manifest *m;
  /* of each of these groups, as in the keys; they stand behind the groups of the units */
  char (*headers)[DIGEST_HEX];
  size_t nheaders;
};

/* The group for combination C of B, whose own group is G of U. */
static unsigned combination_group(struct choices *ch, struct embed *e, const struct units *u,
                                  const struct blob *b, size_t c, const struct inputs *compiler) {
  const struct group *g = &u->groups[b->group];
  struct manifest *m = ch->m;
  struct inputs in = *compiler;
  in.header = NULL;
  in.nheaders = 0;
  in.tools = NULL; /* they are in the entry's own list */
  in.ntools = 0;
  in.comment = comment_for(g, u);
  snprintf(in.entry, sizeof in.entry, "%s", m->groups[b->group].inputs);
  for (size_t i = 0; i < e->fragments->n; i++)
    if (b->combinations[c].uses[i])
      add_fragment(&in, e, &e->fragments->list[i]);
  inputs_combine(&in, g->headers_digest ? g->headers_digest : "");
  char *list = write_list(e, &in);
  size_t k = u->ngroups;
  while (k < m->ngroups && strcmp(m->groups[k].inputs, list) != 0)
    k++;
  if (k == m->ngroups) {
    struct manifest_group *group = vec_add(m->groups, m->ngroups);
    group->inputs = xstrdup(list);
    fill_group(group, e, g);
    memcpy(vec_add(ch->headers, ch->nheaders), in.headers, sizeof in.headers);
  }
  inputs_free_fragments(&in); /* the rest is COMPILER's */
  free(in.comment);
  free(list);
  return (unsigned)k;
}

static size_t rows_of(const struct blob *b) {
  return b->ncombinations ? b->ncombinations : 1;
}

/* Blobs in order of units and of the text in them, each with all its combinations: blob I of the tables is
 * blob I here. */
static struct manifest *build(struct embed *e, const struct units *u) {
  struct manifest *m = xcalloc(1, sizeof *m);
  m->file = path_join(e->dir, "ck_jit_manifest.json");
  m->root = xstrdup(e->root);
  m->compiler = xstrdup(e->compiler);
  argv_add(&m->libraries, e->library);
  for (size_t g = 0; g < u->ngroups; g++)
    fill_group(vec_add(m->groups, m->ngroups), e, &u->groups[g]);
  struct inputs *compiler = read_compiler(e, u);
  for (size_t g = 0; g < u->ngroups; g++) {
    char *comment = comment_for(&u->groups[g], u);
    m->groups[g].inputs = write_inputs(e, &u->groups[g], compiler, comment);
    free(comment);
  }
  key_fragments(e, u, compiler);
  struct choices choices = {.m = m};
  char **keys = group_keys(u, m->groups);
  for (size_t k = 0; k < u->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++)
      m->nblobs += rows_of(u->units[k].blobs[i]);
  m->blobs = xcalloc(m->nblobs, sizeof *m->blobs);
  size_t n = 0;
  for (size_t k = 0; k < u->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++) {
      const struct blob *b = u->units[k].blobs[i];
      for (size_t c = 0; c < rows_of(b); c++) {
        const char *headers = u->groups[b->group].headers_digest;
        unsigned group = b->group;
        if (b->ncombinations) {
          group = combination_group(&choices, e, u, b, c, compiler);
          headers = choices.headers[group - u->ngroups];
        }
        m->blobs[n].group = group;
        fill_blob(&m->blobs[n++], e, b, &u->units[k], c, headers ? headers : "", keys[b->group],
                  compiler->compiler);
      }
    }
  free(choices.headers);
  for (size_t g = 0; g < u->ngroups; g++)
    free(keys[g]);
  free(keys);
  inputs_free(compiler);
  return m;
}

/* ---- the tables
 * -------------------------------------------------------------------------------------------- */

/* One object of the tables: its bytes, and its name in the assembler. */
struct tables {
  struct buf bytes, text;
};

static void add_table(struct tables *t, const char *name, const void *bytes, size_t n) {
  static const char padding[8];
  buf_printf(&t->text,
             ".globl %s\n.hidden %s\n.type %s, @object\n.size %s, %zu\n.balign 8\n%s:\n"
             ".incbin \"ck_jit_tables.bin\", %zu, %zu\n",
             name, name, name, name, n, name, t->bytes.len, n);
  buf_add(&t->bytes, bytes, n);
  buf_add(&t->bytes, padding, (size_t)-t->bytes.len % 8);
}

static void add_groups(struct tables *t, struct strings *s, const struct manifest *m) {
  struct ckjit_group *rows = xcalloc(m->ngroups, sizeof *rows);
  for (size_t g = 0; g < m->ngroups; g++) {
    char *flags = argv_join(m->groups[g].flags.args), *link = argv_join(m->groups[g].link.args);
    struct buf archs = {0};
    buf_add(&archs, "", 0);
    for (size_t i = 0; i < m->groups[g].archs.n; i++)
      buf_printf(&archs, "%s%s", i ? ";" : "", m->groups[g].archs.args[i]);
    rows[g].flags = strings_add(s, flags);
    rows[g].link = strings_add(s, link);
    rows[g].archs = strings_add(s, archs.data);
    rows[g].inputs = strings_add(s, m->groups[g].inputs);
    free(flags);
    free(link);
    buf_free(&archs);
  }
  add_table(t, "ckjit_groups", rows, m->ngroups * sizeof *rows);
  free(rows);
}

static void add_blobs(struct tables *t, struct strings *s, const struct manifest *m) {
  struct ckjit_blob *rows = xcalloc(m->nblobs, sizeof *rows);
  for (size_t i = 0; i < m->nblobs; i++) {
    const char *source = m->blobs[i].source, *slash = strrchr(source, '/');
    char *dir = xstrndup(source, slash ? (size_t)(slash - source) : 0);
    rows[i].dir = *dir ? strings_repeat(s, dir) : 0;
    rows[i].name = strings_add(s, slash && *dir ? slash + 1 : source);
    rows[i].group = (uint32_t)m->blobs[i].group;
    memcpy(rows[i].key, m->blobs[i].key, sizeof rows[i].key);
    free(dir);
  }
  add_table(t, "ckjit_blobs", rows, m->nblobs * sizeof *rows);
  free(rows);
}

/* Returns how many functions there are. */
static size_t add_functions(struct tables *t, struct strings *s, const struct units *u) {
  size_t n = 0, blob = 0, function = 0;
  for (size_t k = 0; k < u->nunits; k++)
    n += u->units[k].nfunctions;
  struct ckjit_function *rows = xcalloc(n, sizeof *rows);
  uint32_t *first = xcalloc(u->nunits + 1, sizeof *first);
  for (size_t k = 0; k < u->nunits; k++) {
    const struct unit *un = &u->units[k];
    first[k] = (uint32_t)function;
    size_t f = 0;
    for (size_t i = 0; i < un->nblobs; i++) {
      const struct blob *b = un->blobs[i];
      for (size_t j = 0; j < b->functions.n; j++, f++) {
        size_t row = blob + (b->ncombinations ? b->combination_of[j] : 0);
        rows[function++] = (struct ckjit_function){.blob = (uint32_t)row,
                                                   .name = strings_add(s, un->hidden[f] ? un->hidden[f] : ""),
                                                   .hash = un->hashes[f]};
      }
      blob += rows_of(b);
    }
  }
  first[u->nunits] = (uint32_t)function;
  add_table(t, "ckjit_functions", rows, function * sizeof *rows);
  add_table(t, "ckjit_unit_first", first, (u->nunits + 1) * sizeof *first);
  free(rows);
  free(first);
  return function;
}

/* The stems that are not those of the source: of blobs with several combinations. Returns how many. */
static size_t add_stems(struct tables *t, struct strings *s, const struct manifest *m) {
  struct ckjit_combination *rows = xcalloc(m->nblobs + 1, sizeof *rows);
  size_t n = 0;
  for (size_t i = 0; i < m->nblobs; i++) {
    char *stem = path_stem(m->blobs[i].source);
    if (strcmp(stem, m->blobs[i].stem) != 0)
      rows[n++] = (struct ckjit_combination){(uint32_t)i, strings_add(s, m->blobs[i].stem)};
    free(stem);
  }
  if (n)
    add_table(t, "ckjit_combinations", rows, n * sizeof *rows);
  free(rows);
  return n;
}

static void write_file(const struct embed *e, const char *name, const struct buf *b) {
  char *file = path_join(e->dir, name);
  if (!file_update(file, b->data, b->len, 0666))
    die(EXIT_FAILED, "%s: cannot write the embedded manifest: %s", file, strerror(errno));
  free(file);
}

/* The lists of all groups (core/cache/inputs.h), each once, a NUL behind each: a library that was copied away from
 * its install tree has them with it. */
static void add_lists(struct buf *out, const struct embed *e) {
  for (size_t g = 0; g < e->lists.n; g++) {
    bool again = false;
    for (size_t i = 0; i < g; i++)
      again |= strcmp(e->lists.args[i], e->lists.args[g]) == 0;
    char *file = xasprintf("%s/" INPUTS_DIR "/%s", e->dir, e->lists.args[g]);
    size_t len;
    char *text = again ? NULL : file_read(file, &len);
    if (text)
      buf_add(out, text, len + 1);
    free(text);
    free(file);
  }
  buf_add(out, "", 1);
}

/* returns the number of functions */
static size_t write_tables(const struct embed *e, const struct units *u, const struct manifest *m,
                           size_t *stems) {
  struct tables t = {0};
  struct buf inputs = {0};
  struct strings s = {0};
  buf_puts(&t.text, "/* The manifest of one library, written by ckjit-link: do not edit. */\n"
                    ".section .rodata.ckjit, \"a\", @progbits\n");
  buf_add(&s.bytes, "", 1);
  add_groups(&t, &s, m);
  add_blobs(&t, &s, m);
  size_t functions = add_functions(&t, &s, u);
  *stems = add_stems(&t, &s, m);
  add_table(&t, "ckjit_strings", s.bytes.data, s.bytes.len);
  add_lists(&inputs, e);
  buf_puts(&t.text,
           ".section " INPUTS_SECTION ", \"a\", @progbits\n.globl ckjit_inputs\n.hidden ckjit_inputs\n"
           "ckjit_inputs:\n.incbin \"ck_jit_inputs.bin\"\n"
           ".section .note.GNU-stack, \"\", @progbits\n");
  write_file(e, "ck_jit_inputs.bin", &inputs);
  buf_add(&t.bytes, inputs.data, inputs.len); /* for the digest; no table reaches there */
  buf_free(&inputs);
  unsigned char digest[32]; /* the text changes with the bytes, so that a relink knows what is fresh */
  blake2b(digest, t.bytes.data, NULL, sizeof digest, t.bytes.len, 0);
  for (size_t i = 0; i < sizeof digest; i++)
    buf_printf(&t.text, "%s%02x", i ? "" : "/* ", digest[i]);
  buf_puts(&t.text, " */\n");
  write_file(e, "ck_jit_tables.bin", &t.bytes);
  write_file(e, EMBED_TABLES, &t.text);
  buf_free(&t.bytes);
  buf_free(&t.text);
  buf_free(&s.bytes);
  free(s.last);
  return functions;
}

/* ---- the header
 * -------------------------------------------------------------------------------------------- */

static const char *or_empty(const char *s) {
  return s ? s : "";
}

static void write_header(const struct embed *e, const struct units *u, const struct manifest *m,
                         size_t functions, size_t stems) {
  struct buf out = {0};
  const char *name = env_get("CK_JIT_NAME");
  char *compile = install_program("ckjit-compile"), *inputs = path_join(e->dir, INPUTS_DIR);
  buf_puts(&out, "/* The manifest of one library, written by ckjit-link: do not edit. */\n");
  buf_printf(&out, "#define CKJIT_FORMAT %d\n", CKJIT_ABI_FORMAT);
  put_define(&out, "CKJIT_NAME", name ? name : "ck_jit");
  put_define(&out, "CKJIT_ROOT", or_empty(env_get("CK_JIT_ROOT")));
  put_define(&out, "CKJIT_BUILD_ROOT", e->root);
  put_define(&out, "CKJIT_COMPILE", or_empty(compile));
  put_define(&out, "CKJIT_COMPILER", e->compiler);
  const struct compiler *kind = compiler_meant(e->compiler);
  put_define(&out, "CKJIT_COMPILER_KIND", kind->kind);
  put_define(&out, "CKJIT_COMPILER_VARIABLE", kind->variable);
  put_define(&out, "CKJIT_BUILD_INPUTS", inputs);
  buf_printf(&out,
             "#define CKJIT_UNITS %zu\n#define CKJIT_BLOBS %zu\n#define CKJIT_FUNCTIONS %zu\n"
             "/* in " EMBED_TABLES " */\n"
             "CKJIT_TABLE char ckjit_strings[];\n"
             "CKJIT_TABLE struct ckjit_group ckjit_groups[];\n"
             "CKJIT_TABLE struct ckjit_blob ckjit_blobs[];\n"
             "CKJIT_TABLE struct ckjit_function ckjit_functions[];\n"
             "CKJIT_TABLE uint32_t ckjit_unit_first[];\n"
             "CKJIT_TABLE char ckjit_inputs[];\n",
             u->nunits, m->nblobs, functions);
  if (stems)
    buf_printf(&out,
               "#define CKJIT_COMBINATIONS %zu\n"
               "CKJIT_TABLE struct ckjit_combination ckjit_combinations[];\n",
               stems);
  write_file(e, "ck_jit_manifest_embedded.h", &out);
  free(compile);
  free(inputs);
  buf_free(&out);
}

static int by_stem(const void *a, const void *b) {
  return strcmp(((const struct manifest_blob *)a)->stem, ((const struct manifest_blob *)b)->stem);
}

void embed_write(struct embed *e, const struct units *u) {
  struct manifest *m = build(e, u);
  size_t stems, functions = write_tables(e, u, m, &stems);
  write_header(e, u, m, functions, stems);
  if (m->nblobs)
    qsort(m->blobs, m->nblobs, sizeof *m->blobs, by_stem);
  char *err;
  if (!manifest_write(m, m->file, &err))
    die(EXIT_FAILED, "%s", err);
  manifest_free(m);
}
