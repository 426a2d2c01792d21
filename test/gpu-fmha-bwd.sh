#!/bin/sh
# examples/fmha-bwd on a real GPU: the workspace in its three forms, by the launcher, by a callback and by a
# kernel on the stream; launchers that are made, prepared and run in a capture of each mode compile there, and
# each launch of the graph gives what the regular library gives. A stored address of a kernel source's function is
# called first in a capture. A compile that fails there leaves the capture valid and the stream usable.
# tier: long
# timeout: 7200
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
. "$here/unit/fmha_bwd_forms_fixture.sh"
need make python3
export PYTHONDONTWRITEBYTECODE=1
unset MAKEFLAGS MFLAGS MAKELEVEL
example=$(cd "$here/../examples/fmha-bwd" && pwd)
case $platform in
cuda) form_of_make="CUDA=1 ARCH=sm_$arch" source_form='-x cu' compiler=CK_JIT_NVCC ;;
hip) form_of_make="DEVICE=1 ARCH=$arch TARGETS=gfx9" source_form='-x hip' compiler=CK_JIT_HIPCC ;;
esac

# build DIRECTORY VARIABLE=VALUE…
build() {
  at=$T/$1
  shift
  # shellcheck disable=SC2086 # words
  make -C "$example" B="$at" DTYPES=fp32 HDIMS=32 $form_of_make "$@" >"$at.log" 2>&1 &&
    gpucc $source_form -DFMHA_BWD_ON_DEVICE -I"$example/include" -c "$here/gpu/stored.cpp" -o "$at/stored.o" >>"$at.log" 2>&1 &&
    gpucc "$at/stored.o" -o "$at/stored" -L"$at" -lfmha_bwd -Xlinker -rpath -Xlinker "$at" >>"$at.log" 2>&1
}
build stock FILTER='*_group_b16x16_maxq0_nmask_det*' || fail "the regular library: $(tail -n 20 stock.log)"
lazy lazy || fail "the lazy library: $(tail -n 20 lazy.log)"
has 'all kernels are lazy' ' lazy, 0 ahead of time' lazy.log
bwd() { on_gpu "$T/lazy/fmha-bwd" "$@"; }
stored() { on_gpu "$T/lazy/stored" "$@"; }

modes='none global thread relaxed' forms='exact callback device'
group='-mode=group -deterministic=1 -b=2 -h=1 -s=20,7 -s_k=40,17'
# shellcheck disable=SC2086 # words
{
  forms_agree $group
  on_gpu stock/fmha-bwd $group >stock.out 2>stock.err || fail "the regular program: $(cat stock.out stock.err)"
  is 'the digest' "$(grep '^digest' stock.out)" "$(head -n 1 digests)"
}
echo 'the three forms agree in captures of each mode'
stored_launches
echo 'stored addresses are launched in captures of each mode'
stored_failure "$compiler=/bin/false"
launcher_failure "$compiler=/bin/false"
if [ "$platform" = cuda ]; then
  # Only the kernel is missing: the host side of its source is in the cache.
  rm -rf cache
  # shellcheck disable=SC2086 # words
  bwd $group -workspace=callback -run=0 >out 2>err || fail "host sides: $(cat out err)"
  CK_JIT_ON_MISS=error stored global >out 2>err || fail "a kernel that fails: $(cat out err)"
  has 'a kernel that fails' 'thrown: ckjit: ' out
  has 'a kernel that fails' 'nodes 1' out
fi
echo 'failing compiles leave captures valid'
for form in exact callback device; do
  for mode in none thread; do
    bwd scenarios -b=1 -h=1 "-workspace=$form" "-capture=$mode" -replay=2 >out 2>err || fail "$form, $mode: $(cat out err)"
  done
done
cat out
