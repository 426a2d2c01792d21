#!/bin/sh
# A kernel compiled in the shell that `ckjit-build home` was evaluated in gets the real home's environment: the real hipcc looks
# for its device library below ROCM_PATH.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
echo 'int x;' >k.cu
printf '#!/bin/sh\necho "ROCM_PATH=${ROCM_PATH-unset} PATH=$PATH" >%s/seen\nexit 1\n' "$T" >shim
chmod +x shim
ROCM_PATH=$T/h PATH=$T/h/bin:$PATH "$B/bin/ckjit-compile" --blob-source k.cu --blob-flags -O1 --output "$T/k.so" \
  --hipcc "$T/shim" 2>err && fail "the failing compiler went unnoticed"
grep -q "^ROCM_PATH=$T/h/real " seen || fail "the compiler saw $(cat seen)"
lacks 'the fake bin is on the PATH' "$T/h/bin" seen
grep -q "shim" err || fail "the message does not name the compiler: $(cat err)"
