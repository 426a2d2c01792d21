/* env.c - see env.h. The table has a row for each variable; help texts, man pages and the check for
 * misspelt names are generated from it. docs/environment.md has the same rows.
 */
#include "env.h"
#include "base.h"
#include "suggest.h"
#include "wrap.h"
#include "abi/ck_jit_entry.h"

#include <unistd.h>

/* In reading order for --help: places, tools, behaviour, then variables for builds only.
 * CK_JIT_ROOT and CK_JIT_NAME are read twice: at build time they become part of the library; at run
 * time they override that value. */
const struct env_var env_table[] = {
    {"CK_JIT_ROOT", "the value baked in, or ck_jit/ beside the library",
     "The directory with ckjit-compile and the blobs' sources. "
     "A relative path starts at the library's directory; for ckjit's commands, at the current one. "
     "At build time: the value to bake into the library.",
     ENV_ALL},
    {"CK_JIT_CACHE_DIR", "$XDG_CACHE_HOME/$CK_JIT_NAME, or $HOME/.cache/$CK_JIT_NAME",
     "The cache directory, where compiled blobs are stored.", ENV_RUNTIME},
    {"CK_JIT_CACHE_READONLY_DIR", "unset",
     "A cache that is searched first and never written to, such as one in an image or on a shared "
     "disk. It must belong to root or to the user, and nobody else may be able to write to it.",
     ENV_RUNTIME},
    {"CK_JIT_TRUST_KEYS", "unset",
     "A file of public keys, of `ckjit keygen`, one a line. With it CK_JIT_CACHE_READONLY_DIR may "
     "be writable by others: entries that one of the keys has signed are copied into the cache. "
     "And `ckjit unpack` refuses entries that none of them has signed.",
     ENV_RUNTIME},
    {"CK_JIT_REMOTE_STORAGE", "unset",
     "A URL, and attributes NAME=VALUE after blanks, for ccache's remote storage helper of its "
     "scheme, ccache-storage-SCHEME. Entries there that one of CK_JIT_TRUST_KEYS has signed are "
     "copied into the cache; `ckjit sign --upload` stores them.",
     ENV_RUNTIME},
    {"CK_JIT_CACHE_MAX_SIZE", "0, no limit",
     "Size limit of the cache, such as 20G or 500M: compiled blobs, precompiled headers and logs. "
     "Least recently used entries are evicted first; what a process uses is never evicted.",
     ENV_RUNTIME},
    {"CK_JIT_CACHE_MAX_FILES", "0, no limit",
     "Limit on the number of compiled blobs in the cache. "
     "Eviction is as for CK_JIT_CACHE_MAX_SIZE.",
     ENV_RUNTIME},
    {"CK_JIT_DISABLE_FILE_CACHING", "unset",
     "1: no cache directory is read or written. "
     "Each process compiles its own kernels, into unlinked files.",
     ENV_RUNTIME},
    {"CK_JIT_DISABLE_MEMORY_CACHING", "unset",
     "1: each call of a kernel looks it up in the cache directory, instead of once in a process. "
     "For debugging.",
     ENV_RUNTIME},
    {"CK_JIT_MEMORY_CACHE_MAX", "0, no limit",
     "The maximum number of kernels of one library that a process keeps. The least recently used "
     "one is dropped, and its next call looks it up again. Its code stays mapped.",
     ENV_RUNTIME},
    {"CK_JIT_NAME", "ck_jit",
     "The name of the default cache directory. At build time: the value to bake into the library.",
     ENV_ALL},
    {"CK_JIT_MANIFEST", "ck_jit_manifest.json in CK_JIT_ROOT",
     "A manifest for blobs that the library's embedded manifest does not have.", ENV_RUNTIME},
    {"CK_JIT_VERBOSE", "unset", "1: print a message for each blob that is compiled or loaded.",
     ENV_ALL},
    {"CK_JIT_SAY_AFTER", "5:30",
     "SECONDS:SECONDS: a call that has waited so long for a compile prints a line, and further "
     "lines at the second interval; 0: no further lines. The second number is optional.",
     ENV_RUNTIME},
    {"CK_JIT_QUIET", "unset", "1: calls that wait for a compile print nothing.", ENV_RUNTIME},
    {"CK_JIT_CAPTURE", "unset",
     "A file that gets one line for each called kernel: calls, processes, seconds of its compile, "
     "name. --aot-list and --blob-list take it as a list. Many processes may share it. Calls are "
     "slower while the variable is set.",
     ENV_RUNTIME},
    {"CK_JIT_STATS", "1",
     "0: do not count first calls and compiles in the cache for `ckjit stats`.", ENV_RUNTIME},
    {"CK_JIT_TRACE", "unset",
     "A file to append every first call, wait, compile and load to, and each call of a build's "
     "compilers, for `ckjit trace view`, Perfetto and Chrome.",
     ENV_ALL},
    {"CK_JIT_ON_ERROR", "throw",
     "The effect of a failed compile on its call: throw (a std::runtime_error) or abort. "
     "A launch of an ordinary unit's kernel returns HIP's error instead of throwing.",
     ENV_RUNTIME},
    {"CK_JIT_ON_MISS", "compile",
     "The effect of a call whose blob is in no cache: compile it, or error: fail at once. "
     "For serving, and for images without a compiler.",
     ENV_RUNTIME},
    {"CK_JIT_HIPCC", "found by `ckjit home`", "The real HIP compiler, for every part of ckjit.",
     ENV_ALL},
    {"CK_JIT_NVCC", "found by `ckjit home`", "The real CUDA compiler, for every part of ckjit.",
     ENV_ALL},
    {"CK_JIT_CXX", "$CXX, or c++", "The real C++ compiler, for every part of ckjit.", ENV_ALL},
    {"CK_JIT_COMPILER_LAUNCHER", "unset",
     "A program that starts every compile, such as ccache, sccache, distcc or icecc. "
     "Its arguments follow, each after a ';', as in CMake's CMAKE_CXX_COMPILER_LAUNCHER.",
     ENV_ALL},
    {"CK_JIT_COMPILE_ENV", "unset",
     "Names of variables, separated by colons, whose values in the job are passed to compilers. "
     "All others have their values from the library's build, or are not passed. "
     "Kernels compiled with such a variable are cached separately.",
     ENV_RUNTIME},
    {"CK_JIT_COMPILE_TIMEOUT", "3600",
     "Seconds after which a compile is killed and counts as failed; 0: no limit.", ENV_RUNTIME},
    {"CK_JIT_LOCK_PATIENCE", "20",
     "Seconds without a sign of life from a compiling process, after which another process "
     "compiles its blob. 0: wait for ever.",
     ENV_RUNTIME},
    {"CK_JIT_NETWORK", "found out by its type",
     "Whether the cache's file system is shared by machines: 1 or 0. On such a file system entries "
     "are loaded from memory, missing names are looked for again, and leases replace locks that "
     "other machines do not see.",
     ENV_RUNTIME},
    {"CK_JIT_PCH", "1",
     "0: compile each blob with one plain command, instead of parallel passes with precompiled "
     "headers from the cache, and each kernel of an ordinary unit from its text.",
     ENV_RUNTIME},
    {"CK_JIT_PER_KERNEL", "1",
     "0: compile each whole blob at its first call, and each whole ordinary unit at its first "
     "launch. Otherwise each kernel of a CUDA blob is compiled when it is launched, and functions "
     "of a HIP blob that launch nothing and have no state do not wait for kernels.",
     ENV_RUNTIME},
    {"CK_JIT_WARM", "1",
     "0: compile no kernel before it is called. Otherwise, while a call waits for its kernel, "
     "kernels that are probably needed next are compiled in the background, if processors and "
     "memory allow, until the job ends. detach: continue after that.",
     ENV_RUNTIME},
    {"CK_JIT_UNIT_KERNELS", "8",
     "The number of kernels of one ordinary unit that a process compiles, each at its first "
     "launch, before it compiles the whole unit in the background; 0: never. CK_JIT_WARM=0 also "
     "prevents this.",
     ENV_RUNTIME},
    {"CK_JIT_ARCH", "those of the GPUs in this machine",
     "Architectures to compile blobs for, separated by ';', such as gfx942;gfx950. "
     "Overrides detection.",
     ENV_RUNTIME},
    {"CK_JIT_KFD_ROOT", "/sys/class/kfd/kfd/topology/nodes",
     "The directory whose N/properties files describe the present GPUs; for tests and containers.",
     ENV_RUNTIME},
    {"CK_JIT_JOBS", "MAX_JOBS, else one per processor",
     "The number of compilers that run at the same time. "
     "The processors are those that the affinity and the CPU quota of the control group leave.",
     ENV_ALL},
    {"CK_JIT_JOB_MEMORY", "2Gi",
     "The assumed memory of a compile until four have ended, such as 3G or 500M; 0: ignore memory.",
     ENV_RUNTIME},
    {"CK_JIT_SHARD", "from the variables of Slurm, Open MPI or Kubernetes",
     "I/N: `ckjit build` compiles shard I of N, counted from 0. "
     "auto/N: I is taken from the scheduler's variables.",
     ENV_RUNTIME},
    {"CK_JIT_MEMORY_ROOT", "unset",
     "The directory whose proc/ and sys/fs/cgroup/ give the free memory and the CPU quota; "
     "for tests.",
     ENV_RUNTIME},
    {"CK_JIT_TMP_DIR", "the work directory in the fake home's ckjit.conf",
     "The work directory of the wrapper and the post-build linker: recorded commands, units, "
     "objects.",
     ENV_BUILD},
    {"CK_JIT_UNITS", "as the fake home was set up",
     "1: compile ordinary units lazily as well: a unit that only defines functions when one of "
     "them "
     "is first called; the host side of other units in the build, and each kernel when it is first "
     "launched. build: the host side of all units in the build. 0: pass them to the real compiler.",
     ENV_BUILD},
    {"CK_JIT_SUMMARY", "unset",
     "1: each link prints its whole summary: functions, dispatchers, compiles, and why each kernel "
     "is compiled ahead of time. Else it prints a line and three reasons. CK_JIT_VERBOSE=1 has it "
     "printed, too.",
     ENV_BUILD},
    {"CK_JIT_BASE", "unset",
     "The build's directory. Paths below it are stored as {root}/…, so that the library can be "
     "installed elsewhere.",
     ENV_BUILD},
    {"CK_JIT_AITER_DIR", "unset", "The aiter checkout, for `full` and `quick` without --aiter-dir.",
     ENV_BUILD},
    {"CK_JIT_CK_INCLUDE", "3rdparty/composable_kernel/include in the aiter checkout",
     "CK's headers, passed to the compile of the runtime. ckjit's own runtime needs none of the "
     "three include directories; one given with CK_JIT_RUNTIME_SRC may.",
     ENV_BUILD},
    {"CK_JIT_AITER_INCLUDE", "csrc/include in the aiter checkout",
     "aiter's host headers, passed to the compile of the runtime.", ENV_BUILD},
    {"CK_JIT_ROCM_INCLUDE", "include in the real ROCm home",
     "ROCm's headers, passed to the compile of the runtime.", ENV_BUILD},
    {"CK_JIT_RUNTIME_SRC", "share/ckjit/runtime/ck_jit_runtime.c",
     "The runtime's source, compiled into each library.", ENV_BUILD},
    {"CK_JIT_IS_FWD", "set by ckjit-build",
     "1 in the build of libmha_fwd.so, 0 in the build of libmha_bwd.so. Not for users.", ENV_BUILD},
    {NULL, NULL, NULL, 0},
};

