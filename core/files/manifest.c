/* manifest.c - see manifest.h. Reading is a plain list of members (core/base/jsonread.h). Blobs are
 * sorted by stem, so that a look-up is a binary search. The writer produces what the reader
 * accepts; docs/formats.md describes the format.
 */
#include "manifest.h"
#include "abi/ck_jit_artefact.h"
#include "core/cache/inputs.h"
#include "core/base/jsonread.h"
#include "core/base/jsontext.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "record.h"

static void read_own_compiler(struct json_reader *r, const struct json_members *obj,
                              const char *where, struct manifest_group *group) {
  group->compiler = json_reader_string(r, obj, where, "compiler");
  autofree char *kind = json_reader_string(r, obj, where, "compiler_kind");
  group->kind = kind ? compiler_of_kind(kind) : NULL;
  if (!group->kind)
    json_reader_fail(r, where, "compiler_kind: expected hip, cuda, clang or c++");
}

static void read_groups(struct json_reader *r, const struct json_members *top, struct manifest *m) {
  struct json_members list = {0}, obj = {0};
  json_reader_inner(r, top, "", "groups", true, false, &list);
  for (size_t i = 0; i < list.n && !r->err; i++) {
    struct manifest_group *group = vec_add(m->groups, m->ngroups);
    autofree char *where = xasprintf("groups[%zu]", i);
    if (*list.list[i].value != '{')
      json_reader_fail(r, where, "expected an object");
    json_reader_members(r, list.list[i].value, where, false, false, &obj);
    json_reader_strings(r, &obj, where, "flags", &group->flags);
    json_reader_strings(r, &obj, where, "link", &group->link);
    json_reader_strings(r, &obj, where, "archs", &group->archs);
    if (json_member(&obj, "inputs"))
      group->inputs = json_reader_string(r, &obj, where, "inputs");
    if (group->inputs && strchr(group->inputs, '/'))
      json_reader_fail(r, where, "inputs: expected the name of a file without a directory");
    if (json_member(&obj, "compiler"))
      read_own_compiler(r, &obj, where, group);
  }
  free(list.list);
  free(obj.list);
}

static void read_blob(struct json_reader *r, const char *stem, const char *value,
                      struct json_members *obj, size_t ngroups, struct manifest_blob *b) {
  autofree char *where = xasprintf("blobs.%s", stem);
  /* A stem becomes the name of a file in the cache, and must not lead out of it. */
  if (!*stem || *stem == '.' || strchr(stem, '/'))
    json_reader_fail(r, where, "expected a stem: a file name without directory and extension");
  if (*value != '{')
    json_reader_fail(r, where, "expected an object");
  json_reader_members(r, value, where, false, false, obj);
  b->stem = xstrdup(stem);
  b->source = json_reader_string(r, obj, where, "source");
  long long group = json_reader_number(r, obj, where, "group");
  if (group >= (long long)ngroups)
    json_reader_fail(r, where, "group: there is no group %lld, only %zu", group, ngroups);
  b->group = (unsigned)group;
  autofree char *key = json_reader_string(r, obj, where, "key");
  if (key && !ckjit_hex_parse(b->key, sizeof b->key, key))
    json_reader_fail(r, where, "key: expected 32 hexadecimal digits, found '%s'", key);
  json_reader_strings(r, obj, where, "functions", &b->functions);
  autofree char *kind = json_member(obj, "kind") ? json_reader_string(r, obj, where, "kind") : NULL;
  b->unit = kind != NULL;
  if (kind && strcmp(kind, "unit") != 0)
    json_reader_fail(r, where, "kind: expected unit, found '%s'", kind);
  b->linked = json_reader_flag(r, obj, where, "linked");
  b->late = json_reader_flag(r, obj, where, "late");
  if (json_member(obj, "symbols"))
    json_reader_strings(r, obj, where, "symbols", &b->symbols);
}

static int by_stem(const void *a, const void *b) {
  return strcmp(((const struct manifest_blob *)a)->stem, ((const struct manifest_blob *)b)->stem);
}

void manifest_sort(struct manifest *m) {
  size_t sorted = 1; /* as manifest_write leaves them */
  while (sorted < m->nblobs && by_stem(&m->blobs[sorted - 1], &m->blobs[sorted]) <= 0)
    sorted++;
  if (sorted < m->nblobs)
    qsort(m->blobs, m->nblobs, sizeof *m->blobs, by_stem);
}

