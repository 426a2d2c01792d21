#!/bin/sh
# SIGKILL of the process that works, while it compiles a fragment and while it links, leaves no temporary directory and no
# compiler; the objects that were done stay, and the next call goes on from there.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix

# start WHAT: prebuild of one kernel, which hangs while it makes WHAT
start() {
  echo "$1" >slow
  rm -f slow.pid
  setsid "$compile" --manifest "$work/libm/ck_jit_manifest.json" --blob entry_1+cube+odd --arch gfx90a --cache \
    --output "$T/cache/entry_1+cube+odd.so" >out 2>&1 &
  pid=$!
  await "it does not come to $1" test -s slow.pid
}
for what in 'object cube.o' 'link entry_1+cube+odd.so'; do
  start "$what"
  worker=$(cat "/proc/$pid/task/$pid/children")
  kill -KILL "${worker% }"
  status=0
  wait "$pid" || status=$?
  is "the status, killed at $what" 137 "$status"
  gone "$(cat slow.pid)" "the compiler of $what"
  is "left, killed at $what" '' "$(find cache -name '.tmp-*' -o -name '*.failed' -o -name '*.so')"
done
is 'objects so far' 4 "$(count object)" # entry_1, cube twice, odd
rm slow
reset
is 'the next call' 111 "$(calls libm.so 111)"
is 'what it makes' 'link entry_1+cube+odd.so' "$(cat made)"
