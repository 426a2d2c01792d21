#!/bin/sh
# On a machine with two GPUs a lazy unit does on each what the regular compiler's library does: the
# first launch on the second of them, both at once, variables and attributes of each, memory of the
# other, graphs, a reset, contexts of CUDA's driver. So if CUDA's host side is made without cicc, and if
# it is nvcc's.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
[ "$gpus" -ge 2 ] || skip "no two GPUs here"
sources two.cu
driver=
[ "$platform" = hip ] || driver="-L$cuda/lib64/stubs -L$cuda/lib/stubs -lcuda"
build() {
  # shellcheck disable=SC2086 # words
  mkdir "$1" && gpucc ${2:+"$2"} -c two.cu -o "$1/two.o" && gpucc -shared "$1/two.o" -o "$1/libtwo.so" $driver
}
# all NAME CASE…: in one process
all() {
  name=$1
  shift
  afresh "$name" "stock$variables" "lazy$variables" "$@"
}
for variables in '' -DVARIABLES; do
  build "stock$variables" $variables || fail "the regular library $variables"
  lazy "lazy$variables" $variables 2>err || fail "the lazy library $variables: $(cat err)"
  has "lazy $variables" '1 ordinary source lazy' err
  if [ "$platform" = cuda ]; then
    own=$(readelf -SW "lazy$variables/two.o" | grep -c '\.rodata\.ckjit_names' || true)
    is "made without the front end $variables" 1 "$own"
  fi
  for case_ in second-first attributes peers threads graphs reset ${driver:+contexts} ${variables:+variables}; do
    for order in 0,1 1,0; do
      export "$visible_devices=$order"
      rm -f "stock$variables"/*.out
      all "$variables $case_, devices $order" "two:$case_"
    done
  done
  rm -rf cache "stock$variables"/*.out
  CUDA_MODULE_LOADING=EAGER compare "$variables all in one process" "stock$variables" "lazy$variables" two:threads two:graphs two:second-first
done
[ "$compared" -gt 0 ] || fail 'nothing was compared'
