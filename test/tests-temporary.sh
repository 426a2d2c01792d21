#!/bin/sh
# test/run leaves nothing in the user's TMPDIR of what tests leave in theirs, such as clang's directories, one for each output of a HIP unit's
# device pass: neither when they have ended nor if it is interrupted.
# tier: check
. "${0%/*}/common.sh"
mkdir -p "$T/tree/test/unit" "$T/tree/build/test/unit" "$T/tmp"
cp "$here/run" "$here/live" "$T/tree/test/"
cd "$T/tree"
: >test/unit/runtime_none.c
cat >test/leaves.sh <<'END'
#!/bin/sh
# tier: check
mkdir "$(mktemp -d)/left"
echo "${TMPDIR-}" >there
stat -c %a "${TMPDIR-.}" "${TMPDIR-.}/.." >modes
[ ! -e hold ] || sleep 60
END
chmod +x test/leaves.sh
TMPDIR=$T/tmp B=build test/run leaves >out 2>&1 || fail "$(cat out)"
case $(cat there) in
"$T"/tmp/?*) ;;
*) fail "the tests' TMPDIR is $(cat there)" ;;
esac
is 'left' '' "$(ls -A "$T/tmp")"
is 'other users may work there' '1777 711' "$(paste -sd' ' modes)"
: >hold
rm there
TMPDIR=$T/tmp B=build test/run leaves >out 2>&1 &
await 'the test has begun' test -s there
kill $!
wait || :
is 'left behind an interruption' '' "$(ls -A "$T/tmp")"
