#!/bin/sh
# ckjit-compile --output-fd: the shared object comes in an open descriptor, and nothing stays: no log, no temporary directory, none
# that killed ones have left. --add-flags: the same key, another build id.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
compile=$B/bin/ckjit-compile
export TMPDIR="$T/tmp"
mkdir "$TMPDIR"
printf '#ifndef A\n#define A 1\n#endif\nextern "C" int answer() { return A; }\n' >"$T/a.cu"
id=$(printf '%048d' 7)
left() {
  find "$TMPDIR" -mindepth 1
}
# answer FILE: what it answers
answer() {
  python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).answer())' "$1"
}

"$compile" --blob-source "$T/a.cu" --build-id "$id" --output-fd 5 5>"$T/a.so" >"$T/out" || fail "$(cat "$T/out")"
is "said" "" "$(cat "$T/out")"
is "build id" "${id}01000000" "$(readelf -n "$T/a.so" | sed -n 's/.*Build ID: //p')"
is "seal" ckjitEN1 "$(tail -c 24 "$T/a.so" | head -c 8)"
is "left" "" "$(left)"
"$compile" --blob-source "$T/a.cu" --build-id "$id" --output-fd 5 --add-flags '-DA=7 -DB="b c"' 5>"$T/b.so" >"$T/out" || fail "add-flags"
other=$(sed -n 's/^ckjit-compile: build id //p' "$T/out")
is "another build id, said" "${other}01000000" "$(readelf -n "$T/b.so" | sed -n 's/.*Build ID: //p')"
is "of the same key" "${id%????????????????}" "${other%????????????????}"
[ "$other" != "$id" ] || fail "the same build id"
if [ -z "${SANITIZER-}" ]; then
  is "the blob's own" 1 "$(answer "$T/a.so")"
  is "with more flags" 7 "$(answer "$T/b.so")"
fi
has "the flags are the last" "-DA=7" "$SHIM_CALLS"

# a longer file is cut
head -c 1000000 /dev/zero >"$T/a.so"
"$compile" --blob-source "$T/a.cu" --build-id "$id" --output-fd 5 5<>"$T/a.so" || fail "over an old file"
is "cut" ckjitEN1 "$(tail -c 24 "$T/a.so" | head -c 8)"

# failures
touch "$SHIM_FAIL"
"$compile" --blob-source "$T/a.cu" --output-fd 5 5>"$T/c.so" 2>"$T/err" && fail "it compiles"
has "failure" "a: the compiler failed with status 4" "$T/err"
lacks 'a log is named' '^log:' "$T/err"
is "no output" 0 "$(wc -c <"$T/c.so")"
is "left by a failure" "" "$(left)"
rm "$SHIM_FAIL"
"$compile" --blob-source "$T/a.cu" --output-fd 5 5</dev/null 2>"$T/err" && fail "a descriptor that cannot be written"
has "not writable" "a: cannot write to descriptor 5: " "$T/err"

# Stale directories go: of another machine's compile, silent for an hour. Those of running ones stay, and what is not of that form.
stale=ckjit-unlinked-$id-00000001.00000001.1.1
mkdir "$TMPDIR/$stale-aaaaaa" "$TMPDIR/$stale-bbbbbb" "$TMPDIR/ckjit-unlinked-theirs"
touch "$TMPDIR/$stale-aaaaaa/file"
touch -d '2 hours ago' "$TMPDIR/$stale-aaaaaa"
ln -s "$T" "$TMPDIR/$stale-cccccc"
"$compile" --blob-source "$T/a.cu" --output-fd 5 5>"$T/a.so"
is "swept" "$stale-bbbbbb $stale-cccccc ckjit-unlinked-theirs " "$(find "$TMPDIR" -mindepth 1 -printf '%f\n' | LC_ALL=C sort | tr '\n' ' ')"
[ -e "$T/a.cu" ] || fail "what a link named was swept"

# wrong command lines
wrong() {
  what=$1 status=0
  shift
  "$compile" --blob-source "$T/a.cu" "$@" 2>"$T/err" || status=$?
  is "status of $*" 2 "$status"
  has "$*" "$what" "$T/err"
}
wrong "--output-fd '9': expected the number of an open descriptor, 3 or more" --output-fd 9
wrong "--output-fd: expected a number from 3 to 2147483647, found '1'" --output-fd 1
wrong "--output-fd: expected a number from 3 to 2147483647, found 'x'" --output-fd x
wrong "--output cannot be combined with --output-fd" --output "$T/y.so" --output-fd 5 5>"$T/x.so"
wrong "--cache goes with --output;" --cache --output-fd 5 5>"$T/x.so"
wrong "--add-flags cannot be combined with --cache" --cache --output "$T/x.so" --add-flags -DX
wrong "--output SO is missing" --add-flags -DX
