#!/bin/sh
# ckjit-compile: a wrong command line is status 2, an input or environment that does not do is status 1; the message names
# what it is about, and nothing half made is left.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
compile=$B/bin/ckjit-compile
echo 'int answer() { return 42; }' >"$T/a.cu"

# expect STATUS TEXT ARGUMENT...
expect() {
  wanted=$1 text=$2
  shift 2
  status=0
  "$compile" "$@" >"$T/out" 2>&1 || status=$?
  is "status of '$*'" "$wanted" "$status"
  has "message of '$*'" "$text" "$T/out"
}
expect 0 "usage: ckjit-compile" --help
expect 0 "CK_JIT_HIPCC" --help
expect 0 "ckjit-compile " --version
expect 2 "expected --blob-source FILE or --blob STEM, and one of them only" --output "$T/a.so"
expect 2 "--blob-source cannot be combined with --blob" --blob a --blob-source "$T/a.cu" --output "$T/a.so"
expect 2 "--output SO is missing" --blob-source "$T/a.cu"
expect 2 "unexpected argument 'x'" --blob-source "$T/a.cu" --output "$T/a.so" x
expect 2 "unknown option" --nosuch
expect 2 "--build-id 'abc'" --blob-source "$T/a.cu" --output "$T/a.so" --build-id abc
expect 2 "the name of a cache entry" --blob-source "$T/a.cu" --output "$T/a" --cache
expect 2 "--blob-flags goes with --blob-source" --blob a --blob-flags -O2 --output "$T/a.so"

expect 1 "$T/nosuch.cu: No such file" --blob-source "$T/nosuch.cu" --output "$T/a.so"
expect 1 "CK_JIT_ROOT" --blob-source "$T/nosuch.cu" --output "$T/a.so"
expect 1 "the compiler --hipcc /nonexistent is not there" --blob-source "$T/a.cu" --output "$T/a.so" --hipcc /nonexistent
(
  unset CK_JIT_HIPCC ROCM_PATH
  [ -e /opt/rocm/bin/hipcc ] && exit
  # shellcheck disable=SC2123 # the search path is what is tested
  PATH=/nonexistent
  "$compile" --blob-source "$T/a.cu" --output "$T/a.so" 2>"$T/out" && exit 1
  /bin/grep -q 'there is no hipcc.*CK_JIT_HIPCC' "$T/out"
) || fail "no compiler anywhere"
expect 1 "/dev/null" --blob-source "$T/a.cu" --output /dev/null/a.so
expect 1 "cannot make the cache directory /dev/null" --blob-source "$T/a.cu" --output /dev/null/a.so --cache

touch "$SHIM_FAIL"
expect 1 "a: the compiler failed with status 4" --blob-source "$T/a.cu" --output "$T/a.so"
expect 1 "log: $T/a.so.log" --blob-source "$T/a.cu" --output "$T/a.so"
rm "$SHIM_FAIL" "$T/a.so.log"
# Nothing can be written, as on a full disk: no log is left, and none is named.
(
  trap '' XFSZ
  ulimit -f 0
  "$compile" --blob-source "$T/a.cu" --output "$T/a.so" 2>&1 | cat
) | (sed 's/^/> /' >"$T/out")
has "no room for the log" "/log: File too large; the compiler was not run" "$T/out"
lacks "an empty log is named" "^> log: " "$T/out"
is "no room for the log" "" "$(find "$T" -name '*.log' -empty)"
# compilers that succeed and made nothing, or something else
expect 1 "succeeded but made no output" --blob-source "$T/a.cu" --output "$T/a.so" --hipcc "$(command -v true)"
cat >"$T/copies" <<'SHIM'
#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = -o ] && echo "no ELF" >"$2"; shift; done
SHIM
chmod +x "$T/copies"
expect 1 "is not an ELF file" --blob-source "$T/a.cu" --output "$T/a.so" --hipcc "$T/copies"
printf '#!/bin/sh\nexec "%s/shim" "$@" -Wl,--build-id=0x%056d\n' "$T" 7 >"$T/copies"
expect 1 "has another build id than requested" --blob-source "$T/a.cu" --output "$T/a.so" --hipcc "$T/copies"
printf '#!/bin/sh\nkill -9 $$\n' >"$T/copies"
expect 1 "killed by signal 9 (Killed); perhaps memory ran out" --blob-source "$T/a.cu" --output "$T/a.so" --hipcc "$T/copies"
printf '#!/nonexistent/interpreter\n' >"$T/copies"
expect 1 "cannot be run: No such file" --blob-source "$T/a.cu" --output "$T/a.so" --hipcc "$T/copies"
is "left over" "" "$(find "$T" -name '*.so' -o -name '.tmp-*')"
