/* link.c - ckjit-link, the post-build linker: what the wrapper starts in place of a link whose inputs hold
 * stub objects.
 *
 *     ckjit-link --home H --work W --compiler REAL [--aot-list FILE] -- ARGUMENTS OF THE LINK
 *
 * The blobs of this library are read, and a forwarding stub is written for each function that they define;
 * dispatchers and stubs are compiled, host side only; the manifest is embedded with the runtime; then the
 * user's own link command runs with these objects where the stub objects stood. A blob that cannot be
 * forwarded is compiled ahead of time, as the build asked for it, and named in the summary: nothing is
 * dropped and nothing is left undefined. So is each of those in FILE, stems, one a line (`ckjit-build relink`
 * writes it).
 */
#include "blob.h"
#include "compile.h"
#include "postbuild/dispatch/dispatch.h"
#include "embed.h"
#include "flags.h"
#include "fragments.h"
#include "keep.h"
#include "launch.h"
#include "linkdeps.h"
#include "linkline.h"
#include "overlay.h"
#include "units.h"

#include "core/files/bloblist.h"
#include "core/cc/ccargs.h"
#include "core/base/elf.h"
#include "core/base/env.h"
#include "core/files/home.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/device/rdc.h"
#include "core/files/state.h"
#include "core/files/stubobj.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

enum {
  ERRORS_SHOWN = 4000, /* bytes of a compiler's output in a message, its end */
  SYMBOLS_SHOWN = 5,
  LARGE_TEXT = 1 << 20, /* bytes of a dispatcher */
};

/* A dispatcher: recorded as one, or a blob that uses the templates of others. */
struct dispatcher {
  const struct record *record;
  char *object;
  enum dispatch_level level; /* how far its text is rewritten: less where the compiler refuses it */
  struct dispatch_stats stats;
};

struct link {
  struct home *home;
  const char *work, *aot_list;
  const char *base; /* of names that are stored relative; "": none are */
  bool keep;        /* the sources below it may go when the build ends */
  char *tree;       /* a copy of it that stays; NULL: it stays itself */
  struct linkline line;
  char *dir; /* work/<stem of the output> */
  struct blob *blobs;
  size_t nblobs;
  struct dispatcher *dispatchers;
  size_t ndispatchers;
  struct fragments fragments;
  char *no_rdc;            /* why blobs with -fgpu-rdc are compiled ahead of time; NULL where they are not */
  bool fragments_are_code; /* they are linked into the library as well */
  bool device_code;        /* an object of the link has some of its own that is linked here */
  struct functions functions;
  struct units units;
  struct argv aot;  /* objects of blobs compiled ahead of time */
  struct buf stays; /* lines about those that were to be, and are not */
  struct argv objs, command;
  char *runtime_obj;
  struct argv runtime_cc;
  unsigned parallel;
  size_t compiled, kept; /* steps done and steps that were fresh */
  int lock;              /* of the directory */
  struct timespec start;
};

static double seconds_since(const struct timespec *t) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) / 1e9;
}

static void progress(const struct link *l, const char *what) {
  if (env_flag("CK_JIT_VERBOSE"))
    fprintf(stderr, "ckjit-link: %6.2f s  %s\n", seconds_since(&l->start), what);
}

/* ---- the command line
 * -------------------------------------------------------------------------------------- */

static _Noreturn void usage(void) {
  die(EXIT_USAGE, "usage: ckjit-link --home H --work W --compiler REAL [--aot-list FILE] -- ARGUMENTS OF "
                  "THE LINK (the wrapper of a fake home starts this program)");
}

static void read_options(struct link *l, int argc, char **argv) {
  static const struct option options[] = {
      {"home", required_argument, 0, 'h'},     {"work", required_argument, 0, 'w'},
      {"compiler", required_argument, 0, 'c'}, {"aot-list", required_argument, 0, 'a'},
      {"version", no_argument, 0, 'v'},        {0}};
  const char *home = NULL, *compiler = NULL;
  for (int c; (c = getopt_long(argc, argv, "+", options, NULL)) >= 0;) {
    if (c == 'h')
      home = optarg;
    else if (c == 'w')
      l->work = optarg;
    else if (c == 'c')
      compiler = optarg;
    else if (c == 'a')
      l->aot_list = optarg;
    else if (c == 'v') {
      puts("ckjit-link " CKJIT_VERSION);
      exit(EXIT_OK);
    } else
      usage();
  }
  if (!home || !l->work || !compiler || optind == argc)
    usage();
  char *err;
  l->home = home_read(home, &err);
  if (!l->home)
    die(EXIT_FAILED, "%s", err);
  const char *jobs = env_get("CK_JIT_JOBS");
  char *end = NULL;
  l->parallel = jobs ? (unsigned)strtoul(jobs, &end, 10) : 0;
  if (end && *end)
    die(EXIT_USAGE, "CK_JIT_JOBS='%s': expected a number of jobs", jobs);
  linkline_read(&l->line, l->home, compiler, argv + optind);
}

