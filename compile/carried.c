/* carried.c - see carried.h. Packages of compilers are rows of core/cc/compiler.c. */
#include "carried.h"
#include "memo.h"
#include "core/base/directory.h"
#include "core/base/childenv.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cache/toolchain.h"
#include "core/cc/ccargs.h"
#include "core/files/sourcebundle.h"

#include "abi/ck_jit_bundle.h"

#include <glob.h>
#include <unistd.h>

#define PACK_EXT ".ckjit"
#define GROUP "[ckjit.packs]"

/* ---- a compiler ---- */

/* Does pip install into DIR? `pip install --target` takes any directory. */
static bool is_site(const char *dir) {
  glob_t g = {0};
  const char *base = path_base(dir);
  autofree char *pattern = path_join(dir, "*.dist-info");
  bool is = strcmp(base, "site-packages") == 0 || strcmp(base, "dist-packages") == 0 ||
            glob(pattern, GLOB_NOSORT, NULL, &g) == 0;
  globfree(&g);
  return is;
}

/* Append the directories of Python packages that LIBRARY is in: site-packages, dist-packages, or
 * what `pip install --target` has made. */
static void carried_sites(struct argv *dirs, const char *library) {
  autofree char *file = path_abs(library), *dir = path_dir(file);
  char *up;
  for (; strcmp(dir, "/") != 0; free(dir), dir = up) {
    if (is_site(dir))
      argv_add(dirs, dir);
    up = path_dir(dir);
  }
}

/* The last program that PATTERN matches, the newest release; NULL: none. free() it. */
static char *last_program(const char *pattern) {
  glob_t g = {0};
  char *found = NULL;
  if (glob(pattern, 0, NULL, &g) == 0)
    for (size_t i = g.gl_pathc; i-- && !found;)
      found = path_which(g.gl_pathv[i]);
  globfree(&g);
  return found;
}

/* NAME in the Python packages of SITE, or in the environment that it belongs to: the third directory
 * above it, PREFIX/lib/python3.12/site-packages. */
static char *in_site(const struct compiler *kind, const char *site) {
  char *found = NULL;
  autofree char *pattern = NULL;
  for (size_t i = 0; kind->sites[i] && !found; i++) {
    pattern = xasprintf("%s/%s/bin/%s", site, kind->sites[i], kind->name);
    found = last_program(pattern);
    free(pattern);
  }
  autofree char *above = path_join(site, "../../.."), *prefix = path_abs(above);
  pattern = xasprintf("%s/bin/%s", prefix, kind->name);
  if (!found)
    found = path_which(pattern);
  return found;
}

char *carried_compiler(const struct compiler *kind, const char *library) {
  const char *conda = secure_getenv("CONDA_PREFIX");
  autofree_argv sites = {0};
  char *found = NULL;
  autofree char *file = conda ? xasprintf("%s/bin/%s", conda, kind->name) : NULL;
  if (library)
    carried_sites(&sites, library);
  for (size_t i = 0; i < sites.n && !found; i++)
    found = in_site(kind, sites.args[i]);
  if (file && !found)
    found = path_which(file);
  return found;
}

/* The release of T's compiler, which is asked once for each file; free() it. */
static char *release_now(const struct compile_task *t) {
  char stamp[STAMP_SIZE];
  autofree char *real = realpath(t->compiler, NULL);
  toolchain_stamp(stamp, t->compiler);
  autofree char *name = xasprintf("release %s %s", real ? real : t->compiler, stamp);
  char *said = memo_read(t, name);
  if (!said) {
    said = toolchain_release(t->compiler, t->kind);
    memo_write(t, name, said);
  }
  return said;
}

bool carried_takes(const struct compile_task *t, const char *file, const char *release, char **err) {
  autofree char *now = *release ? release_now(t) : xstrdup("");
  size_t major = strcspn(release, ".");
  bool takes = !*release || !*now || secure_getenv(t->kind->variable) ||
               (major == strcspn(now, ".") && strncmp(release, now, major) == 0);
  if (!takes)
    task_fail(
        t, err,
        "%s is %s of release %s, and %s takes release %.*s, with which it was built (%s); install %s of that "
        "release, or set %s to the compiler to use it nevertheless [ckjit help compiler-range]",
        t->compiler, t->kind->name, now, path_base(file), (int)major, release, release, t->kind->package,
        t->kind->variable);
  return takes;
}

/* ---- what only the build's machine has ---- */

/* Append -LDIR for each directory where T's link finds libraries, that of the bundle first. Returns whether it is not on the build's
 * machine: one of them is missing, or T's root is an unpacked bundle. */
