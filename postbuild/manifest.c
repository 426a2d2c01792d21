/* manifest.c - the manifest of one library, in memory: its blobs with their keys, their groups, and
 * the lists of inputs from which the keys are made.
 *
 * A blob's key is made from its source, the flags and the headers of its group, the link flags, and
 * the compiler's files (core/cache/key.h). A later compile must be able to check that all of these
 * are unchanged. So for each group a list of inputs is written, with the digest of every header,
 * and the names that must not appear: a header in a directory that is searched earlier would be
 * found in place of one that was read.
 *
 * Combinations of fragments have separate groups, after those of the units: same flags, other
 * inputs.
 */
#include "embed.h"

#include "flags.h"

#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/key.h"
#include "core/cc/compiler.h"

#include "abi/ck_jit_artefact.h"

/* ---- groups and lists of inputs ---- */

static void fill_group(struct manifest_group *m, const struct embed *e, const struct group *g) {
  flags_blob(&m->flags, g->sample, e->bases);
  flags_archs(&m->archs, g->sample);
  argv_add_all(&m->link, e->link.args);
}

/* Returns the compiler's name for itself in its output: the first text of section .comment of
 * OBJECT, "" if there is none; free() it. */
static char *comment_of(const char *object) {
  size_t n = 0, skip = 0;
  autofree char *all = inputs_comment(object, &n);
  while (skip < n && !all[skip])
    skip++;
  return xstrdup(all ? all + skip : "");
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

/* Write IN. Returns its name; free() it. */
static char *write_list(struct embed *e, const struct inputs *in) {
  autofree char *dir = path_join(e->dir, INPUTS_DIR);
  char name[DIGEST_HEX];
  if (!inputs_write(in, dir, name))
    die(EXIT_FAILED, "%s: cannot write the list of headers: %s", dir, strerror(errno));
  argv_add(&e->lists, name);
  return xstrdup(name);
}

/* Write the list of what the keys of group G are made from. Returns its name; free() it. COMMENT is
 * that of its objects. */
static char *write_inputs(struct embed *e, const struct group *g, const struct inputs *compiler,
                          char *comment) {
  struct inputs in = *compiler;
  autofree_argv dirs = {0}, missing = {0};
  in.header = NULL;
  in.nheaders = 0;
  in.comment = comment;
  digest_bytes(in.headers, "", 0);
  if (g->headers_digest)
    snprintf(in.headers, sizeof in.headers, "%s", g->headers_digest);
  if (g->ninputs)
    qsort(g->inputs, g->ninputs, sizeof *g->inputs, by_path);
  for (size_t i = 0; i < g->sample->cc.ndirs; i++)
    if (*g->sample->cc.dirs[i].dir != '=') /* below a sysroot */
      argv_add_own(&dirs, path_abs_in(g->sample->cwd, g->sample->cc.dirs[i].dir));
  for (size_t i = 0; i < g->ninputs; i++) {
    if (i && strcmp(g->inputs[i].path, g->inputs[i - 1].path) == 0)
      continue;
    inputs_add(&in.header, &in.nheaders, g->inputs[i].digest, flags_rooted(g->inputs[i].path, e->bases));
    inputs_missing(&missing, &dirs, g->inputs[i].path);
  }
  if (g->absent.n)
    argv_add_all(&missing, g->absent.args);
  in.own = g->own;
  argv_unique(&missing);
  for (size_t i = 0; i < missing.n; i++)
    inputs_add(&in.header, &in.nheaders, DIGEST_NONE, flags_rooted(missing.args[i], e->bases));
  if (e->bundle && in.nheaders) /* the order of the build's own names depends on its directory */
    qsort(in.header, in.nheaders, sizeof *in.header, by_name);
  char *name = write_list(e, &in);
  for (size_t i = 0; i < in.nheaders; i++)
    free(in.header[i].path);
  free(in.header);
  return name;
}

/* .comment of what the compiler makes for group G, "" if that is not known; free() it */
static char *comment_for(const struct group *g, const struct units *u) {
  return g->nunits ? comment_of(u->units[g->first_unit].object) : xstrdup("");
}

static bool has_date(const char *file) {
  static const char *const words[] = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
  size_t len;
  autofree char *text = file_read(file, &len);
  bool has = false;
  for (size_t i = 0; text && i < sizeof words / sizeof *words; i++)
    has |= memmem(text, len, words[i], strlen(words[i])) != NULL;
  return has;
}

static bool headers_have_dates(const struct group *groups, size_t n) {
  for (size_t g = 0; g < n; g++)
    for (size_t i = 0; i < groups[g].ninputs; i++)
      if (has_date(groups[g].inputs[i].path))
        return true;
  return false;
}

/* Is the date of the compile in a source or a header? */
static bool has_dates(const struct embed *e, const struct units *u) {
  const struct fragments *f = e->fragments;
  for (size_t i = 0; i < u->nblobs; i++)
    if (has_date(u->blobs[i].record->source))
      return true;
  for (size_t i = 0; i < f->n; i++)
    if (has_date(f->list[i].record->source))
      return true;
  return headers_have_dates(u->groups, u->ngroups) || headers_have_dates(f->groups, f->ngroups);
}

/* Reads the files of the compiler of E, for the first architecture of U's first group with a device
 * side. */
static struct inputs read_compiler(const struct embed *e, const struct units *u) {
  autofree_argv archs = {0};
  bool device = false;
  autofree char *ccbin = NULL;
  for (size_t g = 0; g < u->ngroups && !device; g++) {
    device = flags_has_device(u->groups[g].sample);
    if (device) {
      flags_archs(&archs, u->groups[g].sample);
      ccbin = record_ccbin(u->groups[g].sample);
    }
  }
  const char *arch = device ? archs.n ? archs.args[0] : "" : NULL;
  struct inputs in = *tools_of(e->tools, e->compiler, e->compiler_kind, arch, ccbin);
  inputs_key_environment(&in, argv_has_prefix(&in.environment, "SOURCE_DATE_EPOCH=") && has_dates(e, u));
  return in;
}

/* M as the entry of combination C of B (0 for a blob without any), which stands in unit U. HEADERS:
 * the digest of all headers, and of fragments. FLAGS: group_keys of its group. */
static void fill_blob(struct manifest_blob *m, const struct embed *e, const struct blob *b,
                      const struct unit *u, size_t c, const char *headers, const char *flags,
                      const char *compiler) {
  m->stem = xstrdup(b->ncombinations ? b->combinations[c].stem : b->record->stem);
  m->linked = b->fate == BLOB_WANTED;
  m->late = b->late && !b->ncombinations; /* its kernels are linked, all together */
  m->source = flags_rooted(record_place(b->record), e->bases);
  autofree char *link = argv_join(e->link.args);
  key_blob(m->key, b->digest, flags, headers, link, compiler);
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

/* for each group its flags as the keys have them; the caller frees each and the array */
static char **group_keys(const struct units *u, const struct manifest_group *groups) {
  char **keys = xcalloc(u->ngroups, sizeof *keys);
  for (size_t g = 0; g < u->ngroups; g++) {
    autofree_argv reduced = {0};
    key_flags(&reduced, u->groups[g].sample->cc.dialect,
              groups[g].flags.args ? groups[g].flags.args : (char *[]){NULL});
    keys[g] = argv_join(reduced.args);
  }
  return keys;
}

/* ---- fragments ---- */

static void key_fragment(struct fragment *f, const char *flags, const char *headers, const char *list,
                         const struct inputs *compiler) {
  unsigned char key[CKJIT_KEY_SIZE];
  key_blob(key, f->digest, flags, headers, KEY_OF_DEVICE_SIDE, compiler->compiler);
  ckjit_hex(f->key, key, sizeof key);
  snprintf(f->list, sizeof f->list, "%s", list);
}

/* Set the keys of all fragments, and write the lists of what they are made from. Link flags are not
 * in them: a fragment is an object, which is made without. */
static void key_fragments(struct embed *e, const struct units *u, const struct manifest *m, char *const *keys,
                          const struct inputs *compiler) {
  struct fragments *f = e->fragments;
  for (size_t i = 0; i < f->n; i++) {
    const struct blob *b = f->list[i].group == SIZE_MAX ? f->list[i].blob : NULL;
    const char *headers = b ? u->groups[b->group].headers_digest : NULL;
    if (b)
      key_fragment(&f->list[i], keys[b->group], headers ? headers : "", m->groups[b->group].inputs, compiler);
  }
  for (size_t g = 0; g < f->ngroups; g++) {
    struct group *group = &f->groups[g];
    autofree_argv flags = {0}, reduced = {0};
    flags_blob(&flags, group->sample, e->bases);
    key_flags(&reduced, group->sample->cc.dialect, flags.args ? flags.args : (char *[]){NULL});
    autofree char *joined = argv_join(reduced.args);
    autofree char *comment = u->nunits ? comment_of(u->units[0].object) : xstrdup("");
    autofree char *list = write_inputs(e, group, compiler, comment);
    for (size_t i = 0; i < f->n; i++)
      if (f->list[i].group == g)
        key_fragment(&f->list[i], joined, group->headers_digest, list, compiler);
  }
}

static void add_fragment(struct inputs *in, const struct embed *e, const struct fragment *f) {
  struct input_fragment *to = inputs_add_fragment(in);
  autofree_argv flags = {0};
  flags_blob(&flags, f->record, e->bases);
  memcpy(to->key, f->key, sizeof to->key);
  memcpy(to->list, f->list, sizeof to->list);
  to->stem = xstrdup(f->record->stem);
  to->source = flags_rooted(record_place(f->record), e->bases);
  to->flags = argv_join(flags.args);
  to->tag = f->text.tag ? xstrdup(f->text.tag) : NULL;
  argv_add_all(&to->functions, f->text.functions.args);
}

/* Each distinct choice of fragments has a list of inputs, and a group of the manifest after the
 * groups of the units. */
struct choices {
  struct manifest *m;
  /* of each of these groups, as in the keys */
  char (*headers)[DIGEST_HEX];
  size_t nheaders;
};

/* The number of the group for combination C of B, a blob of U's; made if it is new. */
static unsigned combination_group(struct choices *ch, struct embed *e, const struct units *u,
                                  const struct blob *b, size_t c, const struct inputs *compiler) {
  const struct group *g = &u->groups[b->group];
  struct manifest *m = ch->m;
  struct inputs in = *compiler;
  in.header = NULL;
  in.nheaders = 0;
  in.tools = NULL; /* they are in the entry's own list */
  in.ntools = 0;
  in.question = (struct argv){0};
  in.comment = comment_for(g, u);
  snprintf(in.entry, sizeof in.entry, "%s", m->groups[b->group].inputs);
  for (size_t i = 0; i < e->fragments->n; i++)
    if (b->combinations[c].uses[i])
      add_fragment(&in, e, &e->fragments->list[i]);
  inputs_combine(&in, g->headers_digest ? g->headers_digest : "");
  autofree char *list = write_list(e, &in);
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
  return (unsigned)k;
}

/* ---- lazy units ---- */

static bool is_same(const struct argv *a, const struct argv *b) {
  bool same = a->n == b->n;
  for (size_t i = 0; i < a->n && same; i++)
    same = strcmp(a->args[i], b->args[i]) == 0;
  return same;
}

/* The name of the list that has the compiler of R alone, as ckjit-unit has it in the key, and what
 * links R's kernels; free() it. */
static char *compiler_list(struct embed *e, const struct record *r) {
  const char *arch = r->archs.args[0], *linker;
  autofree char *ccbin = record_ccbin(r);
  struct inputs in = *(compiler_links_kernels(e->compiler_kind, &r->device)
                           ? tools_with_linker(e->tools, e->compiler, e->compiler_kind, arch, ccbin, &linker)
                           : tools_of(e->tools, e->compiler, e->compiler_kind, arch, ccbin));
  inputs_key_environment(&in, false);
  in.comment = (char *)"";
  digest_bytes(in.headers, "", 0);
  return write_list(e, &in);
}

/* The number of the group for units like R, made if it is new: what their kernels are compiled
 * with, and for what. No header is read again, so its list of inputs has the compiler alone. */
static unsigned lazy_group(struct manifest *m, struct embed *e, const struct record *r, size_t first) {
  for (size_t g = first; g < m->ngroups; g++)
    if (is_same(&m->groups[g].flags, &r->device) && is_same(&m->groups[g].archs, &r->archs))
      return (unsigned)g;
  char *list = compiler_list(e, r);
  struct manifest_group *group = vec_add(m->groups, m->ngroups);
  argv_add_all(&group->flags, r->device.args);
  argv_add_all(&group->archs, r->archs.args);
  group->inputs = list;
  return (unsigned)(m->ngroups - 1);
}

/* Adds a row for each unit after the blobs. ckjit-unit made its key from the text, these flags and
 * the compiler. */
static void add_lazy_units(struct manifest *m, struct embed *e) {
  size_t first = m->ngroups;
  for (size_t i = 0; i < e->lazy->n; i++) {
    const struct lazy_unit *u = &e->lazy->list[i];
    if (!lazy_unit_is_row(u))
      continue;
    struct manifest_blob b = {.stem = xstrdup(u->stem),
                              .source = flags_rooted(u->record->device_text, e->bases),
                              .group = lazy_group(m, e, u->record, first),
                              .linked = u->listed,
                              .unit = true};
    ckjit_hex_parse(b.key, sizeof b.key, u->record->key); /* record_parse has looked at it */
    m->blobs[m->nblobs++] = b;
  }
}

/* ---- all of it ---- */

/* Blobs stand in the order of units and of the text in them, each with all its combinations: blob I
 * of the embedded tables is blob I here. */
struct manifest *embed_manifest(struct embed *e, const struct units *u) {
  struct manifest *m = xcalloc(1, sizeof *m);
  m->file = path_join(e->dir, "ck_jit_manifest.json");
  m->root = xstrdup(e->root);
  m->compiler = xstrdup(e->compiler);
  m->compiler_kind = e->compiler_kind;
  argv_add(&m->libraries, e->library);
  for (size_t g = 0; g < u->ngroups; g++)
    fill_group(vec_add(m->groups, m->ngroups), e, &u->groups[g]);
  /* A lazy unit's group has a separate list. */
  struct inputs compiler = {0};
  if (u->ngroups || e->fragments->n)
    compiler = read_compiler(e, u);
  for (size_t g = 0; g < u->ngroups; g++) {
    autofree char *comment = comment_for(&u->groups[g], u);
    m->groups[g].inputs = write_inputs(e, &u->groups[g], &compiler, comment);
  }
  struct choices choices = {.m = m};
  autofree char **keys = group_keys(u, m->groups);
  key_fragments(e, u, m, keys, &compiler);
  for (size_t k = 0; k < u->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++)
      m->nblobs += blob_entries(u->units[k].blobs[i]);
  m->blobs = xcalloc(m->nblobs + e->lazy->n, sizeof *m->blobs);
  size_t n = 0;
  for (size_t k = 0; k < u->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++) {
      const struct blob *b = u->units[k].blobs[i];
      for (size_t c = 0; c < blob_entries(b); c++) {
        const char *headers = u->groups[b->group].headers_digest;
        unsigned group = b->group;
        if (b->ncombinations) {
          group = combination_group(&choices, e, u, b, c, &compiler);
          headers = choices.headers[group - u->ngroups];
        }
        m->blobs[n].group = group;
        fill_blob(&m->blobs[n++], e, b, &u->units[k], c, headers ? headers : "", keys[b->group],
                  compiler.compiler);
      }
    }
  add_lazy_units(m, e);
  free(choices.headers);
  for (size_t g = 0; g < u->ngroups; g++)
    free(keys[g]);
  return m;
}