/* work/<stem>, or work/<stem>-2 … where another library of that name has it; each is locked against a second
 * link of the same library. */
static void open_directory(struct link *l) {
  char *stem = path_stem(l->line.output), *err;
  for (int k = 1;; k++) {
    free(l->dir);
    l->dir = k == 1 ? xasprintf("%s/%s", l->work, stem) : xasprintf("%s/%s-%d", l->work, stem, k);
    char *state = path_join(l->dir, STATE_FILE);
    struct state *s = file_exists(state) ? state_read(state, &err) : NULL;
    bool other = s && strcmp(s->out_so, l->line.output) != 0 && file_exists(s->out_so);
    if (s) {
      state_free(s);
      free(s);
    }
    free(state);
    if (!other)
      break;
  }
  free(stem);
  static const char *const parts[] = {"units", "objs"};
  for (size_t i = 0; i < 2; i++) {
    char *p = path_join(l->dir, parts[i]);
    if (dir_make(p))
      die(EXIT_FAILED, "%s: cannot make the directory: %s; is the work directory writable?", p,
          strerror(errno));
    free(p);
  }
  char *lock = path_join(l->dir, ".lock");
  int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0 || flock(fd, LOCK_EX))
    die(EXIT_FAILED, "%s: cannot lock: %s", lock, strerror(errno));
  free(lock);
  l->lock = fd; /* held until the program ends */
}

/* ---- reading the blobs
 * ------------------------------------------------------------------------------------- */

static void add_dispatcher(struct link *l, const struct record *r) {
  l->dispatchers = xrealloc(l->dispatchers, (l->ndispatchers + 1) * sizeof *l->dispatchers);
  l->dispatchers[l->ndispatchers++] = (struct dispatcher){
      .record = r, .object = xasprintf("%s/objs/dispatcher-%s.o", l->dir, r->stem), .level = DISPATCH_TABLES};
}

static bool defines(const struct blob *b, const char *name) {
  for (size_t i = 0; i < b->functions.n; i++)
    if (strcmp(b->functions.args[i], name) == 0)
      return true;
  return false;
}

/* Does B use the templates that other blobs specialise? Compiled apart from them it would not link. */
static bool is_dispatcher(const struct link *l, const struct blob *b) {
  for (size_t i = 0; i < b->uses.n; i++)
    if (functions_find(&l->functions, b->uses.args[i]) && !defines(b, b->uses.args[i]))
      return true;
  return false;
}

static int by_stem_and_source(const void *a, const void *b) {
  const struct blob *const *x = a, *const *y = b;
  int c = strcmp((*x)->record->stem, (*y)->record->stem);
  return c ? c : strcmp((*x)->record->source, (*y)->record->source);
}

/* The cache goes by stems: of two blobs with one stem the second is compiled ahead of time. */
static void settle_names(struct link *l) {
  struct blob **sorted = xcalloc(l->nblobs, sizeof *sorted);
  for (size_t i = 0; i < l->nblobs; i++)
    sorted[i] = &l->blobs[i];
  if (l->nblobs)
    qsort(sorted, l->nblobs, sizeof *sorted, by_stem_and_source);
  for (size_t i = 1; i < l->nblobs; i++)
    if (strcmp(sorted[i]->record->stem, sorted[i - 1]->record->stem) == 0 && !sorted[i]->why_not)
      sorted[i]->why_not = xasprintf("%s has the same stem", sorted[i - 1]->record->source);
  free(sorted);
}

static void read_blobs(struct link *l) {
  l->blobs = xcalloc(l->line.nrecords, sizeof *l->blobs);
  for (size_t i = 0; i < l->line.nrecords; i++) {
    struct record *r = &l->line.records[i];
    if (r->kind == RECORD_DISPATCHER) {
      if (access(r->source, R_OK))
        die(EXIT_FAILED, "%s: cannot read the source of the stub object %s: %s; build the object again",
            r->source, r->output, strerror(errno));
      add_dispatcher(l, r);
      continue;
    }
    if (r->kind == RECORD_FRAGMENT) {
      fragments_add(&l->fragments, r);
      continue;
    }
    struct blob *b = &l->blobs[l->nblobs++];
    blob_read(b, r);
    for (size_t k = 0; k < b->functions.n; k++)
      functions_add(&l->functions, b->functions.args[k], b->signatures.args[k]);
    /* The embedded manifest names one compiler: the first blob's. */
    if (!b->why_not && strcmp(r->compiler, l->blobs[0].record->compiler) != 0)
      b->why_not =
          xasprintf("it is compiled by %s, the others by %s", r->compiler, l->blobs[0].record->compiler);
  }
  for (size_t i = 0; i < l->nblobs; i++)
    if (is_dispatcher(l, &l->blobs[i])) {
      add_dispatcher(l, l->blobs[i].record);
      free(l->blobs[i].why_not);
      l->blobs[i].why_not = xstrdup("");
    }
  settle_names(l);
}

