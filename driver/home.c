/* home.c - the fake home of ROCm or CUDA, and `ckjit-build home`.
 *
 * A build finds its compiler through ROCM_PATH, ROCM_HOME or HIP_PATH, through the PATH, or (newer aiter) as
 * realpath(which hipcc)/../.. So the fake home is a directory with every entry of the real one, but a bin/ of
 * its own, in which the compilers are the wrapper. They are files there, never links that lead out, or that
 * realpath would find the wrapper's installation instead of the home; they are one file under many names
 * (hard links), copied and not linked from the installation, which an upgrade may replace under a running
 * build.
 *
 * In a home that is /usr (Debian's hipcc) the rest of bin/ is left out: it is on the PATH anyway. */
#include "build.h"
#include "core/base/env.h"
#include "core/files/home.h"
#include "core/base/install.h"
#include "core/cc/nvcc.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the real tools --- */

/* whether PROGRAM lies in the bin/ of a fake home, links to it followed */
static bool in_fake_home(const char *program) {
  char *real = realpath(program, NULL);
  if (!real)
    return false;
  char *bin = path_dir(real), *home = path_dir(bin), *conf = path_join(home, HOME_FILE);
  bool fake = file_exists(conf);
  free(real);
  free(bin);
  free(home);
  free(conf);
  return fake;
}

static bool is_program(const char *file) {
  return access(file, X_OK) == 0 && !file_is_dir(file);
}

/* the first NAME on the PATH that is no wrapper of ours, or NULL */
static char *which_real(const char *name) {
  const char *path = getenv("PATH");
  for (const char *s = path ? path : "/usr/bin:/bin"; *s;) {
    size_t n = strcspn(s, ":");
    char *dir = xstrndup(s, n), *program = path_join(n ? dir : ".", name);
    free(dir);
    if (is_program(program) && !in_fake_home(program)) {
      char *abs = path_abs(program);
      free(program);
      return abs;
    }
    free(program);
    s += n + (s[n] == ':');
  }
  return NULL;
}

/* PROGRAM, a name on the PATH or a path, that variable NAME asked for; dies where it is not there */
static char *program_of(const char *name, const char *program) {
  char *found = NULL;
  if (!strchr(program, '/'))
    found = which_real(program);
  else if (is_program(program))
    found = path_abs(program);
  if (!found)
    die(EXIT_FAILED, "%s: '%s' is not a program; expected the name or path of a compiler%s", name, program,
        strchr(program, ' ') ? ", without arguments" : "");
  if (in_fake_home(found))
    die(EXIT_FAILED, "%s: '%s' is the wrapper of a fake home; set it to the real compiler or unset it", name,
        program);
  return found;
}

/* The layout of ROCm and CUDA: DIR/bin/hipcc. Takes DIR over where it is a real home with a compiler. */
static bool try_home(struct toolchain *t, const char *dir) {
  char *abs = path_abs(dir), *compiler = xasprintf("%s/bin/%s", abs, t->kind->name);
  if (!is_program(compiler) || in_fake_home(compiler)) {
    free(abs);
    free(compiler);
    return false;
  }
  t->home = abs;
  t->compiler = compiler;
  return true;
}

/* the home of COMPILER, by the rule of ROCm's and CUDA's own tools: realpath/../.. */
static char *home_of(const char *compiler) {
  char *real = realpath(compiler, NULL), *bin = path_dir(real ? real : compiler), *home = path_dir(bin);
  free(real);
  free(bin);
  return home;
}

/* The home that NVCC itself says it is of: /usr/local/bin/nvcc may be a script that starts another. NULL
 * where it does not say it; free() it. */
static char *ask_nvcc(const char *nvcc) {
  struct nvcc_plan plan;
  nvcc_ask(&plan, nvcc, NULL);
  const char *top = nvcc_variable(&plan, "TOP");
  char *home = top ? realpath(top, NULL) : NULL;
  nvcc_plan_free(&plan);
  return home;
}

/* the home of a compiler that was found by itself */
static char *home_of_found(const struct compiler *kind, const char *compiler) {
  char *home = kind->dialect == CC_NVCC ? ask_nvcc(compiler) : NULL;
  return home ? home : home_of(compiler);
}

/* where it was looked for, as text */
static char *places(const struct compiler *kind) {
  struct buf b = {0};
  for (size_t i = 0; kind->home_vars[i]; i++)
    buf_printf(&b, "%s, ", kind->home_vars[i]);
  buf_puts(&b, "the PATH");
  for (size_t i = 0; kind->homes[i]; i++)
    buf_printf(&b, "%s%s", kind->homes[i + 1] ? ", " : " or ", kind->homes[i]);
  return b.data;
}

