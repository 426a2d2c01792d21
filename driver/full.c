/* full.c - `ckjit-build full`: aiter's own build of its attention libraries, against a fake ROCm home.
 *
 * aiter's build writes into its checkout: generated sources, copies of CK, objects and locks into
 * aiter/jit/build, the libraries into op_tests/cpp/mha, byte code everywhere. The user's checkout must not
 * change, and two builds in it at the same time would disturb each other. So each library is built in a
 * copy of its own, T/src_fwd and T/src_bwd. A tree of symbolic links would not do, because Python resolves
 * the links of scripts and would work in the checkout again.
 *
 * Paths below the copy are stored as {root}/… (CK_JIT_BASE), which makes the install tree movable. */
#include "full.h"
#include "build.h"
#include "deploy.h"
#include "fakehome.h"
#include "library.h"
#include "profile.h"
#include "relink.h"
#include "tools.h"
#include "tree.h"
#include "core/base/env.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/suggest.h"
#include "core/files/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const api_names[APIS] = {"fwd", "bwd"};

/* ---- the command line ---- */

static void help(void) {
  puts("usage: ckjit-build full --aiter-dir DIR --gpu-archs LIST [OPTION…]\n"
       "\n"
       "Build libmha_fwd.so and libmha_bwd.so with aiter's own build. The checkout is not changed.\n"
       "\n"
       "  --aiter-dir DIR     aiter checkout (default: $CK_JIT_AITER_DIR)\n"
       "  --gpu-archs LIST    offload architectures, separated by ';': \"gfx942;gfx950\"\n"
       "  --ck-tile-bf16 N    CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT (default: 3)\n"
       "  --tmp-dir DIR       work directory, kept for quick builds (default: a new one;\n"
       "                      its name is printed)\n"
       "  --install-dir DIR   install the libraries and ck_jit/ there\n"
       "  --aot-list FILE     kernels to compile and link in: names, one a line, or a capture\n"
       "                      (CK_JIT_CAPTURE); - is standard input; may be repeated\n"
       "  --api fwd|bwd       build one library only; may be repeated (default: both)\n"
       "  --jobs N            concurrent compilers (default: $CK_JIT_JOBS, else one per processor)\n"
       "  --verbose           show the output of the builds while they run\n"
       "  --color WHEN        colour messages: never, always or auto (default: on a terminal,\n"
       "                      unless NO_COLOR is set)\n"
       "  --help");
}

static void choose_api(struct full *f, const char *name) {
  for (int i = 0; i < APIS; i++)
    if (strcmp(name, api_names[i]) == 0) {
      f->api[i] = true;
      return;
    }
  static const char *const names[] = {"fwd", "bwd", NULL};
  char *meant = did_you_mean(name, names);
  usage_error("full", "--api: expected fwd or bwd, found '%s'%s", name,
              *meant ? meant : "; without it both are built");
}

