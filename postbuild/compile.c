/* compile.c - the compiles of a link that its stubs need: dispatchers, forwarding units, and preprocessor passes
 * for the headers that no unit reads.
 *
 * They run side by side, the dispatchers first, because they take longest. What the compiler refuses is made
 * plainer or smaller and compiled again: a dispatcher is rewritten less far, a unit leaves out the blobs that
 * the errors are about.
 */
#include "link.h"

#include "flags.h"
#include "overlay.h"

#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE_TEXT = 1 << 20 }; /* bytes of a dispatcher */

static void quote_directory(struct argv *out, const struct record *r) {
  char *dir = path_dir(r->source);
  flags_word(out, r, "-iquote");
  flags_word(out, r, dir);
  free(dir);
}

/* Only the names count, and -O0 is the quickest way to them. */
static struct step unit_step(const struct link *l, unsigned k) {
  static char *const quick[] = {"-O0", "-g0", "-w", "-fno-asynchronous-unwind-tables", "-fno-lto", NULL};
  const struct unit *un = &l->units.units[k];
  const struct group *g = &l->units.groups[un->group];
  struct step s = {0};
  flags_host(&s.args, g->sample);
  for (size_t i = 0; quick[i]; i++)
    flags_word(&s.args, g->sample, quick[i]);
  if (flags_is_hip(g->sample))
    argv_add(&s.args, "-ferror-limit=0"); /* each error names a blob to be left out */
  quote_directory(&s.args, g->sample);
  step_source(&s, g->sample, un->source, un->object);
  return s;
}

/* ---- the headers of the passes that no unit is compiled in ---- */

/* A pass of group G that is only preprocessed, for the headers that it reads: for the device with ARCH, on
 * which conditions in CK's headers depend; for the host (ARCH NULL) only where the unit does not have all
 * #includes. */
static struct step headers_step(const struct link *l, unsigned g, const char *arch) {
  const struct group *gr = &l->units.groups[g];
  struct step s = {0};
  const char *source = gr->includes_within ? gr->sample->source : l->units.units[gr->first_unit].source;
  char *object = xasprintf("%s/objs/headers-%u-%s", l->dir, g, arch ? arch : "host");
  flags_text(&s.args, gr->sample, arch);
  quote_directory(&s.args, gr->sample);
  step_source(&s, gr->sample, source, object);
  free(object);
  return s;
}

/* Where they stand in the steps of compile_units: for each group those of its architectures, in their order.
 */
struct header_steps {
  struct step *steps;
  unsigned *group;
  size_t n;
};

static void plan_headers(const struct link *l, struct header_steps *h) {
  for (unsigned g = 0; g < l->units.ngroups; g++) {
    struct argv archs = {0};
    const struct group *gr = &l->units.groups[g];
    if (flags_kind(gr->sample))
      flags_archs(&archs, gr->sample);
    if (!gr->nunits)
      archs.n = 0;
    for (size_t i = 0; i <= archs.n; i++) {
      if (i == archs.n && !(gr->includes_within && gr->nunits))
        break;
      vec_reserve(h->group, h->n, 1);
      h->group[h->n] = g;
      vec_push(h->steps, h->n, headers_step(l, g, i < archs.n ? archs.args[i] : NULL));
    }
    argv_free(&archs);
  }
}

static void add_digest(struct group *g, const char *digest) {
  char *both = xasprintf("%s %s", g->headers_digest ? g->headers_digest : "", digest), all[DIGEST_HEX];
  digest_bytes(all, both, strlen(both));
  free(both);
  free(g->headers_digest);
  g->headers_digest = xstrdup(all);
}

/* The digest and the list of all headers of each group: of its first unit, and of the passes of H. */
static void take_headers(struct link *l, const struct header_steps *h) {
  for (unsigned g = 0; g < l->units.ngroups; g++) {
    struct group *gr = &l->units.groups[g];
    if (gr->nunits)
      step_inputs(l->units.units[gr->first_unit].object, &gr->inputs, &gr->ninputs);
    for (size_t i = 0; i < h->n; i++) {
      if (h->group[i] != g)
        continue;
      if (h->steps[i].status)
        warn("%s: its headers are not known for all passes, so a change in one that only the device pass "
             "reads "
             "would not be noticed: the compiler ended with status %d",
             gr->sample->source, h->steps[i].status);
      else
        step_inputs(h->steps[i].object, &gr->inputs, &gr->ninputs);
      add_digest(gr, h->steps[i].headers ? h->steps[i].headers : "");
      if (truncate(h->steps[i].object, 0)) /* the text itself is of no use */
        unlink(h->steps[i].object);
    }
  }
}

