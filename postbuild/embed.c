#include "embed.h"

#include "flags.h"
#include "key.h"

#include "core/env.h"
#include "core/install.h"
#include "core/manifest.h"
#include "core/path.h"
#include "runtime/ck_jit_abi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- strings of the embedded tables
 * ------------------------------------------------------------------------ */

/* All texts, each once at an offset of its own; offset 0 is the empty one. */
struct strings {
  struct buf bytes; /* NUL-separated */
};

static uint32_t strings_add(struct strings *s, const char *text) {
  if (!*text)
    return 0;
  uint32_t at = (uint32_t)s->bytes.len;
  buf_add(&s->bytes, text, strlen(text) + 1);
  return at;
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

static void put_strings(struct buf *out, const struct strings *s) {
  buf_puts(out, "static const char ckjit_strings[] =");
  for (size_t at = 0; at < s->bytes.len;) {
    size_t n = strlen(s->bytes.data + at);
    buf_puts(out, "\n  \"");
    put_c_text(out, s->bytes.data + at, n);
    buf_puts(out, "\\000\"");
    at += n + 1;
  }
  buf_puts(out, ";\n");
}

/* ---- the manifest in memory
 * -------------------------------------------------------------------------------- */

static void fill_group(struct manifest_group *m, const struct embed *e, const struct group *g) {
  flags_blob(&m->flags, g->sample, e->base);
  flags_archs(&m->archs, g->sample);
  argv_add_all(&m->link, e->link.args);
}

static void fill_blob(struct manifest_blob *m, const struct embed *e, const struct blob *b,
                      const struct group *g, const char *flags, const char *compiler) {
  m->stem = xstrdup(b->record->stem);
  m->source = flags_rooted(b->record->source, e->base);
  m->group = b->group;
  char *link = argv_join(e->link.args);
  key_blob(m->key, b->digest, flags, g->headers_digest ? g->headers_digest : "", link, compiler);
  free(link);
  for (size_t i = 0; i < b->functions.n; i++)
    if (!i || strcmp(b->functions.args[i], b->functions.args[i - 1]) != 0)
      argv_add(&m->functions, b->functions.args[i]);
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
  char **keys = group_keys(u, m->groups), *version = key_compiler(e->compiler);
  for (size_t k = 0; k < u->nunits; k++)
    m->nblobs += u->units[k].nblobs;
  m->blobs = xcalloc(m->nblobs, sizeof *m->blobs);
  size_t n = 0;
  for (size_t k = 0; k < u->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++) {
      const struct blob *b = u->units[k].blobs[i];
      fill_blob(&m->blobs[n++], e, b, &u->groups[b->group], keys[b->group], version);
    }
  for (size_t g = 0; g < u->ngroups; g++)
    free(keys[g]);
  free(keys);
  free(version);
  return m;
}

/* ---- the header
 * -------------------------------------------------------------------------------------------- */

static void put_groups(struct buf *out, struct strings *s, const struct manifest *m) {
  buf_puts(out, "static const struct ckjit_group ckjit_groups[] = {\n");
  for (size_t g = 0; g < m->ngroups; g++) {
    char *flags = argv_join(m->groups[g].flags.args), *link = argv_join(m->groups[g].link.args);
    struct buf archs = {0};
    buf_add(&archs, "", 0);
    for (size_t i = 0; i < m->groups[g].archs.n; i++)
      buf_printf(&archs, "%s%s", i ? ";" : "", m->groups[g].archs.args[i]);
    uint32_t f = strings_add(s, flags), l = strings_add(s, link), a = strings_add(s, archs.data);
    buf_printf(out, "  {%u, %u, %u},\n", f, l, a);
    free(flags);
    free(link);
    buf_free(&archs);
  }
  buf_puts(out, "};\n");
}

static void put_blobs(struct buf *out, struct strings *s, const struct manifest *m) {
  buf_puts(out, "static const struct ckjit_blob ckjit_blobs[] = {\n");
  for (size_t i = 0; i < m->nblobs; i++) {
    /* The key as a string: one token for the compiler, where a list of its bytes would be thirty-two. */
    buf_printf(out, "  {%u, %u, \"", strings_add(s, m->blobs[i].source), m->blobs[i].group);
    for (size_t k = 0; k < sizeof m->blobs[i].key; k++)
      buf_printf(out, "\\%03o", m->blobs[i].key[k]);
    buf_puts(out, "\"},\n");
  }
  buf_puts(out, "};\n");
}

static void put_functions(struct buf *out, const struct units *u) {
  buf_puts(out, "static const struct ckjit_function ckjit_functions[] = {\n");
  size_t blob = 0, function = 0;
  struct buf first = {0};
  for (size_t k = 0; k < u->nunits; k++) {
    const struct unit *un = &u->units[k];
    buf_printf(&first, "%zu, ", function);
    size_t f = 0;
    for (size_t i = 0; i < un->nblobs; i++, blob++)
      for (size_t j = 0; j < un->blobs[i]->functions.n; j++, f++)
        buf_printf(out, "  {%zu, 0x%llxu},\n", blob, (unsigned long long)un->hashes[f]);
    function += f;
  }
  buf_printf(out, "};\nstatic const uint32_t ckjit_unit_first[CKJIT_UNITS + 1] = {%s%zu};\n",
             first.len ? first.data : "", function);
  buf_free(&first);
}

static const char *or_empty(const char *s) {
  return s ? s : "";
}

static void write_header(const struct embed *e, const struct units *u, const struct manifest *m) {
  struct buf out = {0}, tables = {0};
  struct strings s = {0};
  buf_add(&s.bytes, "", 1);
  put_groups(&tables, &s, m);
  put_blobs(&tables, &s, m);
  const char *name = env_get("CK_JIT_NAME");
  char *compile = install_program("ckjit-compile");
  buf_puts(&out, "/* The manifest of one library, written by ckjit-link: do not edit. */\n");
  buf_printf(&out, "#define CKJIT_FORMAT %d\n#define CKJIT_UNITS %zu\n", CKJIT_ABI_FORMAT, u->nunits);
  put_define(&out, "CKJIT_NAME", name ? name : "ck_jit");
  put_define(&out, "CKJIT_ROOT", or_empty(env_get("CK_JIT_ROOT")));
  put_define(&out, "CKJIT_BUILD_ROOT", e->base);
  put_define(&out, "CKJIT_COMPILE", or_empty(compile));
  put_define(&out, "CKJIT_COMPILER", e->compiler);
  put_strings(&out, &s);
  buf_add(&out, tables.data, tables.len);
  put_functions(&out, u);
  char *file = path_join(e->dir, "ck_jit_manifest_embedded.h");
  if (file_update(file, out.data, out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write the embedded manifest: %s", file, strerror(errno));
  free(file);
  free(compile);
  buf_free(&s.bytes);
  buf_free(&tables);
  buf_free(&out);
}

static int by_stem(const void *a, const void *b) {
  return strcmp(((const struct manifest_blob *)a)->stem, ((const struct manifest_blob *)b)->stem);
}

void embed_write(const struct embed *e, const struct units *u) {
  struct manifest *m = build(e, u);
  write_header(e, u, m);
  if (m->nblobs)
    qsort(m->blobs, m->nblobs, sizeof *m->blobs, by_stem);
  char *err;
  if (!manifest_write(m, m->file, &err))
    die(EXIT_FAILED, "%s", err);
  manifest_free(m);
}
