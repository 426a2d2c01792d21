/* build_full.c - `ckjit-build full`: aiter's own build of its attention libraries, against a fake ROCm home.
 *
 * aiter's build writes into its checkout: generated sources, copies of CK, objects and locks into
 * aiter/jit/build, the libraries into op_tests/cpp/mha, byte code everywhere. The user's checkout must stay
 * as it is, and two builds of it at a time would step on each other, so each library is built in a copy of
 * its own, T/src_fwd and T/src_bwd. Not in a tree of links: Python resolves the links of scripts, and finds
 * itself in the checkout again.
 *
 * Paths below the copy are stored as {root}/… (CK_JIT_BASE), which is what makes the install tree movable. */
#include "build.h"
#include "core/childenv.h"
#include "core/env.h"
#include "core/path.h"
#include "core/pool.h"
#include "core/record.h"
#include "core/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char SCRIPT[] = "op_tests/cpp/mha/compile.py";

enum { FWD, BWD, APIS };
static const char *const api_names[APIS] = {"fwd", "bwd"};
/* of a failed build's output, what is shown */
enum { TAIL_LINES = 30 };

/* --- the command line --- */

struct full {
  const char *archs, *bf16, *install_dir;
  char *aiter, *tmp; /* absolute */
  bool tmp_is_ours;  /* made by mkdtemp */
  bool api[APIS], verbose;
  unsigned jobs; /* 0: not given */
  struct toolchain tools;
  struct profile *profile;
  char *home;
};

static void help(void) {
  puts("usage: ckjit-build full --aiter-dir DIR --gpu-archs LIST [OPTION…]\n"
       "\n"
       "Builds libmha_fwd.so and libmha_bwd.so with aiter's own build. The checkout stays as it is.\n"
       "\n"
       "  --aiter-dir DIR     aiter checkout (default: $CK_JIT_AITER_DIR)\n"
       "  --gpu-archs LIST    offload architectures, ';' between: \"gfx942;gfx950\"\n"
       "  --ck-tile-bf16 N    CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT (default: 3)\n"
       "  --tmp-dir DIR       work directory, kept for quick builds (default: a new one, printed)\n"
       "  --install-dir DIR   install the libraries and ck_jit/ there\n"
       "  --api fwd|bwd       build one library only; may be repeated (default: both)\n"
       "  --jobs N            compilers at the same time (default: $CK_JIT_JOBS, or one a processor)\n"
       "  --verbose           show the output of the builds as it comes\n"
       "  --help");
}

static unsigned number(const char *option, const char *text, unsigned least) {
  char *end;
  errno = 0;
  unsigned long n = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
  if (!isdigit((unsigned char)text[0]) || *end || errno || n < least || n > 65535)
    usage_error("full", "%s: expected a number of at least %u, found '%s'", option, least, text);
  return (unsigned)n;
}

static void choose_api(struct full *f, const char *name) {
  for (int i = 0; i < APIS; i++)
    if (strcmp(name, api_names[i]) == 0) {
      f->api[i] = true;
      return;
    }
  usage_error("full", "--api: expected fwd or bwd, found '%s'", name);
}

