#!/bin/sh
# Who decides what a source is: `no`, then `dispatcher`, then `yes`, then the content, then a family's name.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h" 'no=never_*' 'yes=always_*' 'dispatcher=*_api.cpp' 'family=fmha_*' 'generated=*/gen/*'
mkdir gen
verdict() { # verdict FILE KIND
  rm -f h/wdir/manifest.json.ndjson
  "$T/h/bin/hipcc" -c "$1" -o x.o
  test "$(kinds h)" = "$2" || fail "$1: $(kinds h), not $2"
}
blob a.cu && verdict a.cu blob
blob never_a.cu && verdict never_a.cu host
blob fwd_api.cpp && verdict fwd_api.cpp dispatcher
echo 'int f() { return 0; }' | tee host.cu always_a.cu fmha_host.cu gen/fmha_host.cu >fwd_api.cpp
verdict host.cu host
verdict fwd_api.cpp dispatcher
verdict always_a.cu blob
verdict fmha_host.cu host
verdict gen/fmha_host.cu host
# nothing external in it: content is no proof, the family's name and place are
echo 'DEFINE_KERNELS(128)' | tee odd.cu fmha_odd.cu gen/odd.cu >gen/fmha_odd.cu
verdict gen/fmha_odd.cu blob
verdict gen/odd.cu host
verdict fmha_odd.cu host
# C, assembler and headers never are
for file in a.c a.s a.hpp a.ii; do
  blob "$file" && verdict "$file" host
done
blob a.c && rm h/wdir/manifest.json.ndjson && "$T/h/bin/hipcc" -x hip -c a.c -o x.o
test "$(kinds h)" = blob || fail "-x hip of a .c file: $(kinds h)"