/* A stem that is in the file twice is an error. */
static void read_blobs(struct json_reader *r, const struct json_members *top, struct manifest *m) {
  struct json_members table = {0}, obj = {0};
  json_reader_inner(r, top, "", "blobs", false, true, &table);
  for (size_t i = 0; i < table.n && !r->err; i++) {
    autofree char *stem = json_reader_key(r, &table.list[i]);
    if (stem)
      read_blob(r, stem, table.list[i].value, &obj, m->ngroups, vec_add(m->blobs, m->nblobs));
  }
  free(table.list);
  free(obj.list);
  if (r->err)
    return;
  manifest_sort(m);
  for (size_t i = 1; i < m->nblobs; i++)
    if (strcmp(m->blobs[i - 1].stem, m->blobs[i].stem) == 0)
      json_reader_fail(r, "blobs", "duplicate key '%s'", m->blobs[i].stem);
}

/* An old manifest without the kind: take it from the compiler's name. */
static void read_compiler_kind(struct json_reader *r, const struct json_members *top,
                               struct manifest *m) {
  autofree char *kind =
      json_member(top, "compiler_kind") ? json_reader_string(r, top, "", "compiler_kind") : NULL;
  m->kind_is_said = kind != NULL;
  m->compiler_kind =
      kind ? compiler_of_kind(kind) : compiler_by_name(m->compiler ? m->compiler : "");
  if (!m->compiler_kind)
    json_reader_fail(r, "compiler_kind", "expected hip, cuda, clang or c++, found '%s'", kind);
}

struct manifest *manifest_read(const char *file, char **err) {
  size_t len;
  autofree char *text = file_read_any(file, &len);
  if (text && manifest_is_records(text, len))
    return manifest_from_records(file, text, len, err);
  struct json_reader r = {.file = file,
                          .text = text,
                          .len = len,
                          .hint = "expected a ck_jit_manifest.json that ckjit wrote; if it is one, "
                                  "build the library again"};
  struct manifest *m = xcalloc(1, sizeof *m);
  m->file = xstrdup(file);
  struct json_members top = {0};
  json_reader_open(&r, &top);
  if (json_reader_number(&r, &top, "", "ckjit") != 1)
    json_reader_fail(&r, "ckjit", "expected format 1, the one that ckjit " CKJIT_VERSION " reads");
  json_reader_strings(&r, &top, "", "libraries", &m->libraries);
  m->root = json_reader_string(&r, &top, "", "root");
  m->compiler = json_reader_string(&r, &top, "", "compiler");
  read_compiler_kind(&r, &top, m);
  read_groups(&r, &top, m);
  read_blobs(&r, &top, m);
  json_reader_close(&r, &top);
  if (!r.err)
    return m;
  *err = r.err;
  manifest_free(m);
  return NULL;
}

void manifest_free(struct manifest *m) {
  if (!m)
    return;
  for (size_t i = 0; i < m->ngroups; i++) {
    argv_free(&m->groups[i].flags);
    argv_free(&m->groups[i].link);
    argv_free(&m->groups[i].archs);
    free(m->groups[i].inputs);
    free(m->groups[i].compiler);
  }
  for (size_t i = 0; i < m->nblobs; i++) {
    free(m->blobs[i].stem);
    free(m->blobs[i].source);
    argv_free(&m->blobs[i].functions);
    argv_free(&m->blobs[i].symbols);
  }
  free(m->groups);
  free(m->blobs);
  argv_free(&m->libraries);
  free(m->file);
  free(m->root);
  free(m->compiler);
  free(m);
}

const struct manifest_blob *manifest_find(const struct manifest *m, const char *stem) {
  struct manifest_blob wanted = {.stem = (char *)stem};
  return m->nblobs ? bsearch(&wanted, m->blobs, m->nblobs, sizeof *m->blobs, by_stem) : NULL;
}

/* Is B made from the source PATH, of which the first directories may be missing? */
static bool is_of_source(const struct manifest *m, const struct manifest_blob *b,
                         const char *path) {
  autofree char *source = manifest_expand(b->source, m->root);
  size_t n = strlen(source), len = strlen(path);
  return n >= len && strcmp(source + n - len, path) == 0 &&
         (n == len || source[n - len - 1] == '/');
}

/* BLOB, or the one of its base name that is made from the source PATH: their stems have numbers. */
static const struct manifest_blob *of_source(const struct manifest *m,
                                             const struct manifest_blob *blob, const char *path) {
  const struct manifest_blob *end = m->blobs + m->nblobs;
  for (const struct manifest_blob *b = blob; b < end && str_starts(b->stem, blob->stem); b++)
    if (is_of_source(m, b, path))
      return b;
  return blob;
}

const struct manifest_blob *manifest_find_any(const struct manifest *m, const char *name) {
  /* A stem may contain dots ("x.cuda"), so try the whole base name first. */
  const struct manifest_blob *blob = manifest_find(m, path_base(name));
  autofree char *stem = path_stem(name);
  char *dot = strrchr(stem, '.');
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!blob)
    blob = manifest_find(m, stem);
  if (!blob && dot && ckjit_build_id_parse(id, dot + 1)) { /* a keyed name from the cache */
    *dot = 0;
    blob = manifest_find(m, stem);
  }
  return blob && strchr(name, '/') ? of_source(m, blob, name) : blob;
}