static bool is_known(const char *name) {
  const struct env_var *v = env_table;
  while (v->name && strcmp(v->name, name) != 0)
    v++;
  return v->name;
}

const char *env_get(const char *name) {
  if (!is_known(name))
    die(EXIT_FAILED, "internal error: %s is not in the table of core/base/env.c", name);
  const char *value = secure_getenv(name); /* in a set-user-ID process an attacker controls them */
  return value && *value ? value : NULL;
}

bool env_flag(const char *name) {
  return ckjit_is_on(env_get(name));
}

/* ---- mistakes ---- */

static const char *const switches[] = {"CK_JIT_VERBOSE",
                                       "CK_JIT_DISABLE_FILE_CACHING",
                                       "CK_JIT_DISABLE_MEMORY_CACHING",
                                       "CK_JIT_NETWORK",
                                       "CK_JIT_PCH",
                                       "CK_JIT_PER_KERNEL",
                                       "CK_JIT_QUIET",
                                       "CK_JIT_STATS",
                                       "CK_JIT_SUMMARY",
                                       "CK_JIT_UNITS",
                                       NULL};

static bool is_in(const char *const *list, const char *word) {
  while (*list && strcasecmp(*list, word) != 0)
    list++;
  return *list;
}

/* Variables with two possible words; any other value counts as the first. */
static const struct {
  const char *name, *first, *second;
} choices[] = {{"CK_JIT_ON_ERROR", "throw", "abort"}, {"CK_JIT_ON_MISS", "compile", "error"}};

