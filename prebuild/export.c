/* export.c - `export`: kernels as files that need no ckjit (docs/export.md).
 *
 * Each file is made by ckjit-compile --format, with the flags, the checks and the limits of every other
 * compile. Here is decided which files there are and what each is made of:
 *
 *     one kernel                  one compile
 *     several, for the host       an object file of each, joined by the linker
 *     several, for the device     bitcode of each, joined before code is generated
 *     several architectures       for the host, one compile; for the device a code object of each, in a
 * bundle
 *
 * So there are steps of up to three stages, those of a stage side by side. All happens in a directory beside
 * the output, and the files get their names when the last is made: all of them, or nothing is written.
 */
#include "prebuild.h"
#include "core/cc/compiler.h"
#include "core/base/env.h"
#include "core/files/export.h"
#include "core/base/path.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* one file of the user's */
struct output {
  char *path, *made; /* its name in the end, absolute; in the temporary directory */
  const struct manifest_blob *const *blobs;
  size_t nblobs;
  char archs[CKJIT_ARCHS_SIZE];
};

enum { PROBE, PARTS, JOINS, BUNDLES, STAGES };

/* one ckjit-compile */
struct step {
  const struct manifest_blob *blob; /* the first of those in it */
  struct argv command;
  char *what; /* for the user: "blob_1: asm for gfx942" */
  bool again; /* it failed for want of memory */
};

struct stage {
  struct step *steps;
  size_t n, cap;
};

struct exporting {
  const struct request *r;
  enum export_format format;
  char *program, *dir; /* ckjit-compile; the temporary directory */
  char *made_dir; /* the directory that was made for the output, to be removed where nothing comes of it */
  struct output *outputs;
  size_t n;
  struct stage stages[STAGES];
  int files;
  /* while a stage runs */
  struct memory memory;
  struct job *jobs;
  size_t njobs, failed, again;
  bool alone;
};

/* ---- the command line ---- */

static bool is_export(const struct request *r) {
  return strcmp(r->command, "export") == 0;
}

static void check_symbols(const struct request *r) {
  for (size_t i = 0; i < r->symbols.n; i++) {
    char *old;
    if (!export_symbol_parse(r->symbols.args[i], &old))
      die(EXIT_USAGE,
          "--symbol '%s': expected NAME or OLD=NAME, NAME of letters, digits and _ . $, no digit first",
          r->symbols.args[i]);
    free(old);
  }
}

static void check_archs(const struct request *r) {
  const char *at = r->arch, *word;
  size_t n, words = 0;
  char archs[CKJIT_ARCHS_SIZE] = "";
  while ((word = ckjit_arch_next(&at, &n))) {
    words++;
    if (!export_arch_is_sound(word, n))
      die(EXIT_USAGE, "--arch '%.*s': expected an architecture such as gfx942, gfx90a:xnack- or sm_90",
          (int)n, word);
    if (!ckjit_arch_add(archs, word, n))
      die(EXIT_USAGE, "--arch: too many architectures");
  }
  if (!words)
    die(EXIT_USAGE, "--arch '%s': expected architectures, ';' between, such as gfx942;gfx950 or sm_80;sm_90",
        r->arch);
}

void export_check_options(const struct request *r) {
  if (r->json && strcmp(r->command, "list") != 0)
    die(EXIT_USAGE, "%s: --json goes with list", r->command);
  if (!is_export(r)) {
    if (r->format || r->output || r->symbols.n)
      die(EXIT_USAGE, "%s: --format, --output and --symbol go with export", r->command);
    return;
  }
  if (!r->format)
    die(EXIT_USAGE, "export: --format is missing: " EXPORT_FORMATS);
  if (!export_format_parse(r->format))
    die(EXIT_USAGE, "export: unknown format '%s': expected " EXPORT_FORMATS, r->format);
  if (!r->output || !*r->output)
    die(EXIT_USAGE, "export: --output is missing: a file, a directory, or - for standard output");
  if (r->arch)
    check_archs(r);
  check_symbols(r);
}

