/* home.c - the commands that make a fake home: `home` prints the variables that point a build at
 * it, `run` starts a command with them.
 *
 * Without --dir the home is a default one below $XDG_DATA_HOME/ckjit/homes. Its name has the
 * profile and a digest of the compilers, so that two toolchains never refresh each other's home. It
 * is user data and not a cache: a library that is used where it was built compiles from this home's
 * work directory for as long as it is used. */
#include "common.h"
#include "fakehome.h"
#include "profile.h"
#include "realtools.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/vec.h"
#include "core/cache/key.h"
#include "core/files/home.h"

#include <unistd.h>

/* The statuses of env(1) and shells if a command cannot be started. */
enum { EXIT_CANNOT_RUN = 126, EXIT_NO_COMMAND = 127 };

/* The user's options; NULL: not given. */
struct request {
  const char *dir, *profile, *real, *work;
  const struct compiler *meant; /* real is a home of it */
  bool units, bundle;
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
  autofree_buf quoted = {0};
  argv_in_quotes(&quoted, value);
  fputs(quoted.data, stdout);
}

static void set_rocm(void *into, const char *option, const char *value) {
  struct request *r = into;
  r->real = options_path(option, value);
  r->meant = compiler_of_home("hip");
}

static void set_cuda(void *into, const char *option, const char *value) {
  struct request *r = into;
  r->real = options_path(option, value);
  r->meant = compiler_of_home("cuda");
}

static const struct option_row rows[] = {
    {"dir", "DIR", PATH_INTO(struct request, dir),
     "the fake home; created, or refreshed if it exists (default: one for this profile and these "
     "compilers, below $XDG_DATA_HOME/ckjit/homes or ~/.local/share/ckjit/homes)"},
    {"profile", "NAME", PATH_INTO(struct request, profile),
     "description of the build: hip, cuda or another name in share/ckjit/profiles, or a path with "
     "a slash (default: hip; cuda if there is an nvcc and no hipcc)",
     .words = "hip cuda"},
    {"rocm", "DIR", OPTION_CALL, 0, "the real ROCm home, for --profile hip (default: found)",
     .call = set_rocm},
    {"cuda", "DIR", OPTION_CALL, 0, "the real CUDA home, for --profile cuda (default: found)",
     .call = set_cuda},
    {"work", "DIR", PATH_INTO(struct request, work),
     "directory for recorded commands, units and objects (default: DIR/work)"},
    {"units", NULL, FLAG_INTO(struct request, units),
     "compile ordinary sources lazily as well, each kernel when it is first launched (default: as "
     "the profile says)"},
    {"bundle", NULL, FLAG_INTO(struct request, bundle),
     "libraries carry what their kernels are compiled from, so they can be given away (ckjit help "
     "ship)"},
    {0},
};

static const struct option_page home_page = {
    .where = "ckjit home --help",
    .usage = "eval \"$(ckjit home [OPTION…])\"",
    .text = "Make a fake ROCm or CUDA home and print the variables that point a build at it. In "
            "the shell, ckjit_deactivate then restores what they were.",
    .rows = rows,
};

static void end_of_run(void) {
  puts("\n"
       "Exit status: that of COMMAND; 126 it cannot be run, 127 there is no such command;\n"
       "1 the home cannot be made, 2 the command line is wrong.");
}

static const struct option_page run_page = {
    .where = "ckjit run --help",
    .usage = "ckjit run [OPTION…] [--] COMMAND [ARGUMENT…]",
    .text = "Run a build command against a fake ROCm or CUDA home. The kernels that it builds are "
            "compiled when they are first called. Nothing is left in the shell.",
    .rows = rows,
    .end = end_of_run,
    .stops = true,
    .operands = ":command",
};

/* The home was given by an option that is for homes of another kind than P. */
static void warn_of_other_kind(const struct profile *p, const struct request *r) {
  const struct compiler *kind = compiler_of_home(p->kind);
  if (r->meant && r->meant != kind)
    warn("--%s %s: taken for the home of kind '%s', as the profile says; add --profile %s if %s is "
         "meant",
         r->meant->option, r->real, kind->kind, r->meant->home, r->meant->toolkit);
}

/* The profile if none was named. */
static const char *usual_profile(const struct request *r) {
  if (r->meant)
    return r->meant->home;
  return !tools_has(compiler_of_home("hip")) && tools_has(compiler_of_home("cuda")) ? "cuda"
                                                                                    : "hip";
}

/* The default home for P and T; free() it. */
static char *usual_dir(const struct profile *p, const struct tools *t) {
  autofree char *place = home_default_place();
  if (!place)
    die(EXIT_FAILED, "there is no directory of yours to make the fake home in: HOME is not an "
                     "absolute path; set HOME or XDG_DATA_HOME, or name the home by --dir DIR");
  autofree char *facts = xasprintf(
      "%s\n%s\n%s\n%s\n%s\n%s%s", p->file, t->home, t->compiler, t->cxx, t->clang ? t->clang : "",
      p->units.n ? p->units.args[0] : "", argv_has(&p->keep, "bundle") ? "\nbundle" : "");
  char digest[DIGEST_HEX];
  digest_bytes(digest, facts, strlen(facts));
  autofree char *name = path_stem(path_base(p->file));
  return xasprintf("%s/%s-%.12s", place, name, digest);
}

