#include "embed.h"

#include "flags.h"
#include "core/key.h"

#include "core/env.h"
#include "core/install.h"
#include "core/manifest.h"
#include "core/path.h"
#include "core/toolchain.h"
#include "runtime/ck_jit_abi.h"

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

/* The list of what the keys of group G are made from; its name goes into M. */
static void write_inputs(struct manifest_group *m, const struct embed *e, const struct group *g,
                         const struct units *u, const struct inputs *compiler) {
  struct inputs in = *compiler;
  struct argv flags = {0}, dirs = {0}, missing = {0};
  in.header = NULL;
  in.nheaders = 0;
  in.comment = g->nunits ? comment_of(u->units[g->first_unit].object) : xstrdup("");
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
  char *dir = path_join(e->dir, INPUTS_DIR), name[DIGEST_HEX];
  if (!inputs_write(&in, dir, name))
    die(EXIT_FAILED, "%s: cannot write the list of headers: %s", dir, strerror(errno));
  m->inputs = xstrdup(name);
  for (size_t i = 0; i < in.nheaders; i++)
    free(in.header[i].path);
  free(in.header);
  free(in.comment);
  free(dir);
  argv_free(&flags);
  argv_free(&dirs);
  argv_free(&missing);
}

/* What the compiler of E consists of, for the first architecture of U's first group of HIP. */
static struct inputs *read_compiler(const struct embed *e, const struct units *u) {
  struct inputs *in = xcalloc(1, sizeof *in);
  struct argv archs = {0};
  bool hip = false;
  for (size_t g = 0; g < u->ngroups && !hip; g++) {
    hip = flags_is_hip(u->groups[g].sample);
    if (hip)
      flags_archs(&archs, u->groups[g].sample);
  }
  char *name = xstrdup(e->compiler), *memo;
  for (char *p = name; *p; p++)
    if (*p == '/')
      *p = '-';
  memo = xasprintf("%s/.compilers/%s%s", e->work, name, hip ? "" : ".host");
  toolchain_read(in, e->compiler, hip ? archs.n ? archs.args[0] : "" : NULL, memo);
  argv_free(&archs);
  free(memo);
  free(name);
  return in;
}

static void fill_blob(struct manifest_blob *m, const struct embed *e, const struct blob *b,
                      const struct unit *u, const struct group *g, const char *flags, const char *compiler) {
  m->stem = xstrdup(b->record->stem);
  m->source = flags_rooted(b->record->source, e->base);
  m->group = b->group;
  m->linked = b->wanted;
  char *link = argv_join(e->link.args);
  key_blob(m->key, b->digest, flags, g->headers_digest ? g->headers_digest : "", link, compiler);
  free(link);
  for (size_t i = 0; i < b->functions.n; i++)
    if (!i || strcmp(b->functions.args[i], b->functions.args[i - 1]) != 0)
      argv_add(&m->functions, b->functions.args[i]);
  for (size_t i = 0; i < b->functions.n; i++)
    if (u->names[b->first_function + i])
      argv_add(&m->symbols, u->names[b->first_function + i]);
}

/* What the flags are worth to the key, per group; entry strings are the caller's to free. */
static char **group_keys(const struct units *u, const struct manifest_group *groups) {
  char **keys = xcalloc(u->ngroups, sizeof *keys);
  for (size_t g = 0; g < u->ngroups; g++) {
    struct argv reduced = {0};
    key_flags(&reduced, groups[g].flags.args ? groups[g].flags.args : (char *[]){NULL});
    keys[g] = argv_join(reduced.args);
    argv_free(&reduced);
  }
  return keys;
}

