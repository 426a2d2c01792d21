#!/bin/sh
# No variable of a job changes what a CUDA compile makes and leaves to others: as environment-matrix, with nvcc and its host compiler.
# tier: long
# seconds: 240
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
. "$here/unit/environment_fixture.sh"
need gcc
unset LD_LIBRARY_PATH
cd "$T"
poisons
export CUDA_VISIBLE_DEVICES='' CK_JIT_ARCH=sm_90 CK_JIT_PER_KERNEL=0
all=$(rows cuda | wc -l)
[ "$all" -ge 20 ] || fail "the table has $all rows for CUDA; expected 20 or more"
CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null

cat >value.h <<'END'
#pragma once
#include <climits>
#ifdef POISON
#define times(n) 7 * (n)
#else
#define times(n) (n)
#endif
template <int N> int value();
END
objs=
for n in $(seq "$all"); do
  cat >"k$n.cu" <<END
#include "value.h"
static __global__ void kernel(int *p) { p[threadIdx.x] = times($n); }
template <> int value<$n>() {
  kernel<<<1, 1>>>(nullptr);
  return 100 * times($n) + 1;
}
END
  through "$T/h" nvcc -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -c "k$n.cu" -o "k$n.o" || fail "k$n.cu"
  objs="$objs k$n.o"
done
{
  echo '#include <cstdio>'
  echo '#include <cstdlib>'
  echo '#include <stdexcept>'
  echo '#include <string>'
  echo '#include "value.h"'
  for n in $(seq "$all"); do echo "template <> int value<$n>();"; done
  echo 'int main(int, char **argv) { try { switch (std::atoi(argv[1])) {'
  for n in $(seq "$all"); do echo "case $n: std::puts(std::to_string(value<$n>()).c_str()); break;"; done
  echo '} } catch (const std::runtime_error &e) { std::puts(e.what()); return 1; } }'
} >main.cpp
# shellcheck disable=SC2086 # a list
through "$T/h" c++ -shared $objs -o libvalues.so -L"$cuda/lib64" -lcudart >out 2>&1 || fail "$(cat out)"
grep -q "^ckjit-link: libvalues.so: $all blobs are lazy .* 0 compiled ahead" out || fail "$(cat out)"
c++ -std=c++17 main.cpp -o main -L. -lvalues -Wl,-rpath,"$T" -L"$cuda/lib64" -lcudart -Wl,-rpath,"$cuda/lib64"

# What nvcc makes has a name of its own each time, so it is the code that is compared.
direct_cuda() {
  out_=$1 status_=0
  shift
  rm -rf d && mkdir d
  env "$@" "$nvcc" -Xcompiler -fPIC -shared -gencode arch=compute_90,code=sm_90 k1.cu -o d.so >d/said 2>&1 || status_=$?
  {
    echo "status $status_"
    sed 's/tmpxft_[0-9a-f_-]*//g' d/said
    ! [ -e d.so ] || objdump -d --no-show-raw-insn -j .text d.so | sed -n '/<_Z5valueILi1EEiv>:/,/ret/s/^[^\t]*\t\([^#<]*\).*/\1/p'
    ! [ -e d.so ] || readelf -d d.so | grep -i 'run\{0,1\}path' || :
    ! [ -e "$E/deps" ] || { echo "a file of dependencies" && rm "$E/deps"; }
  } | sed 's/\(call\|jmp\|j[a-z]*\|lea\|mov\) .*[0-9a-f]\{4,\}.*/\1/' >"$out_"
  rm -f d.so
}
rows cuda >list
while IFS='|' read -r name value why; do is_poison cuda "$name" "$value" "$why"; done <list
[ ! -e wrong ] || fail "$(cat wrong)"
echo "$poisons_ of $all rows change what nvcc makes"

job() {
  ./main "$1" >got 2>&1
  [ "$(cat got)" = "$((100 * $1 + 1))" ]
}
# The names of nvcc's temporary files are in what it makes.
entry() { objcopy -O binary -j .text "$CK_JIT_CACHE_DIR/k$1.so" "$T/text" && cat "$T/text" && readelf -n "$CK_JIT_CACHE_DIR/k$1.so" | grep 'Build ID'; }
CK_JIT_CACHE_DIR="$T/clean" CK_JIT_JOBS=2 CK_JIT_MANIFEST="$T/h/work/libvalues/ck_jit_manifest.json" "$B/bin/ckjit-prebuild" build --all >said 2>&1 || fail "$(cat said)"
tried cuda 1
n=1
while IFS='|' read -r name value why; do
  (export CK_JIT_NVCC=/bin/false && export "$name=$value" && CK_JIT_CACHE_DIR="$T/clean" job "$n") || fail "what is in the cache is not used with $name"
  n=$((n + 1))
done <list
rm -rf "$CK_JIT_CACHE_DIR"
not_seen cuda CK_JIT_NVCC ./main 1