static void parse(struct full *f, int argc, char **argv) {
  static const struct option options[] = {
      {"aiter-dir", required_argument, NULL, 'a'},
      {"gpu-archs", required_argument, NULL, 'g'},
      {"ck-tile-bf16", required_argument, NULL, 'b'},
      {"tmp-dir", required_argument, NULL, 't'},
      {"install-dir", required_argument, NULL, 'i'},
      {"api", required_argument, NULL, 'p'},
      {"jobs", required_argument, NULL, 'j'},
      {"verbose", no_argument, NULL, 'v'},
      {"help", no_argument, NULL, 'h'},
      {0},
  };
  const char *aiter = env_get("CK_JIT_AITER_DIR"), *tmp = NULL, *install = NULL,
             *jobs = env_get("CK_JIT_JOBS");
  f->bf16 = "3";
  f->jobs = jobs ? number("CK_JIT_JOBS", jobs, 1) : 0;
  for (int c; (c = getopt_long(argc, argv, "hj:", options, NULL)) != -1;) {
    switch (c) {
    case 'a':
      aiter = optarg;
      break;
    case 'g':
      f->archs = optarg;
      break;
    case 'b':
      number("--ck-tile-bf16", f->bf16 = optarg, 0);
      break;
    case 't':
      tmp = optarg;
      break;
    case 'i':
      install = optarg;
      break;
    case 'p':
      choose_api(f, optarg);
      break;
    case 'j':
      f->jobs = number("--jobs", optarg, 1);
      break;
    case 'v':
      f->verbose = true;
      break;
    case 'h':
      help();
      exit(EXIT_OK);
    default:
      usage_error("full", "the option above is not understood");
    }
  }
  no_arguments("full", argc, argv);
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

/* --- checks: all that can be known to be wrong before anything is made --- */

static void check_aiter(const struct full *f) {
  char *script = path_join(f->aiter, SCRIPT);
  if (!file_is_dir(f->aiter))
    die(EXIT_FAILED, "--aiter-dir %s: no such directory; expected a checkout of aiter", f->aiter);
  if (!file_exists(script))
    die(EXIT_FAILED, "--aiter-dir %s: no %s in it; expected a checkout of aiter", f->aiter, SCRIPT);
  free(script);
  char *python = path_which("python3");
  if (!python)
    die(EXIT_FAILED, "no python3 on the PATH, which aiter's build is written in; install it");
  free(python);
}

/* `gfx942`, with features `gfx942:sramecc+:xnack-`, or what the compiler's own `native` means */
static bool arch_is_well_formed(const char *arch) {
  if (strcmp(arch, "native") == 0)
    return true;
  if (!str_starts(arch, "gfx") || !isxdigit((unsigned char)arch[3]))
    return false;
  const char *s = arch + 3 + strspn(arch + 3, "0123456789abcdef");
  while (*s == ':') {
    size_t n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (!n || !strchr("+-", s[1 + n]) || !s[1 + n])
      return false;
    s += n + 2;
  }
  return *s == 0;
}

/* The environment in which the real compiler works: no fake home in it. */
static void real_env(const struct full *f, struct argv *env) {
  childenv_copy(env);
  for (size_t i = 0; i < f->profile->home_vars.n; i++)
    childenv_set(env, f->profile->home_vars.args[i], f->tools.home);
}

/* Which architectures there are is the compiler's to say: a list of our own would be old in a year. One
 * syntax-only run of an empty device pass each writes nothing and takes a third of a second. */
static void check_archs(const struct full *f) {
  static const char probe[] = "-x hip -fsyntax-only --offload-device-only /dev/null";
  struct argv archs = {0}, env = {0};
  for (const char *s = f->archs; *s;) {
    size_t n = strcspn(s, ";");
    if (n)
      argv_add_own(&archs, xstrndup(s, n));
    s += n + (s[n] == ';');
  }
  if (!archs.n)
    die(EXIT_FAILED, "--gpu-archs '%s': no architecture in it; expected such as \"gfx942;gfx950\"", f->archs);
  real_env(f, &env);
  struct job *jobs = xcalloc(archs.n, sizeof *jobs);
  struct argv *commands = xcalloc(archs.n, sizeof *commands);
  for (size_t i = 0; i < archs.n; i++) {
    if (!arch_is_well_formed(archs.args[i]))
      die(EXIT_FAILED,
          "--gpu-archs: unknown architecture '%s'; expected names such as gfx90a, gfx942 or gfx950, ';' "
          "between",
          archs.args[i]);
    argv_add(&commands[i], f->tools.hipcc);
    argv_addf(&commands[i], "--offload-arch=%s", archs.args[i]);
    argv_split(&commands[i], probe, strlen(probe));
    jobs[i] = (struct job){.args = commands[i].args, .env = env.args};
  }
  pool_run(jobs, archs.n, 0, NULL, NULL);
  for (size_t i = 0; i < archs.n; i++) {
    if (jobs[i].status)
      die(EXIT_FAILED, "--gpu-archs: %s does not compile for '%s'; it says:\n%s", f->tools.hipcc,
          archs.args[i], jobs[i].output.len ? jobs[i].output.data : "(nothing)");
    buf_free(&jobs[i].output);
    argv_free(&commands[i]);
  }
  free(jobs);
  free(commands);
  argv_free(&archs);
  argv_free(&env);
}

/* --- the work directory --- */

static char *shadow_of(const struct full *f, int api) {
  return xasprintf("%s/src_%s", f->tmp, api_names[api]);
}

/* T, made where it is missing. The copies of an earlier build in it are replaced, so a directory that has
 * such names but was not made by us is left alone. */
static void make_work_dir(struct full *f) {
  if (!f->tmp) {
    const char *base = getenv("TMPDIR");
    f->tmp = xasprintf("%s/ckjit-build-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(f->tmp))
      die(EXIT_FAILED, "cannot make a work directory %s: %s; name one with --tmp-dir", f->tmp,
          strerror(errno));
  }
  require_writable_dir(f->tmp, "--tmp-dir");
  f->home = path_join(f->tmp, "home");
  bool ours = file_is_dir(f->home);
  /* Records only ever get appended. Those of a library that is not built now stay. */
  char *records = path_join(f->tmp, RECORD_FILE);
  if (f->api[FWD] && f->api[BWD])
    unlink(records);
  free(records);
  for (int i = 0; i < APIS; i++) {
    char *shadow = shadow_of(f, i);
    if (f->api[i] && !ours && file_exists(shadow))
      die(EXIT_FAILED,
          "--tmp-dir %s: holds src_%s, which no earlier ckjit-build made; choose another directory", f->tmp,
          api_names[i]);
    free(shadow);
  }
  printf("work directory %s\n", f->tmp);
  fflush(stdout);
}

/* What install_check would say after the builds, said before them. */
static void check_install(const struct full *f) {
  struct argv names = {0};
  for (int i = 0; i < APIS; i++) {
    char *state = xasprintf("%s/libmha_%s/%s", f->tmp, api_names[i], STATE_FILE);
    if (f->api[i] || file_exists(state))
      argv_addf(&names, "libmha_%s.so", api_names[i]);
    free(state);
  }
  if (f->install_dir)
    install_check(&names, f->install_dir);
  argv_free(&names);
}

static void make_home(struct full *f) {
  double started = now();
  home_make(f->home, f->profile, &f->tools, f->tmp);
  step_done("home", started, "%s in front of %s", f->home, f->tools.hipcc);
}

/* what the copy leaves out */
struct leave_out {
  struct stat work; /* T itself, where it lies in the checkout */
};

/* Version control, what earlier builds left (a library in aiter/jit would be taken as built already), and T.
 * Code objects of aiter's assembler kernels, half of the checkout, are only read: links do. */
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
  double started = now();
  struct leave_out out = {0};
  struct tree tree = {.choose = choose_for_shadow, .user = &out};
  stat(f->tmp, &out.work);
  for (int i = 0; i < APIS; i++) {
    char *shadow = shadow_of(f, i);
    if (f->api[i]) {
      if (dir_remove(shadow))
        die(EXIT_FAILED, "cannot remove %s, of an earlier build: %s", shadow, strerror(errno));
      if (!tree_copy(&tree, f->aiter, shadow))
        die(EXIT_FAILED, "copying %s: %s", f->aiter, tree.err);
    }
    free(shadow);
  }
  step_done("copy", started, "%zu files of %s", tree.files, f->aiter);
}

/* --- the builds --- */

/* one compile.py */
struct build {
  const struct full *full;
  const char *api;
  char *shadow, *log, *state_file;
  FILE *log_out;
  bool at_line_start; /* for the prefix of --verbose */
  struct argv env, command;
};

static void on_output(struct job *job, const char *bytes, size_t n) {
  struct build *b = job->user;
  fwrite(bytes, 1, n, b->log_out);
  fflush(b->log_out);
  if (!b->full->verbose)
    return;
  for (size_t i = 0; i < n;) {
    const char *nl = memchr(bytes + i, '\n', n - i);
    size_t line = nl ? (size_t)(nl - bytes) - i + 1 : n - i;
    if (b->at_line_start)
      printf("[%s] ", b->api);
    fwrite(bytes + i, 1, line, stdout);
    b->at_line_start = nl != NULL;
    i += line;
  }
  fflush(stdout);
}

static bool on_done(struct job *job, void *user) {
  (void)user;
  struct build *b = job->user;
  if (job->status == 0)
    step_done(b->api, now() - job->seconds, "log in %s", b->log);
  return true; /* let the other one finish: its errors are of use, too */
}

/* Variables that would send the build, or what it writes, elsewhere. */
static void set_env(struct build *b) {
  const struct full *f = b->full;
  struct argv *env = &b->env;
  childenv_copy(env);
  for (size_t i = 0; i < f->profile->home_vars.n; i++)
    childenv_set(env, f->profile->home_vars.args[i], f->home);
  const char *path = getenv("PATH");
  char *new_path = xasprintf("%s/bin:%s", f->home, path ? path : "/usr/bin:/bin");
  char *cxx = xasprintf("%s/bin/ckjit-cxx", f->home),
       *jobs = xasprintf("%u", f->jobs ? f->jobs : pool_processors());
  childenv_set(env, "PATH", new_path);
  childenv_set(env, "CXX", cxx);
  childenv_set(env, "GPU_ARCHS", f->archs);
  childenv_set(env, "PYTORCH_ROCM_ARCH", f->archs);
  childenv_set(env, "CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT", f->bf16);
  childenv_set(env, "CK_JIT_TMP_DIR", f->tmp);
  childenv_set(env, "CK_JIT_BASE", b->shadow);
  childenv_set(env, "CK_JIT_AITER_DIR", b->shadow);
  childenv_set(env, "CK_JIT_IS_FWD", strcmp(b->api, "fwd") == 0 ? "1" : "0");
  childenv_set(env, "CK_JIT_JOBS", jobs);
  if (f->jobs || !getenv("MAX_JOBS"))
    childenv_set(env, "MAX_JOBS", jobs);
  /* aiter puts its flags through a set: with Python's random hashes their order, and with it every blob's
   * key, would differ from build to build, and between fwd and bwd. */
  childenv_set(env, "PYTHONHASHSEED", "0");
  childenv_set(env, "PYTHONDONTWRITEBYTECODE", "1");
  childenv_set(env, "PYTHONUNBUFFERED", "1");
  /* The workspace of a build belongs into its copy. CK_DIR, another CK to build with, is the user's choice.
   */
  childenv_unset(env, "JIT_WORKSPACE_DIR");
  childenv_unset(env, "AITER_JIT_DIR");
  childenv_unset(env, "AITER_REBUILD");
  free(new_path);
  free(cxx);
  free(jobs);
}

static struct job prepare(struct build *b, const struct full *f, int api) {
  *b = (struct build){.full = f, .api = api_names[api], .shadow = shadow_of(f, api), .at_line_start = true};
  b->log = xasprintf("%s/log_%s.txt", f->tmp, b->api);
  b->state_file = xasprintf("%s/libmha_%s/%s", f->tmp, b->api, STATE_FILE);
  if (!(b->log_out = fopen(b->log, "we")))
    die(EXIT_FAILED, "cannot write %s: %s", b->log, strerror(errno));
  /* A state file of an earlier build must not pass for this one's. */
  unlink(b->state_file);
  set_env(b);
  argv_add(&b->command, "python3");
  argv_add(&b->command, SCRIPT);
  argv_add(&b->command, "--api");
  argv_add(&b->command, b->api);
  return (struct job){
      .args = b->command.args, .cwd = b->shadow, .env = b->env.args, .user = b, .on_output = on_output};
}

/* the last lines of a failed build, and where the rest is */
static void show_failure(const struct build *b, const struct job *job) {
  size_t at = job->output.len, lines = 0;
  while (at > 0 && (job->output.data[at - 1] != '\n' || at == job->output.len || ++lines < TAIL_LINES))
    at--;
  fflush(stdout);
  fwrite(job->output.len ? job->output.data + at : "", 1, job->output.len - at, stderr);
  warn("%s: %s --api %s ended with status %d; all of its output is in %s", b->api, SCRIPT, b->api,
       job->status, b->log);
}

/* A build that ended well without the link step's state file did not link through the fake home. */
static bool has_library(const struct build *b) {
  char *err = NULL;
  struct state *s = file_exists(b->state_file) ? state_read(b->state_file, &err) : NULL;
  bool ok = s && file_exists(s->out_so);
  if (!ok && err)
    warn("%s: %s", b->api, err);
  else if (!ok && s)
    warn("%s: the link step left no %s; see %s", b->api, s->out_so, b->log);
  else if (!ok)
    warn("%s: the build ended without linking libmha_%s.so through ckjit (no %s); see %s", b->api, b->api,
         b->state_file, b->log);
  if (s)
    state_free(s);
  free(s);
  free(err);
  return ok;
}

static void run_builds(const struct full *f) {
  struct build builds[APIS];
  struct job jobs[APIS];
  size_t n = 0;
  for (int i = 0; i < APIS; i++)
    if (f->api[i]) {
      jobs[n] = prepare(&builds[n], f, i);
      n++;
    }
  pool_run(jobs, n, APIS, on_done, NULL);
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    if (jobs[i].status)
      show_failure(&builds[i], &jobs[i]);
    ok = jobs[i].status == 0 && has_library(&builds[i]) && ok;
    fclose(builds[i].log_out);
    buf_free(&jobs[i].output);
    argv_free(&builds[i].env);
    argv_free(&builds[i].command);
    free(builds[i].shadow);
    free(builds[i].log);
    free(builds[i].state_file);
  }
  if (!ok)
    exit(EXIT_FAILED);
}

static void install(const struct full *f) {
  double started = now();
  size_t n;
  struct library *libs = library_list(f->tmp, &n);
  for (size_t i = 0; i < n; i++)
    printf("library  %s\n", libs[i].state->out_so);
  if (f->install_dir) {
    install_tree(libs, n, f->install_dir);
    step_done("install", started, "%s", f->install_dir);
  }
  library_list_free(libs, n);
}

int build_full(int argc, char **argv) {
  struct full f = {0};
  double started = now();
  parse(&f, argc, argv);
  check_aiter(&f);
  f.profile = profile_open("hip");
  toolchain_find(&f.tools, NULL);
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
  toolchain_free(&f.tools);
  profile_free(f.profile);
  free(f.aiter);
  free(f.tmp);
  free(f.home);
  free((char *)f.install_dir);
  return EXIT_OK;
}