/* ---- which architectures ---- */

/* Add ARCH unless it is there, its features in another order perhaps. */
static void add_arch(char archs[CKJIT_ARCHS_SIZE], const char *arch, size_t n) {
  const char *at = archs, *word;
  for (size_t m; (word = ckjit_arch_next(&at, &m));)
    if (export_same_arch(word, m, arch, n))
      return;
  ckjit_arch_add(archs, arch, n);
}

/* --arch, CK_JIT_ARCH, or all that the library was built for: this machine's GPUs say nothing about who will
 * use the file. */
static void archs_for(char archs[CKJIT_ARCHS_SIZE], const struct request *r,
                      const struct manifest_blob *blob) {
  const char *said = r->arch ? r->arch : env_get("CK_JIT_ARCH"), *word;
  const struct argv *built = &r->m->groups[blob->group].archs;
  archs[0] = 0;
  for (size_t n; said && (word = ckjit_arch_next(&said, &n));)
    add_arch(archs, word, n);
  for (size_t i = 0; !said && i < built->n; i++)
    add_arch(archs, built->args[i], strlen(built->args[i]));
}

static size_t count_archs(const char *archs) {
  size_t count = 0, n;
  while (ckjit_arch_next(&archs, &n))
    count++;
  return count;
}

static char *join_built(const struct request *r, const struct manifest_blob *blob) {
  struct buf b = {0};
  const struct argv *built = &r->m->groups[blob->group].archs;
  buf_puts(&b, "");
  for (size_t i = 0; i < built->n; i++)
    buf_printf(&b, "%s%s", i ? ";" : "", built->args[i]);
  return b.data;
}

/* ---- which files ---- */

static bool is_cuda(const struct request *r) {
  return compiler_dialect(r->m->compiler) == CC_NVCC;
}

/* PTX, of which there is no cubin */
static bool is_virtual(const struct request *r, const char *arch) {
  return is_cuda(r) && strncmp(arch, "sm_", 3) != 0;
}

static const char *extension(const struct exporting *x, bool fat) {
  return export_extension(x->format, compiler_dialect(x->r->m->compiler), fat);
}

static char *new_file(struct exporting *x) {
  return xasprintf("%s/%d%s", x->dir, x->files++, extension(x, false));
}

static struct output *add_output(struct exporting *x, char *path, size_t first, size_t n) {
  x->outputs = xrealloc(x->outputs, (x->n + 1) * sizeof *x->outputs);
  struct output *o = &x->outputs[x->n++];
  *o = (struct output){.path = path, .blobs = x->r->blobs + first, .nblobs = n};
  archs_for(o->archs, x->r, o->blobs[0]);
  return o;
}

/* DIRECTORY/STEM.EXT, for the device DIRECTORY/STEM.ARCH.EXT */
static void add_file(struct exporting *x, const char *dir, size_t blob, const char *arch, size_t n) {
  char *name = arch ? xasprintf("%s.%.*s%s", x->r->blobs[blob]->stem, (int)n, arch,
                                extension(x, is_virtual(x->r, arch)))
                    : xasprintf("%s%s", x->r->blobs[blob]->stem, extension(x, false));
  if (strlen(name) > NAME_MAX)
    die(EXIT_FAILED, "%s: the name of its file would be longer than %d bytes; export it by itself to a file",
        x->r->blobs[blob]->stem, NAME_MAX);
  struct output *o = add_output(x, path_join(dir, name), blob, 1);
  if (arch)
    snprintf(o->archs, sizeof o->archs, "%.*s", (int)n, arch);
  if (file_is_dir(o->path))
    die(EXIT_FAILED, "--output %s: there is a directory called %s", x->r->output, name);
  free(name);
}

static void plan_directory(struct exporting *x, const char *dir) {
  for (size_t i = 0; i < x->r->nblobs; i++) {
    char archs[CKJIT_ARCHS_SIZE];
    archs_for(archs, x->r, x->r->blobs[i]);
    if (!export_is_device(x->format) || !*archs) {
      add_file(x, dir, i, NULL, 0);
      continue;
    }
    const char *at = archs, *word;
    for (size_t n; (word = ckjit_arch_next(&at, &n));)
      add_file(x, dir, i, word, n);
  }
}