/* Where the build tree is not to be relied on, all names are relative to it, and its sources are kept. */
static void choose_base(struct link *l) {
  const char *given = env_get("CK_JIT_BASE");
  l->base = given ? given : "";
  if (given || !l->home->keep.n)
    return;
  char *base = keep_base(l->blobs, l->nblobs, l->line.cwd);
  if (!base) {
    warn("%s: the sources of its kernels are not kept: they have no directory in common but one of the whole "
         "machine; set "
         "CK_JIT_BASE to that of the build",
         l->line.output);
    return;
  }
  l->base = base;
  l->keep = true;
}

/* ---- relocatable device code
 * ---------------------------------------------------------------------------------- */

/* Blobs and fragments with -fgpu-rdc are one piece of device code: where one of them cannot be left for
 * later, nobody knows what it needs of the others, or they of it, before it is compiled. */
static void give_up_rdc(struct link *l) {
  for (size_t i = 0; i < l->nblobs && l->no_rdc; i++)
    if (l->blobs[i].rdc && !l->blobs[i].why_not)
      l->blobs[i].why_not = xstrdup(l->no_rdc);
}

static bool look_for_device_code(const char *file, const struct cc_input *in, void *user) {
  struct link *l = user;
  bool needs, device;
  (void)in;
  if (stub_in_file(file) && !str_ends(file, ".a"))
    return true;
  char *why = fragments_obstacle(file, &needs, &device);
  l->fragments_are_code |= needs;
  l->device_code |= device;
  if (why && !l->no_rdc)
    l->no_rdc = why;
  else
    free(why);
  return true;
}

/* Whether blobs with -fgpu-rdc can be left for their first call: all that they may need must be fragments. */
static void settle_rdc(struct link *l) {
  bool any = l->fragments.n > 0;
  for (size_t i = 0; i < l->nblobs; i++)
    any |= l->blobs[i].rdc;
  if (!any)
    return;
  struct ccargs a;
  ccargs_scan(&a, l->line.dialect, l->line.args.args);
  ccargs_link_files(&a, look_for_device_code, l);
  ccargs_free(&a);
  for (size_t i = 0; i < l->nblobs && !l->no_rdc; i++)
    if (l->blobs[i].rdc && l->blobs[i].why_not)
      l->no_rdc = xasprintf("%s is compiled ahead of time, and may need its device code or have some for it",
                            l->blobs[i].record->source);
  for (size_t i = 0; i < l->fragments.n && !l->no_rdc; i++)
    if (l->nblobs && strcmp(l->fragments.list[i].record->compiler, l->blobs[0].record->compiler) != 0)
      l->no_rdc =
          xasprintf("the fragment %s is compiled by another compiler", l->fragments.list[i].record->source);
  give_up_rdc(l);
  for (size_t i = 0; i < l->nblobs && l->fragments.n && !l->no_rdc; i++)
    if (l->blobs[i].rdc && !l->blobs[i].why_not)
      fragments_combine(&l->fragments, &l->blobs[i]);
}

/* Fragments are compiled ahead of time too where somebody needs them now. */
static bool wants_fragments(const struct link *l) {
  return l->no_rdc || l->fragments_are_code;
}

/* Whether STEM names B, or one of its combinations of fragments. */
static bool has_stem(const struct blob *b, const char *stem) {
  bool found = strcmp(b->record->stem, stem) == 0;
  for (size_t i = 0; i < b->ncombinations && !found; i++)
    found = strcmp(b->combinations[i].stem, stem) == 0;
  return found;
}

/* Mark the blobs of --aot-list. One that cannot be forwarded is compiled ahead of time anyway. */
static void mark_wanted(struct link *l) {
  struct argv names = {0}, where = {0};
  char *err;
  if (!l->aot_list)
    return;
  if (!bloblist_read(l->aot_list, &names, &where, &err))
    die(EXIT_FAILED, "--aot-list %s", err);
  for (size_t k = 0; k < names.n; k++) {
    bool found = false;
    for (size_t i = 0; i < l->nblobs; i++) {
      struct blob *b = &l->blobs[i];
      if (!has_stem(b, names.args[k]))
        continue;
      found = true;
      b->wanted = !b->why_not && !b->rdc;
      if (b->rdc && !b->why_not) /* two fragments may define one function: together they do not link */
        buf_printf(&l->stays, "ckjit-link: stays lazy: %s: it is linked of fragments (-fgpu-rdc)\n",
                   names.args[k]);
    }
    if (!found)
      die(EXIT_FAILED, "--aot-list %s: unknown kernel '%s': no blob of this link has that stem",
          where.args[k], names.args[k]);
  }
  argv_free(&names);
  argv_free(&where);
}

/* ---- compile steps
 * ----------------------------------------------------------------------------------------- */

