/* report.c - what a link says to the user, its progress and its summary, and what it leaves in its
 * directory for other programs: the list of headers for an installation, the state for a relink. */
#include "link.h"

#include "flags.h"

#include "core/base/trace.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/ccenv.h"
#include "core/files/outcome.h"
#include "core/files/state.h"
#include "core/files/storable.h"
#include "core/files/summary.h"

#include <unistd.h>

void link_progress(const struct link *l, const char *what) {
  static uint64_t last;
  uint64_t now = trace_now();
  trace_span("link step", what, 0, last ? last : (uint64_t)(l->start * 1e6), now, "status", "0", NULL);
  last = now;
  if (env_flag("CK_JIT_VERBOSE"))
    note("%6.2f s  %s", ckjit_seconds() - l->start, what);
}

/* the headers below the base, for an installation: one name a line, relative to {root} */
static void write_headers(const struct link *l) {
  autofree_buf out = {0};
  buf_add(&out, "", 0);
  for (size_t g = 0; g < l->units.ngroups + l->fragments.ngroups; g++) {
    const struct group *gr =
        g < l->units.ngroups ? &l->units.groups[g] : &l->fragments.groups[g - l->units.ngroups];
    for (size_t i = 0; i < gr->ninputs; i++) {
      autofree char *below = flags_below(gr->inputs[i].path, &l->bases);
      if (below)
        buf_printf(&out, "%s\n", below);
    }
  }
  autofree char *file = path_join(l->dir, "ck_jit_headers.txt");
  if (!file_update(file, out.data, out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
}

static bool is_ascii(const char *text) {
  while (*text && (unsigned char)*text < 0x80)
    text++;
  return !*text;
}

/* The variables of compilers, as this link had them, since they are recorded in the library: a
 * relink from another shell would record that one's. The state file is UTF-8; a value that may not
 * be is left out. */
static void add_toolchain(struct state *s, const struct link *l) {
  autofree_argv vars = {0};
  ccenv_toolchain(&vars, l->line.nrecords ? l->line.records[0].compiler_kind : l->line.kind);
  for (size_t i = 0; i < vars.n; i++)
    if (is_ascii(vars.args[i]) && !strchr(vars.args[i], '{'))
      argv_add(&s->link_env, vars.args[i]);
}

/* How to run this program again, but for --aot-list; with the variables on which its output
 * depends. */
static void describe_link_step(struct state *s, const struct link *l) {
  s->cwd = l->line.cwd;
  s->place = (char *)l->moved.from; /* they are not made again by this link */
  argv_add(&s->link_step, "--home");
  argv_add(&s->link_step, l->home->dir);
  argv_add(&s->link_step, "--work");
  argv_add(&s->link_step, l->work);
  argv_add(&s->link_step, "--compiler");
  argv_add(&s->link_step, l->line.compiler);
  argv_add(&s->link_step, "--kind");
  argv_add(&s->link_step, l->line.kind->kind);
  argv_add(&s->link_step, "--");
  linkline_step(&l->line, &s->link_step);
  for (char **e = environ; *e; e++)
    if (str_starts(*e, "CK_JIT_") && !str_starts(*e, "CK_JIT_JOBS=") && !str_starts(*e, "CK_JIT_VERBOSE=") &&
        !str_starts(*e, "CK_JIT_SUMMARY=") && word_is_storable(*e))
      argv_add(&s->link_env, *e);
  add_toolchain(s, l);
}

/* ---- what became of each unit ---- */

/* Borrows the strings of R and WHY. */
static void put_outcome(struct outcomes *o, enum outcome_kind kind, const struct record *r, const char *why,
                        const struct dispatch_stats *stats) {
  struct outcome u = {
      .kind = kind, .source = (char *)record_place(r), .object = r->output, .why = (char *)why};
  if (stats) {
    u.helpers = stats->helpers;
    u.tables = stats->tables;
    u.rows = stats->rows;
  }
  vec_push(o->all, o->n, u);
}

static void put_blobs(struct outcomes *o, const struct link *l) {
  static const enum outcome_kind kinds[] = {
      [BLOB_LAZY] = OUTCOME_LAZY, [BLOB_WANTED] = OUTCOME_LISTED, [BLOB_AHEAD] = OUTCOME_AHEAD};
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].fate <= BLOB_AHEAD) { /* a unit is among the lazy */
      put_outcome(o, kinds[l->blobs[i].fate], l->blobs[i].record, l->blobs[i].reason, NULL);
      o->all[o->n - 1].needs = l->blobs[i].demanded_by;
    }
}

/* Why the blob whose object R names has become a unit; NULL: it is no blob's. */
static const char *why_made(const struct link *l, const struct record *r) {
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].fate == BLOB_UNIT && strcmp(l->blobs[i].record->output, r->output) == 0)
      return l->blobs[i].reason;
  return NULL;
}

static void put_lazy(struct outcomes *o, const struct link *l) {
  for (size_t i = 0; i < l->lazy.n; i++) {
    const struct lazy_unit *u = &l->lazy.list[i];
    enum outcome_kind kind = !u->why ? OUTCOME_UNIT : u->listed ? OUTCOME_UNIT_LISTED : OUTCOME_UNIT_AHEAD;
    const char *why = u->listed ? NULL : u->why;
    put_outcome(o, kind, u->record, !why && u->made ? why_made(l, u->record) : why, NULL);
  }
}

