/* relink.c - `ckjit relink`: runs the link step of each library again, with another list of kernels
 * that are compiled ahead of time.
 *
 * A job uses ten kernels of thousands, and a run with CK_JIT_CAPTURE lists them. If they are linked
 * in, they need neither compiler nor cache where the library is deployed, and the eleventh is still
 * lazy. `full --aot-list` does the same after its builds, because the kernels of a library are
 * known only when it is linked.
 *
 * The state file has the arguments of the link step (core/files/state.h). The post-build linker
 * reuses everything that did not change, so the relink takes the time of the kernels that are new
 * in the list. All names are looked up before anything is linked. */
#include "relink.h"
#include "common.h"
#include "built.h"
#include "deploy.h"
#include "libraries.h"
#include "core/base/childenv.h"
#include "core/base/human.h"
#include "core/base/install.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/suggest.h"
#include "core/base/pool.h"
#include "core/base/statusline.h"
#include "core/cc/ccenv.h"
#include "core/files/bloblist.h"
#include "core/files/home.h"
#include "core/files/manifest.h"
#include "core/files/unitkernels.h"

#include <unistd.h>

static const char MANIFEST[] = "ck_jit_manifest.json";

struct relink_request {
  /* absolute; the last is NULL if not given */
  char *tmp, *install_dir;
  struct aot_list list;
  bool verbose;
};

void aot_list_add(struct aot_list *list, const char *file) {
  char *err;
  size_t before = list->names.n;
  if (!bloblist_read(file, &list->names, &list->where, &err))
    die(EXIT_FAILED, "--aot-list %s", err);
  if (list->names.n == before)
    warn("--aot-list %s: it names no kernel; expected one stem a line, or a capture "
         "(CK_JIT_CAPTURE)",
         file);
  argv_add(&list->files, file);
  list->given = true;
}

static void add_list(void *into, const char *option, const char *value) {
  struct relink_request *r = into;
  aot_list_add(&r->list, options_path(option, value));
}

/* The link steps read the variable. */
static void set_jobs(void *into, const char *option, const char *value) {
  unsigned jobs;
  char *err;
  (void)into;
  if (!number_jobs(option, value, &jobs, &err))
    usage_error("relink", "%s", err);
  setenv("CK_JIT_JOBS", value, 1);
}

static const struct option_row rows[] = {
    {"tmp-dir", "DIR", ABSOLUTE_INTO(struct relink_request, tmp),
     "the work directory of a full build, or of a fake home"},
    {"aot-list", "FILE", OPTION_CALL, 0,
     "kernels: names, one a line, or a capture (CK_JIT_CAPTURE); - is standard input; may be "
     "repeated",
     .call = add_list},
    {"install-dir", "DIR", ABSOLUTE_INTO(struct relink_request, install_dir),
     "replace the libraries there; install everything if DIR has none yet"},
    {"jobs", "N", OPTION_CALL, 0,
     "concurrent compilers, for each library (default: $CK_JIT_JOBS, else $MAX_JOBS, else one per "
     "processor)",
     .letter = 'j', .call = set_jobs},
    {"verbose", NULL, FLAG_INTO(struct relink_request, verbose),
     "show the output of the link steps, and the whole summary of each"},
    {0},
};
static const struct option_page page = {
    .where = "ckjit relink --help",
    .usage = "ckjit relink --tmp-dir DIR [--aot-list FILE…] [OPTION…]",
    .text = "Link the libraries of a build again, with the kernels of the lists compiled into "
            "them. Without a list all kernels become lazy again.",
    .rows = rows,
};

/* ---- the kernels of the list in a library ---- */

static struct manifest *manifest_of(const struct library *lib) {
  autofree char *file = path_join(lib->dir, MANIFEST);
  char *err;
  struct manifest *m = manifest_read(file, &err);
  if (!m)
    die(EXIT_FAILED, "%s", err);
  return m;
}

/* The stem in MANIFESTS that is most similar to NAME, which is in none of them: "; did you mean
 * 'k1'?"; free() it. */
static char *alike(struct manifest **manifests, size_t n, const char *name) {
  autofree_argv stems = {0};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < manifests[i]->nblobs; k++)
      argv_add(&stems, manifests[i]->blobs[k].stem);
  return stems.n ? did_you_mean(name, (const char *const *)stems.args) : xstrdup("");
}

