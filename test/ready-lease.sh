#!/bin/sh
# `ready` and `list --json` say "compiling" of a kernel whose lease another machine has only while that shows life. All leases of nodes that
# died are watched at once, for 3 s; one that was taken over counts by its last holder.
# tier: check
# seconds: 9
. "${0%/*}/common.sh"
need python3
. "$here/unit/runtime_fixture.sh"
. "$here/unit/pack_fixture.sh"
unset CK_JIT_JOBS
export CK_JIT_ARCH=gfx942 CK_JIT_JOB_MEMORY=0 CK_JIT_NETWORK=1
many lib 4 1
install lib
lib=$T/lib/libkernels.so locks=$T/cache/.locks
unset CK_JIT_MANIFEST
# hold N: its compile begins, and has its lease; go N: it ends
hold() {
  touch "$T/lib/control/k$1.hold"
  "$B/bin/ckjit-prebuild" build "$lib" "k$1" >"$T/said.$1" 2>&1 &
  await "k$1 is started" grep -q "^start k$1\\>" "$T/lib/log"
  lease=$(find "$locks" -name '*.1')
}
go() {
  rm "$T/lib/control/k$1.hold"
  wait $! || fail "k$1: $(cat "$T/said.$1")"
}
# died N: the lease of a machine that died while it compiled kN; its file is $lease
died() {
  hold "$1"
  sed '5s/[0-9a-f]\{8\}$/00000000/' "$lease" >"$T/lease"
  go "$1"
  rm "$T/cache/k$1.so"
  cp "$T/lease" "$lease"
}
died 0
first=$lease
mv "$first" "$T/first" # so that hold finds the one of k1
died 1
mv "$T/first" "$first"
cp "$lease" "${lease%1}2" # taken over by one that died, too
sed -i '4s/.*/next/' "$lease"
mv "$first" "$T/first"
mv "$lease" "$T/second"
hold 2
mv "$T/first" "$first"
name=$(cd "$locks" && ls -- *.2)
mv "$T/second" "$locks/${name%2}1"

# states COMMAND…: of all kernels
states() {
  "$B/bin/ckjit-prebuild" "$@" --json "$lib" >"$T/out" 2>"$T/err" || [ $? = 3 ] || fail "$*: $(cat "$T/err")"
  python3 -c "
import json
text = open('$T/out').read()
found = json.loads(text)['kernels'] if '$1' == 'ready' else [json.loads(line) for line in text.splitlines()]
print(*[k['state'] for k in sorted(found, key=lambda k: k.get('kernel') or k['stem'])])"
}
is "list" "absent absent compiling absent" "$(states list)"
is "ready" "absent absent compiling absent" "$(states ready --all)"
go 2
is "after it" "absent absent cached absent" "$(states list)"
