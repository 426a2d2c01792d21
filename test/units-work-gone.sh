#!/bin/sh
# An object of a lazy unit relies on its text in the work directory. If the text is gone, because
# the home was made anew under objects that are up to date, or if it is damaged, the link makes it
# again. If that is impossible, the link fails and says what to do.
# tier: all
# seconds: 45
. "${0%/*}/common.sh"
. "$here/unit/line_fixture.sh"

# the host side at the build, of CUDA as well
export CK_JIT_UNITS=build

# kernels_of OUTPUT: all kernels of what was linked can be compiled
kernels_of() {
  "$B/bin/ckjit-prebuild" build --manifest "$work/$1/ck_jit_manifest.json" --all --arch "$arch" >out 2>&1 || fail "$k: kernels of $1: $(cat out)"
  has "$k, $1" '1 compiled' out
  rm -rf "$CK_JIT_CACHE_DIR"
}
texts() {
  find "$work/.units" -name '*.text' | wc -l
}

for k in $kinds; do
  kind "$k" --units
  work=$T/home.$k/work
  case $k in
  hip) set -- hipcc --offload-arch=gfx90a && arch=gfx90a source=u.hip include='#include <hip/hip_runtime.h>' ;;
  cuda) set -- nvcc -arch=sm_75 && arch=sm_75 source=u.cu include= ;;
  esac
  printf '%s\n#include "own.h"\n__global__ void kernel(int *p) { *p = VALUE; }\nextern "C" int unit(int n) { if (n > 1) kernel<<<1, 1>>>(nullptr); return 0; }\n' "$include" >"$source"
  echo '#define VALUE 1' >own.h
  echo 'extern "C" int unit(int); int main(int n, char **) { return unit(n); }' >m.cpp
  c++ -c m.cpp
  in_home "$@" -I"$T/home.$k/include" -MD -c "$source" -o u.o || fail "$k: $(cat err)"
  is "$k: texts" 1 "$(texts)"
  ar rc libu.a u.o
  cp -p u.o before.o

  rm -rf "$work"
  in_home "$@" u.o m.o -o app || fail "$k: a link after the work directory was cleaned: $(cat err)"
  is "$k: texts that were made again" 1 "$(texts)"
  cmp u.o before.o || fail "$k: the object was changed"
  [ -z "$(find u.o -newer before.o)" ] || fail "$k: the object has another time"
  kernels_of app
  ./app || fail "$k: the program"

  # out of an archive; a file that a full disk has cut off
  for text in "$work"/.units/*.text; do truncate -s -9 "$text"; done
  in_home "$@" m.o -L. -lu -o archived || fail "$k: an archive: $(cat err)"
  kernels_of archived

  # a header has changed, and make would have built the object again
  rm -rf "$work"
  echo '#define VALUE 2' >own.h
  status=0
  in_home "$@" u.o m.o -o app || status=$?
  is "$k: its status with another header" 1 $status
  has "$k" "u.o: the device code of $PWD/$source was kept in $work/.units/" err
  has "$k" "build the object again: remove $PWD/u.o, and start the build" err
  in_home "$@" -I"$T/home.$k/include" -MD -c "$source" -o u.o || fail "$k: $(cat err)"
  in_home "$@" u.o m.o -o app || fail "$k: $(cat err)"
  kernels_of app

  # the source is gone
  rm -rf "$work" "$source"
  status=0
  in_home "$@" u.o m.o -o app || status=$?
  is "$k: its status without a source" 1 $status
  has "$k" "build the object again: remove $PWD/u.o" err

  [ "$k" = cuda ] || { cd "$T" && continue; }
  # -rdc=true: what the unit has for others, too
  for n in 1 2; do
    printf 'extern __device__ int of_%s(int);\n__device__ int of_%s(int x) { return x + %s; }\n__global__ void kernel_%s(int *p) { *p = of_%s(*p); }\nvoid launch_%s() { kernel_%s<<<1, 1>>>(nullptr); }\n' \
      $((3 - n)) $n $n $n $((3 - n)) $n $n >"r$n.cu"
    in_home "$@" -rdc=true -c "r$n.cu" -o "r$n.o" || fail "rdc: $(cat err)"
  done
  cp "$work"/.units/*.linked . || fail 'units with -rdc=true are not lazy'
  rm -rf "$work"
  echo 'int main() {}' >main.cpp
  c++ -c main.cpp
  in_home "$@" -rdc=true main.o r1.o r2.o -o linked || fail "rdc: $(cat err)"
  for file in *.linked; do cmp "$file" "$work/.units/$file" || fail "$file is another one"; done
  "$B/bin/ckjit-prebuild" build --manifest "$work/linked/ck_jit_manifest.json" --all --arch "$arch" >out 2>&1 || fail "rdc: $(cat out)"
  has rdc '2 compiled' out
  cd "$T"
done