const char *manifest_compiler(const struct manifest *m, const struct manifest_group *group) {
  return group->kind ? group->compiler : m->compiler;
}

const struct compiler *manifest_kind(const struct manifest *m, const struct manifest_group *group) {
  return group->kind ? group->kind : m->compiler_kind;
}

/* A HIP library and a CUDA library may be installed together, or libraries of two compilers. */
static void keep_compilers(struct manifest *from, const struct manifest *m) {
  if (from->compiler_kind == m->compiler_kind && strcmp(from->compiler, m->compiler) == 0)
    return;
  for (size_t i = 0; i < from->ngroups; i++)
    if (!from->groups[i].kind) {
      from->groups[i].kind = from->compiler_kind;
      from->groups[i].compiler = xstrdup(from->compiler);
    }
}

bool manifest_merge(struct manifest *m, struct manifest *from, char **err) {
  for (size_t i = 0; i < from->nblobs; i++) {
    const struct manifest_blob *mine = manifest_find(m, from->blobs[i].stem);
    if (mine && memcmp(mine->key, from->blobs[i].key, sizeof mine->key) != 0)
      return err_fail(
          err,
          "%s and %s both have a blob '%s', but with other source, flags or headers; an "
          "installation has one blob of each name: install the libraries in different directories",
          m->file, from->file, mine->stem);
  }
  keep_compilers(from, m);
  argv_add_all(&m->libraries, from->libraries.args);
  vec_reserve(m->groups, m->ngroups, from->ngroups);
  for (size_t i = 0; i < from->ngroups; i++)
    m->groups[m->ngroups + i] = from->groups[i];
  vec_reserve(m->blobs, m->nblobs, from->nblobs);
  size_t n = m->nblobs, left = 0;
  for (size_t i = 0; i < from->nblobs; i++) {
    struct manifest_blob *b = &from->blobs[i];
    b->group += (unsigned)m->ngroups;
    struct manifest_blob *mine = (struct manifest_blob *)manifest_find(m, b->stem);
    if (mine) {
      mine->linked &= b->linked;
      from->blobs[left++] = *b;
    } else
      m->blobs[n++] = *b;
  }
  m->nblobs = n;
  m->ngroups += from->ngroups;
  manifest_sort(m);
  /* M owns the moved members; FROM keeps and frees the duplicates. */
  from->ngroups = 0;
  from->nblobs = left;
  manifest_free(from);
  return true;
}

/* ---- writing: one member a line, indented by one for each level ---- */

/* Begin member KEY of an object that is LEVEL deep; its value follows. */
static void put_key(struct buf *out, int level, const char *key) {
  if (out->data[out->len - 1] != '{')
    buf_putc(out, ',');
  buf_printf(out, "\n%*s", level, "");
  json_put_string(out, key);
  buf_puts(out, ": ");
}

static void put_text(struct buf *out, int level, const char *key, const char *text) {
  put_key(out, level, key);
  json_put_string(out, text);
}

static void put_list(struct buf *out, int level, const char *key, const struct argv *list) {
  put_key(out, level, key);
  buf_putc(out, '[');
  for (size_t i = 0; i < list->n; i++) {
    buf_printf(out, "%s\n%*s", i ? "," : "", level + 1, "");
    json_put_string(out, list->args[i]);
  }
  if (list->n)
    buf_printf(out, "\n%*s", level, "");
  buf_putc(out, ']');
}

static void put_group(struct buf *out, const struct manifest_group *group) {
  buf_puts(out, "{");
  put_list(out, 3, "flags", &group->flags);
  put_list(out, 3, "link", &group->link);
  put_list(out, 3, "archs", &group->archs);
  put_text(out, 3, "inputs", group->inputs ? group->inputs : "");
  if (group->kind) {
    put_text(out, 3, "compiler", group->compiler);
    put_text(out, 3, "compiler_kind", group->kind->kind);
  }
  buf_puts(out, "\n  }");
}

static void put_blob(struct buf *out, const struct manifest_blob *b) {
  char hex[2 * sizeof b->key + 1];
  ckjit_hex(hex, b->key, sizeof b->key);
  put_key(out, 2, b->stem);
  buf_puts(out, "{");
  put_text(out, 3, "source", b->source);
  put_key(out, 3, "group");
  buf_printf(out, "%u", b->group);
  put_text(out, 3, "key", hex);
  put_list(out, 3, "functions", &b->functions);
  if (b->unit)
    put_text(out, 3, "kind", "unit");
  for (int late = 0; late < 2; late++) {
    if (!(late ? b->late : b->linked))
      continue;
    put_key(out, 3, late ? "late" : "linked");
    buf_puts(out, "true");
  }
  if (b->symbols.n)
    put_list(out, 3, "symbols", &b->symbols);
  buf_puts(out, "\n  }");
}