/* A unit stands elsewhere than the sources whose text it has: "…" includes must still be found. */
static void quote_directory(struct argv *out, const struct record *r) {
  char *dir = path_dir(r->source);
  flags_word(out, r, "-iquote");
  flags_word(out, r, dir);
  free(dir);
}

static void step_of(struct step *s, const struct record *r, const char *source, const char *object) {
  argv_add(&s->args, "-c");
  argv_add(&s->args, source);
  s->cwd = xstrdup(r->cwd);
  s->source = xstrdup(source);
  s->object = xstrdup(object);
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
  step_of(&s, g->sample, un->source, un->object);
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
  step_of(&s, gr->sample, source, object);
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
      h->steps = xrealloc(h->steps, (h->n + 1) * sizeof *h->steps);
      h->group = xrealloc(h->group, (h->n + 1) * sizeof *h->group);
      h->group[h->n] = g;
      h->steps[h->n++] = headers_step(l, g, i < archs.n ? archs.args[i] : NULL);
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
  if (file_update(source, out.data, out.len, 0666))
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
  step_of(&s, d->record, source, d->object);
  free(source);
  buf_free(&out);
  return s;
}

/* as the build asked for it, device side included */
static struct step whole_step(const struct link *l, const struct record *r, const char *object) {
  (void)l;
  struct step s = {0};
  flags_whole(&s.args, r);
  step_of(&s, r, r->source, object);
  return s;
}

static _Noreturn void fail_step(const struct step *s) {
  size_t n = s->output.len;
  const char *text = n ? s->output.data : "";
  if (n > ERRORS_SHOWN)
    text += n - ERRORS_SHOWN;
  char *command = argv_join(s->args.args);
  die(EXIT_FAILED, "%s: the compiler ended with status %d\n%s\ncommand: %s", s->source, s->status, text,
      command);
}

