# runtime_fixture.sh - sourced after common.sh: a library with forwarding stubs, its install tree, a shim compiler.
# shellcheck shell=sh
#
#   library NAME [KEY]   makes $T/NAME/{driver,libkernels.so} and $T/NAME/ck_jit/{ckjit-compile,src/*.cu}. KEY is the
#                        first byte of its keys and what its kernels compute with: another KEY is another version.
#                        Before: LIB_CC, LIB_CXX, LIB_CFLAGS, LIB_ROOT (baked root), LIB_NO_THROW=1, LIB_ARCHS, LIB_COMPILER,
#                        LIB_BUILD_ROOT and LIB_COMPILE (of the build), LIB_ROWS=1 (runtime_row.cpp),
#                        LIB_DEFS= (the library may lack what the program has)
#   compiles             how often the shim compiler was called
#   many NAME COUNT [KEY]   makes $T/NAME/libkernels.so and its install tree, with value_<0> … value_<COUNT-1>, each in a blob
#                        of its own, k0 … : value_<N>(x) is 1000 N + x, a million more for each
#                        KEY behind 1. Their compiler is runtime_shim.c, $T/fast: it takes
#                        SHIM_MS milliseconds and no processor time, and logs in $T/NAME/log; $T/NAME/control is its DIR
#   started NAME [STEM]  how many compiles of library NAME's blobs were started
#   has_started NAME COUNT [STEM]   at least so many were
#   pids TEXT…           the processes of this test in whose command all of them are, one a line; idle TEXT…: there are none
#   asleep PID COUNT     the process has COUNT threads, all asleep in their calls
#   spy PROGRAM          puts runtime_spy.c before PROGRAM; it writes the file notes beside it
#   hostile LIBRARY MODE…   runs runtime_hostile.cpp on the library NAME
#   api COMMAND…         runs runtime_api.c, a program that uses libckjit.so
#
# With CROSS=aarch64 the libraries, the shims' results and the programs that call them are for that machine: Debian's cross compilers make them,
# and qemu-user runs them, with $QEMU_OPTIONS, and started by the command $QEMU_UNDER. ckjit's own programs are still those of this machine: qemu hands what the library starts to the kernel. With
# aarch64_fixture.sh they are of that machine, too.
#
# What does not differ from test to test, the helpers' programs and the runtime for one manifest, is compiled once a run.
# The shim stands for hipcc: CK_JIT_HIPCC. A compiler is given none of a job's own variables, so what it goes by are files beside it:
# calls, the list of its calls; while there is a file hold, the shim waits if its command has what stands in that; while there is fail, it fails.
unit=${here:?}/unit
top=$(dirname "$here")
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_HIPCC="$T/shim" CK_JIT_KFD_ROOT="$T/kfd"
# shellcheck disable=SC2034 # for the tests
SHIM_CALLS=$T/calls SHIM_FAIL=$T/fail SHIM_HOLD=$T/hold
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_ON_ERROR CK_JIT_NAME
need nm
cross=${CROSS:+$CROSS-linux-gnu-}
[ -z "$cross" ] || need "${cross}g++" "qemu-$CROSS"
# shellcheck disable=SC1091
. "$unit/shim_fixture.sh"
sources=$(cat "$unit"/runtime_* "$top"/runtime/* "$top"/abi/* "$top"/api/*.h | sha256sum)
: >"$SHIM_CALLS"
AVX=
[ -n "$cross" ] || ! grep -q '\<avx\>' /proc/cpuinfo || AVX=-mavx
[ -n "$cross" ] || ! grep -q '\<avx512f\>' /proc/cpuinfo || AVX=-mavx512f

cat >"$T/shim" <<'SHIM'
#!/bin/sh
here=${0%/*}
cxx=g++
echo "$*" >>"$here/calls"
while [ -e "$here/hold" ]; do
  case "$*" in *"$(cat "$here/hold" 2>/dev/null)"*) sleep 0.02 ;; *) break ;; esac
done
if [ -e "$here/fail" ]; then
  i=0
  while [ $i -lt 40 ]; do i=$((i + 1)); echo "shim.cu:$i: error: no such kernel" >&2; done
  exit 4
fi
n=$#
while [ "$n" -gt 0 ]; do
  a=$1
  shift
  n=$((n - 1))
  case $a in
  --offload-arch=*) ;;
  hip) set -- "$@" c++ ;;
  *) set -- "$@" "$a" ;;
  esac
done
exec "$cxx" "$@"
SHIM
sed -i "s/^cxx=/&$cross/" "$T/shim"
chmod +x "$T/shim"

# emulated PROGRAM: a script in its place that has qemu run it, if it is for another machine. Qemu's -L
# would move the root directory; by -L / it has none to look names up in, and takes no lock for it, which a child may never get (docs/aarch64.md).
emulated() {
  [ -n "$cross" ] || return 0
  mv "$1" "$1.$CROSS"
  mkdir -p "$T/.emulated"
  ln -sf "$(command -v "qemu-$CROSS")" "$T/.emulated/${1##*/}" # the process is called what the program is
  printf '#!/bin/sh\nroot=/usr/%s-linux-gnu/lib qemu=%s\nexec ${QEMU_UNDER-} "$qemu" -L / ${QEMU_OPTIONS-} $root/ld-linux-*.so.1 --library-path $root "%s" "$@"\n' "$CROSS" "$T/.emulated/${1##*/}" "$1.$CROSS" >"$1"
  chmod +x "$1"
}

