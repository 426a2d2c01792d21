#!/bin/sh
# Which real compiler: from the home, CK_JIT_HIPCC and CK_JIT_CXX before it. None, or the wrapper itself, is an error, not an
# endless loop.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
blob x.cu
# shellcheck disable=SC2016
printf '#!/bin/sh\necho other "$0" "$@"\n' >other && chmod +x other
test "$(CK_JIT_HIPCC=$T/other "$T/h/bin/hipcc" -v)" = "other $T/other -v" || fail "CK_JIT_HIPCC"
test "$(CK_JIT_CXX=$T/other "$T/h/bin/c++" -v)" = "other $T/other -v" || fail "CK_JIT_CXX"
test "$(PATH=$T/h/bin:$T:$PATH CK_JIT_HIPCC=other "$T/h/bin/hipcc" -v)" = "other $T/other -v" || fail "by the PATH"
refused() { # refused WORDS-OF-THE-MESSAGE HIPCC ARGS...
  words=$1 hipcc=$2 && shift 2
  status=0
  CK_JIT_HIPCC=$hipcc timeout 1800 "$T/h/bin/hipcc" "$@" 2>err || status=$?
  test $status = 1 || fail "$hipcc: status $status"
  grep -q "$words" err || fail "$hipcc: $(cat err)"
  test ! -e x.o || fail "$hipcc: an object was left"
}
ln -s "$T/h/bin/hipcc" link && ln h/bin/hipcc hard && ln -s h home2
refused 'the wrapper itself' "$T/h/bin/hipcc" -v
refused 'the wrapper itself' "$T/h/bin/c++" -v
refused 'the wrapper itself' "$T/link" -v
refused 'the wrapper itself' "$T/hard" -v
refused 'the wrapper itself' "$T/home2/bin/../bin/hipcc" -c x.cu
refused "CK_JIT_HIPCC=$T/none is not there; set it to the real hipcc, or unset it" "$T/none" -c x.cu
refused "CK_JIT_HIPCC=$T is a directory" "$T" -c x.cu
refused "CK_JIT_HIPCC=hipcc_none is not on the PATH; set it to" hipcc_none -v
rm h/real/bin/hipcc
refused 'ckjit.conf: real_compiler=.*/hipcc is not there; run ckjit home again' '' -c x.cu
