/* commute.c - the flags of a key in one order, whichever they came in, and in their own if that may matter. With words
 * it serves test/keys-commute.sh:
 *
 *     commute examples      the flags of the table, a line each: "free -fPIC", "kept -O2"
 *     commute keys          what a key has of each line of standard input, flags; "nvcc FLAGS": flags of nvcc
 */
// tier: check
#include "core/base/message.h"
#include "core/cache/commute.h"
#include "core/cache/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The flags that aiter's modules give to hipcc for a blob: those of its own, of torch, and of the set. What the key has
 * of them is what keys had when every -f and -m commuted: nothing that is cached is lost. */
static const char aiter[] =
    "-DWITH_HIP -I/a -fPIC -std=c++20 -O3 -D__HIP_PLATFORM_AMD__=1 -DUSE_ROCM=1 -DHIPBLAS_V2 -DCUDA_HAS_FP16=1 "
    "-D__HIP_NO_HALF_OPERATORS__=1 -D__HIP_NO_HALF_CONVERSIONS__=1 -mcmodel=large -fno-unique-section-names "
    "-ffunction-sections -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden "
    "-DLEGACY_HIPBLAS_DIRECT -DUSE_PROF_API=1 -D__HIP_PLATFORM_HCC__=1 -U__HIP_NO_HALF_CONVERSIONS__ "
    "-U__HIP_NO_HALF_OPERATORS__ -mllvm --amdgpu-kernarg-preload-count=16 -Wno-unused-result -Wno-switch-bool "
    "-fgpu-flush-denormals-to-zero -mllvm --lsr-drop-solution=1 -fno-offload-uniform-block "
    "-mllvm -enable-post-misched=0 -mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false "
    "-mllvm -amdgpu-coerce-illegal-types=1 -DCK_TILE_FMHA_FWD_FAST_EXP2=1 -fno-gpu-rdc -x hip";
static const char aiter_key[] =
    "-DCK_TILE_FMHA_FWD_FAST_EXP2=1 -DCUDA_HAS_FP16=1 -DHIPBLAS_V2 -DLEGACY_HIPBLAS_DIRECT -DUSE_PROF_API=1 "
    "-DUSE_ROCM=1 -DWITH_HIP -D__HIP_NO_HALF_CONVERSIONS__=1 -U__HIP_NO_HALF_CONVERSIONS__ "
    "-D__HIP_NO_HALF_OPERATORS__=1 -U__HIP_NO_HALF_OPERATORS__ -D__HIP_PLATFORM_AMD__=1 "
    "-D__HIP_PLATFORM_HCC__=1 -fPIC -fdata-sections -ffunction-sections -fgpu-flush-denormals-to-zero "
    "-fno-gpu-rdc -fno-offload-uniform-block -fno-unique-section-names -fvisibility=hidden "
    "-fvisibility-inlines-hidden -mllvm -amdgpu-coerce-illegal-types=1 -mllvm -amdgpu-early-inline-all=true "
    "-mllvm -amdgpu-function-calls=false -mllvm --amdgpu-kernarg-preload-count=16 "
    "-mllvm -enable-post-misched=0 -mllvm --lsr-drop-solution=1 -mcmodel=large -std=c++20 -O3 -x hip";