/* Limited, because the list of another build has hundreds of unknown kernels. */
static void tell_unknown(const struct aot_list *list, size_t k, size_t before,
                         struct manifest **manifests, size_t n) {
  enum { MESSAGES = 20, SUGGESTIONS = 3 };
  autofree char *meant =
      before < SUGGESTIONS ? alike(manifests, n, list->names.args[k]) : xstrdup("");
  if (before < MESSAGES)
    complain("--aot-list %s: unknown kernel '%s': no library in this work directory has it%s",
             list->where.args[k], list->names.args[k], meant);
  else if (before == MESSAGES)
    note("there are more; only the first %d are named", MESSAGES);
}

/* The blob called NAME; NULL: none, or a unit. */
static const struct manifest_blob *find_blob(const struct manifest *m, const char *name) {
  const struct manifest_blob *blob = manifest_find_any(m, name);
  return blob && !blob->unit ? blob : NULL;
}

/* Append the ordinary units called NAME, or with a kernel of that name; OLD: by a name of an
 * earlier build. */
static bool add_units(struct buf *text, const struct manifest *m, const char *name, bool old) {
  bool any = false;
  for (size_t i = 0; i < m->nblobs; i++) {
    const struct manifest_blob *unit = &m->blobs[i];
    if (!unit->unit)
      continue;
    autofree char *file = manifest_expand(unit->source, m->root);
    bool means = unitkernel_means(name, unit->stem, file, old);
    if (means)
      buf_printf(text, "%s\n", unit->stem);
    any |= means;
  }
  return any;
}

/* The stems of LIST in each library, one a line; NULL, after a message, if one of them is in no
 * library. */
static struct buf *choose(const struct aot_list *list, const struct library *libs, size_t n) {
  struct buf *texts = xcalloc(n, sizeof *texts);
  autofree struct manifest **manifests = xcalloc(n, sizeof *manifests);
  size_t unknown = 0;
  for (size_t i = 0; i < n; i++) {
    manifests[i] = manifest_of(&libs[i]);
    buf_add(&texts[i], "", 0);
  }
  for (size_t k = 0; k < list->names.n; k++) {
    bool found = false;
    for (size_t i = 0; i < n; i++) {
      const struct manifest_blob *blob = find_blob(manifests[i], list->names.args[k]);
      if (blob)
        buf_printf(&texts[i], "%s\n", blob->stem);
      found |= blob != NULL;
    }
    for (size_t i = 0; i < n; i++)
      found |= add_units(&texts[i], manifests[i], list->names.args[k], false);
    for (size_t i = 0; i < n && !found; i++)
      found |= add_units(&texts[i], manifests[i], list->names.args[k], true);
    if (found)
      continue;
    tell_unknown(list, k, unknown++, manifests, n);
  }
  if (!unknown)
    return texts;
  complain("%zu of the %zu kernels of the list %s unknown: nothing was linked", unknown,
           list->names.n, noun(unknown, "is", "are"));
  return NULL;
}

/* ---- the link steps ---- */

struct link_step {
  struct argv command, env;
  char *list, *words; /* files */
};

/* The environment of the build's own link step: variables that it did not have are unset. The shell
 * may be one in which a fake home was set up. */
static void set_environment(struct argv *env, const struct state *s) {
  home_leave_any();
  childenv_copy(env);
  for (char **e = environ; *e; e++) {
    autofree char *name = xstrndup(*e, strcspn(*e, "="));
    if (str_starts(name, "CK_JIT_") && strcmp(name, "CK_JIT_JOBS") != 0 &&
        strcmp(name, "CK_JIT_VERBOSE") != 0 && strcmp(name, "CK_JIT_SUMMARY") != 0)
      childenv_unset(env, name);
  }
  /* A state file of an earlier ckjit has none of them: then use this shell's. */
  for (const struct cc_variable *v = ccenv; v->name && argv_has_prefix(&s->link_env, "PATH="); v++)
    if (v->what & CCENV_TOOLCHAIN)
      childenv_unset(env, v->name);
  for (size_t i = 0; i < s->link_env.n; i++) {
    const char *word = s->link_env.args[i], *value = strchr(word, '=');
    autofree char *name = xstrndup(word, strcspn(word, "="));
    if (value)
      childenv_set(env, name, value + 1);
  }
}