static void parse(struct full *f, int argc, char **argv) {
  static const struct option options[] = {
      {"aiter-dir", required_argument, NULL, 'a'},
      {"gpu-archs", required_argument, NULL, 'g'},
      {"ck-tile-bf16", required_argument, NULL, 'b'},
      {"tmp-dir", required_argument, NULL, 't'},
      {"install-dir", required_argument, NULL, 'i'},
      {"aot-list", required_argument, NULL, 'l'},
      {"api", required_argument, NULL, 'p'},
      {"jobs", required_argument, NULL, 'j'},
      {"verbose", no_argument, NULL, 'v'},
      {"help", no_argument, NULL, 'h'},
      {0},
  };
  const char *aiter = env_get("CK_JIT_AITER_DIR"), *tmp = NULL, *install = NULL,
             *jobs = env_get("CK_JIT_JOBS");
  f->bf16 = "3";
  f->jobs = jobs ? build_number("full", "CK_JIT_JOBS", jobs, 1) : 0;
  for (int c; (c = options_next(argc, argv, "hj:", options, "ckjit-build full --help")) != -1;) {
    switch (c) {
    case 'a':
      aiter = optarg;
      break;
    case 'g':
      f->archs = optarg;
      break;
    case 'b':
      build_number("full", "--ck-tile-bf16", f->bf16 = optarg, 0);
      break;
    case 't':
      tmp = options_path("--tmp-dir", optarg);
      break;
    case 'i':
      install = options_path("--install-dir", optarg);
      break;
    case 'l':
      aot_list_add(&f->aot, optarg);
      break;
    case 'p':
      choose_api(f, optarg);
      break;
    case 'j':
      f->jobs = build_number("full", "--jobs", optarg, 1);
      break;
    case 'v':
      f->verbose = true;
      break;
    case 'h':
      help();
      exit(EXIT_OK);
    }
  }
  no_arguments("full", argc, argv, !aiter ? "--aiter-dir" : !f->archs ? "--gpu-archs" : NULL);
  if (!aiter || !*aiter)
    usage_error("full", "--aiter-dir DIR is missing: the aiter checkout");
  if (!f->archs || !*f->archs)
    usage_error("full", "--gpu-archs LIST is missing, such as \"gfx942;gfx950\"");
  if (!f->api[FWD] && !f->api[BWD])
    f->api[FWD] = f->api[BWD] = true;
  f->aiter = path_abs(aiter);
  f->tmp = tmp ? path_abs(tmp) : NULL;
  f->install_dir = install ? path_abs(install) : NULL;
}

char *shadow_of(const struct full *f, int api) {
  return xasprintf("%s/src_%s", f->tmp, api_names[api]);
}

/* ---- the work directory ---- */

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* T, made if it is missing. The copies of an earlier build in it are replaced. If it has entries of such
 * names that ckjit did not make, it is refused. */