/* two orders of one set of flags, and whether a blob compiled with the one is as good as with the other */
static const struct {
  const char *a, *b;
  bool same;
} orders[] = {
    {"-O3 -fno-rtti -DA -DB=1 -mllvm -inline-threshold=1",
     "-mllvm -inline-threshold=1 -DB=1 -fno-rtti -DA -O3", true},
    {"-Wall -O3 -I/a -isystem /b -w -fdiagnostics-color", "-O3 -I /elsewhere", true},
    {"-fPIC -O3", "-O3 -fPIC", true},
    {"-include a.h -DA", "-DA -include /b/a.h", true},
    {"-x hip -mcmodel=large", "-mcmodel=large -x hip", true},
    {"-O3", "-O2", false},
    {"-O3 -O2", "-O2 -O3", false},
    {"-O2 -Ofast", "-Ofast -O2", false},
    {"-frtti -fno-rtti", "-fno-rtti -frtti", false},
    {"-fvisibility=hidden -fvisibility=default", "-fvisibility=default -fvisibility=hidden", false},
    {"-fgpu-rdc -fno-gpu-rdc", "-fno-gpu-rdc -fgpu-rdc", false},
    {"-DA=1 -UA", "-UA -DA=1", false},
    {"-D A=1 -U A", "-U A -D A=1", false},
    {"-D'A(x)=x' -UA", "-UA -D'A(x)=x'", false},
    {"-D A=1", "-D A=2", false},
    {"-DA=1 -Wp,-DA=2", "-Wp,-DA=2 -DA=1", false},
    {"-std=c++17 -std=c++20", "-std=c++20 -std=c++17", false},
    {"-x hip -x c++", "-x c++ -x hip", false},
    {"-include a.h -include b.h", "-include b.h -include a.h", false},
    {"-mllvm -slp-threshold=1 -mllvm -slp-threshold=2", "-mllvm -slp-threshold=2 -mllvm --slp-threshold=1",
     false},
    {"-mllvm -nobody-knows -fPIC", "-fPIC -mllvm -nobody-knows", false},
    /* a value of its own: torn apart, 4 would be another option's */
    {"-mllvm -slp-threshold -mllvm 4 -mllvm -amdgpu-x", "-mllvm -amdgpu-x -mllvm 4 -mllvm -slp-threshold",
     false},
    {"-mllvm -slp-threshold -mllvm 4 -mllvm -inline-threshold -mllvm 5",
     "-mllvm -slp-threshold -mllvm 5 -mllvm -inline-threshold -mllvm 4", false},
    /* a known flag does not pass by one that is not, and others do not pass by each other */
    {"-fPIC -fnobody-knows", "-fnobody-knows -fPIC", false},
    {"-DA -fnobody-knows -fPIC", "-fPIC -fnobody-knows -DA", false},
    {"-fnobody-knows -DA -fPIC", "-fnobody-knows -fPIC -DA", true},
    {"-DA -fPIC -fnobody-knows -O2 -frtti", "-fPIC -DA -fnobody-knows -frtti -O2", true},
    {"-fno-such -fno-other", "-fno-other -fno-such", false},
    {"-fPIC=2 -DA", "-DA -fPIC=2", false},
    {"-fvisibility -DA", "-DA -fvisibility", false},
    {"-fno-math-errno -ffast-math", "-ffast-math -fno-math-errno", false},
    {"-ffp-model=fast -ffp-contract=off", "-ffp-contract=off -ffp-model=fast", false},
    {"-fno-honor-nans -ffinite-math-only", "-ffinite-math-only -fno-honor-nans", false},
    {"-fPIC -fPIE", "-fPIE -fPIC", false},
    {"-fpic -fPIC", "-fPIC -fpic", false},
    {"-mfma -mno-avx", "-mno-avx -mfma", false},
    {"-march=x86-64 -mavx", "-mavx -march=x86-64", false},
    {"-fsanitize=address -fno-sanitize=all", "-fno-sanitize=all -fsanitize=address", false},
    {"-Xclang -fno-pic -fPIC", "-fPIC -Xclang -fno-pic", false},
    {"-Xarch_host -O1 -O2", "-O2 -Xarch_host -O1", false},
    {"-Wl,-z,now", "", false},
};

static const struct {
  const char *a, *b;
  bool same;
} nvcc_orders[] = {
    {"-O3 -DA -Xcompiler -fPIC -DB", "-DB -O3 -DA -Xcompiler -fPIC", true},
    {"-Xcompiler -fPIC -Xcompiler -fPIE", "-Xcompiler -fPIE -Xcompiler -fPIC", false},
    {"-DA=1 -UA", "-UA -DA=1", false},
    {"-fmad=true -fmad=false", "-fmad=false -fmad=true", false},
    {"-use_fast_math -fmad=false", "-fmad=false -use_fast_math", false},
};

static char *key_text(enum cc_dialect dialect, const char *flags) {
  struct argv all = {0}, out = {0};
  argv_split(&all, flags, strlen(flags));
  if (all.args)
    key_flags(&out, dialect, all.args);
  char *text = out.args ? argv_join(out.args) : xstrdup("");
  argv_free(&all);
  argv_free(&out);
  return text;
}

static bool check_order(enum cc_dialect dialect, const char *one, const char *other, bool same) {
  char *a = key_text(dialect, one), *b = key_text(dialect, other);
  bool right = (strcmp(a, b) == 0) == same;
  if (!right)
    fprintf(stderr, "%s | %s: want %s: %s | %s\n", one, other, same ? "same" : "different", a, b);
  free(a);
  free(b);
  return right;
}

static bool check_aiter(void) {
  char *text = key_text(CC_GNU, aiter);
  bool right = strcmp(text, aiter_key) == 0;
  if (!right)
    fprintf(stderr, "aiter's flags:\n  want %s\n  got  %s\n", aiter_key, text);
  free(text);
  return right;
}

static int print_examples(void) {
  enum commute kind;
  for (size_t i = 0; commute_example(i, &kind); i++)
    printf("%s %s\n", kind == COMMUTE_FREE ? "free" : "kept", commute_example(i, &kind));
  return 0;
}

static int print_keys(void) {
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    bool nvcc = str_starts(line, "nvcc ");
    char *text = key_text(nvcc ? CC_NVCC : CC_GNU, line + (nvcc ? 5 : 0));
    puts(text);
    free(text);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1)
    return strcmp(argv[1], "keys") == 0 ? print_keys() : print_examples();
  bool right = check_aiter();
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    right &= check_order(CC_GNU, orders[i].a, orders[i].b, orders[i].same);
  for (size_t i = 0; i < sizeof nvcc_orders / sizeof *nvcc_orders; i++)
    right &= check_order(CC_NVCC, nvcc_orders[i].a, nvcc_orders[i].b, nvcc_orders[i].same);
  /* each example is what the table says of it */
  enum commute kind;
  const char *example;
  for (size_t i = 0; (example = commute_example(i, &kind)); i++) {
    struct argv words = {0};
    char *family, *line = xasprintf("%s%s", example, str_ends(example, "-") ? "x" : "");
    argv_split(&words, line, strlen(line));
    if (commute_of(words.args[0], words.args[1], &family) != kind) {
      fprintf(stderr, "%s: not what the table says\n", line);
      right = false;
    }
    free(family);
    free(line);
    argv_free(&words);
  }
  return right ? 0 : 1;
}