# maps: how many lines of /proc/self/maps a library of one page each has: only of x86-64 its code has pages of its own
# shellcheck disable=SC2034 # for the tests
case ${CROSS:-$(uname -m)} in
x86_64) maps=5 ;;
*) maps=4 ;;
esac

compiles() {
  wc -l <"$SHIM_CALLS" | tr -d ' '
}

# has_compiled COUNT: the shim was called at least so often
has_compiled() {
  [ "$(compiles)" -ge "$1" ]
}

write_blobs() {
  cat >"$1/arguments.cu" <<'BLOB'
#include "runtime_kernels.h"
#include <cstdarg>
using trait = std::integral_constant<int, 0>;
template <> long ints_<trait::value>(int a, long b, unsigned c, short d, char e, int f, int g, long h, int i) {
  return a + 2 * b + 3L * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
template <> double doubles_<0>(double a, float b, double c, double d, float e, double f, double g, double h, double i, float j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
template <> long big_<0>(big b, int i) {
  long sum = b.v[i];
  for (long v : b.v) sum += v;
  return sum;
}
template <> std::string text_<0>(const std::string &s, int times) {
  std::string r;
  while (times--) r += s;
  return r;
}
template <> double sum_<0>(int n, ...) {
  va_list ap;
  va_start(ap, n);
  double sum = 0;
  while (n--) sum += va_arg(ap, double);
  va_end(ap);
  return sum;
}
template <> long double extended_<0>(long double x, int i) { return x + i; }
#ifdef __AVX__
template <> __m256d vector_<0>(__m256d a, double b, __m256d c) { return a + c + _mm256_set1_pd(b); }
#endif
#ifdef __AVX512F__
template <> __m512d wide_<0>(__m512d a, __m512d b) { return a + b; }
#endif
BLOB
  for i in 0 1 2; do
    cat >"$1/value$i.cu" <<BLOB
#include "runtime_kernels.h"
template <> int value_<$i>(int x) { return VERSION * 1000 + $i * 100 + x; }
BLOB
  done
}

library() {
  dir=$T/$1 key=${2:-1}
  flags="-I$unit -O1 $AVX -DVERSION=$key"
  mkdir -p "$dir/ck_jit/src"
  write_blobs "$dir/ck_jit/src"
  ln -f "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile" 2>/dev/null ||
    cp "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile"
  # What the driver lacks is what the library has to define.
  # shellcheck disable=SC2086 # flags are words
  [ -e "$T/driver.o" ] || once_file "$T/driver.o" "$sources" ${LIB_CXX:-${cross}g++} -O1 -g $AVX ${LIB_CFLAGS-} -I"$unit" -c "$unit/runtime_driver.cpp"
  nm -u "$T/driver.o" | sed -n 's|.* U \(_Z[0-9]*[a-z]*_ILi\([0-9]\).*\)|\2 \1|p' | while read -r n symbol; do
    case $symbol in
    _Z6value_*) echo "{root}/src/value$n.cu $symbol" ;;
    *) echo "{root}/src/arguments.cu $symbol" ;;
    esac
  done >"$dir/symbols"
  link_library
  # shellcheck disable=SC2086
  ${LIB_CXX:-${cross}g++} ${LIB_CFLAGS-} "$T/driver.o" -o "$dir/driver" -L"$dir" -lkernels -pthread \
    -Wl,-rpath,'$ORIGIN'
  emulated "$dir/driver"
}

