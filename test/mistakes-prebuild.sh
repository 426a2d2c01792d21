#!/bin/sh
# Mistakes that a new user makes with ckjit-prebuild: each answer names what is wrong, what is expected and the way on.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
cd "$T"
export CK_JIT_CACHE_DIR="$T/cache"
echo text >file
echo '# nothing' >none
mkdir empty
echo '{"a": "1"}' >m.json
m=$I/ck_jit_manifest.json

refused 2 'build: expected blobs, --blob-list FILE or --all, or --matrix FILE; see ckjit build --help' prebuild build
refused 1 "unknown blob 'all': .*; --all means every blob" prebuild build all
refused 1 "unknown blob 'blob_11': $m has 6 blobs and none of that name; did you mean 'blob_1'? .ckjit list --manifest $m. prints them" \
  prebuild build blob_11
seq 100 999 | sed 's/^/kernel_/' >many
refused 1 "many:20: unknown blob 'kernel_119'" prebuild build --blob-list many
[ "$(wc -l <refused.err)" = 22 ] || fail "a list of another build: $(wc -l <refused.err) lines"
grep -q 'note: more names are unknown; only the first 20 are listed' refused.err || fail "$(tail -n 3 refused.err)"

refused 1 "$T/i: cannot read the manifest: Is a directory; expected the ck_jit_manifest.json of a library" prebuild list --manifest i
refused 1 "did you mean '$m'?" prebuild list --manifest "$I"
refused 1 "$T/nope: cannot read the manifest: No such file or directory; .*: --manifest or CK_JIT_MANIFEST names it" prebuild list --manifest nope
refused 1 "$T/file: line 1, .*; expected a ck_jit_manifest.json that ckjit wrote; if it is one, build the library again" prebuild list --manifest file
touch unreadable
chmod 0 unreadable
without=
[ "$(id -u)" != 0 ] || without='setpriv --bounding-set=-all --inh-caps=-all' # root, but not above the modes of its own files
# shellcheck disable=SC2086 # words
$without "$B/bin/ckjit-prebuild" list --manifest unreadable 2>err && fail 'an unreadable manifest'
has 'an unreadable manifest' "$T/unreadable: cannot read the manifest: Permission denied" err
# clean --all --cache-dir "$CACHE" without CACHE cleaned the current directory
for option in --cache-dir --manifest --root --blob-list --times --matrix --template --output --output-dir; do
  command=build
  case $option in --template | --output*) command=matrix ;; esac
  refused 2 "$option: expected a name, found an empty word (an unset shell variable?)" prebuild $command blob_1 "$option" ''
done

refused 2 'export: --format FORMAT is missing: so, obj, code-object, bitcode or asm; see ckjit export --help' prebuild export blob_1
refused 2 "export: unknown format 'code_object': expected so, obj, code-object, bitcode or asm; did you mean 'code-object'?" \
  prebuild export blob_1 --format code_object --output x
refused 2 'export: --output PATH is missing: a file' prebuild export blob_1 --format so
refused 2 'matrix: expected one FILE, .*; see ckjit matrix --help' prebuild matrix
refused 1 'file: line 1, .*; expected a matrix in JSON, such as {' prebuild matrix file
refused 2 'build: --matrix FILE needs --name-format FORMAT, such as' prebuild build --matrix m.json
refused 2 'build: --name-format FORMAT needs --matrix FILE' prebuild build --all --name-format x
# --json of a command that has none: a program that reads it would get lines for people
for command in status warm times 'build --all' 'clean --all' 'pack --all --output p' 'unpack file' 'export blob_1 --format so --output x' 'trace view file' \
  'matrix m.json'; do
  # shellcheck disable=SC2086 # words
  refused 2 "^ckjit-prebuild: error: ${command%% *}: --json goes with list, ready, cache, verify, stats and doctor$" prebuild $command --json
done
prebuild list --times m.json >out 2>err || fail "$(cat err)"
grep -q 'warning: --times m.json: it holds no times; expected the output of .ckjit times.' err || fail "$(cat err)"
prebuild build --blob-list none >out 2>err || fail "$(cat err)"
grep -q 'warning: --blob-list none: it names no blob; expected one name per line' err || fail "$(cat err)"
refused 1 "blob-list .*ckjit-prebuild:1: not text; expected a list of kernels" prebuild build --blob-list "$I/ckjit-prebuild"

# what each compile would say is said once, before the first
refused 1 "error: CK_JIT_HIPCC='/nope' is not there; set it to the real hipcc, or unset it" env CK_JIT_HIPCC=/nope "$I/ckjit-prebuild" build --all
[ ! -s refused.out ] || fail "$(cat refused.out)"
refused 1 "error: CK_JIT_CACHE_MAX_SIZE: expected a size .*, found 'much'" env CK_JIT_CACHE_MAX_SIZE=much "$I/ckjit-prebuild" build --all
[ ! -s refused.out ] || fail "$(cat refused.out)"
for variable in CK_JIT_COMPILE_TIMEOUT CK_JIT_LOCK_PATIENCE; do
  refused 1 "^ckjit-prebuild: error: $variable: expected a number of seconds, or 0 for no limit, found '1h'" env "$variable=1h" "$I/ckjit-prebuild" build --all
  [ "$(wc -l <refused.err)" = 1 ] && [ ! -s refused.out ] || fail "$(cat refused.out refused.err)"
done
# an empty variable is one that is not set: never the current directory
mkdir here && (cd here && env CK_JIT_CACHE_DIR= XDG_CACHE_HOME="$T/xdg" "$I/ckjit-prebuild" build blob_1 >out 2>&1) || fail "$(cat here/out)"
[ "$(ls -A here)" = out ] && [ -e "$T/xdg/ck_jit/blob_1.so" ] || fail "an empty CK_JIT_CACHE_DIR: $(ls -A here)"
CK_JIT_CACHE_READONLY_DIR=/nope prebuild list blob_1 >out 2>err || fail "$(cat err)"
grep -q 'warning: CK_JIT_CACHE_READONLY_DIR: /nope is not there: it is not used' err || fail "$(cat err)"