static void find_compiler(struct toolchain *t, const char *home) {
  const struct compiler *kind = t->kind;
  const char *named = env_get(kind->variable), *option = strcmp(kind->kind, "hip") == 0 ? "rocm" : kind->kind;
  if (home && !try_home(t, home))
    die(EXIT_FAILED, "--%s %s: no real compiler at %s/bin/%s; expected the directory that %s is installed in",
        option, home, home, kind->name, strcmp(option, "rocm") == 0 ? "ROCm" : "CUDA");
  if (named) {
    free(t->compiler);
    t->compiler = program_of(kind->variable, named);
    if (!t->home)
      t->home = home_of_found(kind, t->compiler);
  }
  for (size_t i = 0; kind->home_vars[i] && !t->compiler; i++) {
    const char *dir = getenv(kind->home_vars[i]);
    if (dir && *dir)
      try_home(t, dir);
  }
  if (!t->compiler && (t->compiler = which_real(kind->name)))
    t->home = home_of_found(kind, t->compiler);
  for (size_t i = 0; kind->homes[i] && !t->compiler; i++)
    try_home(t, kind->homes[i]);
  if (!t->compiler)
    die(EXIT_FAILED, "no real %s: not in %s; install %s, or say where it is with --%s DIR or %s", kind->name,
        places(kind), kind->package, option, kind->variable);
}

static void find_cxx(struct toolchain *t) {
  const char *named = env_get("CK_JIT_CXX"), *cxx = getenv("CXX");
  if (named) {
    t->cxx = program_of("CK_JIT_CXX", named);
    return;
  }
  /* CXX may still be the wrapper, from an `eval` of an earlier `ckjit-build home`. */
  if (cxx && *cxx && !(strchr(cxx, '/') && in_fake_home(cxx)) && strcmp(cxx, "ckjit-cxx") != 0) {
    t->cxx = program_of("CXX", cxx);
    return;
  }
  if (!(t->cxx = which_real("c++")) && !(t->cxx = which_real("g++")))
    die(EXIT_FAILED,
        "no real C++ compiler: neither c++ nor g++ is on the PATH; install one (Debian: apt-get install g++) "
        "or say where it is with CK_JIT_CXX");
}

/* DIR/clang++ where it is a real program; takes DIR over, which may be NULL */
static char *clang_in(char *dir) {
  char *clang = dir && *dir == '/' ? path_join(dir, "clang++") : NULL;
  if (clang && (!is_program(clang) || in_fake_home(clang))) {
    free(clang);
    clang = NULL;
  }
  free(dir);
  return clang;
}

/* The directory of the clang that HIPCC starts, as it tells it itself (-###); NULL where it does not. */
static char *ask_hipcc(const char *hipcc) {
  char *args[] = {(char *)hipcc,       (char *)"-###", (char *)"-x",        (char *)"c++", (char *)"-c",
                  (char *)"/dev/null", (char *)"-o",   (char *)"/dev/null", NULL};
  struct job job = {.args = args};
  char *dir = NULL;
  pool_run(&job, 1, 1, NULL, NULL);
  for (const char *line = job.output.len ? job.output.data : ""; *line && !dir;) {
    size_t n = strcspn(line, "\n");
    struct argv words = {0};
    argv_split(&words, line, *line == ' ' ? n : 0);
    if (words.n > 1 && strcmp(words.args[1], "-cc1") == 0)
      dir = path_dir(words.args[0]);
    argv_free(&words);
    line += n + (line[n] == '\n');
  }
  buf_free(&job.output);
  return dir;
}

void toolchain_find(struct toolchain *t, const struct compiler *kind, const char *home) {
  *t = (struct toolchain){.kind = kind};
  find_compiler(t, home);
  find_cxx(t);
  if (kind->dialect == CC_GNU)
    t->clang = clang_in(ask_hipcc(t->compiler));
}

void toolchain_free(struct toolchain *t) {
  free(t->home);
  free(t->compiler);
  free(t->cxx);
  free(t->clang);
  *t = (struct toolchain){0};
}

/* --- the directory --- */

/* a fake home being filled: what there is to be, so that what is there besides can go */
struct maker {
  const char *dir;
  char *bin;
  char *wrapper;            /* the first copy of the wrapper, which the other names are links to */
  struct argv names, files; /* entries of dir and of bin */
};

