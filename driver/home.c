/* home.c - the commands that make a fake home: `home` prints the variables that point a build at
 * it, `run` starts a command with them.
 *
 * Without --dir the home is one of the user's own, below $XDG_DATA_HOME/ckjit/homes. Its name has the
 * profile and a digest of the compilers, so that two toolchains never refresh each other's home. It
 * is user data and not a cache: a library that is used where it was built compiles from this home's
 * work directory for as long as it is used. */
#include "build.h"
#include "fakehome.h"
#include "profile.h"
#include "tools.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/vec.h"
#include "core/cache/key.h"
#include "core/files/home.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What env(1) and shells end with if a command cannot be started. */
enum { EXIT_CANNOT_RUN = 126, EXIT_NO_COMMAND = 127 };

/* What the user asked for; NULL: not given. */
struct request {
  const char *dir, *profile, *real, *option, *work;
  bool units;
};

/* A variable that points a build at a fake home. */
struct setting {
  const char *name;
  char *value;
};

/* A fake home that was made. */
struct made {
  struct profile *profile;
  struct tools tools;
  char *dir;
  struct setting *settings;
  size_t n;
};

static void print_quoted(const char *value) {
  struct buf quoted = {0};
  argv_in_quotes(&quoted, value);
  fputs(quoted.data, stdout);
  buf_free(&quoted);
}

static const char common_help[] =
    "  --dir DIR         the fake home; created, or refreshed if it exists\n"
    "                    (default: one for this profile and these compilers, below\n"
    "                    $XDG_DATA_HOME/ckjit/homes or ~/.local/share/ckjit/homes)\n"
    "  --profile NAME    description of the build: hip, cuda or another name in\n"
    "                    share/ckjit/profiles, or a path with a slash\n"
    "                    (default: hip; cuda if there is an nvcc and no hipcc)\n"
    "  --rocm DIR        the real ROCm home, for --profile hip (default: found)\n"
    "  --cuda DIR        the real CUDA home, for --profile cuda (default: found)\n"
    "  --work DIR        directory for recorded commands, units and objects\n"
    "                    (default: DIR/work)\n"
    "  --units           compile ordinary sources lazily as well, each kernel when it is\n"
    "                    first launched (default: as the profile says)\n"
    "  --color WHEN      colour messages: never, always or auto (default: on a terminal,\n"
    "                    unless NO_COLOR is set)\n"
    "  --help";

static void home_help(void) {
  puts("usage: eval \"$(ckjit home [OPTION…])\"\n"
       "\n"
       "Make a fake ROCm or CUDA home and print the variables that point a build at it.\n"
       "In the shell, ckjit_deactivate then restores what they were.\n");
  puts(common_help);
}

static void run_help(void) {
  puts("usage: ckjit run [OPTION…] [--] COMMAND [ARGUMENT…]\n"
       "\n"
       "Run a build command against a fake ROCm or CUDA home. The kernels that it builds are\n"
       "compiled when they are first called. Nothing is left in the shell.\n");
  puts(common_help);
  puts("\n"
       "Exit status: that of COMMAND; 126 it cannot be run, 127 there is no such command;\n"
       "1 the home cannot be made, 2 the command line is wrong.");
}

/* HOME was given as --OPTION, which is for another kind of home than P is. */
static void warn_of_other_kind(const struct profile *p, const char *option, const char *home) {
  const char *kind = compiler_of_home(p->kind)->kind;
  bool cuda = home && strcmp(option, "cuda") == 0;
  const char *meant = cuda ? "cuda" : "hip";
  if (home && strcmp(meant, kind) != 0)
    warn("--%s %s: taken for the home of kind '%s', as the profile says; add --profile %s if %s is meant",
         option, home, kind, meant, cuda ? "CUDA" : "ROCm");
}

/* Read the options of the command argv[0], whose page HELP prints; false if only that was asked for.
 * What follows them begins at optind. */