static void put_dispatcher(struct outcomes *o, const struct dispatcher *d) {
  enum outcome_kind kind = d->recorded        ? OUTCOME_RECORDED
                           : d->stats.tables  ? OUTCOME_TABULATED
                           : d->stats.helpers ? OUTCOME_ERASED
                                              : OUTCOME_UNCHANGED;
  const char *none = kind == OUTCOME_UNCHANGED
                         ? "no chain of conditions or helper in it has a form that is rewritten"
                         : NULL;
  put_outcome(o, kind, d->record, d->why ? d->why : none, &d->stats);
}

static void write_outcomes(const struct link *l) {
  struct outcomes o = {.library = l->line.output, .stock = (char *)l->stock};
  put_blobs(&o, l);
  put_lazy(&o, l);
  for (size_t i = 0; i < l->ndispatchers; i++)
    put_dispatcher(&o, &l->dispatchers[i]);
  for (size_t i = 0; i < l->fragments.n; i++)
    if (!l->fragments.list[i].blob)
      put_outcome(&o, link_wants_fragments(l) ? OUTCOME_FRAGMENT_AHEAD : OUTCOME_FRAGMENT,
                  l->fragments.list[i].record,
                  l->no_rdc                 ? l->no_rdc
                  : link_wants_fragments(l) ? "an object of the library needs device code of others"
                                            : NULL,
                  NULL);
  autofree char *file = path_join(l->dir, OUTCOME_FILE);
  if (!outcomes_write(file, &o))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
  free(o.all);
}

void link_write_state(const struct link *l) {
  write_headers(l);
  write_outcomes(l);
  if (l->unnamed)
    return;
  struct state s = {
      .out_so = l->line.output, .all_objs = l->objs, .link = l->command, .runtime_obj = l->runtime_obj};
  link_runtime_command(l, STATE_RUNTIME_SRC, l->dir, &s.runtime_cc);
  argv_add(&s.runtime_cc, "-o");
  argv_add(&s.runtime_cc, l->runtime_obj);
  for (size_t i = 0; i < l->line.nrecords && !s.arch_fl.n; i++) {
    autofree_argv archs = {0};
    flags_archs(&archs, &l->line.records[i]);
    for (size_t k = 0; k < archs.n; k++)
      compiler_add_arch(&s.arch_fl, l->line.records[i].cc.dialect, archs.args[k], strlen(archs.args[k]));
  }
  describe_link_step(&s, l);
  autofree char *file = path_join(l->dir, STATE_FILE);
  char *err;
  if (!state_write(file, &s, &err))
    die(EXIT_FAILED, "%s", err);
  argv_free(&s.arch_fl);
  argv_free(&s.runtime_cc);
  argv_free(&s.link_step);
  argv_free(&s.link_env);
}

static void put_fragments(struct buf *out, const struct link *l) {
  size_t blobs = 0, combinations = 0, alone = fragments_alone(&l->fragments);
  for (size_t i = 0; i < l->nblobs; i++) {
    if (!blob_is_forwarded(&l->blobs[i]))
      continue;
    combinations += l->blobs[i].ncombinations;
    blobs += l->blobs[i].ncombinations > 0;
  }
  if (l->no_rdc)
    buf_printf(out, "ckjit-link: all with -fgpu-rdc is compiled ahead of time, %zu %s: %s\n", alone,
               noun(alone, "fragment", "fragments"), l->no_rdc);
  else
    buf_printf(out, "ckjit-link: %zu %s%s, %zu %s, %zu %s\n", alone, noun(alone, "fragment", "fragments"),
               l->fragments_are_code ? " (linked into the library as well)" : "", blobs,
               noun(blobs, "blob that may need them", "blobs that may need them"), combinations,
               noun(combinations, "combination", "combinations"));
}

/* How many of U wait for their first launch. */
static size_t count_lazy(const struct lazy_units *u) {
  size_t lazy = 0;
  for (size_t i = 0; i < u->n; i++)
    lazy += !u->list[i].why;
  return lazy;
}

static void put_units_listed(struct buf *out, const struct lazy_units *u) {
  size_t listed = 0;
  for (size_t i = 0; i < u->n; i++)
    listed += u->list[i].listed;
  if (listed)
    buf_printf(out, SUMMARY_AHEAD "%zu %s of the list\n", listed,
               noun(listed, "ordinary unit", "ordinary units"));
}

/* Those that stand for blobs, by why these cannot be loaded apart: of llama.cpp's 48 all for one of
 * a few functions. */
