# fragments_fixture.sh - small libraries with -fgpu-rdc, built through a fake home with the real hipcc and its real device
# linker: source it behind common.sh. The test works in $T.
#
#   unit FILE…           FILE.o of FILE.cu, in the fake home; fails where that fails
#   link OUTPUT WORD…    a library of these objects, likewise; the summary is in $T/err
#   summary TEXT         that must be in there
#   calls LIBRARY N…     what the library's call(N) gives, a line each
#   count object|link    how many objects or kernels were made for the cache since `reset`; made: of what
#   device FILE          the code object in a compiled blob, as $T/device.co, and its symbols in $T/device.symbols
#
# The sources do without HIP's headers and device libraries, which would take a second each.
# shellcheck shell=sh disable=SC2034,SC2154,SC1091
need c++ readelf objcopy
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_PCH ROCM_PATH
cd "$T" || exit
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
real=$(command -v hipcc)
cat >hip.h <<'END'
#pragma once
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
// what clang looks for when it writes the host's side of a kernel
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, decltype(sizeof 0), struct ihipStream_t *);
END
need_hipcc
clang=$(sed -n 's/^ "\([^"]*\)" "-cc1".*"-fcuda-is-device".*/\1/p' "$made/says")
[ -n "$clang" ] || skip "hipcc is not clang here"
llvm=$(dirname "$clang")
# Debian 12 has a linker of another LLVM on the PATH, which cannot read the bitcode: -B names the one of the compiler.
rdc="-B$llvm -nogpuinc -nogpulib -fgpu-rdc -fPIC -O1 --offload-arch=gfx90a"
# shellcheck disable=SC2086 # a list of flags
links_device_code() {
  echo '__attribute__((device)) int f(int x) { return x; }' >"$1/probe.cu"
  { hipcc $rdc -x hip -c "$1/probe.cu" -o "$1/probe.o" && hipcc $rdc --hip-link -shared "$1/probe.o" -o "$1/probe.so"; } >"$1/log" 2>&1 ||
    tail -n 1 "$1/log" >"$1/why"
}
once hipcc-rdc links_device_code <<END
$rdc $hipcc_version
END
[ ! -s "$made/why" ] || skip "hipcc links no relocatable device code here: $(cat "$made/why")"
mkdir -p bin
cat >bin/hipcc <<END
#!/bin/sh
# The real compiler; what it makes for the cache is written down, waits while there is a line for it in the file hold, and may be slow.
out= last=
for a; do
  case \$last in -o) out=\$a ;; esac
  last=\$a
done
case \$out in
*/.tmp-* | */.ckjit-tmp-*)
  case " \$* " in *" --hip-link "*) what=link ;; *) what=object ;; esac
  echo "\$what \${out##*/}" >>'$T/made'
  while [ -e '$T/hold' ] && grep -qx "\$what \${out##*/}" '$T/hold'; do sleep 0.05; done
  if [ -e '$T/slow' ] && grep -qx "\$what \${out##*/}" '$T/slow'; then echo \$\$ >'$T/slow.pid'; sleep 100000; fi
  ;;
esac
exec '$real' "\$@"
END
chmod +x bin/hipcc
env CK_JIT_HIPCC="$T/bin/hipcc" "$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" 2>"$T/home.log" ||
  fail "no fake home: $(tail -n 1 "$T/home.log")"
work=$T/home/work
prebuild=$B/bin/ckjit-prebuild
compile=$B/bin/ckjit-compile

