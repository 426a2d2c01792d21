/* compiler.c - see compiler.h: the table of kinds, recognition by name, and architectures. Outside
 * this file an architecture is always one word (manifests, CK_JIT_ARCH, --arch, build ids); nvcc
 * has three interdependent options for it.
 */
#include "compiler.h"
#include "core/base/path.h"

#define OF_ROCM                                                                                              \
  .name = "hipcc", .variable = "CK_JIT_HIPCC", .home_vars = {"ROCM_PATH", "ROCM_HOME"},                      \
  .homes = {"/opt/rocm", "/usr"}, .sites = {"_rocm_sdk_devel", "_rocm_sdk_core"},                            \
  .package = "ROCm's HIP compiler (Debian: apt-get install hipcc)", .toolkit = "ROCm", .home = "hip",        \
  .option = "rocm", .release = "HIP version: ", .proper = "clang", .proper_release = "clang version ",       \
  .list_gpus = {"--target=amdgcn-amd-amdhsa", "-nogpulib", "-print-supported-cpus"},                         \
  .unreadable = "a response file of this link has a form feed, a NUL, a byte order mark, a quote left "      \
                "open, or a backslash at its end, which gcc and clang read differently"

enum { HIP, CUDA, CLANG, CXX, NKINDS };
static const struct compiler kinds[NKINDS] = {
    [HIP] = {.kind = "hip",
             .dialect = CC_GNU,
             .clang = true,
             .device = DEVICE_ALWAYS,
             .wrapper = "hipcc",
             .kernels_apart = true,
             .links = "-fgpu-rdc",
             OF_ROCM},
    [CUDA] = {.kind = "cuda",
              .dialect = CC_NVCC,
              .runtime = RUNTIME_CUDA,
              .replaces = true,
              .dryrun = true,
              .ptx = true,
              .whole = true,
              .depfile_apart = true,
              .plain_names = true,
              .aliases_outside = true,
              .device = DEVICE_ALWAYS,
              .name = "nvcc",
              .variable = "CK_JIT_NVCC",
              .home_vars = {"CUDA_HOME", "CUDA_PATH"},
              .homes = {"/usr/local/cuda", "/opt/cuda", "/usr"},
              .sites = {"nvidia/cu[0-9]*", "nvidia/cuda_nvcc"},
              .package = "NVIDIA's CUDA toolkit (pip install nvidia-cuda-nvcc, or "
                         "developer.nvidia.com/cuda-toolkit)",
              .toolkit = "CUDA",
              .wrapper = "nvcc",
              .home = "cuda",
              .option = "cuda",
              .cmake = "CUDACXX",
              .cmake_host = "CUDAHOSTCXX",
              .unit = CC_LANG_CUDA,
              .release = "release ",
              .proper = "nvcc",
              .proper_release = "release ",
              .list_gpus = {"--list-gpu-code"},
              .host = "g++",
              .unreadable =
                  "an options file of this link (-optf) cannot be read, or has a backslash, a NUL or a "
                  "quote left open",
              .kernels_apart = true,
              .all_apart = true,
              .links = "-rdc=true"},
    [CLANG] = {.kind = "clang",
               .dialect = CC_GNU,
               .clang = true,
               .device = DEVICE_IF_HIP,
               .wrapper = "amdclang++",
               .kernels_apart = true,
               .links = "-fgpu-rdc",
               OF_ROCM},
    [CXX] = {.kind = "c++",
             .dialect = CC_GNU,
             .replaces = true,
             .device = DEVICE_NEVER,
             .wrapper = "ckjit-cxx",
             OF_ROCM},
};

const struct compiler *compiler_of_kind(const char *kind) {
  for (size_t i = 0; i < NKINDS; i++)
    if (strcmp(kinds[i].kind, kind) == 0)
      return &kinds[i];
  return NULL;
}

const struct compiler *compiler_of_home(const char *kind) {
  const struct compiler *c = kind ? compiler_of_kind(kind) : &kinds[HIP];
  return c == &kinds[HIP] || c == &kinds[CUDA] ? c : NULL;
}

/* c++, g++-12, x86_64-linux-gnu-g++; not clang++ */
static bool is_of_host(const char *base) {
  return str_starts(base, "c++") || str_starts(base, "g++") || strstr(base, "-c++") || strstr(base, "-g++");
}