static void make_work_dir(struct full *f) {
  if (!f->tmp) {
    const char *base = getenv("TMPDIR");
    f->tmp = xasprintf("%s/ckjit-build-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(f->tmp))
      die(EXIT_FAILED, "cannot make a work directory %s: %s; name one with --tmp-dir", f->tmp,
          strerror(errno));
  }
  require_writable_dir(f->tmp, "--tmp-dir");
  if (is_same_file(f->tmp, f->aiter)) /* the copies would be copied, and so on */
    die(EXIT_FAILED,
        "--tmp-dir %s: is the aiter checkout itself; name another directory, which may lie in it", f->tmp);
  f->home = path_join(f->tmp, "home");
  bool ours = file_is_dir(f->home);
  /* Records are only ever appended. Those of a library that is not built now stay. */
  char *records = path_join(f->tmp, RECORD_FILE);
  if (f->api[FWD] && f->api[BWD])
    unlink(records);
  free(records);
  for (int i = 0; i < APIS; i++) {
    char *shadow = shadow_of(f, i);
    if (f->api[i] && !ours && file_exists(shadow))
      die(EXIT_FAILED, "--tmp-dir %s: holds src_%s, which ckjit-build did not make; choose another directory",
          f->tmp, api_names[i]);
    free(shadow);
  }
  printf("work directory %s\n", f->tmp);
  fflush(stdout);
}

/* Runs deploy_check before the builds instead of after them. */
static void check_install(const struct full *f) {
  struct argv names = {0};
  for (int i = 0; i < APIS; i++) {
    char *state = xasprintf("%s/libmha_%s/%s", f->tmp, api_names[i], STATE_FILE);
    if (f->api[i] || file_exists(state))
      argv_addf(&names, "libmha_%s.so", api_names[i]);
    free(state);
  }
  if (f->install_dir)
    deploy_check(&names, f->install_dir);
  argv_free(&names);
}

static void make_home(struct full *f) {
  double started = ckjit_seconds();
  fakehome_make(f->home, f->profile, &f->tools, f->tmp);
  step_done("home", started, "%s in front of %s", f->home, f->tools.compiler);
}

/* what is not copied */
struct leave_out {
  struct stat work; /* T itself, if it is in the checkout */
};

/* Skips version control, products of earlier builds (a library in aiter/jit would count as built already),
 * and T. Code objects of aiter's assembly kernels, half of the checkout, are only read, so links are
 * enough. */
static enum tree_action choose_for_shadow(const char *below, const struct stat *st, void *user) {
  const struct leave_out *out = user;
  const char *name = path_base(below);
  if (S_ISDIR(st->st_mode)) {
    if (st->st_dev == out->work.st_dev && st->st_ino == out->work.st_ino)
      return TREE_SKIP;
    bool skip = strcmp(name, ".git") == 0 || strcmp(name, "__pycache__") == 0 ||
                strcmp(below, "aiter/jit/build") == 0;
    return skip ? TREE_SKIP : TREE_COPY;
  }
  if (strcmp(name, ".git") == 0 || str_ends(name, ".so"))
    return TREE_SKIP;
  return str_starts(below, "hsa/") && str_ends(name, ".co") ? TREE_LINK : TREE_COPY;
}

static void copy_checkout(const struct full *f) {
  double started = ckjit_seconds();
  struct leave_out out = {0};
  struct tree tree = {.choose = choose_for_shadow, .user = &out};
  stat(f->tmp, &out.work);
  for (int i = 0; i < APIS; i++) {
    char *shadow = shadow_of(f, i);
    if (f->api[i]) {
      if (!dir_remove(shadow))
        die(EXIT_FAILED, "cannot remove %s, of an earlier build: %s", shadow, strerror(errno));
      if (!tree_copy(&tree, f->aiter, shadow))
        die(EXIT_FAILED, "copying %s: %s", f->aiter, tree.err);
    }
    free(shadow);
  }
  step_done("copy", started, "%zu files of %s", tree.files, f->aiter);
}

/* ---- the steps ---- */

/* The list, or one of its kernels, is bad, which is known only after the build. The build need not be
 * repeated. */
static _Noreturn void die_built(const struct full *f) {
  struct argv command = {0};
  argv_add(&command, "ckjit-build");
  argv_add(&command, "relink");
  argv_add(&command, "--tmp-dir");
  argv_add(&command, f->tmp);
  for (size_t i = 0; i < f->aot.files.n; i++) {
    argv_add(&command, "--aot-list");
    argv_add(&command, f->aot.files.args[i]);
  }
  if (f->install_dir) {
    argv_add(&command, "--install-dir");
    argv_add(&command, f->install_dir);
  }
  die(EXIT_FAILED,
      "the libraries are built, but %s the kernels of the list%s; correct the list, then run: %s",
      f->install_dir ? "not installed, and without" : "without", f->install_dir ? "" : " compiled into them",
      argv_join(command.args));
}

static void install(const struct full *f) {
  double started = ckjit_seconds();
  size_t n;
  struct library *libs = libraries_read(f->tmp, &n);
  if (f->aot.given) {
    if (!relink_libraries(libs, n, &f->aot, f->verbose))
      die_built(f);
    step_done("relinked", started, "%zu kernels in the list", f->aot.names.n);
    started = ckjit_seconds();
  }
  for (size_t i = 0; i < n; i++)
    library_show(&libs[i]);
  if (f->install_dir) {
    deploy_tree(libs, n, f->install_dir);
    step_done("install", started, "%s", f->install_dir);
  }
  libraries_free(libs, n);
}

int build_full(int argc, char **argv) {
  struct full f = {0};
  double started = ckjit_seconds();
  parse(&f, argc, argv);
  check_aiter(&f);
  f.profile = profile_open("hip");
  tools_find(&f.tools, compiler_of_home(f.profile->kind), NULL);
  check_archs(&f);
  if (f.install_dir)
    require_writable_dir(f.install_dir, "--install-dir");
  make_work_dir(&f);
  check_install(&f);
  make_home(&f);
  copy_checkout(&f);
  run_builds(&f);
  install(&f);
  step_done("total", started, "relink with a new runtime: ckjit-build quick --tmp-dir %s", f.tmp);
  tools_free(&f.tools);
  profile_free(f.profile);
  aot_list_free(&f.aot);
  free(f.aiter);
  free(f.tmp);
  free(f.home);
  free((char *)f.install_dir);
  return EXIT_OK;
}
