#!/bin/bash
# The whole family of examples/ivf-flat: 341 units are lazy; of its 3,840 kernels some are compiled, each from four of them, and those that
# all need once; the GPU, if there is one, computes them as the CPU does.
# tier: long
# seconds: 900
. "${0%/*}/common.sh"
need make
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
unset CUDA_VISIBLE_DEVICES
EVERY=${EVERY-160} NVCC=$cuda/bin/nvcc CKJIT=$B/bin ${STOCK:+env STOCK=1} "$here/../examples/ivf-flat/run" "$T/family" >out 2>&1 || fail "run: $(cat out)"
cat out
has 'all are lazy' '341 ordinary units, lazy' out
is 'kernels of the family' 3840 "$("$B/bin/ckjit-prebuild" list --kernels --manifest family/work/libivf_flat/ck_jit_manifest.json | grep -c scan_kernel)"
has 'first launches' 'kernels linked' out
has 'a second process has nothing to do' 'the same in another process: 0 fragments compiled, 0 kernels linked' out
has 'an edit' 'after the edit: 1 fragment compiled' out
lacks 'wrong results' 'wrong$' out
