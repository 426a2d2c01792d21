/* compile.c - the compiles that a link's stubs need: dispatchers, forwarding units, and
 * preprocessor passes for the headers that no unit reads.
 *
 * All of them run side by side, the dispatchers first, because they take longest. If the compiler
 * refuses one, it is compiled again in a plainer form: a dispatcher is rewritten less far; a unit
 * leaves out the blobs that the errors are about (part.c).
 *
 * A unit is compiled for the host alone. But the keys of its blobs must change with every header
 * that any of their passes reads, and conditions in CK's headers depend on the architecture. So the
 * sample of each group is preprocessed for each of its architectures as well, only for the list of
 * headers; by the step of its first unit, if the compiler is nvcc.
 */
#include "link.h"

#include "absent.h"
#include "flags.h"
#include "groupheaders.h"
#include "overlay.h"

#include "core/base/jobs.h"
#include "core/base/path.h"
#include "core/cc/cc1.h"
#include "core/cc/deps.h"
#include "core/base/vec.h"

#include <unistd.h>

enum { LARGE_TEXT = 1 << 20 }; /* bytes of a dispatcher */

/* ---- dispatchers ---- */

/* write the dispatcher's text, rewritten, and say how to compile it */
static struct step dispatcher_step(const struct link *l, struct dispatcher *d) {
  size_t len;
  autofree char *text = file_read_text(d->record->source, &len);
  if (!text)
    die(EXIT_FAILED, "%s: cannot read the dispatcher: %s", d->record->source, strerror(errno));
  autofree_buf out = {0};
  struct overlay overlay = {0};
  autofree char *units = path_join(l->dir, "units");
  if (d->level > DISPATCH_TEXT && flags_is_hip(d->record)) /* hipcc is clang, which has overlays */
    overlay_make(&overlay, d->record, text, len, &l->functions, units);
  dispatch_rewrite(&out, text, len, &l->functions, overlay.helpers, d->level, &d->stats);
  d->stats.helpers += overlay.nhelpers;
  const char *dot = strrchr(path_base(d->record->source), '.');
  autofree char *source = xasprintf("%s/units/%s%s", l->dir, d->record->stem, dot ? dot : "");
  if (!file_update(source, out.data, out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write the dispatcher: %s", source, strerror(errno));
  struct step s = {0};
  flags_host(&s.args, d->record);
  /* One function of 17 MB of branches is where -O3 spends its minutes: 983 s for CK's bwd, 164 s at
   * -O1. */
  if (out.len > LARGE_TEXT && !d->stats.tables)
    flags_word(&s.args, d->record, "-O1");
  if (d->stats.helpers || d->stats.tables)
    flags_word(&s.args, d->record, "-w"); /* of code that nobody wrote */
  if (overlay.file) {
    argv_add(&s.args, "-ivfsoverlay");
    argv_add(&s.args, overlay.file);
    argv_addf(&s.args, "-DCKJIT_OVERLAY=%llu",
              (unsigned long long)overlay.digest); /* another text, another command */
  }
  overlay_free(&overlay);
  flags_quote(&s.args, d->record);
  step_source(&s, d->record, source, d->object);
  return s;
}

/* Step S of dispatcher D has failed: rewrite D less far, until it compiles. */
static void retry_dispatcher(struct link *l, struct dispatcher *d, struct step *s) {
  while (s->status && (d->stats.tables || d->stats.helpers)) {
    link_progress(l, "a rewritten dispatcher does not compile: taking a plainer one");
    free(d->why);
    d->why = step_first_error(&s->output, s->status);
    d->level = d->stats.tables ? DISPATCH_ERASED : DISPATCH_TEXT;
    step_free(s);
    *s = dispatcher_step(l, d);
    step_run(&l->runner, s);
  }
  if (!s->status)
    return;
  /* A copy of it may not compile, or not for the host alone. If it does not compile at all, the
   * build would have failed, too. */
  char *why = step_first_error(&s->output, s->status);
  link_record_dispatcher(l, d, why);
  step_free(s);
  *s = link_whole_step(d->record, d->object);
  step_run(&l->runner, s);
  if (s->status)
    step_fail(s);
  warn("%s: this dispatcher is compiled as the build compiles it: %s", record_place(d->record), why);
}

/* ---- forwarding units ---- */

static struct step unit_step(const struct link *l, unsigned k) {
  const struct unit *un = &l->units.units[k];
  const struct group *g = &l->units.groups[un->group];
  return link_unit_step(g, un->source, un->object, k == g->first_unit);
}

/* Units whose steps have failed: leave out blobs until each compiles, or has none. Returns whether
 * any did fail. */
static bool retry_units(struct link *l, struct step *steps) {
  struct units *u = &l->units;
  for (bool again = false;; again = true) {
    size_t failed = 0;
    for (unsigned k = 0; k < u->nwritten; k++)
      if (steps[k].status && u->units[k].nblobs) {
        failed++;
        link_progress(l, "a forwarding unit does not compile: compiling it again without the blobs to blame");
        part_unit(l, k, &steps[k]);
      }
    if (!failed)
      return again;
    units_merge(u);
    for (unsigned k = 0; k < u->nwritten; k++) {
      unit_write(u, k);
      step_free(&steps[k]);
      steps[k] = unit_step(l, k);
    }
    steps_run(&l->runner, steps, u->nwritten);
  }
}

/* The regular hipcc compiles a unit that we could not declare: that is slower now, and the build's
 * maintainer may want to know why. */
void link_warn_of_refused(struct link *l) {
  enum { SHOWN = 5 };
  autofree_buf names = {0};
  buf_puts(&names, "");
  for (size_t i = 0; i < l->refused.n && i < SHOWN; i++)
    buf_printf(&names, "\n  %s", l->refused.args[i]);
  if (l->refused.n > SHOWN)
    buf_printf(&names, "\n  and %zu more; summary.txt in %s has all", l->refused.n - SHOWN, l->dir);
  if (l->refused.n)
    warn("%s: %zu kernel%s compiled ahead of time: %s%s", path_base(l->line.output), l->refused.n,
         l->refused.n == 1 ? " is" : "s are", l->refusal, names.data);
  argv_free(&l->refused);
  free(l->refusal);
  l->refusal = NULL;
}

/* ---- all together ---- */

/* Each unit costs its headers again: one more pays only on a processor that no dispatcher needs. */
static unsigned processors_for_units(const struct link *l) {
  size_t all = l->runner.parallel ? l->runner.parallel : jobs_unwatched();
  return (unsigned)(all > l->ndispatchers ? all - l->ndispatchers : 1);
}

/* The steps of link_compile_units, in this order in ALL. */
struct steps {
  struct step *all;
  size_t n, dispatchers, units, headers; /* how many of each */
  unsigned *groups;                      /* of each of the headers */
};

/* The passes for headers that the steps of units do not list: of each group one for each
 * architecture, then one for the host. An nvcc's step lists those of all passes, a clang's those of
 * the host. A gcc's, which does not optimise, lacks what the C library has for code that is optimised
 * (bits/stdlib-bsearch.h); and all lack #includes within their blobs. */
static void plan_headers(const struct link *l, struct steps *s) {
  for (unsigned g = 0; g < l->units.ngroups; g++) {
    const struct group *gr = &l->units.groups[g];
    const struct compiler *kind = gr->sample->compiler_kind;
    const char *source = gr->includes_within ? gr->sample->source : l->units.units[gr->first_unit].source;
    autofree char *name = xasprintf("%s/objs/headers-%u", l->dir, g);
    autofree_argv archs = {0};
    if (!gr->nblobs || gr->late || (kind->whole && !gr->includes_within))
      continue;
    if (flags_is_hip(gr->sample))
      flags_archs(&archs, gr->sample);
    for (size_t i = 0; i < archs.n + (gr->includes_within || !kind->clang); i++) {
      const char *arch = i < archs.n ? archs.args[i] : NULL;
      vec_push(s->all, s->n, group_headers_step(gr, source, name, arch ? g + 1 : 0, arch));
      vec_push(s->groups, s->headers, g);
    }
  }
}

static void plan_steps(const struct link *l, struct steps *s) {
  for (size_t i = 0; i < l->ndispatchers; i++)
    vec_push(s->all, s->n, dispatcher_step(l, &l->dispatchers[i]));
  for (unsigned k = 0; k < l->units.nwritten; k++) {
    struct step one = unit_step(l, k);
    unsigned g = l->units.units[k].group;
    one.text = flags_is_hip(l->units.groups[g].sample) && k == l->units.groups[g].first_unit ? g + 1 : 0;
    vec_push(s->all, s->n, one);
  }
  s->dispatchers = l->ndispatchers;
  s->units = l->units.nwritten;
  plan_headers(l, s);
}

/* The units have changed, and with them what the passes for headers read. */
static void rerun_headers(struct link *l, struct steps *s) {
  for (; s->headers; s->headers--)
    step_free(&s->all[--s->n]);
  plan_headers(l, s);
  steps_run(&l->runner, s->all + s->n - s->headers, s->headers);
}

/* The files that blobs of G are made of, besides their sources: no unit includes them, but has what
 * they say. */
static void take_parts(const struct link *l, struct group *g, unsigned number) {
  autofree_argv parts = {0};
  for (size_t i = 0; i < l->nblobs; i++)
    if (blob_is_forwarded(&l->blobs[i]) && l->blobs[i].group == number && l->blobs[i].parts.n)
      argv_add_all(&parts, l->blobs[i].parts.args);
  argv_unique(&parts); /* sorted: the key does not depend on the order of the link */
  for (size_t i = 0; i < parts.n; i++) {
    char digest[DIGEST_HEX];
    if (!digest_file(digest, parts.args[i]))
      continue;
    inputs_add(&g->inputs, &g->ninputs, digest, xstrdup(parts.args[i]));
    group_add_digest(g, digest);
  }
}

/* The headers that compilers include before a source and in what they make of it. */
static const char *const implied[][3] = {
    [RUNTIME_HIP] = {"__clang_hip_runtime_wrapper.h", "stdc-predef.h"},
    [RUNTIME_CUDA] = {"cuda_runtime.h", "stdc-predef.h", "crt/host_runtime.h"}};

/* For headers that no compiler has read yet: those of G's blobs are the files to which its
 * directories and the text of its sample lead, including conditions that are not evaluated. */
static void find_headers(struct link *l, struct group *g, struct intern *files, struct argv *digests) {
  const struct record *r = g->sample;
  autofree_buf text = {0};
  autofree_argv headers = {0};
  size_t len;
  autofree char *source = file_read_text(r->source, &len), *cache = path_join(l->work, DEPS_CACHE);
  /* with what the compiler adds: a compile that reads a file which is not in the list has to be
   * asked for by each process */
  struct ccargs cc = r->cc;
  const struct argv *own = compiler_directories(&l->tools, r);
  cc.dirs = xmalloc((cc.ndirs + own->n + 1) * sizeof *cc.dirs);
  if (cc.ndirs)
    memcpy(cc.dirs, r->cc.dirs, cc.ndirs * sizeof *cc.dirs);
  for (size_t i = 0; i < own->n; i++) {
    char *real = realpath(own->args[i], NULL);
    cc.dirs[cc.ndirs++] = (struct cc_dir){CC_DIR_SYSTEM, own->args[i]};
    if (real)
      argv_add_own(&g->own, real);
  }
  cc.deps.system = true;
  const char *const *before = implied[r->compiler_kind->runtime];
  for (size_t i = 0; i < sizeof *implied / sizeof **implied && before[i]; i++)
    buf_printf(&text, "#include <%s>\n", before[i]);
  if (source) {
    buf_add(&text, source, len);
    deps_list(&headers, &cc, r->cwd, text.data, text.len, cache);
  }
  free(cc.dirs);
  autofree_buf all = {0};
  for (size_t i = 1; i < headers.n; i++) {
    char *file = path_abs_in(r->cwd, headers.args[i]), digest[DIGEST_HEX];
    size_t at = intern(files, file);
    if (at == digests->n)
      argv_add(digests, digest_file(digest, file) ? digest : DIGEST_NONE);
    snprintf(digest, sizeof digest, "%s", digests->args[at]);
    buf_printf(&all, "%s %s\n", digest, file);
    if (strcmp(file, record_place(r)) != 0)
      inputs_add(&g->inputs, &g->ninputs, digest, file);
    else
      free(file);
  }
  group_add_digest(g, all.len ? all.data : "");
}

static void take_headers(struct link *l, const struct steps *s) {
  autofree_intern files = {0};
  autofree_argv digests = {0};
  const struct step *of_units = s->all + s->dispatchers, *of_headers = of_units + s->units;
  for (unsigned g = 0; g < l->units.ngroups; g++) {
    struct group *gr = &l->units.groups[g];
    if (!gr->nunits)
      continue;
    const struct step *first = gr->late ? NULL : &of_units[gr->first_unit];
    if (!first)
      find_headers(l, gr, &files, &digests);
    else
      gr->headers_digest = xstrdup(first->headers ? first->headers : "");
    if (first && !first->status)
      step_inputs(first->object, &gr->inputs, &gr->ninputs);
    for (size_t i = 0; i < s->headers; i++)
      if (s->groups[i] == g) {
        if (of_headers[i].status)
          warn("%s: its headers are not known for all passes, so a change in one that only the device pass "
               "reads would not be noticed: the compiler ended with status %d",
               gr->sample->source, of_headers[i].status);
        group_add_headers(gr, &of_headers[i]);
      }
    take_parts(l, gr, g);
    autofree char *asked = absent_headers(&l->tools, gr, &l->units);
    if (asked)
      group_add_digest(gr, asked);
  }
}

/* The compiler may have made something else than an object that there are stubs for: -m32,
 * bitcode. */
static void read_symbols(struct link *l, unsigned k) {
  struct unit *un = &l->units.units[k];
  autofree char *err = NULL;
  if (unit_symbols(un, k, &err))
    return;
  while (un->nblobs)
    link_refuse(l, un, un->blobs[un->nblobs - 1],
                xasprintf("the object of its forwarding unit is not understood: %s", err));
  unit_write(&l->units, k);
  unit_symbols(un, k, NULL);
}

/* A function that is hidden by an attribute of its declaration, of its namespace or of a type in it
 * is not found in the blob that is compiled later: -fvisibility=hidden can be left out of a
 * command, an attribute cannot. */
static struct blob *hidden_blob(const struct unit *un) {
  for (size_t i = 0; i < un->nblobs; i++)
    for (size_t f = 0; f < un->blobs[i]->functions.n; f++)
      if (un->withheld && un->withheld[un->blobs[i]->first_function + f])
        return un->blobs[i];
  return NULL;
}

/* Leave out of the units what is hidden, and compile those again. Returns whether there was any. */
static bool drop_hidden(struct link *l, struct step *steps) {
  bool any = false;
  for (unsigned k = 0; k < l->units.nwritten; k++) {
    struct unit *un = &l->units.units[k];
    size_t before = un->nblobs;
    for (struct blob *b; (b = hidden_blob(un));)
      link_refuse(
          l, un, b,
          xstrdup("a function of it has hidden visibility, and would not be found when it is loaded apart"));
    if (un->nblobs == before)
      continue;
    any = true;
    unit_write(&l->units, k);
    step_free(&steps[k]);
    steps[k] = unit_step(l, k);
    step_run(&l->runner, &steps[k]);
    read_symbols(l, k);
  }
  return any;
}

/* Is there a step of unit K, or a pass for the headers of its group, whose text takes in a file?
 * Returns that text; NULL: there is none. */
static const char *taken_by_unit(const struct link *l, const struct steps *s, unsigned k) {
  const struct step *headers = s->all + s->dispatchers + s->units;
  const char *takes = s->all[s->dispatchers + k].takes;
  for (size_t i = 0; i < s->headers && !takes; i++)
    if (s->groups[i] == l->units.units[k].group)
      takes = headers[i].takes;
  return takes;
}

/* Blobs with a header whose text takes in a file: an edit of that would not be noticed. */
static bool drop_takers(struct link *l, struct steps *s) {
  bool any = false;
  for (unsigned k = 0; k < l->units.nwritten; k++) {
    struct unit *un = &l->units.units[k];
    const char *takes = un->nblobs ? taken_by_unit(l, s, k) : NULL;
    if (!takes)
      continue;
    any = true;
    while (un->nblobs)
      link_refuse(l, un, un->blobs[un->nblobs - 1],
                  xasprintf("a header of it takes in a file that no depfile names (%s)", takes));
    unit_write(&l->units, k);
    step_free(&s->all[s->dispatchers + k]);
    s->all[s->dispatchers + k] = unit_step(l, k);
    step_run(&l->runner, &s->all[s->dispatchers + k]);
  }
  return any;
}

void link_compile_units(struct link *l) {
  struct steps s = {0};
  units_plan(&l->units, l->blobs, l->nblobs, l->dir, processors_for_units(l));
  for (unsigned k = 0; k < l->units.nwritten; k++)
    unit_write(&l->units, k);
  for (size_t k = l->units.nwritten; k < l->units.nunits; k++)
    unit_demanded(&l->units.units[k], link_machine(l));
  plan_steps(l, &s);
  if (!l->units.nunits && !s.all) /* a link of fragments alone */
    return;
  steps_run(&l->runner, s.all, s.n);
  link_count_steps(l, s.all, s.dispatchers + s.units);
  for (size_t i = 0; i < s.dispatchers; i++)
    retry_dispatcher(l, &l->dispatchers[i], &s.all[i]);
  bool changed = retry_units(l, s.all + s.dispatchers);
  changed |= drop_takers(l, &s);
  for (unsigned k = 0; k < s.units; k++)
    read_symbols(l, k);
  if (drop_hidden(l, s.all + s.dispatchers) || changed)
    rerun_headers(l, &s);
  take_headers(l, &s);
  for (size_t i = 0; i < s.n; i++)
    step_free(&s.all[i]);
  free(s.all);
  free(s.groups);
}