/* Any value but a "no" counts as yes, so a misspelt "no" does the opposite of its meaning. */
static void check_value(const char *name, const char *value) {
  static const char *const words[] = {"0", "1", "no", "yes", "off", "on", "false", "true", NULL};
  if (strcmp(name, "CK_JIT_UNITS") == 0 && strcmp(value, "build") == 0)
    return;
  if (*value && is_in(switches, name) && !is_in(words, value))
    warn("%s='%s': expected 0 or 1; using 1", name, value);
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    const char *first = choices[i].first, *second = choices[i].second;
    if (*value && strcmp(name, choices[i].name) == 0 && strcmp(value, first) != 0 &&
        strcmp(value, second) != 0)
      warn("%s='%s': expected %s or %s; using %s", name, value, first, second, first);
  }
}

#define PREFIX "CK_JIT_"

/* Variables of CK JIT's that scripts set, and why ckjit reads none of them. */
static const struct {
  const char *name, *why;
} foreign[] = {
    {"CK_JIT_EXTRA_CACHE_KEY",
     "each entry has a key of its source, headers, flags and compiler, so builds that differ share "
     "none"},
};

static bool is_foreign(const char *name) {
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (strcmp(name, foreign[i].name) == 0) {
      warn("%s: has no effect: %s", name, foreign[i].why);
      return true;
    }
  return false;
}