static bool add_directories(struct argv *dirs, const struct compile_task *t) {
  autofree char *above = path_dir(t->root), *real = realpath(t->compiler, NULL),
                *bin = path_dir(real ? real : t->compiler);
  bool away = strcmp(path_base(above), CKJIT_BUNDLES) == 0;
  argv_addf(dirs, "-L%s/" SOURCEBUNDLE_LIBS, t->root);
  for (size_t i = 0; i < t->link.n; i++) {
    const char *word = t->link.args[i];
    if (str_starts(word, "-L"))
      argv_add(dirs, word);
    away |= str_starts(word, "-L") && !file_is_dir(word + 2);
  }
  argv_addf(dirs, "-L%s/../lib64", bin);
  argv_addf(dirs, "-L%s/../lib", bin);
  return away;
}

static void adapt_link(struct compile_task *t, const struct argv *dirs) {
  struct argv kept = {0};
  bool cudart = argv_has_prefix(&t->link, "-cudart");
  if (file_is_dir(dirs->args[0] + 2))
    argv_add(&kept, dirs->args[0]);
  for (size_t i = 0; i < t->link.n; i++) {
    const char *word = t->link.args[i];
    bool library = str_starts(word, "-l");
    autofree char *file = library ? cc_find_library(dirs, word + 2) : NULL;
    if (file || !library)
      argv_add(&kept, word);
    else if (str_starts(word, "-lcudart") && !cudart) /* nvcc would link its own, as a second one */
      argv_add(&kept, "-cudart=none");
  }
  if (!t->of || t->of->link.args != t->link.args)
    argv_free(&t->link);
  t->link = kept;
}

/* Does W name a part of the toolchain, by a path where this machine has nothing? */
static bool is_absent(const struct ccargs *a, const struct cc_word *w) {
  static const char *const options[] = {
      "ccbin",     "compiler-bindir",     "gcc-toolchain",        "gcc-install-dir", "hip-path",
      "rocm-path", "hip-device-lib-path", "rocm-device-lib-path", "sysroot",         "cuda-path"};
  const char *name = a->args[w->arg] + strspn(a->args[w->arg], "-");
  bool is = false;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    size_t n = strlen(options[i]);
    is |= strncmp(name, options[i], n) == 0 && (!name[n] || name[n] == '=');
  }
  return is && *w->value == '/' && !file_exists(w->value);
}

static void adapt_flags(struct compile_task *t) {
  struct argv kept = {0};
  for (size_t i = 0; i < t->cc.nwords; i++) {
    const struct cc_word *w = &t->cc.words[i];
    for (size_t k = w->arg; k <= w->arg + w->pair && !is_absent(&t->cc, w); k++)
      argv_add(&kept, t->flags.args[k]);
  }
  ccargs_free(&t->cc);
  argv_free(&t->flags);
  t->flags = kept;
  task_scan(t);
}

void carried_adapt(struct compile_task *t) {
  autofree_argv dirs = {0};
  if (!add_directories(&dirs, t))
    return;
  adapt_link(t, &dirs);
  adapt_flags(t);
}

/* ---- its sources ---- */

bool carried_unpack(struct compile_task *t, const char *file, char **release, char **err) {
  size_t written = 0;
  struct sourcebundle *b = sourcebundle_open(file, err);
  bool good = b != NULL;
  if (b && strcmp(path_base(t->root), b->digest) != 0)
    good = task_fail(
        t, err, "%s was replaced since it was loaded: its bundle is another one; start the program again",
        file);
  good = good && sourcebundle_unpack(b, t->root, &written, err);
  if (written && t->verbose)
    note("%s: unpacked %zu %s of %s into %s", t->stem, written, noun(written, "file", "files"), file,
         t->root);
  *release = xstrdup(b ? b->release : "");
  sourcebundle_free(b);
  return good;
}

/* ---- compiled kernels ---- */

static bool is_pack(const char *name) {
  return str_ends(name, PACK_EXT) && name[0] != '.';
}

static void add_packs_of(struct argv *packs, const char *dir) {
  autoclose_dir *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));)
    if (is_pack(e->d_name))
      argv_add_once(packs, path_join(dir, e->d_name));
}

/* The packages that TEXT, an entry_points.txt in SITE, names: NAME = PACKAGE.MODULE, whose directory
 * has packs. */
static void add_named(struct argv *packs, const char *site, char *text) {
  char *at = strstr(text, GROUP), *rest;
  for (char *line = at ? strtok_r(at + strlen(GROUP), "\n", &rest) : NULL; line && *line != '[';
       line = strtok_r(NULL, "\n", &rest)) {
    char *module = strchr(line, '=');
    if (!module)
      continue;
    module += 1 + strspn(module + 1, " \t");
    module[strcspn(module, " \t\r:[#")] = 0;
    for (char *c = module; *c; c++)
      *c = *c == '.' ? '/' : *c;
    autofree char *dir = xasprintf("%s/%s", site, module);
    if (*module && !strstr(module, "//") && *module != '/')
      add_packs_of(packs, dir);
  }
}

