/* ccreach.c - which words of a record whose author is not known may be run, and which may not: the
 * ordinary words of builds, and those that name what a compiler runs, loads or writes.
 */
// tier: check
#include "core/cc/ccargs.h"

#include <stdio.h>
#include <string.h>

static const struct {
  enum cc_dialect dialect;
  const char *line, *reaches; /* NULL: no word */
} cases[] = {
    {CC_GNU, "-O3 -O2 -Os -Ofast -g -g3 -ggdb -gdwarf-4 -gline-tables-only -pipe -pthread -w -v", NULL},
    {CC_GNU, "-std=c++17 -std=gnu++20 --std=c++17 -stdlib=libstdc++ -fPIC -fpic -fPIE -fopenmp", NULL},
    {CC_GNU, "-Wall -Wextra -Werror -Wno-unused-result -Werror=return-type -pedantic -Weverything", NULL},
    {CC_GNU, "-fgpu-rdc -fno-gpu-rdc -fcuda-rdc -fgpu-rdc", NULL},
    {CC_GNU, "-fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions -fno-rtti -fno-plt", NULL},
    {CC_GNU, "-ffast-math -fno-math-errno -ffp-contract=fast -fgpu-flush-denormals-to-zero", NULL},
    {CC_GNU, "-fstack-protector-strong -fcf-protection -fno-strict-aliasing -funroll-loops", NULL},
    {CC_GNU, "-fdiagnostics-color=always -fcolor-diagnostics -ferror-limit=0 -ftemplate-depth=1024", NULL},
    {CC_GNU, "-flto -flto=thin -fno-lto -flto=auto -ffat-lto-objects -fsanitize=address", NULL},
    {CC_GNU, "-ffunction-sections -fdata-sections -fno-semantic-interposition -fms-extensions", NULL},
    {CC_GNU, "-ffile-prefix-map=/a=/b -fmacro-prefix-map=/a=. -fdebug-prefix-map=/a=/b", NULL},
    {CC_GNU, "-fdebug-compilation-dir=/a -fdebug-compilation-dir /a", NULL},
    {CC_GNU, "-march=native -march=x86-64-v3 -mtune=generic -mavx2 -mfma -m64 -mcmodel=large", NULL},
    {CC_GNU, "-munsafe-fp-atomics -mcumode -mwavefrontsize64 -mcode-object-version=5", NULL},
    {CC_GNU, "-mllvm -amdgpu-early-inline-all=true -mllvm --inline-threshold=100000", NULL},
    {CC_GNU, "-Xclang -fallow-half-arguments-and-returns -Xclang -mcode-object-version=5", NULL},
    {CC_GNU, "-DNAME -DNAME=1 -D NAME=\"a/b\" -UNAME -U NAME -DDIR=/a/b", NULL},
    {CC_GNU, "-I/a -I . -isystem /a/b -iquote x -idirafter y -include a/config.h", NULL},
    {CC_GNU, "--offload-arch=gfx90a --offload-arch=gfx942:xnack+ --cuda-gpu-arch=gfx90a", NULL},
    {CC_GNU, "--offload-compress -parallel-jobs=4 --offload-host-only --offload-new-driver", NULL},
    {CC_GNU, "--cuda-host-only --hip-link -nogpulib -nogpuinc -no-hip-rt --hip-version=6.0", NULL},
    {CC_GNU, "-Xarch_device -O3 -Xarch_host -g -Xarch_gfx90a -DX", NULL},
    {CC_GNU, "--param max-inline-insns-auto=10 --param=x=1 -target x86_64-linux-gnu", NULL},
    {CC_GNU, "-nostdinc -nostdinc++ -nostdlib -ansi -P -H -undef -Wp,-D_FORTIFY_SOURCE=2", NULL},
    {CC_GNU, "-MD -MF x.d -MT x.o -L/a -lm -Wa,--noexecstack", "-Wa,--noexecstack"},
    {CC_GNU, "-O2 -B/a", "-B/a"},
    {CC_GNU, "-fgpu-rdc -ftime-trace", "-ftime-trace"},
    {CC_GNU, "-ftime-trace -fgpu-rdc", "-ftime-trace"},
    {CC_GNU, "-fgpu-rdc -fplugin=a.so", "-fplugin=a.so"},
    {CC_GNU, "-Xclang -load -Xclang a.so", "-Xclang"},
    {CC_GNU, "-Xarch_host -fplugin=a.so", "-fplugin=a.so"},
    {CC_GNU, "-mllvm -load=a.so", "-mllvm"},
    {CC_GNU, "-fuse-ld=a", "-fuse-ld=a"},
    {CC_GNU, "-Xassembler -o", "-Xassembler"},
    {CC_GNU, "-Xclang=-load", "-Xclang=-load"},
    {CC_GNU, "-Xarch_host -B.", "-B."},
    {CC_GNU, "-save-temps", "-save-temps"},
    {CC_GNU, "-specs=a", "-specs=a"},
    {CC_GNU, "-Wl,-plugin,a.so", "-Wl,-plugin,a.so"},
    {CC_NVCC, "-O3 -O2 -g -G -lineinfo -w -std=c++17 --std=c++17 -std c++17 -m64 -x cu", NULL},
    {CC_NVCC, "-rdc=true -rdc=false --relocatable-device-code=true -rdc true", NULL},
    {CC_NVCC, "-dc", NULL},
    {CC_NVCC, "--device-c -arch=sm_80", NULL},
    {CC_NVCC, "-arch=sm_80 -arch sm_90 --gpu-architecture=sm_90a -code=sm_80,compute_80", NULL},
    {CC_NVCC, "-gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90]", NULL},
    {CC_NVCC, "--generate-code=arch=compute_70,code=[compute_70,sm_70]", NULL},
    {CC_NVCC, "-Xcompiler -fPIC -Xcompiler=-Wall,-O3 --compiler-options -fPIC,-fvisibility=hidden", NULL},
    {CC_NVCC, "-Xcompiler -fno-strict-aliasing -Xcompiler=-ffile-prefix-map=/a=/b", NULL},
    {CC_NVCC, "-Xptxas -v -Xptxas=-O3,-v -Xfatbin -compress-all -Xcudafe --diag_suppress=20012", NULL},
    {CC_NVCC, "--expt-relaxed-constexpr --expt-extended-lambda --extended-lambda", NULL},
    {CC_NVCC, "-use_fast_math --use_fast_math -ftz=true -fmad=false -prec-div=true", NULL},
    {CC_NVCC, "-diag-suppress 20012,177 -Wno-deprecated-gpu-targets -Werror all-warnings", NULL},
    {CC_NVCC, "--threads 4 -t=4 -t4 --split-compile=0 -maxrregcount=128 --default-stream per-thread", NULL},
    {CC_NVCC, "-I/a -isystem=/a -isystem /a -DNAME=1 -DNAME=\"a/b\" -UNAME -include a.h", NULL},
    {CC_NVCC, "-cudart static --cudart=shared -allow-unsupported-compiler -compress-mode=size", NULL},
    {CC_NVCC, "-forward-unknown-to-host-compiler -fPIC -Wall -march=native", NULL},
    {CC_NVCC, "-ccbin own", NULL},
    {CC_NVCC, "-ccbin=own --compiler-bindir own", NULL},
    {CC_NVCC, "-ccbin evil", "-ccbin"},
    {CC_NVCC, "-dc --keep", "--keep"},
    {CC_NVCC, "-rdc=true -Xcompiler -fplugin=a.so", "-fplugin=a.so"},
    {CC_NVCC, "-Xcompiler -B/a", "-Xcompiler"},
    {CC_NVCC, "-Xcompiler=-B.", "-B."},
    {CC_NVCC, "-Xcompiler=-O2,-B.", "-B."},
    {CC_NVCC, "--compiler-options=-B.", "-B."},
    {CC_NVCC, "-Xcompiler -ffile-prefix-map=/a=/b,-B.", "-B."},
    {CC_NVCC, "-forward-unknown-to-host-compiler -O2 -fuse-ld=a", "-fuse-ld=a"},
    {CC_NVCC, "-Xptxas=-o,a", "-Xptxas=-o,a"},
    {CC_NVCC, "-Xptxas -o -Xptxas a", "-Xptxas"},
};

static bool is_program(const char *program, void *user) {
  return strcmp(program, user) == 0;
}

int main(void) {
  static char own[] = "own";
  int bad = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct argv v = {0};
    struct ccargs a;
    argv_split(&v, cases[i].line, strlen(cases[i].line));
    if (!strstr(cases[i].line, "-dc"))
      argv_add(&v, "-c");
    argv_add(&v, "x.cu");
    ccargs_scan(&a, cases[i].dialect, v.args);
    const char *got = ccargs_reaches(&a, is_program, own), *want = cases[i].reaches;
    if (!got != !want || (got && strcmp(got, want) != 0)) {
      fprintf(stderr, "%s: want %s, got %s\n", cases[i].line, want ? want : "none", got ? got : "none");
      bad = 1;
    }
    ccargs_free(&a);
    argv_free(&v);
  }
  return bad;
}