static bool listed(const struct argv *list, const char *word) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->args[i], word) == 0)
      return true;
  return false;
}

static _Noreturn void cannot(const char *what, const char *file) {
  die(EXIT_FAILED, "cannot %s %s: %s; choose another directory for the fake home with --dir", what, file,
      strerror(errno));
}

/* Put TMP in the place of FILE. rename() of two names of one file does nothing, hence the unlink. */
static void put_in_place(const char *tmp, const char *file) {
  struct stat st;
  if (lstat(file, &st) == 0 && S_ISDIR(st.st_mode) && dir_remove(file))
    cannot("replace", file);
  if (rename(tmp, file))
    cannot("write", file);
  unlink(tmp);
}

/* the wrapper as bin/NAME */
static void add_wrapper(struct maker *m, const char *name) {
  if (listed(&m->files, name))
    return;
  argv_add(&m->files, name);
  char *file = path_join(m->bin, name), *tmp = xasprintf("%s/.%s.tmp%ld", m->bin, name, (long)getpid());
  unlink(tmp);
  /* No hard links on some file systems (overlays, vfat), and a limited number on others: a copy does as well.
   */
  if (!m->wrapper) {
    char *from = install_program("ckjit-wrap");
    if (!from)
      die(EXIT_FAILED,
          "ckjit-wrap, the compiler wrapper, is not installed beside this program; run `make install` again");
    if (file_copy(from, tmp))
      cannot("write", tmp);
    m->wrapper = xstrdup(file);
    free(from);
  } else if (link(m->wrapper, tmp) && file_copy(m->wrapper, tmp)) {
    cannot("write", tmp);
  }
  put_in_place(tmp, file);
  free(tmp);
  free(file);
}

/* the link DIR/NAME -> TARGET, remembered in LIST */
static void add_link(const char *dir, const char *name, const char *target, struct argv *list) {
  if (listed(list, name))
    return;
  argv_add(list, name);
  char *at = path_join(dir, name), *tmp = xasprintf("%s/.%s.tmp%ld", dir, name, (long)getpid());
  unlink(tmp);
  if (symlink(target, tmp))
    cannot("write", tmp);
  put_in_place(tmp, at);
  free(at);
  free(tmp);
}

/* links in DIR to all entries of FROM that LIST does not name yet */
static void link_entries(const char *dir, const char *from, struct argv *list) {
  DIR *d = opendir(from);
  if (!d)
    die(EXIT_FAILED, "cannot read %s, of the real home: %s", from, strerror(errno));
  for (struct dirent *e; (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    char *target = path_join(from, e->d_name);
    add_link(dir, e->d_name, target, list);
    free(target);
  }
  closedir(d);
}

/* remove what an earlier run, of another profile or for another real home, left in DIR */
static void remove_others(const char *dir, const struct argv *list) {
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || listed(list, e->d_name))
      continue;
    char *file = path_join(dir, e->d_name);
    struct stat st;
    if (lstat(file, &st) == 0 && !S_ISDIR(st.st_mode))
      unlink(file);
    free(file);
  }
  if (d)
    closedir(d);
}

/* the names of LIST that the real bin/ has, and the first of them in any case where FIRST */
static void add_names(struct maker *m, const struct argv *list, const char *real_bin, bool first) {
  for (size_t i = 0; i < list->n; i++) {
    char *real = path_join(real_bin, list->args[i]);
    if ((first && i == 0) || is_program(real))
      add_wrapper(m, list->args[i]);
    free(real);
  }
}

static void make_bin(struct maker *m, const struct profile *p, const struct toolchain *t) {
  char *real_bin = path_join(t->home, "bin");
  add_names(m, &p->compilers, real_bin, true);
  if (t->clang && listed(&p->compilers, CLANG_NAME))
    add_wrapper(m, CLANG_NAME);
  add_names(m, &p->tools, real_bin, false);
  add_wrapper(m, "ckjit-cxx");
  for (size_t i = 0; i < p->cxx.n; i++)
    add_wrapper(m, p->cxx.args[i]);
  if (strcmp(t->home, "/usr") != 0)
    link_entries(m->bin, real_bin, &m->files);
  remove_others(m->bin, &m->files);
  free(real_bin);
}