/* Options that decide what the code is, without those for the preprocessor and warnings: kernels that differ
 * in these cannot be one module. free() it */
static char *code_flags(const struct manifest_group *g) {
  static const char *const with_word[] = {"-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include"};
  struct argv left = {0};
  for (size_t i = 0; i < g->flags.n; i++) {
    const char *flag = g->flags.args[i];
    bool drop = str_starts(flag, "-W") || strcmp(flag, "-w") == 0, next = false;
    for (size_t k = 0; k < sizeof with_word / sizeof *with_word; k++) {
      drop |= str_starts(flag, with_word[k]);
      next |= strcmp(flag, with_word[k]) == 0;
    }
    if (!drop)
      argv_add(&left, flag);
    i += next;
  }
  char *text = argv_join(left.args ? left.args : (char *[]){NULL});
  argv_free(&left);
  return text;
}

/* All blobs in one file: they must have the same architectures, and as one module the same flags. */
static void check_together(const struct exporting *x, const struct output *o) {
  const struct request *r = x->r;
  char archs[CKJIT_ARCHS_SIZE], *flags = code_flags(&r->m->groups[o->blobs[0]->group]);
  for (size_t i = 1; i < o->nblobs; i++) {
    archs_for(archs, r, o->blobs[i]);
    if (strcmp(archs, o->archs) != 0)
      die(EXIT_FAILED, "--output %s: %s was built for %s and %s for %s; say --arch, or export to a directory",
          r->output, o->blobs[0]->stem, o->archs, o->blobs[i]->stem, archs);
    if (!export_is_device(x->format) || o->blobs[i]->group == o->blobs[0]->group)
      continue;
    char *others = code_flags(&r->m->groups[o->blobs[i]->group]);
    if (strcmp(flags, others) != 0)
      die(EXIT_FAILED,
          "--output %s: %s and %s are compiled with other flags (%s; %s) and cannot be one piece of device "
          "code; "
          "export to a directory",
          r->output, o->blobs[0]->stem, o->blobs[i]->stem, flags, others);
    free(others);
  }
  free(flags);
}

static void plan_file(struct exporting *x, char *path) {
  struct output *o = add_output(x, path, 0, x->r->nblobs);
  if (o->nblobs > 1 && export_is_device(x->format) && is_cuda(x->r))
    die(EXIT_FAILED,
        "--output %s: device code of CUDA is a module for each kernel and cannot be joined, and these are "
        "%zu; export to a directory, or as so or obj",
        x->r->output, o->nblobs);
  check_together(x, o);
  if (export_is_device(x->format) && x->format != EXPORT_CODE_OBJECT && count_archs(o->archs) > 1)
    die(EXIT_FAILED,
        "--output %s: %s is of one architecture, and these are several: %s; say one with --arch, or export "
        "to a "
        "directory",
        x->r->output, export_format_name(x->format), o->archs);
}

/* ---- where ---- */

/* what FILE means: where it is a link the file behind it, which need not be there */
static char *real_file(const char *file) {
  char *real = realpath(file, NULL);
  return real ? real : path_abs(file);
}

