/* full.c - `ckjit full`: aiter's own build of its attention libraries, against a fake ROCm home.
 *
 * aiter's build writes into its checkout: generated sources, copies of CK, objects and locks into
 * aiter/jit/build, the libraries into op_tests/cpp/mha, byte code everywhere. The user's checkout
 * must not change, and two builds in it at the same time would disturb each other. So each library
 * is built in a separate copy, T/src_fwd and T/src_bwd. A tree of symbolic links would not do,
 * because Python resolves the links of scripts and would work in the checkout again.
 *
 * Paths below the copy are stored as {root}/… (CK_JIT_BASE), which makes the install tree
 * movable. */
#include "full.h"
#include "common.h"
#include "built.h"
#include "deploy.h"
#include "fakehome.h"
#include "qola.h"
#include "tree.h"
#include "unchanged.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/jobs.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/statusline.h"
#include "core/base/suggest.h"
#include "core/base/trace.h"
#include "core/base/vec.h"
#include "core/files/home.h"

#include <time.h>

/* ---- the command line ---- */

static void choose_api(void *into, const char *option, const char *name) {
  struct full *f = into;
  for (int i = 0; i < QOLA; i++)
    if (strcmp(name, api_names[i]) == 0) {
      f->api[i] = true;
      return;
    }
  static const char *const names[] = {"fwd", "bwd", NULL};
  char *meant = did_you_mean(name, names);
  usage_error("full", "%s: expected fwd or bwd, found '%s'%s", option, name,
              *meant ? meant : "; without it both are built");
}

static void set_bf16(void *into, const char *option, const char *value) {
  uint64_t n;
  char *err;
  if (strcmp(value, BF16_OF_AITER) != 0 && !number_read(option, value, 0, UINT16_MAX, &n, &err))
    usage_error("full", "%s; or the word " BF16_OF_AITER ", for aiter's own value", err);
  ((struct full *)into)->bf16 = value;
}

static void set_archs(void *into, const char *option, const char *value) {
  struct full *f = into;
  free(f->archs);
  f->archs = read_archs(options_path(option, value));
}

static void add_list(void *into, const char *option, const char *value) {
  struct full *f = into;
  aot_list_add(&f->aot, options_path(option, value));
}

static void set_jobs(void *into, const char *option, const char *value) {
  char *err;
  if (!number_jobs(option, value, &((struct full *)into)->jobs, &err))
    usage_error("full", "%s", err);
}

static const struct option_row rows[] = {
    {"aiter-dir", "DIR", ABSOLUTE_INTO(struct full, aiter),
     "aiter checkout (default: $CK_JIT_AITER_DIR)"},
    {"gpu-archs", "LIST", OPTION_CALL, 0,
     "offload architectures, separated by ';' or ',': \"gfx942;gfx950\"", .call = set_archs,
     .words = "gfx90a gfx942 gfx950"},
    {"ck-tile-bf16", "N", OPTION_CALL, 0,
     "how kernels round to bf16, CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT: 3 rounds to nearest, and "
     "results in bf16 differ from aiter's (default: \"aiter\", as aiter's own build rounds)",
     .call = set_bf16, .words = "3 aiter"},
    {"tmp-dir", "DIR", ABSOLUTE_INTO(struct full, tmp),
     "work directory, kept for quick builds (default: a new one, whose name is printed). Commands "
     "that use the same directory wait for each other"},
    {"install-dir", "DIR", ABSOLUTE_INTO(struct full, install_dir),
     "install the libraries and ck_jit/ there"},
    {"aot-list", "FILE", OPTION_CALL, 0,
     "kernels to compile and link in: names, one a line, or a capture (CK_JIT_CAPTURE); - is "
     "standard input; may be repeated",
     .call = add_list},
    {"api", "fwd|bwd", OPTION_CALL, 0, "build one library only; may be repeated (default: both)",
     .call = choose_api, .words = "fwd bwd"},
    {"with-qola", NULL, FLAG_INTO(struct full, with_qola),
     "build the libraries of a manifest of QoLA, in place of aiter's two",
     .needs = "qola-dir qola-manifest", .excludes = "api"},
    {"qola-dir", "DIR", ABSOLUTE_INTO(struct full, qola_dir),
     "QoLA's checkout, which is not changed", .needs = "with-qola"},
    {"qola-manifest", "FILE", ABSOLUTE_INTO(struct full, qola_manifest),
     "the TOML manifest of the libraries to build", .needs = "with-qola"},
    {"qola-output", "DIR", ABSOLUTE_INTO(struct full, qola_output),
     "put QoLA's lib/, include/, configs/ and manifest.json there (default: qola in --tmp-dir)",
     .needs = "with-qola"},
    {"anew", NULL, FLAG_INTO(struct full, anew),
     "build even if nothing has changed since the last full in --tmp-dir; without this option its "
     "libraries are then kept"},
    {"jobs", "N", OPTION_CALL, 0,
     "concurrent compilers (default: $CK_JIT_JOBS, else $MAX_JOBS, else one per processor)",
     .letter = 'j', .call = set_jobs},
    {"trace", "FILE", ABSOLUTE_INTO(struct full, trace),
     "write a trace of the build: each step and each compiler call, with times; replaces an older "
     "trace. View it with: ckjit trace view FILE"},
    {"verbose", NULL, FLAG_INTO(struct full, verbose),
     "show the output of the builds while they run, and the whole summary of each link"},
    {0},
};
static const struct option_page page = {
    .where = "ckjit full --help",
    .usage = "ckjit full --aiter-dir DIR --gpu-archs LIST [OPTION…]",
    .text = "Build libmha_fwd.so and libmha_bwd.so with aiter's own build, or the libraries of a "
            "manifest of QoLA. The checkout is not changed.",
    .rows = rows,
};

