/* stages.c - `export`: plans how the files are made, as steps in up to four stages. The steps of a
 * stage run in parallel. */
#include "export.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "prebuild/compilewords.h"

static struct export_step *add_step(struct exporting *x, int stage,
                                    const struct manifest_blob *blob, const char *archs,
                                    enum export_format format, const char *output, bool compiles) {
  struct stage *s = &x->stages[stage];
  struct export_step *step = vec_add(s->steps, s->n);
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  ckjit_artefact_id(id, blob->unit ? CKJIT_KIND_KERNEL : CKJIT_KIND_BLOB, blob->key, archs);
  *step =
      (struct export_step){.blob = blob,
                           .what = xasprintf("%s: %s%s%s", blob->stem, export_format_name(format),
                                             *archs ? " for " : "", archs)};
  compile_words(&step->command, x->r, blob, x->program, archs, id, compiles);
  if (blob->unit)
    add_option(&step->command, "--kernel",
               xstrdup(blob->symbols.n ? blob->symbols.args[0] : CKJIT_UNIT_WHOLE));
  if (compiles && x->r->add_flags)
    add_option(&step->command, "--add-flags", xstrdup(x->r->add_flags));
  add_option(&step->command, "--format", xstrdup(export_format_name(format)));
  char *host = export_is_device(format) ? NULL : host_triple(x->r);
  if (host)
    add_option(&step->command, "--host-target", host);
  add_option(&step->command, "--built-for", archs_built(x->r, blob));
  add_option(&step->command, "--output", xstrdup(output));
  if (x->r->verbose)
    argv_add(&step->command, "--verbose");
  return step;
}

/* The link options that the blobs of O need, each once. */
static void add_link_flags(const struct exporting *x, const struct output *o,
                           struct argv *command) {
  autofree_argv link = {0};
  for (size_t i = 0; i < o->nblobs; i++) {
    const struct manifest_group *g = &x->r->m->groups[o->blobs[i]->group];
    if (i == 0 || o->blobs[i]->group != o->blobs[i - 1]->group)
      argv_add_all(&link, g->link.args ? g->link.args : (char *[]){NULL});
  }
  /* The last --link-flags counts. */
  add_option(command, "--link-flags", argv_join(link.args ? link.args : (char *[]){NULL}));
}

static void add_final(const struct exporting *x, const struct output *o, struct argv *command,
                      bool *used) {
  add_symbols(x, o, command, used);
  if (x->format == EXPORT_SO && !is_stdout(x->r) && !file_is_special(o->path))
    add_option(command, "--soname", xstrdup(path_base(o->path)));
}

/* Plan the steps that make FILE in FORMAT from all blobs of O, for ARCHS. */
static void plan_archs(struct exporting *x, const struct output *o, const char *archs,
                       enum export_format format, const char *file, bool *used) {
  if (o->nblobs == 1) {
    struct export_step *s = add_step(x, PARTS, o->blobs[0], archs, format, file, true);
    add_final(x, o, &s->command, used);
    return;
  }
  enum export_format part = export_is_device(x->format) ? EXPORT_BITCODE : EXPORT_OBJ;
  autofree_argv parts = {0};
  for (size_t i = 0; i < o->nblobs; i++) {
    argv_add_own(&parts, new_file(x));
    add_step(x, PARTS, o->blobs[i], archs, part, parts.args[i], true);
  }
  struct export_step *join = add_step(x, JOINS, o->blobs[0], archs, x->format, file, false);
  for (size_t i = 0; i < parts.n; i++)
    add_option(&join->command, "--part", xstrdup(parts.args[i]));
  add_link_flags(x, o, &join->command);
  add_final(x, o, &join->command, used);
}

static void plan_output(struct exporting *x, const struct output *o, bool *used) {
  if (!export_is_device(x->format) || archs_count(o->archs) < 2) {
    plan_archs(x, o, o->archs, x->format, o->made, used);
    return;
  }
  autofree_argv parts = {0};
  const char *at = o->archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));) {
    autofree char *arch = xstrndup(word, n);
    argv_add_own(&parts, new_file(x));
    plan_archs(x, o, arch, arch_is_virtual(x->r, arch) ? EXPORT_ASM : x->format,
               parts.args[parts.n - 1], used);
  }
  struct export_step *all = add_step(x, BUNDLES, o->blobs[0], o->archs, x->format, o->made, false);
  for (size_t i = 0; i < parts.n; i++)
    add_option(&all->command, "--part", xstrdup(parts.args[i]));
}

/* Probe the compiler for each architecture once, before longer steps. */
static void plan_probes(struct exporting *x) {
  char all[CKJIT_ARCHS_SIZE] = "";
  for (size_t i = 0; i < x->n; i++) {
    const char *at = x->outputs[i].archs, *word;
    for (size_t n; (word = ckjit_arch_next(&at, &n));) {
      size_t before = strlen(all);
      archs_add(all, word, n);
      if (strlen(all) == before)
        continue;
      autofree char *arch = xstrndup(word, n), *nothing = new_file(x);
      struct export_step *s =
          add_step(x, PROBE, x->outputs[i].blobs[0], arch, EXPORT_CODE_OBJECT, nothing, false);
      argv_add(&s->command, "--probe");
    }
  }
}

void plan_steps(struct exporting *x) {
  autofree bool *used = xcalloc(x->r->symbols.n + 1, sizeof *used);
  check_names(x);
  plan_probes(x);
  for (size_t i = 0; i < x->n; i++)
    plan_output(x, &x->outputs[i], used);
  require_used(x, used);
}