static void count_steps(struct link *l, const struct step *steps, size_t n) {
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

/* Compile dispatchers and units side by side, the dispatchers first: they take longest. Blobs whose stubs do
 * not compile are left out and the unit is compiled again. */
static void compile_units(struct link *l) {
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
  steps_run(steps, n + h.n, l->parallel);
  if (h.n)
    memcpy(h.steps, steps + n, h.n * sizeof *steps);
  count_steps(l, steps, n);
  for (size_t i = 0; i < nd; i++) {
    struct dispatcher *d = &l->dispatchers[i];
    while (steps[i].status && (d->stats.tables || d->stats.helpers)) {
      progress(l, "a rewritten dispatcher does not compile: taking a plainer one");
      d->level = d->stats.tables ? DISPATCH_ERASED : DISPATCH_TEXT;
      step_free(&steps[i]);
      steps[i] = dispatcher_step(l, d);
      steps_run(&steps[i], 1, 1);
    }
    if (steps[i].status)
      fail_step(&steps[i]);
  }
  for (unsigned k = 0; k < l->units.nunits; k++) {
    struct step *s = &steps[nd + k];
    while (s->status) {
      progress(l, "a forwarding unit does not compile: leaving out what it complains of");
      drop_failed(l, k, s);
      unit_write(&l->units, k);
      step_free(s);
      *s = unit_step(l, k);
      steps_run(s, 1, 1);
      if (s->status && !l->units.units[k].nblobs)
        fail_step(s);
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

/* Kernels of its own leave an object of the host side alone with a reference to device code that is not
 * there. */
static bool wants_device_code(const char *object) {
  size_t len;
  char *bytes = file_read(object, &len);
  struct elf e;
  struct elf_symtab t;
  bool found = false;
  if (bytes && elf_open(&e, bytes, len, NULL) && elf_symtab(&e, SHT_SYMTAB, &t)) {
    struct elf_symbol s;
    for (size_t i = 0; i < t.count && !found; i++)
      found = elf_symbol(&t, i, &s) &&
              (str_starts(s.name, "__hip_fatbin") || strcmp(s.name, "__hipRegisterFatBinary") == 0 ||
               (s.section == SHN_UNDEF && strstr(s.name, "__device_stub_")));
  }
  free(bytes);
  return found;
}

/* Blobs that cannot be forwarded, and dispatchers with kernels in them, are compiled as the build asked for
 * it. */
static void compile_whole(struct link *l) {
  struct step *steps = xcalloc(l->nblobs + l->ndispatchers + l->fragments.n, sizeof *steps);
  size_t n = 0;
  for (size_t i = 0; i < l->fragments.n && wants_fragments(l); i++) {
    const struct record *r = l->fragments.list[i].record;
    char *object = xasprintf("%s/objs/fragment-%zu-%s.o", l->dir, i, r->stem);
    steps[n++] = whole_step(l, r, object);
    argv_add_own(&l->aot, object);
  }
  for (size_t i = 0; i < l->ndispatchers; i++)
    if (flags_kind(l->dispatchers[i].record) && wants_device_code(l->dispatchers[i].object)) {
      char *object = xasprintf("%s/objs/whole-%s.o", l->dir, l->dispatchers[i].record->stem);
      steps[n++] = whole_step(l, l->dispatchers[i].record, object);
      free(l->dispatchers[i].object);
      l->dispatchers[i].object = object;
    }
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (!b->wanted && (!b->why_not || !*b->why_not))
      continue;
    char *object = xasprintf("%s/objs/aot-%zu-%s.o", l->dir, i, b->record->stem);
    steps[n++] = whole_step(l, b->record, object);
    argv_add_own(&l->aot, object);
  }
  steps_run(steps, n, l->parallel);
  count_steps(l, steps, n);
  for (size_t i = 0; i < n; i++) {
    if (steps[i].status)
      fail_step(&steps[i]);
    step_free(&steps[i]);
  }
  free(steps);
}

/* Each unit costs its headers again: one more pays only on a processor that no dispatcher needs. */
static unsigned processors_for_units(const struct link *l) {
  size_t all = l->parallel ? l->parallel : pool_processors();
  return (unsigned)(all > l->ndispatchers ? all - l->ndispatchers : 1);
}

/* What only the compiler could say: a blob whose stubs it refused, a dispatcher with kernels of its own. Then
 * the rest of what has -fgpu-rdc goes the same way, and its stubs have to go. */
static void compile_again_without_rdc(struct link *l) {
  if (l->no_rdc)
    return;
  for (size_t i = 0; i < l->nblobs && !l->no_rdc; i++)
    if (l->blobs[i].rdc && l->blobs[i].why_not && *l->blobs[i].why_not)
      l->no_rdc =
          xasprintf("%s is compiled ahead of time: %s", l->blobs[i].record->source, l->blobs[i].why_not);
  for (size_t i = 0; i < l->ndispatchers && !l->no_rdc; i++)
    if (rdc_is_asked(l->dispatchers[i].record->args.args) && wants_device_code(l->dispatchers[i].object))
      l->no_rdc = xasprintf("the dispatcher %s has kernels of its own", l->dispatchers[i].record->source);
  if (!l->no_rdc)
    return;
  give_up_rdc(l);
  units_free(&l->units);
  units_plan(&l->units, l->blobs, l->nblobs, l->dir, processors_for_units(l));
  compile_units(l);
}

/* ---- the runtime
 * ------------------------------------------------------------------------------------------- */

/* Throwing is C++'s business: the runtime, which is C, hands its message to this. */
static const char throw_text[] =
    "// What a failed first call throws; written by ckjit-link.\n"
    "#include <stdexcept>\n"
    "extern \"C\" __attribute__((visibility(\"hidden\"), noreturn)) void ckjit_throw(const "
    "char *message);\n"
    "void ckjit_throw(const char *message) { throw std::runtime_error(message); }\n";

static const char *cxx_of(const struct link *l) {
  const char *named = env_get("CK_JIT_CXX");
  return named ? named : l->home->real_cxx;
}

static void include_variables(struct argv *out) {
  static const char *const names[] = {"CK_JIT_CK_INCLUDE", "CK_JIT_AITER_INCLUDE", "CK_JIT_ROCM_INCLUDE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (env_get(names[i]))
      argv_addf(out, "-I%s", env_get(names[i]));
}

/* the command that makes runtime_obj, with SOURCE as the runtime's source */
static void runtime_command(const struct link *l, const char *source, struct argv *out) {
  static char *const words[] = {"-x",
                                "c",
                                "-std=gnu11",
                                "-O1",
                                "-fPIC",
                                "-fvisibility=hidden",
                                "-fexceptions",
                                "-fasynchronous-unwind-tables",
                                "-D_GNU_SOURCE",
                                NULL};
  char *runtime = install_share("runtime");
  argv_add(out, cxx_of(l));
  argv_add_all(out, words);
  argv_addf(out, "-I%s", l->dir);
  argv_addf(out, "-I%s", runtime);
  include_variables(out);
  if (env_get("CK_JIT_IS_FWD"))
    argv_addf(out, "-DCK_JIT_IS_FWD=%s", env_get("CK_JIT_IS_FWD"));
  argv_add(out, "-c");
  argv_add(out, source);
  free(runtime);
}

/* SOURCE of the link's directory, which ckjit-link wrote, into objs/NAME.o */
static void own_step(const struct link *l, struct step *s, const char *source, const char *name) {
  static char *const words[] = {"-O2", "-fPIC", "-fvisibility=hidden", "-c", NULL};
  argv_add(&s->args, cxx_of(l));
  argv_add_all(&s->args, words);
  argv_add(&s->args, source);
  s->cwd = xstrdup(l->dir); /* where the assembler finds what it includes */
  s->source = path_join(l->dir, source);
  s->object = xasprintf("%s/objs/%s.o", l->dir, name);
}

static void compile_runtime(struct link *l) {
  char *by_default = install_share("runtime/ck_jit_runtime.c");
  const char *source = env_get("CK_JIT_RUNTIME_SRC") ? env_get("CK_JIT_RUNTIME_SRC") : by_default;
  if (access(source, R_OK))
    die(EXIT_FAILED, "%s: cannot read the runtime's source: %s; see CK_JIT_RUNTIME_SRC", source,
        strerror(errno));
  l->runtime_obj = path_join(l->dir, "objs/ck_jit_runtime.o");
  enum { STEPS = 3 };
  struct step steps[STEPS] = {0};
  runtime_command(l, source, &steps[0].args);
  steps[0].cwd = xstrdup(l->dir);
  steps[0].source = xstrdup(source);
  steps[0].object = xstrdup(l->runtime_obj);
  char *thrower = path_join(l->dir, "units/ckjit_throw.cpp");
  if (file_update(thrower, throw_text, sizeof throw_text - 1, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", thrower, strerror(errno));
  free(thrower);
  own_step(l, &steps[1], "units/ckjit_throw.cpp", "ckjit_throw");
  own_step(l, &steps[2], EMBED_TABLES, "ck_jit_tables");
  steps_run(steps, STEPS, l->parallel);
  count_steps(l, steps, STEPS);
  for (size_t i = 0; i < STEPS; i++) {
    if (steps[i].status)
      fail_step(&steps[i]);
    argv_add(&l->objs, steps[i].object);
  }
  runtime_command(l, STATE_RUNTIME_SRC, &l->runtime_cc);
  argv_add(&l->runtime_cc, "-o");
  argv_add(&l->runtime_cc, l->runtime_obj);
  for (size_t i = 0; i < STEPS; i++)
    step_free(&steps[i]);
  free(by_default);
}

/* -fgpu-rdc and --hip-link have nothing to link for the device where all device code is left for later, and
 * clang 15 fails then. */
static void drop_device_link(struct link *l) {
  bool lazy = l->fragments.n > 0;
  for (size_t i = 0; i < l->nblobs; i++)
    lazy |= l->blobs[i].rdc && !l->blobs[i].why_not;
  if (!lazy || l->device_code || wants_fragments(l))
    return;
  struct argv kept = {0};
  for (size_t i = 0; i < l->command.n; i++)
    if (strcmp(l->command.args[i], "-fgpu-rdc") != 0 && strcmp(l->command.args[i], "-fcuda-rdc") != 0 &&
        strcmp(l->command.args[i], "--hip-link") != 0)
      argv_add(&kept, l->command.args[i]);
  argv_free(&l->command);
  l->command = kept;
}

/* ---- linking
 * ----------------------------------------------------------------------------------------------- */

static void collect_objects(struct link *l) {
  for (size_t i = 0; i < l->ndispatchers; i++)
    argv_add(&l->objs, l->dispatchers[i].object);
  for (size_t k = 0; k < l->units.nunits; k++)
    if (l->units.units[k].nblobs)
      argv_add(&l->objs, l->units.units[k].stubs);
  argv_add_all(&l->objs, l->aot.args);
}

/* Undefined symbols of FILE that a blob should have defined: "<length><name>I…", the name with template
 * arguments. */
static size_t undefined_functions(const struct link *l, const char *file, struct buf *names) {
  size_t len, found = 0;
  char *bytes = file_read(file, &len);
  struct elf e;
  struct elf_symtab t;
  if (!bytes || !elf_open(&e, bytes, len, NULL) || !elf_symtab(&e, SHT_DYNSYM, &t)) {
    free(bytes); /* a static executable has none, and its linker checked */
    return 0;
  }
  struct elf_symbol s;
  for (size_t i = 0; i < t.count; i++) {
    if (!elf_symbol(&t, i, &s) || s.section != SHN_UNDEF || !str_starts(s.name, "_Z"))
      continue;
    for (size_t k = 0; k < l->functions.names.n; k++) {
      char *mark = xasprintf("%zu%sI", strlen(l->functions.names.args[k]), l->functions.names.args[k]);
      const char *at = strstr(s.name, mark);
      bool hit = at && !isdigit((unsigned char)at[-1]);
      free(mark);
      if (!hit)
        continue;
      if (found++ < SYMBOLS_SHOWN)
        buf_printf(names, "\n  %s", s.name);
      break;
    }
  }
  free(bytes);
  return found;
}

/* the link command with the objects in their place; linked beside the output and moved there when it is whole
 */
static void link_output(struct link *l) {
  /* No number in the name: links of one library wait for each other, and what a killed one left is written
   * over. */
  char *tmp = xasprintf("%s.ckjit-tmp", l->line.output);
  struct argv words = {0};
  for (size_t i = 0; i < l->command.n; i++) {
    const char *w = l->command.args[i];
    if (strcmp(w, STATE_OBJS) == 0)
      argv_add_all(&words, l->objs.args);
    else
      argv_add(&words, strcmp(w, l->line.output) == 0 ? tmp : w);
  }
  struct job job = {.args = words.args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.output.len)
    fwrite(job.output.data, 1, job.output.len, stderr);
  if (job.status) {
    unlink(tmp);
    if (l->no_rdc)
      warn("%s: all with -fgpu-rdc was compiled ahead of time: %s", l->line.output, l->no_rdc);
    char *text = argv_join(words.args);
    die(EXIT_FAILED, "%s: the linker ended with status %d\ncommand: %s", l->line.output, job.status, text);
  }
  struct buf names = {0};
  size_t missing = undefined_functions(l, tmp, &names);
  if (missing) {
    unlink(tmp);
    die(EXIT_FAILED,
        "%s: %zu functions of blobs are not defined by any object of this link:%s\nis a generated source "
        "missing from it?",
        l->line.output, missing, names.data);
  }
  char *deps = linkdeps_file(&words, l->line.cwd);
  if (deps)
    linkdeps_clean(deps, tmp, l->line.output, l->work);
  free(deps);
  if (rename(tmp, l->line.output)) {
    int e = errno;
    unlink(tmp);
    die(EXIT_FAILED, "%s: cannot move the linked library into place: %s", l->line.output, strerror(e));
  }
  buf_free(&job.output);
  argv_free(&words);
  free(tmp);
}

/* ---- what stays behind
 * ------------------------------------------------------------------------------------- */

/* headers below the base, for an installation: one {root}-relative name a line */
static void write_headers(const struct link *l) {
  struct buf out = {0};
  buf_add(&out, "", 0);
  for (size_t g = 0; g < l->units.ngroups + l->fragments.ngroups && *l->base; g++) {
    const struct group *gr =
        g < l->units.ngroups ? &l->units.groups[g] : &l->fragments.groups[g - l->units.ngroups];
    for (size_t i = 0; i < gr->ninputs; i++) {
      const char *below = path_below(gr->inputs[i].path, l->base);
      if (below)
        buf_printf(&out, "%s\n", below);
    }
  }
  char *file = path_join(l->dir, "ck_jit_headers.txt");
  if (file_update(file, out.data, out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
  free(file);
  buf_free(&out);
}

/* How to run this program again, but for --aot-list: with the variables that what it makes depends on. */
static void describe_link_step(struct state *s, const struct link *l) {
  s->cwd = l->line.cwd;
  argv_add(&s->link_step, "--home");
  argv_add(&s->link_step, l->home->dir);
  argv_add(&s->link_step, "--work");
  argv_add(&s->link_step, l->work);
  argv_add(&s->link_step, "--compiler");
  argv_add(&s->link_step, l->line.compiler);
  argv_add(&s->link_step, "--");
  argv_add_all(&s->link_step, l->line.args.args);
  for (char **e = environ; *e; e++)
    if (str_starts(*e, "CK_JIT_") && !str_starts(*e, "CK_JIT_JOBS=") && !str_starts(*e, "CK_JIT_VERBOSE="))
      argv_add(&s->link_env, *e);
}

static void write_state(struct link *l) {
  struct state s = {.out_so = l->line.output,
                    .all_objs = l->objs,
                    .link = l->command,
                    .runtime_obj = l->runtime_obj,
                    .runtime_cc = l->runtime_cc};
  for (size_t i = 0; i < l->line.nrecords && !s.arch_fl.n; i++) {
    struct argv archs = {0};
    flags_archs(&archs, &l->line.records[i]);
    for (size_t k = 0; k < archs.n; k++)
      compiler_add_arch(&s.arch_fl, l->line.records[i].compiler, archs.args[k], strlen(archs.args[k]));
    argv_free(&archs);
  }
  describe_link_step(&s, l);
  char *file = path_join(l->dir, STATE_FILE), *err;
  if (!state_write(file, &s, &err))
    die(EXIT_FAILED, "%s", err);
  argv_free(&s.arch_fl);
  argv_free(&s.link_step);
  argv_free(&s.link_env);
  free(file);
}

static void put_fragments(struct buf *out, const struct link *l) {
  size_t blobs = 0, combinations = 0;
  for (size_t i = 0; i < l->nblobs; i++) {
    combinations += l->blobs[i].why_not ? 0 : l->blobs[i].ncombinations;
    blobs += !l->blobs[i].why_not && l->blobs[i].ncombinations;
  }
  if (l->no_rdc)
    buf_printf(out, "ckjit-link: all with -fgpu-rdc is compiled ahead of time, %zu fragments: %s\n",
               l->fragments.n, l->no_rdc);
  else
    buf_printf(out, "ckjit-link: %zu fragments%s, %zu blobs that may need them, %zu combinations\n",
               l->fragments.n, l->fragments_are_code ? " (linked into the library as well)" : "", blobs,
               combinations);
}

/* Printed, and kept in summary.txt: aiter shows the output of its build only where it fails, and `ckjit-build
 * full` shows this. */
static void print_summary(const struct link *l) {
  size_t lazy = 0, wanted = 0, functions = 0;
  struct dispatch_stats d = {0};
  for (size_t k = 0; k < l->units.nunits; k++)
    functions += l->units.units[k].nfunctions;
  for (size_t i = 0; i < l->nblobs; i++) {
    lazy += !l->blobs[i].why_not && !l->blobs[i].wanted;
    wanted += !l->blobs[i].why_not && l->blobs[i].wanted;
  }
  for (size_t i = 0; i < l->ndispatchers; i++) {
    d.helpers += l->dispatchers[i].stats.helpers;
    d.tables += l->dispatchers[i].stats.tables;
    d.rows += l->dispatchers[i].stats.rows;
  }
  struct buf out = {0};
  buf_printf(&out,
             "ckjit-link: %s: %zu blobs are lazy (%zu functions in %zu units), %zu compiled ahead of time, "
             "%zu dispatchers (%zu helpers erased, %zu tables of %zu rows); %zu compiles, %zu kept; %.1f s\n",
             path_base(l->line.output), lazy, functions, l->units.nunits, l->aot.n, l->ndispatchers,
             d.helpers, d.tables, d.rows, l->compiled, l->kept, seconds_since(&l->start));
  if (l->aot_list)
    buf_printf(&out, "ckjit-link: ahead of time: %zu kernels of the list\n%s", wanted,
               l->stays.len ? l->stays.data : "");
  if (l->fragments.n)
    put_fragments(&out, l);
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].why_not && *l->blobs[i].why_not)
      buf_printf(&out, "ckjit-link: ahead of time: %s: %s\n", l->blobs[i].record->source,
                 l->blobs[i].why_not);
  fwrite(out.data, 1, out.len, stderr);
  char *file = path_join(l->dir, "summary.txt");
  if (file_write(file, out.data, out.len, 0666))
    warn("%s: cannot write: %s", file, strerror(errno));
  free(file);
  buf_free(&out);
}

static void link_free(struct link *l) {
  for (size_t i = 0; i < l->nblobs; i++)
    blob_free(&l->blobs[i]);
  for (size_t i = 0; i < l->ndispatchers; i++)
    free(l->dispatchers[i].object);
  free(l->blobs);
  free(l->dispatchers);
  functions_free(&l->functions);
  units_free(&l->units);
  fragments_free(&l->fragments);
  free(l->no_rdc);
  linkline_free(&l->line);
  home_free(l->home);
  argv_free(&l->aot);
  buf_free(&l->stays);
  argv_free(&l->objs);
  argv_free(&l->command);
  argv_free(&l->runtime_cc);
  free(l->runtime_obj);
  if (l->keep)
    free((char *)l->base);
  free(l->tree);
  free(l->dir);
  close(l->lock);
}

int main(int argc, char **argv) {
  program_name = "ckjit-link";
  struct link l = {0};
  clock_gettime(CLOCK_MONOTONIC, &l.start);
  read_options(&l, argc, argv);
  launch_open(l.work);
  open_directory(&l);
  read_blobs(&l);
  choose_base(&l);
  settle_rdc(&l);
  mark_wanted(&l);
  progress(&l, "blobs read");
  units_plan(&l.units, l.blobs, l.nblobs, l.dir, processors_for_units(&l));
  compile_units(&l);
  compile_again_without_rdc(&l);
  if (!l.no_rdc)
    fragments_headers(&l.fragments, l.dir, l.parallel);
  progress(&l, "forwarding units and dispatchers compiled");
  compile_whole(&l);
  if (l.keep) {
    char *trees = path_join(l.work, "trees");
    l.tree = keep_sources(trees, l.base, l.blobs, l.nblobs, &l.units);
    free(trees);
  }
  struct embed e = {.dir = l.dir,
                    .library = path_base(l.line.output),
                    .base = l.base,
                    .root = l.tree ? l.tree : l.base,
                    .work = l.work,
                    .fragments = l.no_rdc ? &(struct fragments){0} : &l.fragments,
                    .compiler = l.nblobs ? l.blobs[0].record->compiler : l.home->real_compiler};
  flags_libraries(&e.link, l.line.dialect, l.line.args.args, l.line.cwd, l.tree ? "" : l.base);
  embed_write(&e, &l.units);
  linkline_write(&l.line, l.line.output, &l.command, &l.objs);
  drop_device_link(&l);
  collect_objects(&l);
  compile_runtime(&l);
  progress(&l, "runtime compiled");
  link_output(&l);
  progress(&l, "linked");
  write_headers(&l);
  write_state(&l);
  print_summary(&l);
  argv_free(&e.link);
  argv_free(&e.lists);
  launch_close();
  link_free(&l);
  return EXIT_OK;
}
