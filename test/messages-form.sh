#!/bin/sh
# Every program's message is `PROGRAM: SEVERITY: text`, in one write; nothing but the one function prints messages.
# tier: check
. "${0%/*}/common.sh"
L=$B/libexec/ckjit
cd "$T"
error() {
  name=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [ "$status" != 0 ] || fail "$* ended with status 0"
  [ ! -s out ] || fail "$* printed on standard output: $(cat out)"
  head -n 1 err | grep -q "^$name: error: ." || fail "$* said: $(cat err)"
  [ "$(grep -c "^$name: " err)" = 1 ] || fail "$* said more than one thing: $(cat err)"
}
error ckjit-build "$B/bin/ckjit-build" full --nonsense
error ckjit-build "$B/bin/ckjit-build"
error ckjit-prebuild "$B/bin/ckjit-prebuild" list --nonsense
error ckjit-compile "$B/bin/ckjit-compile" --nonsense
error ckjit-link "$L/ckjit-link" --nonsense
error ckjit-nvcc "$L/ckjit-nvcc" --nonsense
error ckjit-nvcc "$L/ckjit-nvcc" --whole /nonexistent
error ckjit-unit "$L/ckjit-unit" --nonsense
error ckjit-unit "$L/ckjit-unit" --work /tmp --record '{}' -- hipcc
fake_home "$T/h"
rm "$T/h/real/bin/hipcc"
error ckjit-wrap "$T/h/bin/hipcc" -c a.cu

# a warning and an error of one run: each has its own
echo '{"a": ["1", 2], "_b": "x"}' >m.json
"$B/bin/ckjit-prebuild" matrix m.json >out 2>err || fail "$(cat err)"
grep -q '^ckjit-prebuild: warning: m.json: ' err || fail "no warning: $(cat err)"

# a path through printf or perror would have no severity
cd "$here/.."
for room in abi api compile core driver front nvcc postbuild prebuild runtime unit wrapper; do
  lacks 'messages that core/base/message.c does not print' 'fprintf\(stderr|fputs\([^;]*stderr|perror\(|fputc\([^;]*stderr' $room -rnE --include='*.c'
done