static bool is_special(const char *file) {
  struct stat st;
  return stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static void make_temporary(struct exporting *x, const char *in) {
  x->dir = xasprintf("%s/.ckjit-export-XXXXXX", in);
  if (!mkdtemp(x->dir))
    die(EXIT_FAILED, "--output %s: cannot write to %s: %s", x->r->output, in, strerror(errno));
}

static const char *temporary_place(void) {
  const char *place = secure_getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

/* The output is a directory: make it. */
static void into_directory(struct exporting *x) {
  char *dir = path_abs(x->r->output), *first = xstrdup(dir);
  plan_directory(x, dir);
  /* The outermost directory that is not there: with it goes everything, should nothing come of it. */
  for (char *up = path_dir(first); !file_exists(up) && strcmp(up, first) != 0; up = path_dir(first)) {
    free(first);
    first = up;
  }
  bool made = !file_exists(dir);
  if (dir_make(dir))
    die(EXIT_FAILED, "--output %s: cannot make the directory: %s", x->r->output, strerror(errno));
  if (made)
    x->made_dir = first;
  else
    free(first);
  make_temporary(x, dir);
  free(dir);
}

static void into_file(struct exporting *x) {
  char *file = real_file(x->r->output), *dir = path_dir(file);
  bool special = is_special(file);
  if (!file_is_dir(dir))
    die(EXIT_FAILED, "--output %s: there is no directory %s", x->r->output, dir);
  plan_file(x, file);
  make_temporary(x, special ? temporary_place() : dir);
  free(dir);
}

static void into_stdout(struct exporting *x) {
  if (x->format != EXPORT_ASM && isatty(STDOUT_FILENO))
    die(EXIT_USAGE, "export: %s is not written to a terminal; redirect standard output, or say --output FILE",
        export_format_name(x->format));
  plan_file(x, xstrdup("-"));
  make_temporary(x, temporary_place());
}

static bool is_stdout(const struct request *r) {
  return strcmp(r->output, "-") == 0;
}

static void choose_place(struct exporting *x) {
  if (is_stdout(x->r))
    into_stdout(x);
  else if (str_ends(x->r->output, "/") || file_is_dir(x->r->output))
    into_directory(x);
  else
    into_file(x);
  for (size_t i = 0; i < x->n; i++)
    x->outputs[i].made = new_file(x);
}

/* ---- names ---- */

/* The mangled functions of O that OLD (NULL: any) can mean. */
static void find_functions(struct argv *found, const struct output *o, const char *old) {
  for (size_t i = 0; i < o->nblobs; i++)
    for (size_t k = 0; k < o->blobs[i]->symbols.n; k++)
      if (!old || symbol_is_called(o->blobs[i]->symbols.args[k], old))
        argv_add(found, o->blobs[i]->symbols.args[k]);
}

static void list_functions(struct buf *b, const struct argv *symbols) {
  for (size_t i = 0; i < symbols->n; i++) {
    char *signature = symbol_signature(symbols->args[i]);
    buf_printf(b, "\n  %s\n    %s", symbols->args[i], signature);
    free(signature);
  }
}

/* --symbol SYMBOL for O, in the way that ckjit-compile has it: OLD mangled. NULL: O has no such function. */
static char *resolve_function(const struct output *o, const char *symbol) {
  struct argv found = {0};
  char *old, *resolved = NULL;
  const char *name = export_symbol_parse(symbol, &old);
  bool known = true;
  for (size_t i = 0; i < o->nblobs; i++)
    known &= o->blobs[i]->symbols.n != 0;
  find_functions(&found, o, old);
  if (!known && found.n == 0)
    resolved = xstrdup(symbol); /* a manifest from before it had symbols: what is compiled will tell */
  else if (found.n == 1)
    resolved = xasprintf("%s=%s", found.args[0], name);
  else if (found.n > 1) {
    struct buf b = {0};
    list_functions(&b, &found);
    die(EXIT_FAILED,
        "--symbol %s: %s%s has %zu functions that could be meant; say --symbol OLD=%s with OLD one of%s",
        symbol, o->blobs[0]->stem, o->nblobs > 1 ? " and the others" : "", found.n, name, b.data);
  }
  free(old);
  argv_free(&found);
  return resolved;
}

/* The --symbol options for O into COMMAND. USED tells of each of the request's whether any output has it. */
static void add_symbols(const struct exporting *x, const struct output *o, struct argv *command, bool *used) {
  const struct request *r = x->r;
  for (size_t i = 0; i < r->symbols.n; i++) {
    char *symbol =
        export_is_device(x->format) ? xstrdup(r->symbols.args[i]) : resolve_function(o, r->symbols.args[i]);
    used[i] |= symbol != NULL;
    if (symbol)
      add_option(command, "--symbol", symbol);
  }
}

static void require_used(const struct exporting *x, const bool *used) {
  for (size_t i = 0; i < x->r->symbols.n; i++) {
    if (used[i])
      continue;
    struct argv all = {0};
    struct buf b = {0};
    for (size_t k = 0; k < x->n; k++)
      find_functions(&all, &x->outputs[k], NULL);
    list_functions(&b, &all);
    die(EXIT_FAILED, "--symbol %s: none of the kernels has such a function; they have%s",
        x->r->symbols.args[i], b.data ? b.data : " none");
  }
}

/* One name for two things in one file is one too many. */
static void check_names(const struct exporting *x) {
  const struct argv *symbols = &x->r->symbols;
  for (size_t i = 0; i < symbols->n; i++) {
    char *old, *other;
    const char *name = export_symbol_parse(symbols->args[i], &old);
    for (size_t k = 0; k < i; k++) {
      if (strcmp(export_symbol_parse(symbols->args[k], &other), name) == 0)
        die(EXIT_USAGE, "--symbol %s: another --symbol gives that name too", symbols->args[i]);
      free(other);
    }
    for (size_t k = 0; !old && k < x->n; k++)
      if (x->outputs[k].nblobs > 1)
        die(EXIT_USAGE,
            "--symbol %s: there are %zu kernels in one file; say --symbol OLD=%s, or export to a directory",
            name, x->outputs[k].nblobs, name);
    free(old);
  }
}

/* ---- steps ---- */

static struct step *add_step(struct exporting *x, int stage, const struct manifest_blob *blob,
                             const char *archs, enum export_format format, const char *output,
                             bool compiles) {
  struct stage *s = &x->stages[stage];
  if (s->n == s->cap) {
    s->cap = s->cap ? 2 * s->cap : 16;
    s->steps = xrealloc(s->steps, s->cap * sizeof *s->steps);
  }
  struct step *step = &s->steps[s->n++];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  ckjit_build_id(id, blob->key, archs);
  *step = (struct step){
      .blob = blob,
      .what = xasprintf("%s: %s%s%s", blob->stem, export_format_name(format), *archs ? " for " : "", archs)};
  compile_words(&step->command, x->r, blob, x->program, archs, id, compiles);
  add_option(&step->command, "--format", xstrdup(export_format_name(format)));
  add_option(&step->command, "--built-for", join_built(x->r, blob));
  add_option(&step->command, "--output", xstrdup(output));
  if (x->r->verbose)
    argv_add(&step->command, "--verbose");
  return step;
}

/* the options of the link that all blobs of O need, each once */
static void add_link_flags(const struct exporting *x, const struct output *o, struct argv *command) {
  struct argv link = {0};
  for (size_t i = 0; i < o->nblobs; i++) {
    const struct manifest_group *g = &x->r->m->groups[o->blobs[i]->group];
    if (i == 0 || o->blobs[i]->group != o->blobs[i - 1]->group)
      argv_add_all(&link, g->link.args ? g->link.args : (char *[]){NULL});
  }
  /* the last --link-flags counts */
  add_option(command, "--link-flags", argv_join(link.args ? link.args : (char *[]){NULL}));
  argv_free(&link);
}

static void add_final(const struct exporting *x, const struct output *o, struct argv *command, bool *used) {
  add_symbols(x, o, command, used);
  if (x->format == EXPORT_SO && !is_stdout(x->r) && !is_special(o->path))
    add_option(command, "--soname", xstrdup(path_base(o->path)));
}

/* What is made for ARCHS of all blobs of O, in FORMAT to FILE. */
static void plan_archs(struct exporting *x, const struct output *o, const char *archs,
                       enum export_format format, const char *file, bool *used) {
  if (o->nblobs == 1) {
    struct step *s = add_step(x, PARTS, o->blobs[0], archs, format, file, true);
    add_final(x, o, &s->command, used);
    return;
  }
  enum export_format part = export_is_device(x->format) ? EXPORT_BITCODE : EXPORT_OBJ;
  struct argv parts = {0};
  for (size_t i = 0; i < o->nblobs; i++) {
    argv_add_own(&parts, new_file(x));
    add_step(x, PARTS, o->blobs[i], archs, part, parts.args[i], true);
  }
  struct step *join = add_step(x, JOINS, o->blobs[0], archs, x->format, file, false);
  for (size_t i = 0; i < parts.n; i++)
    add_option(&join->command, "--part", xstrdup(parts.args[i]));
  add_link_flags(x, o, &join->command);
  add_final(x, o, &join->command, used);
  argv_free(&parts);
}

static void plan_output(struct exporting *x, const struct output *o, bool *used) {
  if (!export_is_device(x->format) || count_archs(o->archs) < 2) {
    plan_archs(x, o, o->archs, x->format, o->made, used);
    return;
  }
  struct argv parts = {0};
  const char *at = o->archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));) {
    char *arch = xstrndup(word, n);
    argv_add_own(&parts, new_file(x));
    plan_archs(x, o, arch, is_virtual(x->r, arch) ? EXPORT_ASM : x->format, parts.args[parts.n - 1], used);
    free(arch);
  }
  struct step *all = add_step(x, BUNDLES, o->blobs[0], o->archs, x->format, o->made, false);
  for (size_t i = 0; i < parts.n; i++)
    add_option(&all->command, "--part", xstrdup(parts.args[i]));
  argv_free(&parts);
}

