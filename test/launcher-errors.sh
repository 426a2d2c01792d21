#!/bin/sh
# A launcher that is not there stops what would compile, with a message that names the variable; what compiles nothing does not
# mind. How the list is read.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
library lib
cat >"$T/launch" <<'SHIM'
#!/bin/sh
for a; do printf '<%s>' "$a"; done >>"${0%/*}/launched"
echo >>"${0%/*}/launched"
while [ "$1" != -- ] && [ "${1##*/}" != shim ]; do shift; done
[ "$1" = -- ] && shift
exec "$@"
SHIM
chmod +x "$T/launch"
cp "$T/launch" "$T/a; launcher"
# with VALUE ARGUMENT…: the driver, with that launcher
with() {
  : >"$T/launched"
  value_=$1
  shift
  CK_JIT_COMPILER_LAUNCHER=$value_ "$T/lib/driver" "$@" >"$T/out" 2>"$T/err"
}
# refuses VALUE TEXT
refuses() {
  with "$1" value 0 5 && fail "'$1' was taken"
  cat "$T/out" >>"$T/err"
  has "'$1'" "CK_JIT_COMPILER_LAUNCHER='$1': $2" "$T/err"
  is "'$1': compiles" 0 "$(compiles)"
  [ ! -e "$T/cache/value0.so" ] || fail "'$1': something was compiled"
}
refuses nonexistent "there is no program 'nonexistent' on the PATH; install it, name it by its path, or unset the variable"
refuses /nonexistent/ccache "there is no program '/nonexistent/ccache'; install it"
refuses "$T" "there is no program '$T'; install it"
refuses 'launch --a' "there is no program 'launch --a' on the PATH; install it, name it by its path, or unset the variable (words are separated by ';', not by spaces)"
refuses ';' 'expected a program, such as ccache'

PATH=$T:$PATH
with 'launch;--' value 0 5 || fail "$(cat "$T/err")"
has 'a name on the PATH' "<--><$T/shim>" "$T/launched"
is 'launched: compile, not the link' 1 "$(wc -l <"$T/launched")"
grep -q '<-c>' "$T/launched" || fail "not a plain compile: $(cat "$T/launched")"
is 'compiles' 2 "$(compiles)"
cd "$T"
with './launch;;two words;' value 1 5 || fail "$(cat "$T/err")"
has 'a relative name, empty words, a space' "<two words><$T/shim>" "$T/launched"
with "$T/a\\; launcher;x" value 2 5 || fail "$(cat "$T/err")"
has 'a ; in a name' "<x><$T/shim>" "$T/launched"
# What is in the cache needs none, nor does an empty value.
with nonexistent value 2 5 || fail "a kernel in the cache: $(cat "$T/err")"
rm -rf "$T/cache"
with '' value 2 5 || fail "an empty value: $(cat "$T/err")"
is 'launched' 0 "$(wc -l <"$T/launched")"

# One that makes nothing, one that makes no object, one that hangs.
rm -rf "$T/cache"
with /bin/false value 0 5 || fail "false as a launcher: $(cat "$T/err")"
rm -rf "$T/cache"
with /bin/true value 0 5 || fail "true as a launcher: $(cat "$T/err")"
CK_JIT_COMPILER_LAUNCHER=/bin/true "$B/bin/ckjit-compile" --blob-source "$T/lib/ck_jit/src/value0.cu" --blob-flags "$flags" \
  --output "$T/out.so" >"$T/err" 2>&1 || fail "ckjit-compile: $(cat "$T/err")"
has 'true as a launcher' 'value0: compiled again without the launcher: value0: /bin/true succeeded but wrote no object' "$T/err"
rm -rf "$T/cache"
printf '#!/bin/sh\nsleep 100000\n' >"$T/hang"
chmod +x "$T/hang"
export CK_JIT_COMPILE_TIMEOUT=1
with "$T/hang" value 0 5 && fail 'a launcher that hangs was waited for'
unset CK_JIT_COMPILE_TIMEOUT
cat "$T/out" >>"$T/err"
has 'a launcher that hangs' 'was killed after 1 s' "$T/err"
is 'left behind' '' "$(find "$T/cache" -name '.tmp-*')"

# The other programs.
for command in "$B/bin/ckjit-prebuild build --manifest $T/m.json --root $T --cache-dir $T/c2 --all" \
  "$B/bin/ckjit-build quick --tmp-dir $T"; do
  echo '{"ckjit": 1, "libraries": [], "root": "", "compiler": "", "blobs": {}, "groups": []}' >"$T/m.json"
  status=0
  # shellcheck disable=SC2086 # words
  CK_JIT_COMPILER_LAUNCHER=nonexistent $command >"$T/out" 2>&1 || status=$?
  is "$command" 1 $status
  has "$command" "CK_JIT_COMPILER_LAUNCHER='nonexistent': there is no program" "$T/out"
done
[ ! -e "$T/c2" ] || fail 'prebuild made its cache'