static void parse(struct full *f, char **argv) {
  const char *aiter = env_get("CK_JIT_AITER_DIR");
  f->aiter = aiter ? path_abs(aiter) : NULL;
  f->bf16 = BF16_OF_AITER;
  f->jobs = jobs_set();
  char **operands = options_read(&page, f, argv);
  no_arguments("full", operands, !f->aiter ? "--aiter-dir" : !f->archs ? "--gpu-archs" : NULL);
  if (!f->aiter)
    usage_error("full", "--aiter-dir DIR is missing: the aiter checkout");
  if (!f->archs)
    usage_error("full", "--gpu-archs LIST is missing, such as \"gfx942;gfx950\"");
  f->api[QOLA] = f->with_qola;
  if (!f->api[FWD] && !f->api[BWD] && !f->api[QOLA])
    f->api[FWD] = f->api[BWD] = true;
}

/* ---- the install directory ---- */

/* Does the library API, which is not built now, stay in the install directory? It shares ck_jit/
 * with the libraries that are built. So ck_jit/ must be written for it as well, from the work
 * directory; the library itself is not changed. */
static bool stays_installed(const struct full *f, int api) {
  autofree char *dir = library_dir(f, api), *file = path_join(dir, STATE_FILE);
  char *err;
  autofree char *name = xasprintf("libmha_%s.so", api_names[api]),
                *so = path_join(f->install_dir, name);
  bool stays = deploy_has(f->install_dir, name) && file_exists(file);
  struct state *state = stays ? state_read(file, &err) : NULL;
  autofree_argv was = {0};
  if (stays && !state)
    die(EXIT_FAILED, "%s", err);
  if (stays) {
    bool known = built_read(&was, dir);
    char *why =
        known ? built_difference(&was, &f->facts, NULL) : xstrdup("by an earlier ckjit-build");
    if (why)
      die(EXIT_FAILED,
          "--install-dir %s: holds %s of another build: %s; build both, without --api, or choose "
          "another --install-dir [ckjit help of-another-build]",
          f->install_dir, name, why);
    if (!file_is_same(so, state->out_so))
      die(EXIT_FAILED,
          "--install-dir %s: its %s is not the one in %s, which was built or linked again since; "
          "build both, without --api, or choose another --install-dir",
          f->install_dir, name, f->tmp);
  }
  return stays;
}

/* Before the builds, check for errors that would otherwise occur after them; and again with the
 * checkout's contents. */
static void check_install(struct full *f) {
  autofree_argv names = {0};
  if (!f->install_dir || f->api[QOLA]) /* nobody knows the names of QoLA's libraries yet */
    return;
  for (int i = 0; i < QOLA; i++) {
    f->stays[i] = !f->api[i] && stays_installed(f, i);
    if (f->api[i] || f->stays[i])
      argv_addf(&names, "libmha_%s.so", api_names[i]);
  }
  deploy_check(&names, f->install_dir);
}

static void make_home(struct full *f) {
  double started = ckjit_seconds();
  step_begin(f->verbose, "making the fake home");
  fakehome_make(f->home, f->profile, &f->tools, f->tmp);
  step_done("home", started, "%s, a fake home for %s", f->home, f->tools.compiler);
}

/* ---- the trace ---- */

/* The file becomes CK_JIT_TRACE of this process and of all processes that the build starts. It
 * replaces a trace of an earlier build, but no other file, which may be valuable. */
static void begin_trace(const struct full *f) {
  if (f->trace) {
    static const char begins[] = "[{\"ph\":\"i\",\"name\":\"trace\"";
    size_t len = 0;
    autofree char *old = file_exists(f->trace) ? file_read(f->trace, &len) : NULL;
    if (file_exists(f->trace) &&
        (!file_is_regular(f->trace) || (old && len && !str_starts(old, begins))))
      die(EXIT_FAILED,
          "--trace %s: exists, and is not a trace; expected the name of a new file, or a trace to "
          "replace",
          f->trace);
    if (!file_put(f->trace, "", 0, 0666))
      die(EXIT_FAILED, "--trace %s: cannot be written: %s", f->trace, strerror(errno));
    setenv("CK_JIT_TRACE", f->trace, 1);
  }
  trace_process(program_name);
  for (int i = 0; i < APIS; i++)
    if (f->api[i])
      trace_track((unsigned)i + 1, api_names[i]);
}