static void make_rest(struct maker *m, const struct toolchain *t) {
  static const char *const of_usr[] = {"include", "lib", "lib64", "share"};
  argv_add(&m->names, "bin");
  argv_add(&m->names, HOME_FILE);
  if (strcmp(t->home, "/usr") != 0) {
    link_entries(m->dir, t->home, &m->names);
  } else {
    for (size_t i = 0; i < sizeof of_usr / sizeof *of_usr; i++) {
      char *target = path_join(t->home, of_usr[i]);
      if (file_is_dir(target))
        add_link(m->dir, of_usr[i], target, &m->names);
      free(target);
    }
  }
  remove_others(m->dir, &m->names);
}

/* What variable NAME must be for the real compiler: the environment's value, or what a fake home that stands
 * there now knows of it; NULL: unset. Where it was unset it must stay so: Debian's HIP 7.2.4 does not find
 * its device library with ROCM_PATH=/usr, although /usr is its home. */
static char *real_value(const char *name, const struct toolchain *t) {
  const char *value = getenv(name);
  if (!value || !*value)
    return NULL;
  char *conf = path_join(value, HOME_FILE), *found = NULL, *err;
  if (!file_exists(conf)) {
    found = xstrdup(path_within(t->compiler, value) ? value : t->home);
  } else {
    struct home *h = home_read(value, &err);
    if (!h)
      die(EXIT_FAILED, "%s", err);
    size_t n = strlen(name);
    for (size_t i = 0; i < h->home_vars.n; i++)
      if (strncmp(h->home_vars.args[i], name, n) == 0 && h->home_vars.args[i][n] == '=')
        found = xstrdup(h->home_vars.args[i] + n + 1);
    home_free(h);
  }
  free(conf);
  return found;
}

void real_home_vars(struct argv *out, const struct profile *p, const struct toolchain *t) {
  for (size_t i = 0; i < p->home_vars.n; i++) {
    char *value = real_value(p->home_vars.args[i], t);
    argv_addf(out, value ? "%s=%s" : "%s", p->home_vars.args[i], value);
    free(value);
  }
}

static void write_conf(const char *dir, const struct profile *p, const struct toolchain *t,
                       const char *work) {
  char *link = install_program("ckjit-link"), *err;
  if (!link)
    die(EXIT_FAILED,
        "ckjit-link, the post-build linker, is not installed beside this program; run `make install` again");
  struct argv vars = {0}, clang = {0}, kind = {0};
  argv_add(&kind, t->kind->kind);
  if (t->clang)
    argv_add(&clang, t->clang);
  real_home_vars(&vars, p, t);
  /* Borrows everything: home_write only reads, and nothing here is freed through it. */
  struct home h = {.dir = (char *)dir,
                   .real_home = t->home,
                   .real_compiler = t->compiler,
                   .real_cxx = t->cxx,
                   .work = (char *)work,
                   .link = link,
                   .home_vars = vars,
                   .kind = kind,
                   .keep = p->keep,
                   .clang = clang,
                   .compilers = p->compilers,
                   .cxx = p->cxx,
                   .tools = p->tools,
                   .yes = p->yes,
                   .no = p->no,
                   .family = p->families,
                   .dispatcher = p->dispatchers,
                   .generated = p->generated};
  if (!home_write(&h, &err))
    die(EXIT_FAILED, "%s", err);
  argv_free(&vars);
  argv_free(&clang);
  argv_free(&kind);
  free(link);
}

/* A mistyped --dir must not turn somebody's directory into a fake home, and clear it. */
static void require_ours_or_empty(const char *dir) {
  char *conf = path_join(dir, HOME_FILE);
  DIR *d = opendir(dir);
  if (d && !file_exists(conf))
    for (struct dirent *e; (e = readdir(d));)
      if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
        die(EXIT_FAILED,
            "%s is neither empty nor a fake home (it holds %s but no " HOME_FILE "); choose another "
            "directory",
            dir, e->d_name);
  if (d)
    closedir(d);
  free(conf);
}

/* Files and records of one compiler's in a home of another's are neither's; a build may be going on in it. */
static void require_same_kind(const char *dir, const struct compiler *kind) {
  char *conf = path_join(dir, HOME_FILE), *err = NULL;
  struct home *h = file_exists(conf) ? home_read(dir, &err) : NULL;
  const char *was = h && h->kind.n ? h->kind.args[0] : compiler_named(NULL)->kind;
  if (h && strcmp(was, kind->kind) != 0)
    die(EXIT_FAILED,
        "%s is a fake home for kind '%s', and the profile is for kind '%s'; remove it, or choose another "
        "directory",
        dir, was, kind->kind);
  home_free(h); /* one that cannot be read is written over, as it always was */
  free(err);
  free(conf);
}