/* write the dispatcher's text, rewritten, and say how to compile it */
static struct step dispatcher_step(const struct link *l, struct dispatcher *d) {
  size_t len;
  char *text = file_read(d->record->source, &len);
  if (!text)
    die(EXIT_FAILED, "%s: cannot read the dispatcher: %s", d->record->source, strerror(errno));
  struct buf out = {0};
  struct overlay overlay = {0};
  char *units = path_join(l->dir, "units");
  if (d->level > DISPATCH_TEXT && flags_is_hip(d->record)) /* hipcc is clang, which has overlays */
    overlay_make(&overlay, d->record, text, len, &l->functions, units);
  dispatch_rewrite(&out, text, len, &l->functions, overlay.helpers, d->level, &d->stats);
  d->stats.helpers += overlay.nhelpers;
  free(units);
  free(text);
  const char *dot = strrchr(path_base(d->record->source), '.');
  char *source = xasprintf("%s/units/%s%s", l->dir, d->record->stem, dot ? dot : "");
  if (!file_update(source, out.data, out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write the dispatcher: %s", source, strerror(errno));
  struct step s = {0};
  flags_host(&s.args, d->record);
  /* One function of 17 MB of branches is where -O3 spends its minutes: 983 s for CK's bwd, 164 s at -O1. */
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
  quote_directory(&s.args, d->record);
  step_source(&s, d->record, source, d->object);
  free(source);
  buf_free(&out);
  return s;
}

void link_count_steps(struct link *l, const struct step *steps, size_t n) {
  for (size_t i = 0; i < n; i++)
    *(steps[i].fresh ? &l->kept : &l->compiled) += 1;
}

/* Drop the blobs that the errors of unit K are about. Returns how many. */
static size_t drop_failed(struct link *l, unsigned k, const struct step *s) {
  struct unit *un = &l->units.units[k];
  struct blob **bad = xcalloc(un->nblobs + 1, sizeof *bad);
  size_t n = 0, name = strlen(un->source);
  const char *text = s->output.len ? s->output.data : "";
  for (const char *p = text; (p = strstr(p, un->source)); p += name) {
    char *end;
    /* clang and gcc say file:line, nvcc's front end file(line) */
    unsigned long line = p[name] == ':' || p[name] == '(' ? strtoul(p + name + 1, &end, 10) : 0;
    struct blob *b = line ? unit_blob_at(un, (uint32_t)line) : NULL;
    bool known = false;
    for (size_t i = 0; i < n; i++)
      known |= bad[i] == b;
    if (b && !known)
      bad[n++] = b;
  }
  for (size_t i = 0; i < n; i++)
    unit_drop(un, bad[i], xstrdup("its forwarding stub does not compile"));
  if (!n) /* an error elsewhere, in the headers or the driver: none of the unit can be forwarded */
    while (un->nblobs) {
      unit_drop(un, un->blobs[un->nblobs - 1], xstrdup("its forwarding unit does not compile"));
      n++;
    }
  free(bad);
  return n;
}

/* Each unit costs its headers again: one more pays only on a processor that no dispatcher needs. */
static unsigned processors_for_units(const struct link *l) {
  size_t all = l->runner.parallel ? l->runner.parallel : pool_processors();
  return (unsigned)(all > l->ndispatchers ? all - l->ndispatchers : 1);
}

/* Compile dispatchers and units side by side, the dispatchers first: they take longest. Blobs whose stubs do
 * not compile are left out and the unit is compiled again. */
void link_compile_units(struct link *l) {
  units_plan(&l->units, l->blobs, l->nblobs, l->dir, processors_for_units(l));
  size_t nd = l->ndispatchers, n = nd + l->units.nunits;
  for (unsigned k = 0; k < l->units.nunits; k++)
    unit_write(&l->units, k);
  struct header_steps h = {0};
  plan_headers(l, &h);
  struct step *steps = xcalloc(n + h.n, sizeof *steps);
  for (size_t i = 0; i < nd; i++)
    steps[i] = dispatcher_step(l, &l->dispatchers[i]);
  for (unsigned k = 0; k < l->units.nunits; k++)
    steps[nd + k] = unit_step(l, k);
  if (h.n)
    memcpy(steps + n, h.steps, h.n * sizeof *steps);
  steps_run(&l->runner, steps, n + h.n);
  if (h.n)
    memcpy(h.steps, steps + n, h.n * sizeof *steps);
  link_count_steps(l, steps, n);
  for (size_t i = 0; i < nd; i++) {
    struct dispatcher *d = &l->dispatchers[i];
    while (steps[i].status && (d->stats.tables || d->stats.helpers)) {
      link_progress(l, "a rewritten dispatcher does not compile: taking a plainer one");
      d->level = d->stats.tables ? DISPATCH_ERASED : DISPATCH_TEXT;
      step_free(&steps[i]);
      steps[i] = dispatcher_step(l, d);
      step_run(&l->runner, &steps[i]);
    }
    if (steps[i].status)
      step_fail(&steps[i]);
  }
  for (unsigned k = 0; k < l->units.nunits; k++) {
    struct step *s = &steps[nd + k];
    while (s->status) {
      link_progress(l, "a forwarding unit does not compile: leaving out what it complains of");
      drop_failed(l, k, s);
      unit_write(&l->units, k);
      step_free(s);
      *s = unit_step(l, k);
      step_run(&l->runner, s);
      if (s->status && !l->units.units[k].nblobs)
        step_fail(s);
    }
    unit_symbols(&l->units.units[k], k);
    struct group *g = &l->units.groups[l->units.units[k].group];
    if (!g->headers_digest)
      g->headers_digest = xstrdup(s->headers ? s->headers : "");
  }
  take_headers(l, &h);
  for (size_t i = 0; i < n + h.n; i++)
    step_free(&steps[i]);
  free(steps);
  free(h.steps);
  free(h.group);
}