bool manifest_write(const struct manifest *m, const char *file, char **err) {
  autofree_buf out = {0};
  buf_puts(&out, "{");
  put_key(&out, 1, "ckjit");
  buf_puts(&out, "1");
  put_list(&out, 1, "libraries", &m->libraries);
  put_text(&out, 1, "root", m->root);
  put_text(&out, 1, "compiler", m->compiler);
  put_text(&out, 1, "compiler_kind", m->compiler_kind->kind);
  put_key(&out, 1, "groups");
  buf_puts(&out, "[");
  for (size_t i = 0; i < m->ngroups; i++) {
    buf_puts(&out, i ? ",\n  " : "\n  ");
    put_group(&out, &m->groups[i]);
  }
  buf_puts(&out, m->ngroups ? "\n ]" : "]");
  put_key(&out, 1, "blobs");
  buf_puts(&out, "{");
  for (size_t i = 0; i < m->nblobs; i++)
    put_blob(&out, &m->blobs[i]);
  buf_puts(&out, m->nblobs ? "\n }" : "}");
  buf_puts(&out, "\n}");
  return file_write(file, out.data, out.len, 0666) ||
         err_fail(err, "%s: cannot write it: %s", file, strerror(errno));
}

char *manifest_inputs(const struct manifest *m, const struct manifest_group *group,
                      const char *root) {
  if (!group->inputs || !*group->inputs)
    return NULL;
  autofree char *dir = path_dir(m->file);
  char *file = xasprintf("%s/" INPUTS_DIR "/%s", dir, group->inputs);
  if (file_exists(file))
    return file;
  free(file);
  return xasprintf("%s/" INPUTS_DIR "/%s", root, group->inputs);
}

/* Replace it only at the start of a path. After a slash, and up to the next comma, it is a real
 * directory of that name. */
char *manifest_expand(const char *text, const char *root) {
  static const char mark[] = "{root}";
  struct buf b = {0};
  bool in_path = false;
  buf_add(&b, "", 0);
  for (const char *s = text; *s;) {
    if (!in_path && str_starts(s, mark)) {
      buf_puts(&b, root);
      s += strlen(mark);
    } else {
      in_path = *s == '/' || (in_path && *s != ',');
      buf_putc(&b, *s++);
    }
  }
  return b.data;
}

/* ---- a log as a manifest ----
 *
 * manifest.json.ndjson, the wrapper's own log, has everything that a build has recorded so far,
 * before or without a link. Its blobs have no keys, because keys need the headers, which only the
 * post-build linker reads. So it can be listed, but nothing can be built from it.
 */

static void add_blob(struct manifest *m, struct record *r) {
  vec_push(m->blobs, m->nblobs,
           (struct manifest_blob){.stem = xstrdup(r->stem), .source = xstrdup(r->source)});
  if (!*m->compiler) {
    free(m->compiler);
    m->compiler = xstrdup(r->compiler);
    m->compiler_kind = r->compiler_kind;
  }
}

/* The log has a source twice if it was compiled again. */
static void drop_doubles(struct manifest *m) {
  size_t n = 0;
  manifest_sort(m);
  for (size_t i = 0; i < m->nblobs; i++) {
    if (n && strcmp(m->blobs[n - 1].stem, m->blobs[i].stem) == 0) {
      free(m->blobs[i].stem);
      free(m->blobs[i].source);
    } else {
      m->blobs[n++] = m->blobs[i];
    }
  }
  m->nblobs = n;
}

bool manifest_is_records(const char *text, size_t len) {
  static const char start[] = "{\"ckjit\":1,\"kind\":";
  return len >= sizeof start - 1 && memcmp(text, start, sizeof start - 1) == 0;
}

struct manifest *manifest_from_records(const char *file, const char *text, size_t len, char **err) {
  struct manifest *m = xcalloc(1, sizeof *m);
  size_t number = 0;
  m->file = xstrdup(file);
  m->root = xstrdup("");
  m->compiler = xstrdup("");
  m->compiler_kind = compiler_by_name("");
  vec_add(m->groups, m->ngroups);
  m->unkeyed = true;
  for (const char *p = text, *end = text + len; p < end;) {
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    struct record r;
    char *why;
    number++;
    if (!nl || !record_parse(p, (size_t)(nl - p), &r, &why)) {
      *err = xasprintf("%s:%zu: not a record of ckjit's wrapper: %s; remove the line, or build "
                       "again in a fresh work directory",
                       file, number, nl ? why : "the line does not end");
      if (nl)
        free(why);
      manifest_free(m);
      return NULL;
    }
    if (r.kind == RECORD_BLOB)
      add_blob(m, &r);
    record_free(&r);
    p = nl + 1;
  }
  drop_doubles(m);
  return m;
}
