/* commute.c - the flags that are known to commute.
 *
 * One kernel should have one key, however a build orders its flags: aiter passes its HIP flags
 * through a Python set, so their order changes from build to build. But many flags do not commute,
 * and most of these look as if they did:
 *
 *     -ffp-model=fast -ffp-contract=off     the later one decides how a * b + c is rounded
 *     -fno-math-errno -ffast-math           one sets what the other unsets
 *     -fPIC -fPIE                           two names of one setting
 *     -mfma -mno-avx                        the second removes the feature of the first
 *     -O2 -Ofast                            the last one counts, and one is more than a level
 *
 * If two orders give one key, the first comer's order decides the cached kernel. So the rule is: a
 * flag commutes if it is in these tables; any other flag keeps its place. The tables hold the flags
 * of the builds of aiter, Composable Kernel, flash-attention and torch. test/keys-commute.sh asks
 * clang about every pair of them: in both orders it must start the same passes with the same words.
 *
 * A row belongs here if clang's driver looks at the flag alone (hasArg, getLastArg) and passes it
 * on at a fixed place, or if LLVM keeps it in a separate variable (-mllvm). It does not if the
 * driver processes the flags in order, as for all of floating point, for -m with features
 * of processors, and for -fsanitize.
 */
#include "commute.h"

#include "core/base/base.h"

/* clang-format off */

/* -fNAME and -fno-NAME, or if it has a value, -fNAME=VALUE; -m likewise. */
static const struct {
  char letter;
  const char *name, *value; /* a sample value; NULL: it takes none */
} flags[] = {
  {'f', "PIC", NULL},
  {'f', "data-sections", NULL},
  {'f', "exceptions", NULL},
  {'f', "function-sections", NULL},
  {'f', "gpu-flush-denormals-to-zero", NULL},
  {'f', "gpu-rdc", NULL},
  {'f', "offload-uniform-block", NULL},
  {'f', "rtti", NULL},
  {'f', "strict-aliasing", NULL},
  {'f', "template-backtrace-limit", "0"},
  {'f', "template-depth", "1024"},
  {'f', "unique-section-names", NULL},
  {'f', "verbose-asm", NULL},
  {'f', "visibility", "hidden"},
  {'f', "visibility-inlines-hidden", NULL},
  {'m', "cmodel", "large"},
};

/* -mllvm --NAME[=VALUE]: each a separate option of LLVM, with its own variable. A name that ends in
 * '-' stands for all names with that prefix. */
static const char *const llvm[] = {
  "amdgpu-",
  "disable-machine-licm",
  "enable-noalias-to-md-conversion",
  "enable-post-misched",
  "greedy-regalloc-eviction-max-iterations",
  "greedy-reverse-local-assignment",
  "inline-threshold",
  "lsr-drop-solution",
  "misched-bottomup",
  "misched-prera-direction",
  "slp-threshold",
  "unroll-threshold",
  "vectorize-slp",
};

/* The last one of these counts, or they are lists; and none interacts with the flags above. */
static const char *const kept[] = {
  "--offload-compress", "-O0", "-O1", "-O2", "-O3", "-Os", "-Oz", "-g", "-g0", "-g1", "-g2", "-g3",
  "-gline-tables-only",
  "-nogpuinc", "-nogpulib", "-pthread",
};
/* The same with a value: after '=', or the next word. A forced header is read after all -D and
 * -U. */
static const struct {
  const char *name, *value;
} kept_values[] = {
  {"-imacros ", "cstddef"}, {"-include ", "cstddef"}, {"-std=", "c++20"}, {"-x ", "hip"},
};
/* clang-format on */

enum {
  NFLAGS = sizeof flags / sizeof *flags,
  NLLVM = sizeof llvm / sizeof *llvm,
  NKEPT = sizeof kept / sizeof *kept,
  NVALUES = sizeof kept_values / sizeof *kept_values,
};

static enum commute in_family(char kind, const char *name, size_t n, char **family) {
  *family = xasprintf("%c%.*s", kind, (int)n, name);
  return COMMUTE_FREE;
}

/* -f or -m of the table. */
static enum commute of_flag(const char *a, char **family) {
  bool off = str_starts(a + 2, "no-");
  const char *name = a + (off ? 5 : 2);
  size_t n = strcspn(name, "=");
  for (size_t i = 0; i < NFLAGS; i++) {
    if (flags[i].letter != a[1] || strlen(flags[i].name) != n ||
        strncmp(flags[i].name, name, n) != 0)
      continue;
    bool fits = flags[i].value ? !off && name[n] : !name[n];
    return fits ? in_family(a[1], name, n, family) : COMMUTE_NOT;
  }
  return COMMUTE_NOT;
}

static enum commute of_llvm(const char *word, char **family) {
  const char *name = word + strspn(word, "-");
  size_t n = strcspn(name, "=");
  for (size_t i = 0; name != word && i < NLLVM; i++) {
    size_t m = strlen(llvm[i]);
    bool start = llvm[i][m - 1] == '-';
    if ((start ? n > m : n == m) && strncmp(llvm[i], name, m) == 0)
      return in_family('l', name, n, family);
  }
  return COMMUTE_NOT;
}

/* -D and -U: the macro's name, without the parameters that -D'F(x)=x' has and -UF does not. */
static enum commute of_macro(const char *text, char **family) {
  return in_family('D', text, strcspn(text, "=("), family);
}

enum commute commute_of(const char *a, const char *b, char **family) {
  *family = NULL;
  if (strcmp(a, "-mllvm") == 0)
    return b ? of_llvm(b, family) : COMMUTE_NOT;
  if (a[0] == '-' && (a[1] == 'D' || a[1] == 'U') && (a[2] || b))
    return of_macro(a[2] ? a + 2 : b, family);
  if (a[0] == '-' && (a[1] == 'f' || a[1] == 'm'))
    return of_flag(a, family);
  for (size_t i = 0; i < NKEPT; i++)
    if (strcmp(a, kept[i]) == 0)
      return COMMUTE_KEPT;
  for (size_t i = 0; i < NVALUES; i++) {
    const char *name = kept_values[i].name;
    size_t n = strlen(name) - 1;
    if (strncmp(a, name, n) == 0 && (b ? name[n] == ' ' && !a[n] : name[n] == '=' && a[n] == '='))
      return COMMUTE_KEPT;
  }
  return COMMUTE_NOT;
}

bool commute_is_continued(const char *value) {
  return value[0] != '-';
}

const char *commute_example(size_t i, enum commute *kind) {
  static char text[128];
  *kind = COMMUTE_FREE;
  if (i < 2 * (size_t)NFLAGS) { /* on and off; one with a value has no off, and comes twice */
    const char *value = flags[i / 2].value;
    snprintf(text, sizeof text, "-%c%s%s%s%s", flags[i / 2].letter, i % 2 && !value ? "no-" : "",
             flags[i / 2].name, value ? "=" : "", value ? value : "");
    return text;
  }
  i -= 2 * (size_t)NFLAGS;
  if (i < NLLVM) {
    snprintf(text, sizeof text, "-mllvm --%s", llvm[i]);
    return text;
  }
  i -= NLLVM;
  *kind = COMMUTE_KEPT;
  if (i < NKEPT)
    return kept[i];
  i -= NKEPT;
  if (i >= NVALUES)
    return NULL;
  snprintf(text, sizeof text, "%s%s", kept_values[i].name, kept_values[i].value);
  return text;
}