/* Each architecture is asked for once, before anything takes long. */
static void plan_probes(struct exporting *x) {
  char all[CKJIT_ARCHS_SIZE] = "";
  for (size_t i = 0; i < x->n; i++) {
    const char *at = x->outputs[i].archs, *word;
    for (size_t n; (word = ckjit_arch_next(&at, &n));) {
      size_t before = strlen(all);
      add_arch(all, word, n);
      if (strlen(all) == before)
        continue;
      char *arch = xstrndup(word, n), *nothing = new_file(x);
      struct step *s = add_step(x, PROBE, x->outputs[i].blobs[0], arch, EXPORT_CODE_OBJECT, nothing, false);
      argv_add(&s->command, "--probe");
      free(nothing);
      free(arch);
    }
  }
}

static void plan_steps(struct exporting *x) {
  bool *used = xcalloc(x->r->symbols.n + 1, sizeof *used);
  check_names(x);
  plan_probes(x);
  for (size_t i = 0; i < x->n; i++)
    plan_output(x, &x->outputs[i], used);
  require_used(x, used);
  free(used);
}

/* ---- the run ---- */

static void say(const struct exporting *x, const struct job *job, const struct step *step) {
  if (x->r->verbose || isatty(STDERR_FILENO))
    warn("%s %s in %.1f s", step->what, job->status ? "failed" : "made", job->seconds);
}