/* The compiler with a gcc command line that a name suggests; NULL if it suggests none. */
static const struct compiler *said_by(const char *base) {
  return is_of_host(base)            ? &kinds[CXX]
         : str_starts(base, "hipcc") ? &kinds[HIP]
         : strstr(base, "clang")     ? &kinds[CLANG]
                                     : NULL;
}

const struct compiler *compiler_by_name(const char *program) {
  const char *base = path_base(program);
  const struct compiler *said = said_by(base);
  return str_starts(base, kinds[CUDA].name) ? &kinds[CUDA] : said ? said : &kinds[CLANG];
}

const struct compiler *compiler_meant(const struct compiler *meant, const char *program) {
  const struct compiler *said = meant->dialect == CC_GNU ? said_by(path_base(program)) : NULL;
  return said ? said : meant;
}

bool compiler_has_telling_name(const char *program) {
  return said_by(path_base(program)) != NULL;
}

bool compiler_expands(const struct compiler *c, const char *output) {
  return compiler_is_hipcc(c) && strpbrk(output, COMPILER_EXPANDED);
}

bool compiler_has_device(const struct compiler *c, const struct ccargs *a) {
  return c->device == DEVICE_ALWAYS ||
         (c->device == DEVICE_IF_HIP && a->source && a->source->lang == CC_LANG_HIP);
}

bool compiler_links_kernels(const struct compiler *c, const struct argv *flags) {
  return c->links && argv_has(flags, c->links);
}

bool compiler_add_quote_dir(struct argv *out, enum cc_dialect dialect, const char *dir) {
  bool nvcc = dialect == CC_NVCC;
  argv_add(out, nvcc ? "-Xcompiler" : "-iquote");
  argv_addf(out, nvcc ? "-iquote,%s" : "%s", dir);
  return !nvcc || !strpbrk(dir, " \t\n,\\\"'$`"); /* a list for a shell */
}

/* Of several -ccbin nvcc takes the last. */
bool compiler_add_host(struct argv *out, const struct compiler *c, const char *triple) {
  if (c->dialect == CC_NVCC) {
    argv_add(out, "-ccbin");
    argv_addf(out, "%s-g++", triple);
  } else if (c->clang) {
    argv_addf(out, "--target=%s", triple);
  }
  return c->dialect == CC_NVCC || c->clang;
}

void compiler_add_linker_option(struct argv *out, enum cc_dialect dialect, const char *option,
                                const char *value) {
  argv_addf(out, dialect == CC_NVCC ? "-Xlinker=%s=%s" : "-Wl,%s=%s", option, value);
}

void compiler_linker_words(struct argv *out, const struct argv *words) {
  static const char *const heads[] = {"-Wl,", "-Xlinker="};
  for (size_t i = 0; i < words->n; i++) {
    const char *word = words->args[i], *list = NULL;
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
      if (str_starts(word, heads[k]))
        list = word + strlen(heads[k]);
    if (strcmp(word, "-Xlinker") == 0 && i + 1 < words->n)
      list = words->args[++i];
    if (strcmp(word, "-u") == 0 && i + 1 < words->n)
      argv_add_words(out, word, words->args[++i], NULL);
    for (size_t n; list; list = list[n] ? list + n + 1 : NULL) {
      n = strcspn(list, ",");
      argv_add_own(out, xstrndup(list, n));
    }
  }
}

/* ---- architectures ---- */

/* the text after KEY up to the next key, in "arch=compute_80,code=[sm_80,sm_86]" */
static const char *behind(const char *text, const char *key, size_t *n) {
  const char *at = strstr(text, key);
  if (!at)
    return NULL;
  at += strlen(key);
  const char *end = at + strlen(at),
             *other = strcmp(key, "arch=") == 0 ? strstr(at, ",code=") : strstr(at, ",arch=");
  *n = (size_t)((other ? other : end) - at);
  return at;
}

/* Add one of the codes, made from the virtual architecture ARCH (of N bytes). */
static void add_code(struct argv *out, const char *arch, size_t n, const char *code, size_t m) {
  const char *number = memchr(code, '_', m), *from = memchr(arch, '_', n);
  size_t digits = number ? m - (size_t)(number - code) : 0, of = from ? n - (size_t)(from - arch) : 0;
  bool same = digits && digits == of && memcmp(number, from, digits) == 0;
  if (same || !of || strncmp(arch, "compute", 7) != 0)
    argv_add_once(out, xstrndup(code, m));
  else
    argv_add_once(out, xasprintf("%.*s:%.*s", (int)m, code, (int)n, arch));
}

