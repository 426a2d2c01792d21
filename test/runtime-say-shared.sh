#!/bin/sh
# A call that waits because its compile waits for what another process makes for both, a fragment or a precompiled header, says who makes
# that, beside who compiles the kernel. When it is made, the line has that process no more.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/fragments_fixture.sh"
unset CK_JIT_QUIET CK_JIT_SAY_AFTER
matrix
export CK_JIT_SAY_AFTER=0.3:0.1
says() {
  grep -qE -e "$2" "$1"
}
# first and second: two kernels of one fragment; the first to come is held while it compiles that, then the second while it is linked
printf '%s\n' 'object all.o' 'link entry_1+cube+all.so' >hold
"$T/program" "$T/libm.so" 100 >out.1 2>first & # not by a function: dash runs that in a process of its own
first=$!
await "the first compiles" says first '^ckjit: note: .*being compiled for [0-9.]* s by ckjit-compile \(pid [0-9]+\), '
await "the fragment is begun" grep -qx 'object all.o' made
lacks "it waits for nobody" 'which waits' first
"$T/program" "$T/libm.so" 110 >out.2 2>second &
second=$!
await "the second says who makes the fragment" says second \
  "^ckjit: note: .*: waiting for [0-9.]* s; being compiled for [0-9.]* s by ckjit-compile \(pid [0-9]+\), which waits for the fragment all, made by ckjit-compile \(pid [0-9]+\) for program \(pid $first\)"
own=$(sed -n '/which waits/{s/.*by ckjit-compile (pid \([0-9]*\)), which waits.*/\1/p;q}' second)
maker=$(sed -n '/which waits/{s/.*made by ckjit-compile (pid \([0-9]*\)) for .*/\1/p;q}' second)
parent() {
  sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status"
}
# its parent is the keeper; the first's own lines have that one's process until ckjit-compile has told
is "who makes it, for whom" "ckjit-compile $first" "$(cat "/proc/$maker/comm") $(parent "$(parent "$maker")")"
[ "$own" != "$maker" ] || fail "it is the same process: $(cat second)"
is "who compiles it" ckjit-compile "$(cat "/proc/$own/comm")"
echo 'link entry_1+cube+all.so' >hold
wait "$first" || fail "the first: $(cat first)"
last_is_its_own() { tail -n 1 second | grep -qE "by ckjit-compile \(pid $own\)(,|\$)" && ! tail -n 1 second | grep -q 'which waits'; }
await "the second goes on" last_is_its_own
rm hold
wait "$second" || fail "the second: $(cat second)"
is "the calls" "100 110" "$(cat out.1 out.2 | tr '\n' ' ' | sed 's/ $//')"
is "the fragment" 1 "$(grep -cx 'object all.o' made)"