static bool read_request(struct request *r, int argc, char **argv, const char *letters, void (*help)(void)) {
  static const struct option options[] = {
      {"dir", required_argument, NULL, 'd'},  {"profile", required_argument, NULL, 'p'},
      {"rocm", required_argument, NULL, 'r'}, {"work", required_argument, NULL, 'w'},
      {"cuda", required_argument, NULL, 'c'}, {"units", no_argument, NULL, 'u'},
      {"help", no_argument, NULL, 'h'},       {0},
  };
  char *page = xasprintf("ckjit %s --help", argv[0]);
  for (int c; (c = options_next(argc, argv, letters, options, page)) != -1;) {
    switch (c) {
    case 'd':
      r->dir = options_path("--dir", optarg);
      break;
    case 'p':
      r->profile = options_path("--profile", optarg);
      break;
    case 'r':
      r->real = options_path("--rocm", optarg);
      r->option = "rocm";
      break;
    case 'c':
      r->real = options_path("--cuda", optarg);
      r->option = "cuda";
      break;
    case 'w':
      r->work = options_path("--work", optarg);
      break;
    case 'u':
      r->units = true;
      break;
    case 'h':
      help();
      return false;
    }
  }
  free(page);
  return true;
}

/* The profile that is meant if none was named. */
static const char *usual_profile(const struct request *r) {
  if (r->option)
    return strcmp(r->option, "cuda") == 0 ? "cuda" : "hip";
  return !tools_has(compiler_of_home("hip")) && tools_has(compiler_of_home("cuda")) ? "cuda" : "hip";
}

/* The user's own home for P and T; free() it. */
static char *usual_dir(const struct profile *p, const struct tools *t) {
  char *place = home_default_place();
  if (!place)
    die(EXIT_FAILED,
        "there is no directory of yours to make the fake home in: HOME is not an absolute path; set "
        "HOME or XDG_DATA_HOME, or name the home by --dir DIR");
  char *facts = xasprintf("%s\n%s\n%s\n%s\n%s\n%s", p->file, t->home, t->compiler, t->cxx,
                          t->clang ? t->clang : "", p->units.n ? p->units.args[0] : "");
  char digest[DIGEST_HEX];
  digest_bytes(digest, facts, strlen(facts));
  char *name = path_stem(path_base(p->file));
  char *dir = xasprintf("%s/%s-%.12s", place, name, digest);
  free(place);
  free(name);
  free(facts);
  return dir;
}

static void set(struct made *m, const char *name, char *value) {
  vec_push(m->settings, m->n, (struct setting){name, value});
}

/* The variables by which builds find a compiler. */
static void add_settings(struct made *m) {
  const char *path = getenv("PATH");
  char *bin = path_join(m->dir, "bin"), *clang = path_join(bin, CLANG_NAME);
  bool cuda = m->tools.kind->dialect == CC_NVCC;
  for (size_t i = 0; i < m->profile->home_vars.n; i++)
    set(m, m->profile->home_vars.args[i], xstrdup(m->dir));
  set(m, "PATH", path && *path ? xasprintf("%s:%s", bin, path) : xstrdup(bin));
  set(m, "CXX", path_join(bin, "ckjit-cxx"));
  if (file_exists(clang)) /* for CMake's language HIP, for which it refuses hipcc */
    set(m, "HIPCXX", xstrdup(clang));
  if (cuda) { /* the same for CUDA; and CMake would ask nvcc which compiler links */
    set(m, "CUDACXX", path_join(bin, m->tools.kind->name));
    set(m, "CUDAHOSTCXX", path_join(bin, "ckjit-cxx"));
  }
  free(clang);
  free(bin);
}