as_build() (
  . "$T/exports"
  "$@" 2>"$T/err"
)
unit() {
  for name_; do
    # shellcheck disable=SC2086 # a list of flags
    as_build hipcc $rdc -I. ${FLAGS-} -c "$name_.cu" -o "$name_.o" || fail "$name_.cu: $(cat "$T/err")"
  done
}
link() {
  out_=$1
  shift
  # shellcheck disable=SC2086 # a list of flags
  as_build hipcc $rdc --hip-link -shared -o "$out_" "$@" || fail "$out_: $(cat "$T/err")"
}
summary() {
  grep -qF -e "$1" "$T/err" || fail "no '$1' in: $(cat "$T/err")"
}
program_of_it() {
  c++ -O0 program.cpp -ldl "$@"
}
cat >program.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!h) return fprintf(stderr, "%s\n", dlerror()), 3;
  auto call = (int (*)(int))dlsym(h, "call");
  for (int i = 2; i < argc; i++)
    try {
      printf("%d\n", call(atoi(argv[i])));
    } catch (const std::exception &e) {
      return fprintf(stderr, "%s\n", e.what()), 1;
    }
}
END
once_file program "$(cat program.cpp)" program_of_it
calls() {
  lib_=$1
  shift
  case $lib_ in /*) ;; *) lib_=$T/$lib_ ;; esac
  "$T/program" "$lib_" "$@"
}
reset() {
  : >"$T/made"
}
made() {
  sed -n "s/^$1 //p" "$T/made" | sort | tr '\n' ' '
}
count() {
  grep -c "^$1 " "$T/made" || true
}
device() {
  objcopy -O binary -j .hip_fatbin "$1" "$T/fatbin"
  "$llvm/clang-offload-bundler" -unbundle -type=o -targets=hipv4-amdgcn-amd-amdhsa--gfx90a -input="$T/fatbin" \
    -output="$T/device.co" || fail "$1: no code object in it"
  readelf -sW "$T/device.co" >"$T/device.symbols"
}

# matrix: the library of the tests: two kernels, two distances, two filters. call(100 T + 10 D + F) is the same number.
matrix() {
  cat >api.hpp <<'END'
#pragma once
struct square {};
struct cube {};
namespace filters {
struct all {};
struct odd {};
}
template <int Type, class Distance, class Filter> int run();
END
  cat >device.hpp <<'END'
#pragma once
#include "api.hpp"
#include "hip.h"
template <int Type> __device__ int distance(int x);
__device__ bool keep(int x);
END
  cat >entry.hpp <<'END'
#pragma once
#include "device.hpp"
template <int Type> __global__ void kernel(int *p) { *p = keep(*p) ? distance<Type>(*p) : -1; }
template <class T> struct number { enum { value = 0 }; };
template <> struct number<cube> { enum { value = 10 }; };
template <> struct number<filters::odd> { enum { value = 1 }; };
template <int Type, class Distance, class Filter> int run() {
  const void *volatile launched = reinterpret_cast<const void *>(&kernel<Type>);
  return launched ? 100 * Type + number<Distance>::value + number<Filter>::value : -1;
}
END
  for t in 1 2; do
    cat >"entry_$t.cu" <<END
#include "entry.hpp"
template int run<$t, square, filters::all>();
template int run<$t, square, filters::odd>();
template int run<$t, cube, filters::all>();
template int run<$t, cube, filters::odd>();
END
  done
  for d in 'square x*x' 'cube x*x*x'; do
    cat >"${d% *}.cu" <<END
#include "device.hpp"
using ckjit_fragment = ${d% *};
template <int Type> __attribute__((device, noinline)) int distance(int x) { return Type * (${d#* }); }
template __device__ int distance<1>(int x);
template __device__ int distance<2>(int x);
END
  done
  for f in 'all true' 'odd x&1'; do
    cat >"${f% *}.cu" <<END
#include "device.hpp"
using ckjit_fragment = filters::${f% *};
__attribute__((noinline)) __device__ bool keep(int x) { return ${f#* }; }
END
  done
  {
    echo '#include "api.hpp"'
    echo 'extern "C" __attribute__((visibility("default"))) int call(int n) {'
    for t in 1 2; do
      for d in 0:square 1:cube; do
        for f in 0:all 1:odd; do
          echo "  if (n == $((100 * t + 10 * ${d%:*} + ${f%:*}))) return run<$t, ${d#*:}, filters::${f#*:}>();"
        done
      done
    done
    echo '  return -1;'
    echo '}'
  } >host.cpp
  c++ -fPIC -O1 -I. -c host.cpp -o host.o
  unit entry_1 entry_2 square cube all odd
  objects='host.o entry_1.o entry_2.o square.o cube.o all.o odd.o'
  numbers='100 101 110 111 200 201 210 211'
  # shellcheck disable=SC2086 # a list of objects
  link libm.so $objects
}
