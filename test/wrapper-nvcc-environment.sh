#!/bin/sh
# What nvcc takes from the environment is recorded as options, split as nvcc splits it. Where that is not certain, or variables
# of its nvcc.profile say more than the line, the call is the real nvcc's.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h" kind=cuda compiler=nvcc
mv h/bin/hipcc h/bin/nvcc
sed -e '/^compiler=hipcc$/d' h/ckjit.conf >conf && mv conf h/ckjit.conf
blob x.cu
args() {
  sed -n '$s/.*"args":\[\(.*\)\]}$/\1/p' h/wdir/manifest.json.ndjson | tr -d '"'
}
# goes_on KIND WORD... : the call is of the kind
goes_on() {
  kind=$1
  shift
  rm -f x.o
  "$T/h/bin/nvcc" "$@"
  [ "$(kinds h | tail -n 1)" = "$kind" ] || fail "$*: $(kinds h | tail -n 1), not $kind: $(env | grep -E 'NVCC|FLAGS|INCLUDES')"
}
unset INCLUDES SYSTEM_INCLUDES LIBRARIES PTXAS_FLAGS CUDAFE_FLAGS NVVM_FLAGS OCG_FLAGS NVLINK_FLAGS NVCC_CCBIN
printf -- '-DOPT\n-optf more.opt' >x.opt
printf -- '-DA="b c"' >more.opt
NVCC_PREPEND_FLAGS="-O2  -D'X" NVCC_APPEND_FLAGS='-lineinfo' goes_on blob -c x.cu -optf x.opt -o x.o
[ "$(args)" = "-O2,-D'X,-c,x.cu,-DOPT,-DA=b c,-o,x.o,-lineinfo" ] || fail "recorded: $(args)"
# nvcc takes -ccbin of NVCC_PREPEND_FLAGS before NVCC_CCBIN; of two the last counts
NVCC_CCBIN=/a/g++ NVCC_PREPEND_FLAGS='-ccbin /b/g++' goes_on blob -c x.cu -o x.o
[ "$(args)" = "-ccbin,/a/g++,-ccbin,/b/g++,-c,x.cu,-o,x.o" ] || fail "recorded: $(args)"
NVCC_APPEND_FLAGS='-DA="b c"' goes_on host -c x.cu -o x.o
NVCC_APPEND_FLAGS='-optf x.opt' goes_on host -c x.cu -o x.o
NVCC_APPEND_FLAGS='-dc' goes_on host -c x.cu -o x.o
goes_on host -c x.cu -optf missing.opt -o x.o
goes_on host -c x.cu @x.opt -o x.o
for variable in INCLUDES SYSTEM_INCLUDES LIBRARIES PTXAS_FLAGS CUDAFE_FLAGS NVVM_FLAGS OCG_FLAGS NVLINK_FLAGS; do
  (export "$variable=-x" && goes_on host -c x.cu -o x.o)
  (export "$variable=" && goes_on blob -c x.cu -o x.o)
done