static void make_home(struct made *m, const struct request *r) {
  struct profile *p = m->profile = profile_open(r->profile ? r->profile : usual_profile(r));
  warn_of_other_kind(p, r->option, r->real);
  if (r->units && !p->units.n)
    argv_add(&p->units, "lazy");
  tools_find(&m->tools, compiler_of_home(p->kind), r->option, r->real);
  m->dir = r->dir ? path_abs(r->dir) : usual_dir(p, &m->tools);
  char *work = r->work ? path_abs(r->work) : path_join(m->dir, "work");
  char *above = path_dir(m->dir);
  if (!r->dir && !dir_make(above))
    die(EXIT_FAILED, "%s: cannot make the directory of fake homes: %s; name the home by --dir DIR", above,
        strerror(errno));
  fakehome_make(m->dir, p, &m->tools, work);
  free(above);
  free(work);
  add_settings(m);
}

static void made_free(struct made *m) {
  for (size_t i = 0; i < m->n; i++)
    free(m->settings[i].value);
  free(m->settings);
  free(m->dir);
  tools_free(&m->tools);
  profile_free(m->profile);
}

/* A line for sh that sets S. The PATH is that of the shell which reads it. */
static void print_export(const struct made *m, const struct setting *s) {
  bool is_path = strcmp(s->name, "PATH") == 0;
  char *bin = path_join(m->dir, "bin");
  printf("export %s=", s->name);
  print_quoted(is_path ? bin : s->value);
  puts(is_path ? ":\"$PATH\"" : "");
  free(bin);
}

/* PATH without the bin/ of fake homes, which an earlier call has put there; free() it. */
static char *path_before(const char *path) {
  struct buf b = {0};
  const char *between = "";
  for (const char *s = path; *s;) {
    size_t n = strcspn(s, ":");
    char *dir = xstrndup(s, n);
    if (!tools_is_fake(dir)) {
      buf_printf(&b, "%s%s", between, dir);
      between = ":";
    }
    free(dir);
    s += n + (s[n] == ':');
  }
  return b.data ? b.data : xstrdup("");
}

/* What the variable NAME was before any fake home; NULL: not set. free() it. */
static char *value_before(const char *name) {
  const char *now = getenv(name);
  if (!now)
    return NULL;
  if (strcmp(name, "PATH") == 0)
    return path_before(now);
  return *now && tools_is_fake(now) ? NULL : xstrdup(now);
}

/* A function for sh that restores the variables in the shell that reads it. It is not called
 * deactivate: a virtual environment of Python, in the same shell, has that name. */
static void print_deactivate(const struct made *m) {
  printf("ckjit_deactivate() {");
  for (size_t i = 0; i < m->n; i++) {
    char *before = value_before(m->settings[i].name);
    if (before) {
      printf(" export %s=", m->settings[i].name);
      print_quoted(before);
      putchar(';');
    } else {
      printf(" unset %s;", m->settings[i].name);
    }
    free(before);
  }
  puts(" unset -f ckjit_deactivate; }");
}

int build_home(int argc, char **argv) {
  struct request r = {0};
  if (!read_request(&r, argc, argv, "h", home_help))
    return streams_answered();
  no_arguments("home", argc, argv, r.dir ? NULL : "--dir");
  struct made m = {0};
  make_home(&m, &r);
  if (isatty(STDOUT_FILENO))
    puts("# eval \"$(ckjit home)\" sets these in your shell; ckjit run COMMAND needs nothing set");
  for (size_t i = 0; i < m.n; i++)
    print_export(&m, &m.settings[i]);
  print_deactivate(&m);
  made_free(&m);
  streams_answered();
  return EXIT_OK;
}

int build_run(int argc, char **argv) {
  struct request r = {0};
  if (!read_request(&r, argc, argv, "+h", run_help))
    return streams_answered();
  if (optind == argc)
    usage_error("run", "expected the command of a build after the options, such as make or pip install .");
  struct made m = {0};
  make_home(&m, &r);
  for (size_t i = 0; i < m.n; i++)
    if (setenv(m.settings[i].name, m.settings[i].value, 1))
      die(EXIT_FAILED, "run: out of memory for the environment of %s", argv[optind]);
  execvp(argv[optind], argv + optind);
  bool is_missing = errno == ENOENT;
  die(is_missing ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN, "run: cannot run '%s': %s; expected %s", argv[optind],
      strerror(errno), "the name of a program on the PATH, or its path");
}
