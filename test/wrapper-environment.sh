#!/bin/sh
# A unit is compiled later, in another environment: what compilers take from the environment is recorded as options, and the
# real compiler, which reads it itself, does not get it twice.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
blob x.cu
mkdir conda spack
touch conda/kernel.hpp
args() {
  sed -n '$s/.*"args":\[\(.*\)\]}$/\1/p' h/wdir/manifest.json.ndjson | tr -d '"'
}
export CPATH="$T/conda:" CPLUS_INCLUDE_PATH=spack HIPCC_COMPILE_FLAGS_APPEND='-O2 -DA="b c"'
"$T/h/bin/hipcc" -MMD -c -o x.o -- x.cu
test "$(args)" = "-O2,-DA=b c,-MMD,-c,-o,x.o,-I,$T/conda,-I,.,-isystem,spack,--,x.cu" || fail "recorded: $(args)"
grep -q conda/kernel.hpp x.d || fail "the depfile lacks a header that CPATH has: $(cat x.d)"
"$T/h/bin/c++" -c x.cu -o x.o
test "$(args)" = "-c,x.cu,-o,x.o,-I,$T/conda,-I,.,-isystem,spack" || fail "hipcc's flags for another compiler: $(args)"
"$T/h/bin/hipcc" -E x.cu
test "$(grep -c '^<' h/real.log)" = 2 || fail "the real compiler got: $(cat h/real.log)"