static bool may_start(const struct job *job, void *user) {
  (void)job;
  struct exporting *x = user;
  return memory_admits(&x->memory);
}

/* After a failure nothing will be written, so the others need not go on. */
static void end_others(const struct exporting *x) {
  for (size_t i = 0; i < x->njobs; i++)
    if (x->jobs[i].pid)
      kill(-x->jobs[i].pid, SIGTERM);
}

static bool on_done(struct job *job, void *user) {
  struct exporting *x = user;
  struct step *step = job->user;
  if (x->failed)
    return false; /* it was ended by us */
  step->again = memory_failed(&x->memory, job) && !x->alone;
  if (step->again) {
    warn("%s ran out of memory; it will be tried again alone", step->what);
    x->again++;
    return true;
  }
  if (job->status || x->r->verbose || job->output.len)
    fwrite(job->output.len ? job->output.data : "", 1, job->output.len, stderr);
  say(x, job, step);
  if (!job->status)
    return true;
  if (!job->output.len)
    warn("%s failed with status %d", step->what, job->status);
  x->failed++;
  end_others(x);
  return false;
}

/* Whether all of STAGE was made. */
static bool run_stage(struct exporting *x, const struct stage *stage) {
  x->jobs = xcalloc(stage->n, sizeof *x->jobs);
  x->njobs = stage->n;
  x->again = 0;
  x->alone = false;
  for (size_t i = 0; i < stage->n; i++)
    x->jobs[i] = (struct job){.args = stage->steps[i].command.args, .user = &stage->steps[i]};
  memory_start(&x->memory, x->r->job_memory, x->jobs, x->njobs);
  pool_run_admitted(x->jobs, x->njobs, x->r->jobs, x->r->job_memory ? may_start : NULL, on_done, x);
  x->alone = true;
  for (size_t i = 0; x->again && !x->failed && i < stage->n; i++)
    if (stage->steps[i].again) {
      buf_free(&x->jobs[i].output);
      pool_run(&x->jobs[i], 1, 1, on_done, x);
    }
  memory_end(&x->memory);
  for (size_t i = 0; i < stage->n; i++)
    buf_free(&x->jobs[i].output);
  free(x->jobs);
  x->jobs = NULL;
  return !x->failed;
}