/* Blobs in order of units and of the text in them: blob I of the tables is blob I here. */
static struct manifest *build(const struct embed *e, const struct units *u) {
  struct manifest *m = xcalloc(1, sizeof *m);
  m->file = path_join(e->dir, "ck_jit_manifest.json");
  m->root = xstrdup(e->base);
  m->compiler = xstrdup(e->compiler);
  argv_add(&m->libraries, e->library);
  m->ngroups = u->ngroups;
  m->groups = xcalloc(u->ngroups, sizeof *m->groups);
  for (size_t g = 0; g < u->ngroups; g++)
    fill_group(&m->groups[g], e, &u->groups[g]);
  struct inputs *compiler = read_compiler(e, u);
  for (size_t g = 0; g < u->ngroups; g++)
    write_inputs(&m->groups[g], e, &u->groups[g], u, compiler);
  char **keys = group_keys(u, m->groups);
  for (size_t k = 0; k < u->nunits; k++)
    m->nblobs += u->units[k].nblobs;
  m->blobs = xcalloc(m->nblobs, sizeof *m->blobs);
  size_t n = 0;
  for (size_t k = 0; k < u->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++) {
      const struct blob *b = u->units[k].blobs[i];
      fill_blob(&m->blobs[n++], e, b, &u->units[k], &u->groups[b->group], keys[b->group], compiler->compiler);
    }
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
    for (size_t i = 0; i < un->nblobs; i++, blob++)
      for (size_t j = 0; j < un->blobs[i]->functions.n; j++, f++)
        rows[function++] = (struct ckjit_function){.blob = (uint32_t)blob,
                                                   .name = strings_add(s, un->hidden[f] ? un->hidden[f] : ""),
                                                   .hash = un->hashes[f]};
  }
  first[u->nunits] = (uint32_t)function;
  add_table(t, "ckjit_functions", rows, function * sizeof *rows);
  add_table(t, "ckjit_unit_first", first, (u->nunits + 1) * sizeof *first);
  free(rows);
  free(first);
  return function;
}

static void write_file(const struct embed *e, const char *name, const struct buf *b) {
  char *file = path_join(e->dir, name);
  if (file_update(file, b->data, b->len, 0666))
    die(EXIT_FAILED, "%s: cannot write the embedded manifest: %s", file, strerror(errno));
  free(file);
}

/* The lists of all groups (core/inputs.h), each once, a NUL behind each: a library that was copied away from
 * its install tree has them with it. */
static void add_lists(struct buf *out, const struct embed *e, const struct manifest *m) {
  for (size_t g = 0; g < m->ngroups; g++) {
    bool again = false;
    for (size_t i = 0; i < g; i++)
      again |= strcmp(m->groups[i].inputs, m->groups[g].inputs) == 0;
    char *file = xasprintf("%s/" INPUTS_DIR "/%s", e->dir, m->groups[g].inputs);
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
static size_t write_tables(const struct embed *e, const struct units *u, const struct manifest *m) {
  struct tables t = {0};
  struct buf inputs = {0};
  struct strings s = {0};
  buf_puts(&t.text, "/* The manifest of one library, written by ckjit-link: do not edit. */\n"
                    ".section .rodata.ckjit, \"a\", @progbits\n");
  buf_add(&s.bytes, "", 1);
  add_groups(&t, &s, m);
  add_blobs(&t, &s, m);
  size_t functions = add_functions(&t, &s, u);
  add_table(&t, "ckjit_strings", s.bytes.data, s.bytes.len);
  add_lists(&inputs, e, m);
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
                         size_t functions) {
  struct buf out = {0};
  const char *name = env_get("CK_JIT_NAME");
  char *compile = install_program("ckjit-compile"), *inputs = path_join(e->dir, INPUTS_DIR);
  buf_puts(&out, "/* The manifest of one library, written by ckjit-link: do not edit. */\n");
  buf_printf(&out, "#define CKJIT_FORMAT %d\n", CKJIT_ABI_FORMAT);
  put_define(&out, "CKJIT_NAME", name ? name : "ck_jit");
  put_define(&out, "CKJIT_ROOT", or_empty(env_get("CK_JIT_ROOT")));
  put_define(&out, "CKJIT_BUILD_ROOT", e->base);
  put_define(&out, "CKJIT_COMPILE", or_empty(compile));
  put_define(&out, "CKJIT_COMPILER", e->compiler);
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
  write_file(e, "ck_jit_manifest_embedded.h", &out);
  free(compile);
  free(inputs);
  buf_free(&out);
}

static int by_stem(const void *a, const void *b) {
  return strcmp(((const struct manifest_blob *)a)->stem, ((const struct manifest_blob *)b)->stem);
}

void embed_write(const struct embed *e, const struct units *u) {
  struct manifest *m = build(e, u);
  write_header(e, u, m, write_tables(e, u, m));
  if (m->nblobs)
    qsort(m->blobs, m->nblobs, sizeof *m->blobs, by_stem);
  char *err;
  if (!manifest_write(m, m->file, &err))
    die(EXIT_FAILED, "%s", err);
  manifest_free(m);
}