/* Add each word of CODES, separated by commas, with or without brackets or quotes. */
static void add_codes(struct argv *out, const char *arch, size_t n, const char *codes, size_t m) {
  for (const char *p = codes, *end = codes + m; p < end;) {
    p += strspn(p, "[]\"', ");
    size_t len = strcspn(p, "[]\"', ");
    if (p >= end || !len)
      return;
    add_code(out, arch, n, p, len < (size_t)(end - p) ? len : (size_t)(end - p));
    p += len;
  }
}

/* -arch=sm_90 alone means code for it and its PTX */
static void add_plain(struct argv *out, const char *arch, const char *code) {
  if (!arch)
    return;
  if (code)
    add_codes(out, arch, strlen(arch), code, strlen(code));
  else
    argv_add_once(out, xstrdup(arch));
  if (!code && str_starts(arch, "sm_"))
    argv_add_once(out, xasprintf("compute_%s", arch + strlen("sm_")));
}

static void archs_of_nvcc(struct argv *out, const struct ccargs *a) {
  const char *arch = NULL, *code = NULL;
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    if (w->role == CC_ROLE_CODE) {
      code = w->value;
    } else if (w->role == CC_ROLE_ARCH) {
      arch = w->value;
    } else if (w->role == CC_ROLE_GENCODE) {
      size_t n = 0, m = 0;
      const char *from = behind(w->value, "arch=", &n), *to = behind(w->value, "code=", &m);
      if (from && to)
        add_codes(out, from, n, to, m);
    }
  }
  add_plain(out, arch, code);
}

void compiler_archs(struct argv *out, const struct ccargs *a) {
  if (a->dialect == CC_NVCC) {
    archs_of_nvcc(out, a);
    return;
  }
  for (size_t i = 0; i < a->nwords; i++)
    if (a->words[i].role == CC_ROLE_ARCH)
      argv_add_once(out, xstrdup(a->words[i].value));
}

/* "sm_90" is made from compute_90; "sm_86:compute_80" names another origin. */
static void add_gencode(struct argv *out, const char *arch, size_t n) {
  const char *colon = memchr(arch, ':', n), *number = memchr(arch, '_', n);
  size_t code = colon ? (size_t)(colon - arch) : n;
  if (!number) /* native, all */
    argv_addf(out, "-arch=%.*s", (int)n, arch);
  else if (colon)
    argv_addf(out, "-gencode=arch=%.*s,code=%.*s", (int)(n - code - 1), colon + 1, (int)code, arch);
  else
    argv_addf(out, "-gencode=arch=compute%.*s,code=%.*s", (int)(arch + n - number), number, (int)n, arch);
}

void compiler_add_arch(struct argv *out, enum cc_dialect dialect, const char *arch, size_t n) {
  if (dialect == CC_NVCC)
    add_gencode(out, arch, n);
  else
    argv_addf(out, "--offload-arch=%.*s", (int)n, arch);
}

void steps_question(struct argv *out, enum cc_dialect dialect, const struct argv *command) {
  argv_add(out, command->args[0]);
  if (dialect != CC_NVCC)
    argv_add(out, "-###");
  argv_add_all(out, command->args + 1);
  if (dialect == CC_NVCC && !argv_has(command, "--dryrun"))
    argv_add(out, "--dryrun");
}

void steps_question_of_nothing(struct argv *out, const struct compiler *kind, const char *arch,
                               const char *ccbin) {
  static const char *const of_nvcc[] = {"--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"};
  /* the linker, too: it may be the compiler's own */
  static const char *const of_gcc[] = {"-shared", "/dev/null", "-o", "/dev/null"};
  bool nvcc = arch && kind->dialect == CC_NVCC;
  if (!nvcc)
    argv_add_words(out, "-###", "-x", arch ? "hip" : "c++", NULL);
  for (size_t i = 0; i < (nvcc ? sizeof of_nvcc : sizeof of_gcc) / sizeof *of_gcc; i++)
    argv_add(out, nvcc ? of_nvcc[i] : of_gcc[i]);
  if (arch && *arch)
    compiler_add_arch(out, kind->dialect, arch, strlen(arch));
  if (nvcc && ccbin)
    argv_add_words(out, "-ccbin", ccbin, NULL);
}
