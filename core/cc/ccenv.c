/* ccenv.c - see ccenv.h. The order of the rows matters: options from the environment are recorded
 * in it. */
#include "ccenv.h"

#include "core/base/path.h"

#include <unistd.h>

const struct cc_variable ccenv[] = {
    /* which clang hipcc runs, and with which libraries */
    /* hipcc's, for HIP_PLATFORM=nvidia */
    {"HIP_CLANG_PATH", "hip", CCENV_CHOOSES | CCENV_TOOLCHAIN | CCENV_DIR, NULL, false},
    {"HIP_PATH", "hip", CCENV_CHOOSES | CCENV_TOOLCHAIN | CCENV_DIR, NULL, false},
    {"HIP_PLATFORM", "hip", CCENV_CHOOSES | CCENV_TOOLCHAIN, NULL, false},
    {"ROCM_PATH", "hip", CCENV_CHOOSES | CCENV_TOOLCHAIN | CCENV_DIR, NULL, false},
    {"HIP_DEVICE_LIB_PATH", "hip", CCENV_CHOOSES | CCENV_TOOLCHAIN | CCENV_DIR, NULL, false},
    {"DEVICE_LIB_PATH", "hip", CCENV_CHOOSES | CCENV_TOOLCHAIN | CCENV_DIR, NULL, false},
    {"LD_LIBRARY_PATH", NULL, CCENV_CHOOSES | CCENV_TOOLCHAIN | CCENV_PATH, NULL, false},
    {"PATH", NULL, CCENV_TOOLCHAIN | CCENV_PATH, NULL, false},
    {"HSA_PATH", "hip", CCENV_TOOLCHAIN | CCENV_DIR, NULL, false},
    {"CUDA_PATH", "hip", CCENV_TOOLCHAIN | CCENV_DIR, NULL, false},
    {"HIP_USE_PERL_SCRIPTS", "hip", CCENV_TOOLCHAIN, NULL, false},
    /* what hipcc adds to a command line */
    {"HIP_COMPILER", "hip", CCENV_TOOLCHAIN | CCENV_KEYED, NULL, false},
    {"HIP_RUNTIME", "hip", CCENV_TOOLCHAIN | CCENV_KEYED, NULL, false},
    {"HIP_ROCCLR_HOME", "hip", CCENV_TOOLCHAIN | CCENV_KEYED | CCENV_DIR, NULL, false},
    {"HIP_LIB_PATH", "hip", CCENV_TOOLCHAIN | CCENV_KEYED | CCENV_DIR, NULL, false},
    {"HCC_AMDGPU_TARGET", "hip", CCENV_TOOLCHAIN | CCENV_KEYED, NULL, false},
    {"HCC_EXTRA_LIBRARIES", "hip", CCENV_TOOLCHAIN | CCENV_KEYED, NULL, false},
    {"HIPCC_LINK_FLAGS_APPEND", "hip", CCENV_TOOLCHAIN | CCENV_KEYED, NULL, false},
    /* gcc's and clang's: where libraries and programs are */
    {"LIBRARY_PATH", NULL, CCENV_TOOLCHAIN | CCENV_KEYED | CCENV_PATH, NULL, false},
    {"COMPILER_PATH", NULL, CCENV_TOOLCHAIN | CCENV_KEYED | CCENV_PATH, NULL, false},
    {"LD_RUN_PATH", NULL, CCENV_TOOLCHAIN | CCENV_KEYED, NULL, false},
    {"SOURCE_DATE_EPOCH", NULL, CCENV_TOOLCHAIN | CCENV_DATED, NULL, false},

    /* options; -ccbin goes first, since a -ccbin in the others overrides NVCC_CCBIN */
    {"NVCC_CCBIN", "cuda", CCENV_BEFORE | CCENV_CLEANED | CCENV_CHOOSES, "-ccbin", false},
    {"NVCC_PREPEND_FLAGS", "cuda", CCENV_BEFORE | CCENV_CLEANED | CCENV_CHOOSES, NULL, false},
    {"NVCC_APPEND_FLAGS", "cuda", CCENV_BEHIND | CCENV_CLEANED | CCENV_CHOOSES, NULL, false},
    /* hipcc's script puts these before the arguments, despite the name */
    {"HIPCC_COMPILE_FLAGS_APPEND", "hip", CCENV_BEFORE, NULL, false},

    /* search paths, set by conda and Spack; they follow the directories of the same kind on the
     * command line */
    {"CPATH", NULL, CCENV_BEHIND, "-I", true},
    {"CPLUS_INCLUDE_PATH", NULL, CCENV_BEHIND, "-isystem", true},

    /* the variables of nvcc.profile: nvcc appends the environment's value to its own and pastes the
     * result into the command lines of its programs */
    {"INCLUDES", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"SYSTEM_INCLUDES", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"LIBRARIES", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"PTXAS_FLAGS", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"CUDAFE_FLAGS", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"NVVM_FLAGS", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"OCG_FLAGS", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},
    {"NVLINK_FLAGS", "cuda", CCENV_ADDS | CCENV_CLEANED, NULL, false},

    /* gcc's */
    {"DEPENDENCIES_OUTPUT", NULL, CCENV_BENDS, NULL, false},
    {"SUNPRO_DEPENDENCIES", NULL, CCENV_BENDS, NULL, false},
    {"GCC_COMPARE_DEBUG", NULL, CCENV_BENDS, NULL, false},
    {"GCC_EXEC_PREFIX", NULL, CCENV_BENDS, NULL, false},
    /* clang's */
    {"CCC_OVERRIDE_OPTIONS", NULL, CCENV_BENDS, NULL, false},
    {"CCC_ADD_ARGS", NULL, CCENV_BENDS, NULL, false},
    {"QA_OVERRIDE_GCC3_OPTIONS", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_OPTIONS", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_HEADERS", NULL, CCENV_BENDS, NULL, false},
    {"CC_LOG_DIAGNOSTICS", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_PROC_STAT", NULL, CCENV_BENDS, NULL, false},
    {"CC_PRINT_INTERNAL_STAT", NULL, CCENV_BENDS, NULL, false},
    {"AS_SECURE_LOG_FILE", NULL, CCENV_BENDS, NULL, false},
    /* hipcc's */
    {"HIP_COMPILE_CXX_AS_HIP", NULL, CCENV_BENDS, NULL, false},
    {"HIP_CLANG_HCC_COMPAT_MODE", "hip", CCENV_BENDS, NULL, false},

    /* what a process needs, whatever it is */
    {"HOME", NULL, CCENV_LIFE, NULL, false},
    {"USER", NULL, CCENV_LIFE, NULL, false},
    {"LOGNAME", NULL, CCENV_LIFE, NULL, false},

    /* launchers', which choose another compiler or overlook a difference: before the rows of all
     * their others */
    {"CCACHE_CC", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_COMPILER", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_COMPILERCHECK", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_COMPILERTYPE", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_IGNOREHEADERS", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_IGNOREOPTIONS", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_PATH", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_PREFIX", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_PREFIX_CPP", NULL, CCENV_WITHHELD, NULL, false},
    {"CCACHE_SLOPPINESS", NULL, CCENV_WITHHELD, NULL, false},
    {"ICECC_CC", NULL, CCENV_WITHHELD, NULL, false},
    {"ICECC_CXX", NULL, CCENV_WITHHELD, NULL, false},
    {"ICECC_VERSION", NULL, CCENV_WITHHELD, NULL, false},
    /* launchers, and the stores and networks that they use */
    {"CCACHE_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"SCCACHE_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"DISTCC_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"ICECC_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"ICECREAM_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"REDIS_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"MEMCACHED_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"AWS_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"AZURE_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"GOOGLE_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"ACTIONS_*", NULL, CCENV_LAUNCHER, NULL, false}, /* GitHub's cache, which sccache can use */
    {"XDG_*", NULL, CCENV_LAUNCHER, NULL, false},
    {"http_proxy", NULL, CCENV_LAUNCHER, NULL, false},
    {"https_proxy", NULL, CCENV_LAUNCHER, NULL, false},
    {"no_proxy", NULL, CCENV_LAUNCHER, NULL, false},
    {"all_proxy", NULL, CCENV_LAUNCHER, NULL, false},
    {"HTTP_PROXY", NULL, CCENV_LAUNCHER, NULL, false},
    {"HTTPS_PROXY", NULL, CCENV_LAUNCHER, NULL, false},
    {"NO_PROXY", NULL, CCENV_LAUNCHER, NULL, false},
    {"ALL_PROXY", NULL, CCENV_LAUNCHER, NULL, false},
    {"SSL_CERT_FILE", NULL, CCENV_LAUNCHER, NULL, false},
    {"SSL_CERT_DIR", NULL, CCENV_LAUNCHER, NULL, false},
    {"SSH_AUTH_SOCK", NULL, CCENV_LAUNCHER, NULL, false}, /* distcc by way of ssh */
    {0},
};

bool ccenv_is_read(const struct cc_variable *v, const struct compiler *c) {
  return !v->kind || strcmp(v->kind, c->kind) == 0;
}

bool ccenv_is_bent(const struct compiler *c) {
  for (const struct cc_variable *v = ccenv; v->name; v++) {
    /* The class first: a build asks this thousands of times, and most rows are of another one. */
    const char *value =
        (v->what & (CCENV_BENDS | CCENV_ADDS)) && ccenv_is_read(v, c) ? getenv(v->name) : NULL;
    if (value && ((v->what & CCENV_BENDS) || *value))
      return true;
  }
  return false;
}

/* ---- the environment of a compile ---- */

/* A ':' list of directories with relative ones made absolute; without empty ones, which mean the
 * current directory and are nearly always a stray colon. "" if nothing is left; free() it. */
static char *absolute_list(const char *list) {
  struct buf out = {0};
  buf_puts(&out, "");
  for (size_t n; *list; list += n + (list[n] == ':')) {
    n = strcspn(list, ":");
    autofree char *dir = xstrndup(list, n), *absolute = *dir ? path_abs(dir) : NULL;
    if (absolute)
      buf_printf(&out, "%s%s", out.len ? ":" : "", absolute);
  }
  return out.data;
}

void ccenv_toolchain(struct argv *list, const struct compiler *c) {
  for (const struct cc_variable *v = ccenv; v->name; v++) {
    /* clang reads hipcc's, too; nvcc none of them */
    bool concerns = (v->what & CCENV_TOOLCHAIN) && (!v->kind || c->dialect != CC_NVCC);
    const char *value = concerns ? secure_getenv(v->name) : NULL;
    autofree char *said =
        value && (v->what & CCENV_PATH) ? absolute_list(value) : xstrdup(value ? value : "");
    if (*said)
      argv_addf(list, "%s=%s", v->name, said);
  }
}

/* the first row of VARIABLE, "NAME=VALUE"; NULL: there is none */
static const struct cc_variable *row_of(const char *variable) {
  size_t n = strcspn(variable, "=");
  for (const struct cc_variable *v = ccenv; v->name; v++) {
    size_t m = strlen(v->name);
    bool prefix = v->name[m - 1] == '*';
    if (prefix ? n >= m - 1 && memcmp(variable, v->name, m - 1) == 0
               : n == m && memcmp(variable, v->name, n) == 0)
      return v;
  }
  return NULL;
}

bool ccenv_is_keyed(const char *variable, bool dated) {
  const struct cc_variable *v = row_of(variable);
  return v && (v->what & (dated ? CCENV_KEYED | CCENV_DATED : CCENV_KEYED));
}

int ccenv_directories(const char *variable) {
  const struct cc_variable *v = row_of(variable);
  return v ? v->what & (CCENV_PATH | CCENV_DIR) : 0;
}

void ccenv_make(struct argv *env, const struct argv *toolchain, const char *temporary) {
  const char *tmpdir = temporary ? temporary : secure_getenv("TMPDIR");
  if (!argv_has_prefix(toolchain, "PATH="))
    argv_add(env, "PATH=" CCENV_PATH_DEFAULT);
  argv_add_all(env, toolchain->args);
  for (char **e = environ; e && *e; e++) {
    const struct cc_variable *v = row_of(*e);
    if (v && (v->what & (CCENV_LIFE | CCENV_LAUNCHER)))
      argv_add(env, *e);
  }
  argv_add(env, "LANG=C.UTF-8"); /* the locale decides what gcc takes a source's characters for */
  if (tmpdir && *tmpdir)
    argv_addf(env, "TMPDIR=%s", tmpdir);
}

void ccenv_clean(void) {
  for (const struct cc_variable *v = ccenv; v->name; v++)
    if (v->what & CCENV_CLEANED)
      unsetenv(v->name);
}