static void set(struct made *m, const char *name, char *value) {
  vec_push(m->settings, m->n, (struct setting){name, value});
}

/* The variables by which builds find a compiler. */
static void add_settings(struct made *m) {
  const char *path = getenv("PATH");
  autofree char *bin = path_join(m->dir, "bin"), *clang = path_join(bin, CLANG_NAME);
  const struct compiler *kind = m->tools.kind;
  for (size_t i = 0; i < m->profile->home_vars.n; i++)
    set(m, m->profile->home_vars.args[i], xstrdup(m->dir));
  set(m, "PATH", path && *path ? xasprintf("%s:%s", bin, path) : xstrdup(bin));
  set(m, "CXX", path_join(bin, "ckjit-cxx"));
  if (file_exists(clang)) /* for CMake's language HIP, for which it refuses hipcc */
    set(m, "HIPCXX", xstrdup(clang));
  if (kind->cmake) { /* without the second, CMake would ask the compiler which one links */
    set(m, kind->cmake, path_join(bin, kind->name));
    set(m, kind->cmake_host, path_join(bin, "ckjit-cxx"));
  }
}

static void make_home(struct made *m, const struct request *r) {
  struct profile *p = m->profile = profile_open(r->profile ? r->profile : usual_profile(r));
  warn_of_other_kind(p, r);
  if (r->units && !p->units.n)
    argv_add(&p->units, "lazy");
  if (r->bundle && !argv_has(&p->keep, "bundle"))
    argv_add(&p->keep, "bundle");
  tools_find(&m->tools, compiler_of_home(p->kind), r->meant, r->real);
  m->dir = r->dir ? path_abs(r->dir) : usual_dir(p, &m->tools);
  autofree char *work = r->work ? path_abs(r->work) : path_join(m->dir, "work");
  autofree char *above = path_dir(m->dir);
  if (!r->dir && !dir_make(above))
    die(EXIT_FAILED, "%s: cannot make the directory of fake homes: %s; name the home by --dir DIR",
        above, strerror(errno));
  fakehome_make(m->dir, p, &m->tools, work);
  add_settings(m);
}

/* A line for sh that sets S. The PATH is that of the shell that reads the line. */
static void print_export(const struct made *m, const struct setting *s) {
  bool is_path = strcmp(s->name, "PATH") == 0;
  autofree char *bin = path_join(m->dir, "bin");
  printf("export %s=", s->name);
  print_quoted(is_path ? bin : s->value);
  puts(is_path ? ":\"$PATH\"" : "");
}

/* PATH without the bin/ of fake homes, which an earlier call has put there; free() it. */
static char *path_before(const char *path) {
  struct buf b = {0};
  const char *between = "";
  for (const char *s = path; *s;) {
    size_t n = strcspn(s, ":");
    autofree char *dir = xstrndup(s, n);
    if (!tools_is_fake(dir)) {
      buf_printf(&b, "%s%s", between, dir);
      between = ":";
    }
    s += n + (s[n] == ':');
  }
  return b.data ? b.data : xstrdup("");
}

/* The value of NAME before any fake home; NULL: not set. free() it. */
static char *value_before(const char *name) {
  const char *now = getenv(name);
  if (!now)
    return NULL;
  if (strcmp(name, "PATH") == 0)
    return path_before(now);
  return *now && tools_is_fake(now) ? NULL : xstrdup(now);
}

/* A function for sh that restores the variables in the shell that reads it. It is not called
 * deactivate: a Python virtual environment, in the same shell, has that name. */
static void print_deactivate(const struct made *m) {
  printf("ckjit_deactivate() {");
  for (size_t i = 0; i < m->n; i++) {
    autofree char *before = value_before(m->settings[i].name);
    if (before) {
      printf(" export %s=", m->settings[i].name);
      print_quoted(before);
      putchar(';');
    } else {
      printf(" unset %s;", m->settings[i].name);
    }
  }
  puts(" unset -f ckjit_deactivate; }");
}

int build_home(char **argv) {
  struct request r = {0};
  char **operands = options_read(&home_page, &r, argv);
  no_arguments("home", operands, r.dir ? NULL : "--dir");
  struct made m = {0};
  make_home(&m, &r);
  if (isatty(STDOUT_FILENO))
    puts("# eval \"$(ckjit home)\" sets these in your shell; ckjit run COMMAND needs nothing set");
  for (size_t i = 0; i < m.n; i++)
    print_export(&m, &m.settings[i]);
  print_deactivate(&m);
  streams_answered();
  return EXIT_OK;
}

int build_run(char **argv) {
  struct request r = {0};
  char **command = options_read(&run_page, &r, argv);
  if (!*command)
    usage_error("run",
                "expected the command of a build after the options, such as make or pip install .");
  struct made m = {0};
  make_home(&m, &r);
  for (size_t i = 0; i < m.n; i++)
    if (setenv(m.settings[i].name, m.settings[i].value, 1))
      die(EXIT_FAILED, "run: out of memory for the environment of %s", *command);
  execvp(*command, command);
  bool is_missing = errno == ENOENT;
  die(is_missing ? EXIT_NO_COMMAND : EXIT_CANNOT_RUN, "run: cannot run '%s': %s; expected %s",
      *command, strerror(errno), "the name of a program on the PATH, or its path");
}
