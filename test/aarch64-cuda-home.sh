#!/bin/sh
# A fake home of CUDA is for the machine that the C++ compiler is for: CXX=aarch64-linux-gnu-g++ makes one for AArch64, on whatever machine; with
# this machine's own compiler, none is named.
# tier: all
# seconds: 1
. "${0%/*}/common.sh"
need aarch64-linux-gnu-g++ c++
[ "$(uname -m)" != aarch64 ] || skip "this machine is one"
cd "$T"
unset CUDA_HOME CUDA_PATH CUDACXX NVCC_CCBIN
mkdir -p cuda/bin cuda/include
printf '#!/bin/sh\nexec c++ "$@"\n' >cuda/bin/nvcc
chmod +x cuda/bin/nvcc
CXX=aarch64-linux-gnu-g++ "$B/bin/ckjit-build" home --profile cuda --cuda "$T/cuda" --dir "$T/home" >out 2>&1 || fail "$(cat out)"
is 'machine' machine=aarch64 "$(grep ^machine= home/ckjit.conf)"
CXX=c++ "$B/bin/ckjit-build" home --profile cuda --cuda "$T/cuda" --dir "$T/own" >out 2>&1 || fail "$(cat out)"
lacks 'this machine' '^machine=' own/ckjit.conf