static void write_file(const char *file, const char *text, size_t n) {
  if (!file_write(file, text, n, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
}

/* The post-build linker's own words, the first OWN of the link step. If the work directory was
 * moved since the stub objects were made, the linker gets the old place, since they name sources in
 * it; and if a fake home moved with it, its new place. */
static void add_own_words(struct link_step *step, const struct library *lib, size_t own) {
  const struct state *s = lib->state;
  autofree char *work = path_dir(lib->dir), *was_above = path_dir(s->place),
                *above = path_dir(work);
  bool moved = strcmp(work, s->place) != 0;
  for (size_t i = 0; i < own; i++) {
    const char *word = s->link_step.args[i];
    bool is_home = i > 0 && strcmp(s->link_step.args[i - 1], "--home") == 0;
    argv_add(&step->command,
             moved && is_home && strcmp(word, was_above) == 0 && !file_exists(word) ? above : word);
  }
  if (moved)
    argv_add_words(&step->command, "--moved-from", s->place, NULL);
}

/* The arguments of the link are in a response file: thousands of objects do not fit into a command
 * line. */
enum { WORDS_MOST = 1 << 20 }; /* bytes of a command line, half of Linux's limit */

static void prepare(struct link_step *step, const struct library *lib, const struct aot_list *list,
                    const struct buf *stems) {
  const struct state *s = lib->state;
  size_t own = 0;
  while (own < s->link_step.n && strcmp(s->link_step.args[own], "--") != 0)
    own++;
  char *program = install_program("ckjit-link");
  if (!s->cwd || own == s->link_step.n)
    die(EXIT_FAILED,
        "%s/" STATE_FILE ": does not say how %s was linked; build it again with this ckjit",
        lib->dir, s->out_so);
  if (!program)
    die(EXIT_FAILED, "ckjit-link is not installed beside this program; run `make install` again");
  argv_add_own(&step->command, program);
  add_own_words(step, lib, own);
  if (list->given) {
    step->list = path_join(lib->dir, "aot-list.txt");
    write_file(step->list, stems->data, stems->len);
    argv_add_words(&step->command, "--aot-list", step->list, NULL);
  }
  if (list->bundle)
    argv_add(&step->command, "--bundle");
  autofree char *text = argv_join(s->link_step.args + own + 1);
  step->words = path_join(lib->dir, "relink.rsp");
  write_file(step->words, text, strlen(text));
  argv_add(&step->command, "--");
  if (strlen(text) < WORDS_MOST) /* nvcc, which links many CUDA libraries, does not support @FILE */
    argv_add_all(&step->command, s->link_step.args + own + 1);
  else
    argv_addf(&step->command, "@%s", step->words);
  set_environment(&step->env, s);
}

static void show(const struct job *job, const struct library *lib, bool verbose) {
  if (job->status || verbose) {
    status_line_clear();
    fwrite(job->output.len ? job->output.data : "", 1, job->output.len, stderr);
  }
  if (job->status)
    complain("%s: the link step ended with status %d; its output is above", lib->state->out_so,
             job->status);
}

bool relink_libraries(const struct library *libs, size_t n, const struct aot_list *list,
                      bool verbose) {
  autofree struct buf *stems = choose(list, libs, n);
  bool ok = stems != NULL;
  for (size_t i = 0; i < n && ok; i++) {
    struct link_step step = {0};
    prepare(&step, &libs[i], list, &stems[i]);
    struct job job = {.args = step.command.args, .cwd = libs[i].state->cwd, .env = step.env.args};
    pool_run(&job, 1, 1, NULL, NULL);
    show(&job, &libs[i], verbose);
    ok = job.status == 0;
    unlink(step.words);
  }
  return ok;
}

int build_relink(char **argv) {
  struct relink_request r = {0};
  double started = ckjit_seconds();
  size_t n;
  no_arguments("relink", options_read(&page, &r, argv), r.tmp ? NULL : "--tmp-dir");
  if (!r.tmp)
    usage_error("relink", "--tmp-dir DIR is missing: the work directory of a build");
  struct library *libs = libraries_open(r.tmp, &n);
  if (r.install_dir)
    require_writable_dir(r.install_dir, "--install-dir");
  if (r.install_dir)
    built_require_alike(libs, n, r.tmp);
  step_begin(r.verbose, "linking the libraries again");
  bool ok = relink_libraries(libs, n, &r.list, r.verbose);
  if (ok && r.install_dir)
    deploy_tree(libs, n, r.install_dir);
  for (size_t i = 0; i < n && ok; i++)
    library_show(&libs[i], r.verbose);
  if (ok)
    step_done("relinked", started, "%zu %s in the list", r.list.names.n,
              noun(r.list.names.n, "kernel", "kernels"));
  return ok ? EXIT_OK : EXIT_FAILED;
}
