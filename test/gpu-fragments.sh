#!/bin/sh
# On a real GPU, kernels of units with relocatable device code (nvcc -rdc=true) print what nvcc's library prints, when each was linked at its first
# launch, and a second process links nothing. With another filter one fragment is compiled, and what uses it linked.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
build() (
  mkdir "$1" && cp "$here"/gpu/entry.cu "$here"/gpu/parts.cu "$here"/gpu/filter.cu "$1" && cd "$1" && shift || exit
  for unit in entry parts filter; do
    nvcc -std=c++17 -O2 "-arch=sm_$arch" -rdc=true -Xcompiler -fPIC "$@" -c "$unit.cu" -o "$unit.o" || exit
  done
  nvcc "-arch=sm_$arch" -rdc=true -shared entry.o parts.o filter.o -o libone.so
)
build stock && lazy lazy || fail 'a build failed'
for case_ in search pointer alone times together; do
  ./calls ./stock/libone.so:$case_ >stock.out 2>&1 || fail "stock, $case_: $(cat stock.out)"
  CK_JIT_VERBOSE=1 ./calls ./lazy/libone.so:$case_ >lazy.out 2>lazy.err || fail "$case_: $(cat lazy.out lazy.err)"
  is "$case_" "$(cat stock.out)" "$(cat lazy.out)"
  has "$case_ was compiled now" 'compiling' lazy.err
  is "$case_ in a second process" "$(cat stock.out)" "$(CK_JIT_ON_MISS=error ./calls ./lazy/libone.so:$case_ 2>&1)"
done
build stock3 -DFACTOR=3 && lazy lazy3 -DFACTOR=3 || fail 'a build failed'
for case_ in alone search pointer; do
  ./calls ./stock3/libone.so:$case_ >stock.out 2>&1 || fail "stock, $case_: $(cat stock.out)"
  CK_JIT_VERBOSE=1 ./calls ./lazy3/libone.so:$case_ >lazy.out 2>lazy.err || fail "$case_: $(cat lazy.out lazy.err)"
  is "$case_ with another filter" "$(cat stock.out)" "$(cat lazy.out)"
done
