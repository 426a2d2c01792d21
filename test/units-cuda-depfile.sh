#!/bin/bash
# The depfile of a lazy unit of CUDA names what nvcc's names: with -MMD not the system's headers, nor what those include, whichever way they are found.
# tier: check
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
mkdir -p own system/deep 'a b'
echo '#define OWN 1' >own/own.h
printf '%s\n' '#include "deep/below.h"' '#include "reached.h"' >system/system.h
echo '#define BELOW 1' >system/deep/below.h
echo '#define REACHED 1' >own/reached.h
printf '%s\n' '#pragma GCC system_header' '#include "hidden.h"' >own/pretends.h
echo '#define HIDDEN 1' >own/hidden.h
: >own/empty.h
echo '#define BLANK 1' >'a b/blank.h'
echo '#define BOTH 1' >own/both.h
printf '%s\n' '#include "both.h"' >system/first.h
echo '#define FORCED 1' >own/forced.h
cat >unit.cu <<'C'
#include <vector>
#include <first.h>
#include "both.h"
#include "own.h"
#include "./own/empty.h"
#include <system.h>
#include "pretends.h"
#include "a b/blank.h"
#if __has_include("own/empty.h") && OWN && BELOW && REACHED && HIDDEN && BLANK && BOTH && FORCED
__global__ void k(int *p) { *p = 1; }
#endif
void f(int *p) { k<<<1, 1>>>(p); }
C
for words in '-MMD -c unit.cu' '-MD -c unit.cu' '-MMD -MP -c ./unit.cu' "-MMD -MT there -MF other.d -c $T/unit.cu" '-MD -g -O2 -c ./unit.cu'; do
  for side in stock lazy; do
    mkdir -p $side
    # shellcheck disable=SC2086 # words
    case $side in
    stock) "$cuda/bin/nvcc" -arch=sm_90 -Iown -isystem system -include own/forced.h $words -o unit.o 2>err ;;
    lazy) as_build nvcc -arch=sm_90 -Iown -isystem system -include own/forced.h $words -o unit.o ;;
    esac || fail "$words, $side: $(cat err)"
    mv ./*.d $side/unit.d
  done
  tail -n 1 home/work/manifest.json.ndjson | has "$words: lazy" '"kind":"unit"' -
  cmp stock/unit.d lazy/unit.d || fail "$words: $(diff stock/unit.d lazy/unit.d)"
done