/* ---- the steps ---- */

/* The list, or one of its kernels, is bad, which is known only after the build. The build need not
 * be repeated. */
static _Noreturn void die_built(const struct full *f) {
  struct argv command = {0};
  argv_add_words(&command, "ckjit-build", "relink", "--tmp-dir", f->tmp, NULL);
  for (size_t i = 0; i < f->aot.files.n; i++)
    argv_add_words(&command, "--aot-list", f->aot.files.args[i], NULL);
  if (f->install_dir)
    argv_add_words(&command, "--install-dir", f->install_dir, NULL);
  die(EXIT_FAILED,
      "the libraries are built, but %s the kernels of the list%s; correct the list, then run: %s",
      f->install_dir ? "not installed, and without" : "without",
      f->install_dir ? "" : " compiled into them", argv_join(command.args));
}

/* The libraries that this call built, followed by those that stay installed; *BUILT: the number of
 * the former. */
static struct library *read_libraries(const struct full *f, size_t *built, size_t *n) {
  struct library *libs = NULL;
  *n = *built = 0;
  if (f->api[QOLA]) {
    libs = qola_libraries(f, n);
    *built = *n;
    return libs;
  }
  for (int stays = 0; stays <= 1; stays++)
    for (int i = 0; i < APIS; i++)
      if (stays ? f->stays[i] : f->api[i]) {
        autofree char *dir = library_dir(f, i);
        vec_push(libs, *n, library_read(dir));
        *built += !stays;
      }
  return libs;
}

/* With aiter's own rounding there is nothing to report: results are those of aiter's build. */
static void tell_bf16(const struct full *f) {
  if (strcmp(f->bf16, BF16_OF_AITER) != 0)
    step_says("bf16",
              "rounded by CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=%s; results may differ from aiter's "
              "own build",
              f->bf16);
}

/* The libraries are built: list them, and install. KEPT: an earlier call built them, and has linked
 * the same kernels into them. */
static void finish(const struct full *f, bool kept) {
  double started = ckjit_seconds();
  size_t n, built;
  struct library *libs = read_libraries(f, &built, &n);
  if (f->aot.given && !kept) {
    step_begin(f->verbose, "compiling the kernels of the list into the libraries");
    if (!relink_libraries(libs, built, &f->aot, f->verbose))
      die_built(f);
    step_done("relinked", started, "%zu %s in the list", f->aot.names.n,
              noun(f->aot.names.n, "kernel", "kernels"));
    started = ckjit_seconds();
  }
  for (int i = 0; i < QOLA && !kept; i++) /* QoLA's build always runs */
    if (f->api[i])
      unchanged_write(f, i);
  if (f->api[QOLA]) {
    qola_deliver(f, libs, built);
    step_says("qola", "%s", f->qola_output);
  }
  for (size_t i = 0; i < built; i++)
    library_show(&libs[i], f->verbose);
  tell_bf16(f);
  if (f->install_dir) {
    step_begin(f->verbose, "installing");
    deploy_tree(libs, n, f->install_dir);
    step_done("install", started, "%s", f->install_dir);
  }
}

/* The last lines: the places of the libraries, and the next step. */
static void tell_next(const struct full *f, double started) {
  if (f->trace)
    step_says("trace", "ckjit trace view %s", f->trace);
  step_done("total", started, "relink with a new runtime: ckjit quick --tmp-dir %s", f->tmp);
  if (f->install_dir)
    step_says("done",
              "use the libraries in %s: a kernel is compiled when it is first called; to compile "
              "them all now: ckjit build --all --manifest %s/ck_jit/ck_jit_manifest.json",
              f->install_dir, f->install_dir);
  else
    step_says("done",
              "the libraries can be used where they are; to install them: ckjit quick --tmp-dir %s "
              "--install-dir DIR",
              f->tmp);
}

int build_full(char **argv) {
  struct full f = {0};
  double started = ckjit_seconds();
  parse(&f, argv);
  check_aiter(&f);
  if (f.api[QOLA])
    qola_check(&f);
  step_begin(f.verbose, "checking the compiler");
  f.profile = profile_open("hip");
  tools_find(&f.tools, compiler_of_home(f.profile->kind), NULL, NULL);
  home_leave_any();
  check_archs(&f);
  if (f.install_dir)
    require_writable_dir(f.install_dir, "--install-dir");
  begin_trace(&f);
  make_work_dir(&f);
  if (f.api[QOLA] && !f.qola_output)
    f.qola_output = path_join(f.tmp, "qola");
  if (f.api[QOLA])
    require_writable_dir(f.qola_output, "--qola-output");
  built_facts(&f.facts, &f);
  check_install(&f);
  clock_gettime(CLOCK_REALTIME, &f.began);
  step_begin(f.verbose, "looking for what has changed");
  bool kept = !f.anew && is_unchanged(&f);
  if (!kept) {
    make_home(&f);
    begin_build(&f);
  }
  check_install(&f);
  status_line_clear();
  if (!kept)
    run_builds(&f);
  finish(&f, kept);
  tell_next(&f, started);
  return EXIT_OK;
}