void home_make(const char *dir, const struct profile *p, const struct toolchain *t, const char *work) {
  struct maker m = {.dir = dir, .bin = path_join(dir, "bin")};
  require_ours_or_empty(dir);
  require_same_kind(dir, t->kind);
  if (dir_make(m.bin))
    cannot("make", m.bin);
  if (dir_make(work))
    die(EXIT_FAILED, "cannot make the work directory %s: %s", work, strerror(errno));
  /* The configuration first: the wrapper must never be found without one. */
  write_conf(dir, p, t, work);
  make_bin(&m, p, t);
  if (path_within(work, dir) && strcmp(work, dir) != 0) {
    const char *below = path_below(work, dir);
    argv_add_own(&m.names, xstrndup(below, strcspn(below, "/")));
  }
  make_rest(&m, t);
  free(m.bin);
  free(m.wrapper);
  argv_free(&m.names);
  argv_free(&m.files);
}

struct profile *profile_open(const char *name) {
  char *file = profile_file(name), *err;
  struct profile *p = profile_read(file, &err);
  if (!p)
    die(EXIT_FAILED, "%s", err);
  free(file);
  return p;
}

/* --- the command --- */

/* export NAME=VALUE for sh, whatever is in VALUE; REST is text for the shell behind it */
static void print_export(const char *name, const char *value, const char *rest) {
  printf("export %s='", name);
  for (const char *s = value; *s; s++)
    if (*s == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*s);
  printf("'%s\n", rest);
}

static void help(void) {
  puts("usage: eval \"$(ckjit-build home --dir DIR [OPTION…])\"\n"
       "\n"
       "Makes DIR a fake home of ROCm or CUDA and prints the variables that point a build at it.\n"
       "\n"
       "  --dir DIR         the fake home; made where it is missing, refreshed where it is there\n"
       "  --profile NAME    what the build is like: a name in share/ckjit/profiles, or a file\n"
       "                    with a slash in its name (default: hip)\n"
       "  --rocm DIR, --cuda DIR   the real home (default: found)\n"
       "  --work DIR        recorded commands, units and objects go here (default: DIR/work)\n"
       "  --help");
}

int build_home(int argc, char **argv) {
  const char *dir = NULL, *profile = "hip", *real = NULL, *work = NULL;
  static const struct option options[] = {
      {"dir", required_argument, NULL, 'd'},
      {"profile", required_argument, NULL, 'p'},
      {"rocm", required_argument, NULL, 'r'},
      {"work", required_argument, NULL, 'w'},
      {"cuda", required_argument, NULL, 'r'},
      {"help", no_argument, NULL, 'h'},
      {0},
  };
  for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    switch (c) {
    case 'd':
      dir = optarg;
      break;
    case 'p':
      profile = optarg;
      break;
    case 'r':
      real = optarg;
      break;
    case 'w':
      work = optarg;
      break;
    case 'h':
      help();
      return EXIT_OK;
    default:
      usage_error("home", "the option above is not understood");
    }
  }
  no_arguments("home", argc, argv);
  if (!dir || !*dir)
    usage_error("home", "--dir DIR is missing: the directory that becomes the fake home");

  struct profile *p = profile_open(profile);
  struct toolchain t;
  toolchain_find(&t, compiler_named(p->kind), real);
  char *home = path_abs(dir), *work_dir = work ? path_abs(work) : path_join(home, "work");
  home_make(home, p, &t, work_dir);

  char *bin = path_join(home, "bin"), *cxx = path_join(bin, "ckjit-cxx"), *clang = path_join(bin, CLANG_NAME);
  char *own = path_join(bin, t.kind->name);
  for (size_t i = 0; i < p->home_vars.n; i++)
    print_export(p->home_vars.args[i], home, "");
  print_export("PATH", bin, ":\"$PATH\"");
  print_export("CXX", cxx, "");
  if (file_exists(clang)) /* what CMake, which takes no hipcc for it, compiles the language HIP with */
    print_export("HIPCXX", clang, "");
  if (t.kind->dialect == CC_NVCC) /* the same for CUDA */
    print_export("CUDACXX", own, "");
  if (t.kind->dialect == CC_NVCC) /* and what it links it with, which it else asks nvcc for */
    print_export("CUDAHOSTCXX", cxx, "");
  free(own);
  free(bin);
  free(cxx);
  free(clang);
  free(home);
  free(work_dir);
  toolchain_free(&t);
  profile_free(p);
  return EXIT_OK;
}