static void put_made(struct buf *out, const struct link *l) {
  size_t made = lazy_units_made(&l->lazy);
  const struct blob *first = NULL;
  for (size_t i = 0; i < l->nblobs && !first; i++)
    if (l->blobs[i].fate == BLOB_UNIT)
      first = &l->blobs[i];
  if (made && first)
    buf_printf(out, "ckjit-link: %zu of them %s compiled apart from the library; of %s: %s\n", made,
               noun(made, "is a kernel that cannot be", "are kernels that cannot be"),
               path_base(record_place(first->record)), first->reason);
  for (const struct blob *b = first; b && b < l->blobs + l->nblobs; b++)
    if (b != first && b->fate == BLOB_UNIT)
      buf_printf(out, "ckjit-link: of %s: %s\n", path_base(record_place(b->record)), b->reason);
}

/* The fates of the blobs and of the units that call them. */
static void put_blobs_and_dispatchers(struct buf *out, const struct link *l) {
  size_t lazy = 0, functions = 0;
  struct dispatch_stats d = {0};
  for (size_t k = 0; k < l->units.nunits; k++)
    functions += l->units.units[k].nfunctions;
  for (size_t i = 0; i < l->nblobs; i++)
    lazy += l->blobs[i].fate == BLOB_LAZY;
  for (size_t i = 0; i < l->ndispatchers; i++) {
    d.helpers += l->dispatchers[i].stats.helpers;
    d.tables += l->dispatchers[i].stats.tables;
    d.rows += l->dispatchers[i].stats.rows;
  }
  buf_printf(out, "%zu %s lazy (%zu %s in %zu %s), %zu compiled ahead of time, ", lazy,
             noun(lazy, "blob is", "blobs are"), functions, noun(functions, "function", "functions"),
             l->units.nunits, noun(l->units.nunits, "unit", "units"), l->ahead);
  buf_printf(out, "%zu %s (%zu %s erased, %zu %s of %zu %s)", l->ndispatchers,
             noun(l->ndispatchers, "dispatcher", "dispatchers"), d.helpers,
             noun(d.helpers, "helper", "helpers"), d.tables, noun(d.tables, "table", "tables"), d.rows,
             noun(d.rows, "row", "rows"));
}

/* The sources that were to be lazy and are not, a line each. */
static void put_ahead(struct buf *out, const struct link *l) {
  for (size_t i = 0; i < l->lazy.n; i++)
    if (l->lazy.list[i].why && !l->lazy.list[i].listed)
      buf_printf(out, SUMMARY_AHEAD "%s: %s\n", record_place(l->lazy.list[i].record), l->lazy.list[i].why);
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].fate == BLOB_AHEAD)
      buf_printf(out, SUMMARY_AHEAD "%s: %s\n", record_place(l->blobs[i].record), l->blobs[i].reason);
}

/* The line for the build's user: "libx.so: 4 kernels lazy, 0 ahead of time; 6.2 s". */
static void put_line(struct buf *out, const struct link *l) {
  size_t kernels = 0, sources = count_lazy(&l->lazy);
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].fate == BLOB_LAZY)
      ++*(l->blobs[i].late ? &sources : &kernels);
  buf_printf(out, "ckjit-link: %s: ", path_base(l->line.output));
  if (kernels || !sources)
    buf_printf(out, "%zu %s", kernels, noun(kernels, "kernel", "kernels"));
  if (sources)
    buf_printf(out, "%s%zu ordinary %s", kernels ? " and " : "", sources, noun(sources, "source", "sources"));
  buf_printf(out, " lazy, %zu ahead of time; %.1f s\n", l->ahead, ckjit_seconds() - l->start);
}

static void put_details(struct buf *out, const struct link *l) {
  size_t wanted = 0, lazy = count_lazy(&l->lazy);
  autofree char *units = xasprintf("%zu %s, lazy", lazy, noun(lazy, "ordinary unit", "ordinary units"));
  bool alone = l->lazy.n && !l->ndispatchers && !l->fragments.n; /* ordinary units */
  for (size_t i = 0; i < l->nblobs; i++) {
    wanted += l->blobs[i].fate == BLOB_WANTED;
    alone &= l->blobs[i].fate == BLOB_UNIT;
  }
  buf_printf(out, "ckjit-link: %s: ", path_base(l->line.output));
  if (alone)
    buf_puts(out, units);
  else
    put_blobs_and_dispatchers(out, l);
  buf_printf(out, "; %zu %s, %zu kept\n", l->compiled, noun(l->compiled, "compile", "compiles"), l->kept);
  if (l->lazy.n && !alone)
    buf_printf(out, "ckjit-link: %s\n", units);
  put_made(out, l);
  put_units_listed(out, &l->lazy);
  if (l->aot_list)
    buf_printf(out, SUMMARY_AHEAD "%zu %s of the list\n%s", wanted, noun(wanted, "kernel", "kernels"),
               l->stays.len ? l->stays.data : "");
  if (l->fragments.n)
    put_fragments(out, l);
  put_ahead(out, l);
}

/* It is kept because aiter shows the output of its build only if that fails: `ckjit full` shows the
 * file. */
void link_print_summary(const struct link *l) {
  autofree_buf text = {0};
  put_line(&text, l);
  put_details(&text, l);
  autofree char *file = path_join(l->dir, SUMMARY_FILE);
  summary_print(stderr, text.data, file, summary_is_whole());
  if (!file_write(file, text.data, text.len, 0666))
    warn("%s: cannot write: %s", file, strerror(errno));
}
