#!/bin/sh
# Tools of the home answer as the real ones; an unknown name or a damaged ckjit.conf is an error that names the file.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$0 $* $ROCM_PATH"; exit 3\n' >h/real/bin/hipconfig && chmod +x h/real/bin/hipconfig
status=0
out=$(ROCM_PATH=$T/h PATH=$T/h/bin:$PATH hipconfig --version) || status=$?
test "$out $status" = "$T/h/real/bin/hipconfig --version $T/h/real 3" || fail "hipconfig: $out $status"
test ! -e h/wdir/manifest.json.ndjson || fail "a tool was recorded"
refused() { # refused WORDS PROGRAM
  status=0
  "$2" -v 2>err || status=$?
  test $status = 1 || fail "$1: status $status"
  grep -q "$1" err || fail "wanted '$1', got: $(cat err)"
}
ln -s hipcc h/bin/rocminfo && refused "'rocminfo' is not one of .*h/ckjit.conf" h/bin/rocminfo
rm h/real/bin/hipconfig && refused 'ckjit.conf: real_home: the tool .*/real/bin/hipconfig is not there' h/bin/hipconfig
cp h/ckjit.conf good
sed '1s/.*/ckjit-home=9/' good >h/ckjit.conf && refused 'ckjit.conf:1: .*ckjit-home=1' h/bin/hipcc
sed '2s/.*/hello/' good >h/ckjit.conf && refused "ckjit.conf:2: expected key=value, found 'hello'" h/bin/hipcc
sed '2s/.*/hello=1/' good >h/ckjit.conf && refused "ckjit.conf:2: unknown key 'hello'" h/bin/hipcc
sed '/^real_cxx/d' good >h/ckjit.conf && refused "no 'real_cxx'" h/bin/hipcc
sed 'p;/^work/p' good >h/ckjit.conf && refused "ckjit.conf:2: " h/bin/hipcc
head -c 60 good >h/ckjit.conf && refused 'ckjit.conf:.*ends within a line' h/bin/hipcc
: >h/ckjit.conf && refused 'ckjit.conf:1: the file is empty' h/bin/hipcc
rm h/ckjit.conf && refused 'ckjit.conf: No such file.*ckjit home' h/bin/hipcc
