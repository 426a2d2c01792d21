# fixtures.sh NAME DIR BUILD CUDA - run one fixture of the golden record in DIR; for test/golden
#
# DIR is a new directory, BUILD ckjit's build directory, CUDA the home of a toolkit. `step` runs a
# command whose programs and files are recorded; other commands prepare for it, in setup/. A fixture
# is a function with a comment above it. The comment above a helper begins with the helper's name.
# shellcheck shell=bash disable=SC2034,SC2086
set -eu
fixture=$1 B=$3 cuda=$4
top=$(cd "${0%/*}/../.." && pwd)
source=$top/test/golden.d/source
cd "$2"
mkdir setup

# step WHAT COMMAND…: run it under strace, whose logs are in .golden/NUMBER-WHAT
strace=strace
# in the root of another Debian
[ ! -d .golden/strace ] ||
  strace='.golden/strace/ld.so --library-path .golden/strace .golden/strace/strace'
steps=10
step() {
  [ $steps != 10 ] || { sleep 0.02 && echo >.golden/began; }
  steps=$((steps + 1))
  local dir=.golden/$steps-${1// /-} what=$1
  shift
  mkdir "$dir"
  $strace -ff -qq -v -s 1000000 --seccomp-bpf -e trace=execve,clone,clone3,vfork,fork \
    -e signal=none -o "$dir/trace" "$@" >"$dir/said" 2>&1 || {
    echo "$what: status $?: $(cat "$dir/said")"
    exit 1
  }
}

# quietly COMMAND…: what it says matters only if it fails
quietly() {
  "$@" >setup/said 2>&1 || { cat setup/said; exit 1; }
}

# home WORD…: the fake home in ./home, and its compilers first on the PATH
home() {
  "$B/bin/ckjit-build" home --dir home "$@" >setup/exports 2>setup/said || { cat setup/said; exit 1; }
  # shellcheck disable=SC1091 # of the fake home
  . setup/exports
}

# program: setup/main, which opens a library and calls its call()
program() {
  g++ -O0 "$source/main.cpp" -o setup/main -ldl
}

# host WORD…: by the regular C++ compiler
host() {
  quietly /usr/bin/g++ -O1 -fPIC -I"$source" "$@"
}

### HIP 5.2

hip='-x hip -nogpuinc -nogpulib -O1 -fPIC --offload-arch=gfx90a'
rdc='-B/usr/lib/llvm-15/bin -nogpulib -fgpu-rdc -fPIC --offload-arch=gfx90a'

# hip_runtime: a HIP without a GPU
hip_runtime() {
  local name=libamdhip64.so.5
  case $fixture in hip7*) name=libamdhip64.so.7 ;; esac
  echo 'hip_4.2 { global: *; };' >setup/map
  /usr/bin/gcc -std=gnu11 -O1 -shared -fPIC -Wl,-soname,$name,--version-script=setup/map "$top/test/unit/runtime_hip.c" -o setup/$name -pthread
  ln -s $name setup/libamdhip64.so
  export LD_LIBRARY_PATH=$PWD/setup
}
# hip_blobs N…: what a library of these blobs needs: home, program, k1.o …, setup/host.o
hip_blobs() {
  program
  hip_runtime
  home
  local n
  for n; do ${compile-quietly} hipcc $hip -I"$source" -c "$source/k$n.cu" -o k$n.o; done
  if [ $# = 1 ]; then n=-DONE; else n=; fi
  host $n -c "$source/host.cpp" -o setup/host.o
}
hip_library() {
  hip_blobs "$@"
  quietly hipcc -shared -o libk.so k[12].o setup/host.o
}

# the files of a fake home of HIP
hip_home() {
  step "make a home" "$B/bin/ckjit-build" home --dir home
}

# one blob: compiled, linked, called first in one process and again in another
hip_blob() {
  compile='step compile' hip_blobs 1
  step link hipcc -shared -o libk.so k1.o setup/host.o
  step "first call" setup/main ./libk.so 1
  step "second call" setup/main ./libk.so 1 -1
}

# two blobs; the second link keeps all, the third has an edited source
hip_two_blobs() {
  hip_blobs 1 2
  step link hipcc -shared -o libk.so k1.o k2.o setup/host.o
  step "link again" hipcc -shared -o libk.so k1.o k2.o setup/host.o
  step "first calls" setup/main ./libk.so 1 2
}

# a blob that the C++ compiler compiles: one plain command
cxx_blob() {
  program
  home
  step compile hipcc -x c++ -O1 -fPIC -I"$source" -c "$source/k1.cpp" -o k1.o
  host -DONE -c "$source/host.cpp" -o setup/host.o
  step link hipcc -shared -o libk.so k1.o setup/host.o
  step "first call" setup/main ./libk.so 1
}

# CK_JIT_PCH=0: one plain command
hip_plain() {
  hip_library 1
  CK_JIT_PCH=0 step "first call" setup/main ./libk.so 1
}

# ccache in front of the build's compiler, of its link, and of the compile of a first call
hip_launcher() {
  program
  hip_runtime
  home
  host -DONE -c "$source/host.cpp" -o setup/host.o
  step compile ccache home/bin/hipcc $hip -I"$source" -c "$source/k1.cu" -o k1.o
  step link ccache home/bin/hipcc -shared -o libk.so k1.o setup/host.o
  CK_JIT_COMPILER_LAUNCHER=ccache step "first call" setup/main ./libk.so 1
}

# a function that launches nothing waits for the host side alone; the device pass is longer than a link, so that it is always ended
hip_host_alone() {
  hip="$hip -std=c++14 -include $source/slow.h"
  hip_library 1
  step "function that launches nothing" setup/main ./libk.so -1
  step "function that launches" setup/main ./libk.so 1
}

# a static archive, a partial link, a blob ahead of time, relink, quick
hip_archives() {
  hip_blobs 1 2
  quietly ar rcs libk2.a k2.o
  step "partial link" g++ -r -nostdlib -o part.o k1.o
  step link hipcc -shared -o libk.so part.o setup/host.o libk2.a
  echo k1 >setup/list
  step "relink with k1 ahead of time" "$B/bin/ckjit-build" relink --tmp-dir home/work --aot-list setup/list
  step quick env -u ROCM_PATH -u ROCM_HOME -u HIP_PATH PATH=/usr/bin:/bin "$B/bin/ckjit-build" quick --tmp-dir home/work
  step "first call" setup/main ./libk.so 1 2
}

# export in each format
hip_export() {
  hip_library 1
  local f
  for f in so obj code-object bitcode asm; do step "export $f" "$B/bin/ckjit" export --format $f -o out.$f ./libk.so k1; done
}

# build, list, pack, unpack, verify, clean
hip_pack() {
  hip_library 1 2
  step build "$B/bin/ckjit" build -j 1 --all ./libk.so
  step list "$B/bin/ckjit" list --json ./libk.so
  step pack "$B/bin/ckjit" pack --all -o pack ./libk.so
  step unpack "$B/bin/ckjit" unpack --cache-dir other pack
  step verify "$B/bin/ckjit" verify
  step clean "$B/bin/ckjit" clean ./libk.so k1
}

# fragments: two distances and a kernel for each
hip_fragments() {
  program
  hip_runtime
  home
  local f
  step "compile a fragment" hipcc $hip $rdc -I"$source" -c "$source/square.cu" -o square.o
  for f in cube entry; do quietly hipcc $hip $rdc -I"$source" -c "$source/$f.cu" -o $f.o; done
  host -c "$source/entries.cpp" -o setup/entries.o
  step link hipcc $rdc --hip-link -shared -o libsearch.so entry.o square.o cube.o setup/entries.o
  step "first call" setup/main ./libsearch.so 1
  step "other fragment" setup/main ./libsearch.so 2
  step "second process" setup/main ./libsearch.so 1 2
}

# ordinary units whose host side the build makes: built, linked, launched first, and again in another
# process
hip_units() {
  export CK_JIT_UNITS=build
  units_of_hip
}

# late units: their host sides are made at the first calls of their functions
hip_late() {
  printf 'extern "C" void *PyInit_units() { return nullptr; }\n' >setup/module.cpp
  host -c setup/module.cpp -o setup/module.o
  units_of_hip setup/module.o
}

# units_of_hip OBJECT…: hip_units, or hip_late
units_of_hip() {
  program
  hip_runtime
  home --units
  step "compile a unit" hipcc $hip -c "$source/a.cu" -o a.o
  quietly hipcc $hip -c "$source/b.cu" -o b.o
  host -c "$source/units.cpp" -o setup/units.o
  step link hipcc -shared -o libunits.so a.o b.o setup/units.o "$@"
  step "first launches" setup/main ./libunits.so 10 11 20 21
  step "second process" setup/main ./libunits.so 10 11 20 21
  rm -r cache
  CK_JIT_PER_KERNEL=0 step "whole unit" setup/main ./libunits.so 10 11
}

### HIP 7.2.4

# one blob: compiled, linked, called first and again
hip7_blob() {
  hip_blob
}

# fragments
hip7_fragments() {
  rdc='-nogpulib -fgpu-rdc -fPIC --offload-arch=gfx90a'
  hip_fragments
}

# ordinary units
hip7_units() {
  hip_units
}

# late units
hip7_late() {
  hip_late
}

# export in each format
hip7_export() {
  hip_export
}

### CUDA

arch='-gencode arch=compute_90,code=sm_90'

# cuda_runtime: a CUDA without a GPU
cuda_runtime() {
  /usr/bin/gcc -std=gnu11 -O1 -shared -fPIC -Wl,-soname,libcudart.so "$top/test/unit/runtime_cuda.c" -o setup/libcudart.so -pthread
  export LD_LIBRARY_PATH=$PWD/setup CK_JIT_ARCH=sm_90 CUDA_HOME=$cuda
}
cuda_blobs() {
  program
  cuda_runtime
  home --profile cuda
  local n
  for n; do ${compile-quietly} nvcc -O1 -Xcompiler -fPIC $arch -I"$source" -c "$source/k$n.cu" -o k$n.o; done
  if [ $# = 1 ]; then n=-DONE; else n=; fi
  host $n -c "$source/host.cpp" -o setup/host.o
}
cuda_library() {
  cuda_blobs "$@"
  quietly nvcc -shared -cudart=shared $arch -o libk.so k[12].o setup/host.o -Lsetup
}

# the files of a fake home of CUDA
cuda_home() {
  CUDA_HOME=$cuda step "make a home" "$B/bin/ckjit-build" home --profile cuda --dir home
}

# one blob: compiled, linked, called first and again, each kernel at its launch
cuda_blob() {
  compile='step compile' cuda_blobs 1
  step link nvcc -shared -cudart=shared $arch -o libk.so k1.o setup/host.o -Lsetup
  step "function that launches nothing" setup/main ./libk.so -1
  step "first call" setup/main ./libk.so 1
  step "second call" setup/main ./libk.so 1 -1
}

# two blobs, compiled as a whole, then behind a launcher
cuda_two_blobs() {
  cuda_blobs 1 2
  step link nvcc -shared -cudart=shared $arch -o libk.so k1.o k2.o setup/host.o -Lsetup
  CK_JIT_PER_KERNEL=0 step "whole blobs" setup/main ./libk.so 1 2
  rm -r cache
  CK_JIT_COMPILER_LAUNCHER=ccache step "behind ccache" setup/main ./libk.so 1
}

# export in each format
cuda_export() {
  cuda_library 1
  local f
  for f in so obj code-object bitcode asm; do step "export $f" "$B/bin/ckjit" export --format $f -o out.$f --arch sm_90 ./libk.so k1; done
}

# build, pack, unpack
cuda_pack() {
  cuda_library 1
  step build "$B/bin/ckjit" build -j 1 --all ./libk.so
  step pack "$B/bin/ckjit" pack --all -o pack ./libk.so
  step unpack "$B/bin/ckjit" unpack --cache-dir other pack
}

# ordinary units, of which the build makes the host side: built, linked, launched first, and again in
# another process
cuda_units() {
  export CK_JIT_UNITS=build
  program
  cuda_runtime
  home --profile cuda --units
  step "compile a unit" nvcc -O1 -Xcompiler -fPIC $arch -c "$source/a.cu" -o a.o
  quietly nvcc -O1 -Xcompiler -fPIC $arch -c "$source/b.cu" -o b.o
  host -c "$source/units.cpp" -o setup/units.o
  step link nvcc -shared -cudart=shared $arch -o libunits.so a.o b.o setup/units.o -Lsetup
  step "first launches" setup/main ./libunits.so 10 11 20 21
  step "second process" setup/main ./libunits.so 10 11 20 21
  rm -r cache
  CK_JIT_PER_KERNEL=0 step "whole unit" setup/main ./libunits.so 10 11
}

# the same units, late: nothing is compiled before the first call
cuda_late() {
  program
  cuda_runtime
  home --profile cuda --units
  step "compile a unit" nvcc -O1 -Xcompiler -fPIC $arch -c "$source/a.cu" -o a.o
  quietly nvcc -O1 -Xcompiler -fPIC $arch -c "$source/b.cu" -o b.o
  printf 'extern "C" void *PyInit_units() { return nullptr; }\n' >setup/module.cpp
  host -c setup/module.cpp -o setup/module.o
  host -c "$source/units.cpp" -o setup/units.o
  step link nvcc -shared -cudart=shared $arch -o libunits.so a.o b.o setup/units.o setup/module.o -Lsetup
  step "first launches" setup/main ./libunits.so 10 11 20 21
  step "second process" setup/main ./libunits.so 10 11 20 21
}

# -rdc=true: a kernel and two units with device functions
cuda_rdc() {
  program
  cuda_runtime
  home --profile cuda --units
  local f
  for f in search square cube; do quietly nvcc -rdc=true -O1 -Xcompiler -fPIC $arch -c "$source/$f.cu" -o $f.o; done
  step link nvcc -shared -rdc=true -cudart=shared $arch -o libsearch.so search.o square.o cube.o -Lsetup
  step "first launch" setup/main ./libsearch.so 1
  step "other unit" setup/main ./libsearch.so 2
  step "second process" setup/main ./libsearch.so 1 2
}

### AArch64

# a cross build by clang, which stands for hipcc: compiled, linked, called first under qemu
aarch64_blob() {
  mkdir -p setup/rocm/bin
  cat >setup/rocm/bin/hipcc <<'END'
#!/bin/sh
for a; do
  shift
  case $a in --offload-*) continue ;; hip) a=c++ ;; esac
  set -- "$@" "$a"
done
exec clang++ --target=aarch64-linux-gnu "$@"
END
  chmod +x setup/rocm/bin/hipcc
  export CXX=aarch64-linux-gnu-g++
  home --rocm "$PWD/setup/rocm"
  step compile hipcc -x c++ -O1 -fPIC -I"$source" -c "$source/k1.cpp" -o k1.o
  quietly aarch64-linux-gnu-g++ -O1 -fPIC -DONE -I"$source" -c "$source/host.cpp" -o setup/host.o
  step link hipcc -shared -o libk.so k1.o setup/host.o
  aarch64-linux-gnu-g++ -O0 "$source/main.cpp" -o setup/main -ldl
  local lib=/usr/aarch64-linux-gnu/lib
  step "first call" qemu-aarch64 -cpu max $lib/ld-linux-aarch64.so.1 --library-path $lib setup/main ./libk.so 1
}

"${fixture//-/_}"