/* ---- the result ---- */

/* O's bytes into what is no regular file: standard output, a pipe, a device. False with errno. */
static bool pour(const struct output *o, FILE *out) {
  size_t n;
  char *bytes = file_read(o->made, &n);
  bool done = bytes && fwrite(bytes, 1, n, out) == n && fflush(out) == 0;
  free(bytes);
  return done;
}

static bool deliver(const struct exporting *x, const struct output *o) {
  if (is_stdout(x->r))
    return pour(o, stdout);
  if (!is_special(o->path))
    return rename(o->made, o->path) == 0;
  FILE *out = fopen(o->path, "we");
  bool done = out && pour(o, out);
  if (out && fclose(out))
    done = false;
  return done;
}

static bool deliver_all(struct exporting *x) {
  for (size_t i = 0; i < x->n; i++)
    if (!deliver(x, &x->outputs[i])) {
      warn("--output %s: cannot write %s: %s", x->r->output,
           is_stdout(x->r) ? "standard output" : x->outputs[i].path, strerror(errno));
      return false;
    }
  free(x->made_dir); /* it stays */
  x->made_dir = NULL;
  for (size_t i = 0; i < x->n && !is_stdout(x->r); i++)
    puts(x->outputs[i].path);
  return fflush(stdout) == 0 || is_stdout(x->r);
}

static struct exporting *current; /* for tidy_up, which a signal and die() come to as well */

static void tidy_up(void) {
  if (current && current->dir)
    dir_remove(current->dir);
  if (current && current->made_dir)
    dir_remove(current->made_dir);
  current = NULL;
}

static void exporting_free(struct exporting *x) {
  for (size_t i = 0; i < x->n; i++) {
    free(x->outputs[i].path);
    free(x->outputs[i].made);
  }
  for (int s = 0; s < STAGES; s++) {
    for (size_t i = 0; i < x->stages[s].n; i++) {
      argv_free(&x->stages[s].steps[i].command);
      free(x->stages[s].steps[i].what);
    }
    free(x->stages[s].steps);
  }
  free(x->outputs);
  free(x->program);
  free(x->dir);
  free(x->made_dir);
}

int prebuild_export(struct request *r) {
  struct exporting x = {.r = r, .format = export_format_parse(r->format)};
  if (!r->nblobs)
    die(EXIT_FAILED, "export: no blob is named: nothing was written");
  current = &x;
  signal(SIGPIPE, SIG_IGN); /* a reader of standard output that goes away is an error that can be said */
  atexit(tidy_up);
  pool_before_signal = tidy_up;
  x.program = find_compile(r);
  choose_place(&x);
  plan_steps(&x);
  bool ok = true;
  for (int s = 0; s < STAGES && ok; s++)
    ok = run_stage(&x, &x.stages[s]);
  ok = ok && deliver_all(&x);
  if (!ok)
    warn("export: nothing was written");
  tidy_up();
  exporting_free(&x);
  return ok ? EXIT_OK : EXIT_FAILED;
}