/* All names have the same prefix, so only the rest is compared. */
static void check_name(const char *name) {
  enum { N = sizeof env_table / sizeof *env_table };
  const char *names[N];
  for (size_t i = 0; i < N; i++)
    names[i] = env_table[i].name ? env_table[i].name + strlen(PREFIX) : NULL;
  const char *meant = suggest(name + strlen(PREFIX), names);
  if (meant)
    warn("%s: no such variable; did you mean " PREFIX "%s?", name, meant);
}

void env_check(void) {
  for (char **e = environ; e && *e; e++) {
    if (!str_starts(*e, PREFIX))
      continue;
    autofree char *name = xstrndup(*e, strcspn(*e, "="));
    if (is_known(name))
      check_value(name, *e + strcspn(*e, "=") + 1);
    else if (!is_foreign(name))
      check_name(name);
  }
}

/* ---- help ---- */

enum { INDENT = 6, WIDTH = 80 };

void env_help(FILE *out, enum env_part parts) {
  for (const struct env_var *v = env_table; v->name; v++) {
    if (!(v->part & parts))
      continue;
    fprintf(out, "  %s\n", v->name);
    autofree char *text = xasprintf("%s Default: %s.", v->help, v->fallback);
    print_wrapped(out, 0, INDENT, text);
  }
}

/* Text for mdoc(7): backslashes are escapes, an ellipsis is three dots that do not end a sentence,
 * and each sentence starts on a new line, which tells mdoc where to put two spaces. */
static void print_mdoc(FILE *out, const char *text) {
  size_t column = 0;
  for (const char *s = text; *s; s++) {
    if (*s == '\\') {
      column += (size_t)fprintf(out, "\\e");
    } else if (str_starts(s, "…")) {
      column += (size_t)fprintf(out, "\\&...\\&");
      s += strlen("…") - 1;
    } else if (*s == ' ' && (s[-1] == '.' || column + 1 + strcspn(s + 1, " ") > WIDTH)) {
      fputc('\n', out);
      column = 0;
    } else {
      fputc(*s, out);
      column++;
    }
  }
}

void env_mdoc(FILE *out, enum env_part parts) {
  fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n", out);
  for (const struct env_var *v = env_table; v->name; v++) {
    if (!(v->part & parts))
      continue;
    fprintf(out, ".It Ev %s\n", v->name);
    print_mdoc(out, v->help);
    fputs("\nDefault: ", out);
    print_mdoc(out, v->fallback);
    fputs(".\n", out);
  }
  fputs(".El\n", out);
}
