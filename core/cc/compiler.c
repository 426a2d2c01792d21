#include "compiler.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>

static const struct compiler rows[] = {
    {.kind = "hip",
     .name = "hipcc",
     .variable = "CK_JIT_HIPCC",
     .dialect = CC_GNU,
     .home_vars = {"ROCM_PATH", "ROCM_HOME"},
     .homes = {"/opt/rocm", "/usr"},
     .package = "ROCm's HIP compiler (Debian: apt-get install hipcc)"},
    {.kind = "cuda",
     .name = "nvcc",
     .variable = "CK_JIT_NVCC",
     .dialect = CC_NVCC,
     .home_vars = {"CUDA_HOME", "CUDA_PATH"},
     .homes = {"/usr/local/cuda", "/opt/cuda", "/usr"},
     .package = "NVIDIA's CUDA toolkit (pip install nvidia-cuda-nvcc, or developer.nvidia.com/cuda-toolkit)"},
};
enum { NROWS = sizeof rows / sizeof *rows };

/* A C++ compiler of the host's by its name: c++, g++-12, x86_64-linux-gnu-g++. clang++ compiles HIP as well.
 */
static bool is_of_host(const char *base) {
  return str_starts(base, "c++") || str_starts(base, "g++") || strstr(base, "-c++") || strstr(base, "-g++");
}

const struct compiler *compiler_of(const char *name) {
  const char *base = path_base(name);
  if (str_starts(base, rows[1].name))
    return &rows[1];
  return is_of_host(base) ? NULL : &rows[0];
}

const struct compiler *compiler_named(const char *kind) {
  for (size_t i = 0; i < NROWS; i++)
    if (!kind || strcmp(rows[i].kind, kind) == 0)
      return &rows[i];
  return NULL;
}

const struct compiler *compiler_meant(const char *name) {
  const struct compiler *c = compiler_of(name);
  return c ? c : compiler_named(NULL);
}

enum cc_dialect compiler_dialect(const char *name) {
  const struct compiler *c = compiler_of(name);
  return c ? c->dialect : CC_GNU;
}

void compiler_clean_environment(void) {
  static const char *const variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN",
                                          "INCLUDES",           "SYSTEM_INCLUDES",   "LIBRARIES",
                                          "PTXAS_FLAGS",        "CUDAFE_FLAGS"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    unsetenv(variables[i]);
}

/* ---- architectures ---- */

static void add_once(struct argv *v, char *word) {
  for (size_t i = 0; i < v->n; i++)
    if (strcmp(v->args[i], word) == 0) {
      free(word);
      return;
    }
  argv_add_own(v, word);
}

/* what of TEXT stands behind KEY, up to the next key: "arch=compute_80,code=[sm_80,sm_86]" */
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

/* One of the codes, made from virtual architecture ARCH (of N bytes). */
static void add_code(struct argv *out, const char *arch, size_t n, const char *code, size_t m) {
  const char *number = memchr(code, '_', m), *from = memchr(arch, '_', n);
  size_t digits = number ? m - (size_t)(number - code) : 0, of = from ? n - (size_t)(from - arch) : 0;
  bool same = digits && digits == of && memcmp(number, from, digits) == 0;
  if (same || !of || strncmp(arch, "compute", 7) != 0)
    add_once(out, xstrndup(code, m));
  else
    add_once(out, xasprintf("%.*s:%.*s", (int)m, code, (int)n, arch));
}

/* Each word of CODES, separated by commas, in brackets or quotes or without. */
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

/* -arch=sm_90 alone is code for it, and its PTX */
static void add_plain(struct argv *out, const char *arch, const char *code) {
  if (!arch)
    return;
  if (code)
    add_codes(out, arch, strlen(arch), code, strlen(code));
  else
    add_once(out, xstrdup(arch));
  if (!code && str_starts(arch, "sm_"))
    add_once(out, xasprintf("compute_%s", arch + strlen("sm_")));
}

static bool is_option(const char *word, const char *const *names) {
  size_t n = strcspn(word, "=");
  for (; *names; names++)
    if (strlen(*names) == n && memcmp(word, *names, n) == 0)
      return true;
  return false;
}

static void archs_of_nvcc(struct argv *out, const struct ccargs *a, char *const *args) {
  static const char *const gencode[] = {"-gencode", "--gencode", "--generate-code", "-generate-code", NULL};
  static const char *const codes[] = {"-code", "--code", "--gpu-code", "-gpu-code", NULL};
  const char *arch = NULL, *code = NULL;
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    if (w->role != CC_ROLE_ARCH)
      continue;
    if (is_option(args[w->arg], codes)) {
      code = w->value;
    } else if (!is_option(args[w->arg], gencode)) {
      arch = w->value;
    } else {
      size_t n = 0, m = 0;
      const char *from = behind(w->value, "arch=", &n), *to = behind(w->value, "code=", &m);
      if (from && to)
        add_codes(out, from, n, to, m);
    }
  }
  add_plain(out, arch, code);
}

static void archs_of_hip(struct argv *out, char *const *args) {
  for (; args && *args; args++) {
    if (str_starts(*args, "--offload-arch="))
      add_once(out, xstrdup(*args + strlen("--offload-arch=")));
    else if (strcmp(*args, "--offload-arch") == 0 && args[1])
      add_once(out, xstrdup(*++args));
  }
}

void compiler_archs(struct argv *out, const char *name, char *const *args) {
  if (compiler_dialect(name) != CC_NVCC) {
    archs_of_hip(out, args);
    return;
  }
  struct ccargs a;
  ccargs_scan(&a, CC_NVCC, args);
  archs_of_nvcc(out, &a, args);
  ccargs_free(&a);
}

bool compiler_is_arch(const char *name, const struct cc_word *w, char *const *args) {
  if (compiler_dialect(name) == CC_NVCC)
    return w->role == CC_ROLE_ARCH;
  return str_starts(args[w->arg], "--offload-arch");
}

/* "sm_90" is made from compute_90, "sm_86:compute_80" says from what. */
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

void compiler_add_arch(struct argv *out, const char *name, const char *arch, size_t n) {
  if (compiler_dialect(name) == CC_NVCC)
    add_gencode(out, arch, n);
  else
    argv_addf(out, "--offload-arch=%.*s", (int)n, arch);
}
