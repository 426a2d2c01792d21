#!/bin/sh
# A file of CK_JIT_CAPTURE that is something else, of another version, not to be written or locked for ever is said once and left
# alone; the kernels are called as ever.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need flock strace
many lib 8
# refuses WHAT TEXT FILE: capturing into FILE says TEXT, once, and calls go on
refuses() {
  is "$1" $((8 * 28000)) "$(CK_JIT_CAPTURE=$3 hostile lib threads 8 8 2>"$T/err")"
  [ "$(wc -l <"$T/err")" = 1 ] || fail "$1: not one line: $(cat "$T/err")"
  has "$1" "$2" "$T/err"
}
echo 'my thesis' >"$T/thesis"
refuses "another file" 'it is not a capture of this version of ckjit; name another file' "$T/thesis"
is "the other file" 'my thesis' "$(cat "$T/thesis")"
printf '# ckjit-capture 2: colours\n1\t2\n' >"$T/two"
refuses "another version" 'it is not a capture of this version' "$T/two"
is "the other version" 2 "$(wc -l <"$T/two")"
head -c 1000 /dev/zero >"$T/zeros"
refuses "zeros" 'it is not a capture of this version' "$T/zeros"
refuses "a directory" "CK_JIT_CAPTURE=$T: Is a directory" "$T"
refuses "no directory" 'No such file or directory' "$T/none/file"
mkfifo "$T/fifo"
refuses "a pipe" 'it is not a regular file' "$T/fifo"
refuses "a device" 'it is not a regular file' /dev/null

# Somebody holds the lock: the first call waits two seconds, looking every two milliseconds, no other does; and the program's end.
: >"$T/locked"
flock "$T/locked" sleep 100000 &
holder=$!
trap 'kill $holder 2>/dev/null || :; rm -rf "$T"' EXIT
await 'flock does not hold the file' eval '! flock -n "$T/locked" true'
is "locked" $((8 * 28000)) "$(CK_JIT_CAPTURE=$T/locked strace -f -qq -o "$T/pauses" -e trace=clock_nanosleep,nanosleep \
  "$T/hostile" "$T/lib/libkernels.so" threads 8 8)"
pauses=$(grep -c 'nanosleep.*tv_nsec=2000000}' "$T/pauses")
[ "$pauses" -gt 0 ] && [ "$pauses" -le 2000 ] || fail "$pauses pauses are not those of two waits"
pkill -P $holder || true
is "the locked file" 0 "$(wc -c <"$T/locked")"
# an empty one is a new one
is "then" $((8 * 28000)) "$(CK_JIT_CAPTURE=$T/locked hostile lib threads 8 8)"
is "kernels" 8 "$(sed 1d "$T/locked" | wc -l)"