static void add_packs_of_site(struct argv *packs, const char *site) {
  autofree char *pattern = xasprintf("%s/*.dist-info/entry_points.txt", site);
  glob_t g = {0};
  if (glob(pattern, 0, NULL, &g) == 0)
    for (size_t i = 0; i < g.gl_pathc; i++) {
      size_t len;
      autofree char *text = file_read_text(g.gl_pathv[i], &len);
      if (text)
        add_named(packs, site, text);
    }
  globfree(&g);
}

static void find_packs(struct argv *packs, const char *file) {
  autofree_argv sites = {0};
  autofree char *dir = path_dir(file);
  add_packs_of(packs, dir);
  carried_sites(&sites, file);
  for (size_t i = 0; i < sites.n; i++)
    add_packs_of_site(packs, sites.args[i]);
}

void carried_add_packs(const struct compile_task *t, const char *file) {
  autofree_argv packs = {0};
  autofree char *program = path_join(t->root, "ckjit-prebuild");
  find_packs(&packs, file);
  argv_sort(&packs);
  for (size_t i = 0; i < packs.n; i++) {
    char *args[] = {program, "unpack", "--cache-dir", t->dir, packs.args[i], NULL};
    struct job job = {.args = args};
    pool_run(&job, 1, 1, NULL, NULL);
    if (job.status)
      warn("%s: the pack %s is not used: %s", t->stem, packs.args[i], job.output.data ? job.output.data : "");
    buf_free(&job.output);
  }
}

void carried_tell_ways(const struct compile_task *t, const char *file, char **err) {
  autofree_argv packs = {0};
  find_packs(&packs, file);
  autofree char *why = *err;
  *err = xasprintf(
      "%s\n%s compiles its kernels when they are first called, and this one is in none of %zu %s. Three "
      "ways out: install %s; or set %s to a compiler; or install compiled kernels, as a "
      "package of %s for this GPU, or by: %s/ckjit-prebuild unpack --cache-dir %s FILE",
      why, path_base(file), packs.n, noun(packs.n, "pack", "packs"),
      t->kind ? t->kind->package : "the compiler", t->kind ? t->kind->variable : "CK_JIT_HIPCC",
      path_base(file), t->root, t->dir);
}

/* ---- headers ---- */

/* The Debian package or the like that usually has the header FILE. */
static const char *package_of(const struct compile_task *t, const char *file) {
  static const struct {
    const char *part, *package;
  } known[] = {{"/c++/", "the C++ compiler (Debian: g++; Fedora: gcc-c++)"},
               {"/lib/gcc/", "the C++ compiler (Debian: g++; Fedora: gcc-c++)"},
               {"/python3", "Python's headers (Debian: python3-dev; Fedora: python3-devel)"},
               {"/linux/", "the kernel's headers (Debian: linux-libc-dev; Fedora: kernel-headers)"},
               {"/asm", "the kernel's headers (Debian: linux-libc-dev; Fedora: kernel-headers)"},
               {"/rocprim/", "rocPRIM (rocprim-dev)"},
               {"/hipcub/", "hipCUB (hipcub-dev)"},
               {"/rocwmma/", "rocWMMA (rocwmma-dev)"},
               {"/thrust/", "CUDA's CCCL, or rocThrust"},
               {"/cub/", "CUDA's CCCL (pip: nvidia-cuda-cccl)"},
               {"/crt/", "CUDA's compiler (pip: nvidia-cuda-crt)"},
               {"/cuda_", "CUDA's runtime (pip: nvidia-cuda-runtime)"},
               {"/cublas", "cuBLAS (pip: nvidia-cublas)"},
               {"/cusparse", "cuSPARSE (pip: nvidia-cusparse)"},
               {"/cusolver", "cuSOLVER (pip: nvidia-cusolver)"},
               {"/curand", "cuRAND (pip: nvidia-curand)"},
               {"/cufft", "cuFFT (pip: nvidia-cufft)"},
               {"/cuda", NULL},
               {"/hip/", NULL}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strstr(file, known[i].part))
      return known[i].package ? known[i].package : t->kind->package;
  return "the C library's headers, or the package that has it on the machine of the build (there: dpkg -S, rpm -qf)";
}

void carried_tell_missing(const struct compile_task *t, struct buf *message) {
  for (size_t i = 0; t->inputs && i < t->inputs->nheaders; i++) {
    const struct input *h = &t->inputs->header[i];
    if (*h->path == '/' && strcmp(h->digest, DIGEST_NONE) != 0 && !file_exists(h->path) && message->data &&
        strstr(message->data, path_base(h->path)))
      buf_printf(message, "\nnote: this machine lacks %s, which the library was built with: it is of %s",
                 h->path, package_of(t, h->path));
  }
}
