#!/bin/sh
# A trace that cannot be written is said once, and costs nothing but itself: no call fails of it, nothing is sent a signal, nobody
# waits. Names of any bytes are JSON in it; what is there is appended to.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
. "$here/unit/trace_fixture.sh"
need mkfifo flock
SHIM_MS=1 many lib 12
mkfifo "$T/fifo"
mkdir "$T/dir"
: >"$T/full"
# call N: value_<N>(5) with $TRACE as trace, in a cache of its own
call() {
  rm -rf "$T/cache"
  CK_JIT_TRACE=$TRACE hostile lib value "$1" 5 >"$T/out" 2>"$T/err" || fail "$TRACE: $(cat "$T/out" "$T/err")"
  is "$TRACE" "$((1000 * $1 + 5))" "$(cat "$T/out")"
}
for TRACE in "$T/fifo" "$T/dir" "$T/none/trace" /dev/null /dev/full; do
  call 0
  [ "$(grep -c "^ckjit: warning: CK_JIT_TRACE=$TRACE: cannot write it: .*; events are missing\$" "$T/err")" = 1 ] || fail "$TRACE: $(cat "$T/err")"
done
# A limit on the size of files: no SIGXFSZ.
TRACE=$T/limited
head -c 300000 /dev/zero | tr '\0' '\n' >"$TRACE"
(
  ulimit -f 200
  call 1
)
is 'size at the limit' 300000 "$(stat -c %s "$TRACE")"
# Somebody holds the lock of an empty file: the events are left out, and nobody waits for long.
TRACE=$T/locked
: >"$TRACE"
exec 9>>"$TRACE"
flock 9
call 2
exec 9>&-
[ ! -s "$TRACE" ] || fail "without its first line: $(cat "$TRACE")"
grep -q 'cannot write it' "$T/err" || fail "not said: $(cat "$T/err")"
# and not held any more: the file begins as it must, though it was there
call 3
traced "$T/locked" 'assert of("first call")[0]["name"] == "k3"'
# appended to
TRACE=$T/locked
call 4
traced "$T/locked" 'assert [e["name"] for e in of("first call")] == ["k3", "k4"]'
# a link is followed, as any output's; a relative name counts from the current directory
ln -s "$T/target" "$T/link"
TRACE=$T/link
call 5
traced "$T/target" 'assert of("first call")'
(
  cd "$T/dir"
  TRACE=relative
  call 6
)
traced "$T/dir/relative" 'assert of("first call")'
# the programs say it once as well
if [ "$(CK_JIT_TRACE=$T/fifo "$B/bin/ckjit-compile" --blob-source "$T/lib/ck_jit/src/k1.cu" --blob-flags "--log=$T/l --template=$T/lib/template.so" \
  --output "$T/k1.so" --arch gfx942 2>&1 | grep -c 'CK_JIT_TRACE=.*is not a regular file\|CK_JIT_TRACE=.*cannot write it')" != 1 ]; then
  fail 'ckjit-compile does not say once that there is no trace'
fi
[ -s "$T/k1.so" ] || fail 'ckjit-compile made nothing'

# Names: quotes, a newline, a tab, UTF-8, bytes that are none, and long ones.
TRACE=$T/names
for name in 'quote"back\slash' 'new
line	tab' 'größe☃𝄞' "$(printf 'bytes\377\300\200end')" "$(printf '%0200d' 7)"; do
  cp "$T/lib/ck_jit/src/k1.cu" "$T/$name.cu"
  CK_JIT_TRACE=$TRACE "$B/bin/ckjit-compile" --blob-source "$T/$name.cu" --blob-flags "--log=$T/l --template=$T/lib/template.so" \
    --output "$T/out.so" --arch gfx942 >"$T/err" 2>&1 || fail "$name: $(cat "$T/err")"
done
traced "$TRACE" '
stems = [e["args"]["stem"] for e in of("compile")]
assert stems[:4] == ["quote\"back\\slash", "new\nline\ttab", "größe☃𝄞", "bytes\ufffd\ufffd\ufffdend"] and stems[4] == "0" * 199 + "7", stems'
