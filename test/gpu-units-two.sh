#!/bin/sh
# On a machine with two GPUs a lazy unit of CUDA does on each what nvcc's library does: the first launch on the second of them, both at once, variables and
# attributes of each, memory of the other, graphs, a reset, contexts of the driver's. So if the host side is made without cicc, and if it is nvcc's.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
[ "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" -ge 2 ] || skip "no two GPUs here"
cp "$here/gpu/two.cu" .
build() {
  mkdir "$1" && nvcc -std=c++17 -O2 -Xcompiler -fPIC "-arch=sm_$arch" ${2:+"$2"} -c two.cu -o "$1/two.o" && nvcc -shared "$1/two.o" -o "$1/libtwo.so" "-L$cuda/lib64/stubs" "-L$cuda/lib/stubs" -lcuda
}
for variables in '' -DVARIABLES; do
  rm -rf stock lazy
  build stock $variables || fail "nvcc's library $variables"
  lazy lazy $variables 2>err || fail "the lazy library $variables: $(cat err)"
  has "lazy $variables" '1 ordinary unit, lazy' err
  own=$(readelf -SW lazy/two.o | grep -c '\.rodata\.ckjit_names' || true)
  is "made without the front end $variables" 1 "$own"
  for case_ in second-first attributes peers threads graphs contexts reset ${variables:+variables}; do
    for order in 0,1 1,0; do
      export CUDA_VISIBLE_DEVICES=$order
      ./calls "./stock/libtwo.so:$case_" >stock.out 2>&1 || fail "stock, $case_: $(cat stock.out)"
      rm -rf cache
      for on_miss in compile error; do
        CK_JIT_ON_MISS=$on_miss ./calls "./lazy/libtwo.so:$case_" >lazy.out 2>lazy.err || fail "$case_, $order, $on_miss: $(cat lazy.out lazy.err)"
        diff stock.out lazy.out || fail "$case_, $order, $on_miss: $(cat lazy.err)"
      done
    done
    echo "$variables $case_: $(wc -l <lazy.out) lines are the same"
  done
  # all of them in one process
  CUDA_MODULE_LOADING=EAGER ./calls ./stock/libtwo.so:threads ./stock/libtwo.so:graphs ./stock/libtwo.so:second-first >stock.out
  rm -rf cache
  CUDA_MODULE_LOADING=EAGER ./calls ./lazy/libtwo.so:threads ./lazy/libtwo.so:graphs ./lazy/libtwo.so:second-first >lazy.out 2>lazy.err || fail "eager: $(cat lazy.out lazy.err)"
  diff stock.out lazy.out || fail "eager: $(cat lazy.err)"
done