# link_library: the library of $dir, whose functions are in $dir/symbols, with $flags and $key
link_library() {
  [ -x "$T/tables" ] || once_file "$T/tables" "$sources" gcc -std=gnu11 -I"$top" "-DMACHINE_${CROSS:-$(uname -m)}" "$unit/runtime_tables.c"
  "$T/tables" "$dir/tables.c" "$dir/stubs.s" "${LIB_ROOT-}" "${LIB_BUILD_ROOT-/nonexistent/build}" "${LIB_COMPILE-$B/bin/ckjit-compile}" \
    "${LIB_COMPILER-/nonexistent/hipcc}" "$flags" "${LIB_ARCHS-gfx942;gfx950}" "$key" <"$dir/symbols"
  "${cross}gcc" -I"$top/abi" -I"$top/runtime" -fPIC -c "$dir/tables.c" -o "$dir/tables.o"
  # shellcheck disable=SC2086
  once_file "$dir/runtime.o" "$sources ${CROSS-}" runtime_object ${LIB_CC:-${cross}gcc} ${LIB_CFLAGS-}
  "${cross}gcc" -c "$dir/stubs.s" -o "$dir/stubs.o"
  cat >"$T/throw.cpp" <<'THROW'
#include <stdexcept>
extern "C" __attribute__((visibility("hidden"), noreturn)) void ckjit_throw(const char *m) { throw std::runtime_error(m); }
THROW
  once_file "$dir/throw.o" "$(cat "$T/throw.cpp") $cross" throw_object
  [ -z "${LIB_ROWS-}" ] || once_file "$T/row.o" "$sources $(cat "$top/postbuild/dispatch/prelude.hpp") $cross" row_object
  throw=
  [ -n "${LIB_NO_THROW-}" ] || throw=$dir/throw.o
  # shellcheck disable=SC2086
  ${LIB_CXX:-${cross}g++} ${LIB_CFLAGS-} -shared ${LIB_DEFS--Wl,-z,defs} -o "$dir/libkernels.so" "$dir/stubs.o" "$dir/tables.o" "$dir/runtime.o" $throw ${LIB_ROWS:+"$T/row.o"}
}

runtime_object() {
  cc_=$1
  shift
  case $cc_ in clang*) set -- ${CROSS:+"--target=$CROSS-linux-gnu"} "$@" ;; esac
  "$cc_" -O1 -g -fPIC -fvisibility=hidden -fexceptions -fasynchronous-unwind-tables -I "$top/abi" -c "$top/runtime/ck_jit_runtime.c" "$@"
}
row_object() {
  "${cross}g++" -O1 -fPIC -I"$top" -c "$unit/runtime_row.cpp" "$@"
}
throw_object() {
  "${cross}g++" -fPIC -c "$T/throw.cpp" "$@"
}

many() {
  dir=$T/$1 key=${3:-1} i=0
  mkdir -p "$dir/ck_jit/src" "$dir/control"
  : >"$dir/log"
  while [ $i -lt "$2" ]; do
    echo $((1000 * (key - 1) + i)) >"$dir/ck_jit/src/k$i.cu"
    echo "{root}/src/k$i.cu _Z6value_ILi${i}EEii"
    i=$((i + 1))
  done >"$dir/symbols"
  ln -f "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile" 2>/dev/null ||
    cp "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile"
  shim "$T/fast" "$2" "$dir/template.so"
  flags="--log={root}/../log --template={root}/../template.so --control={root}/../control --sleep=${SHIM_MS:-1}"
  CK_JIT_HIPCC=$T/fast
  link_library
  # shellcheck disable=SC2086
  [ -x "$T/hostile" ] || { once_file "$T/hostile" "$sources" "${cross}g++" -std=c++17 -O1 -g ${LIB_CFLAGS-} "$unit/runtime_hostile.cpp" -ldl -pthread && emulated "$T/hostile"; }
}

started() {
  grep -c "^start ${2-}${2:+ }" "$T/$1/log" || true
}

has_started() {
  [ "$(started "$1" "${3-}")" -ge "$2" ]
}

# In brackets, the first letter is not in grep's own command.
pids() {
  found_=$(echo /proc/[0-9]*/cmdline)
  for text_ in "$T/" "$@"; do
    # shellcheck disable=SC2086 # names without blanks
    found_=$(grep -al -e "[${text_%"${text_#?}"}]${text_#?}" $found_ /dev/null 2>/dev/null || true)
  done
  for file_ in $found_; do
    file_=${file_#/proc/}
    echo "${file_%/cmdline}"
  done
}
idle() {
  [ -z "$(pids "$@")" ]
}

# asleep PID COUNT: the process has COUNT threads and all of them sleep, seen three times: each is in the call that it is to make
asleep() {
  for _ in 1 2 3; do
    cat "/proc/$1/task/"*/stat 2>/dev/null | awk -v want="$2" '{ sub(/.*\) /, "") } $1 == "S" { n++ } END { exit NR != want || n != NR }' || return
    sleep 0.02
  done
}

spy() {
  rm -f "$1.real"
  cp "$1" "$1.real"
  rm "$1"
  gcc -DREAL="\"$1.real\"" -DNOTES="\"${1%/*}/notes\"" -o "$1" "$unit/runtime_spy.c"
}

hostile() {
  library_=$T/$1/libkernels.so
  shift
  "$T/hostile" "$library_" "$@"
}

# api COMMAND…: runtime_api.c, linked with libckjit.so
api() {
  # shellcheck disable=SC2086
  [ -x "$T/api" ] || {
    once_file "$T/api" "$sources" "${cross}gcc" -std=gnu11 -O1 -g ${LIB_CFLAGS-} -I"$top" "$unit/runtime_api.c" -L"$B/lib" -lckjit -ldl \
      -pthread -Wl,-rpath,"$B/lib"
    emulated "$T/api"
  }
  "$T/api" "$@"
}
