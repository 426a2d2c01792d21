#!/bin/sh
# Where an export goes: a file, also through a link, a directory, standard output, a device. What is there is replaced at once
# or left alone; a failed or interrupted export leaves nothing.
# tier: all
# seconds: 17
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
need script
prebuild=$B/bin/ckjit-prebuild
printf 'k64\n# comment\nk128\n' >"$T/list"
export_ --blob-list "$T/list" --format asm --output new/deep/
[ "$(names new/deep)" = 'k128.gfx90a.s k64.gfx90a.s ' ] || fail "in the directory: $(ls -A new/deep)"
cp new/deep/k64.gfx90a.s k64.s
mkdir there && ln -s there/real.s link.s && echo old >there/real.s
export_ k64 --format asm --output link.s
cmp there/real.s k64.s && [ -h link.s ] || fail 'the link was replaced, or its file was not'
[ "$(names there)" = "real.s " ] || fail "left beside it: $(ls -A there)"
export_ k64 --format asm --output there
cmp there/k64.gfx90a.s k64.s || fail 'not in the directory that is there'
export_ k64 --format asm --output /dev/null
[ -c /dev/null ] || fail '/dev/null was replaced'
mkfifo pipe
cat pipe >from-pipe &
export_ k64 --format asm --output pipe
wait $!
cmp from-pipe k64.s && [ -p pipe ] || fail 'not through the pipe'

"$prebuild" export k64 k128 --format so --output - >both.so 2>"$T/err"
[ "$(dlopen "$PWD/both.so" $count128 3)" = 384 ] || fail 'standard output is not the library'
readelf -d both.so | lacks 'a name that nobody gave' SONAME -
refused 1 'bitcode holds one arch' k64 --arch 'gfx908;gfx90a' --format bitcode --output -
# A program's bytes are not for a terminal; text is.
script -qec "$prebuild export k64 --format code-object --output -" "$T/typescript" >/dev/null 2>&1 && fail 'binary on a terminal'
grep -q 'not written to a terminal' "$T/typescript" || fail "$(cat "$T/typescript")"
script -qec "$prebuild export k64 --format asm --output -" "$T/typescript" >/dev/null || fail 'no text on a terminal'
grep -q amdhsa_kernel "$T/typescript" || fail 'no text on a terminal'
if "$prebuild" export k64 --format asm --output - >/dev/full 2>"$T/err"; then fail 'a full device went unnoticed'; fi
grep -q 'standard output: No space left' "$T/err" || fail "$(cat "$T/err")"
{ "$prebuild" export k64 --format so --output - 2>"$T/err" || echo $? >"$T/status"; } | :
[ "$(cat "$T/status")" = 1 ] && grep -q 'Broken pipe' "$T/err" || fail "a reader that went away: $(cat "$T/err")"

refused 1 'no directory .*/nowhere' k64 --format so --output nowhere/k64.so
mkdir k64.gfx90a.s
refused 1 'there is a directory called k64.gfx90a.s' k64 --format asm --output .
refused 1 'cannot make the directory: Not a directory' k64 --format asm --output k64.s/

# Interrupted while it compiles: nothing is left, what was there is as it was, and it ends by the signal.
cat >"$T/hipcc" <<END
#!/bin/sh
case "\$*" in *-###*) exec hipcc "\$@" ;; esac
echo started >"$T/started"
exec sleep 100000
END
chmod +x "$T/hipcc"
echo before >k64.so
status=0
CK_JIT_HIPCC=$T/hipcc timeout --preserve-status -s INT 3000 sh -c '"$@" & pid=$!
  while [ ! -e "$0" ]; do sleep 0.1; done; kill -TERM $pid; wait $pid' "$T/started" "$prebuild" export k64 --format so \
  --output k64.so >"$T/output" 2>&1 || status=$?
[ $status = 143 ] || fail "ended with $status: $(cat "$T/output")"
[ "$(cat k64.so)" = before ] || fail 'what was there is gone'
[ -z "$(find . -name '.ckjit*')" ] || fail "left: $(find . -name '.ckjit*')"
# One that takes too long is ended as any compile is.
CK_JIT_HIPCC=$T/hipcc CK_JIT_COMPILE_TIMEOUT=1 refused 1 'was killed after 1 s' k64 --format so --output k64.so
# A source that was changed since the link is not what the library has: the text of then is
# exported, if it was kept.
cp -r "$demo" "$T/demo" && echo '// changed' >>"$T/demo/k64.cu"
sed "s,$demo/k,$T/demo/k," "$CK_JIT_MANIFEST" >"$T/demo/w/libdemo/ck_jit_manifest.json"
"$prebuild" export k64 --manifest "$T/demo/w/libdemo/ck_jit_manifest.json" --format asm --output kept.s
cmp kept.s k64.s || fail 'another text was exported'
rm "$T/demo/w/libdemo/ck_jit_inputs/ck_jit_sources"
refused 1 'k64.cu was changed since the library was linked' k64 --manifest "$T/demo/w/libdemo/ck_jit_manifest.json" \
  --format so --output k64.so
