#!/bin/sh
# make te-dropin: ck_jit_build.py, ck_jit_prebuild.py and ck_jit_compile.sh take the options of CK JIT's and leave what scripts look for, on
# mini-aiter: full and quick with --install-dir and --jit-name, list and build by blob list and architecture, cache for `grep Cache` and as a
# list, clean with --stalled. The directory needs nothing of the checkout. Mistakes are named, with a status, and nothing is written.
# tier: all
# seconds: 45
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
[ -z "${SANITIZER-}" ] || skip "static programs have no sanitizer"
need make
make -s -C "$(dirname "$here")" B="$B" te-dropin >"$T/log" 2>&1 || fail "$(cat "$T/log")"
mkdir "$T/3rdparty"
cp -r "$B/te-dropin/ck_jit" "$T/3rdparty/"
te=$T/3rdparty/ck_jit
cd "$T"
unset CK_JIT_CACHE_DIR CK_JIT_NAME
export XDG_CACHE_HOME="$T/xdg" CK_JIT_HIPCC="$T/counting-hipcc"
cache=$T/xdg/te_ck_jit
# run COMMAND...: its output in $T/out
run() {
  "$@" >"$T/out" 2>"$T/err" || fail "$*: $(cat "$T/out" "$T/err")"
}
# refused STATUS WORDS COMMAND...
refused() {
  status=0 wanted=$1 words=$2
  shift 2
  "$@" >"$T/out" 2>"$T/err" || status=$?
  is "$*" "$wanted" "$status"
  has "$*" "$words" "$T/err"
}

# the build, as TransformerEngine's CMake starts it
run python3 "$te/ck_jit_build.py" full --aiter-dir "$example" --gpu-archs gfx90a --ck-tile-bf16 3 --tmp-dir "$T/w" --install-dir "$T/lib" --jit-name te_ck_jit --api fwd
for file in libmha_fwd.so ck_jit/ck_jit_compile.sh ck_jit/ck_jit_prebuild.py ck_jit/ck_jit_manifest.json; do
  [ -s "$T/lib/$file" ] || fail "not installed: $file"
done
mv "$T/lib" "$T/moved"
lib=$T/moved
prebuild() {
  python3 "$lib/ck_jit/ck_jit_prebuild.py" "$@"
}
run prebuild list --arch gfx90a --format blob-list
cp out all
stem=$(sed -n '/^fmha_fwd_d64_fp32.*nbias_nmask_lse/p' all)
other=$(sed -n '/^fmha_fwd_d64_fp32.*nbias_nmask_nlse/p' all)
[ "$(wc -l <all)" = 11 ] && [ -n "$stem" ] && [ -n "$other" ] || fail "list: $(cat all)"
run prebuild list
cmp -s out all || fail "list without options: $(cat out)"
run prebuild list --arch gfx1100 --format=blob-list
[ ! -s out ] || fail "of another architecture: $(cat out)"

# TransformerEngine's CI: a list of what its tests use, and what is in the cache then
: >compiled
printf '# of a job\n%s\n' "$stem" >te.txt
run prebuild build --blob-list te.txt --arch gfx90a --jobs 2
is "compiled" 1 "$(compiled)"
run prebuild cache
is "cache | grep Cache" "Cache directory: $cache
Cached blobs: 1 in 1 files" "$(grep Cache out | sed 's/ files, .*/ files/')"
run prebuild cache --format blob-list --write-blob-list written.txt
is "cache --format blob-list" "$stem" "$(cat out)"
cmp -s out written.txt || fail "--write-blob-list: $(cat written.txt)"
check "$lib" --only fwd_d64_fp32_nbias_nmask_lse
is "the call's own name for the cache is --jit-name, and its entry the list's" 0 "$(compiled)"
cp "$cache/$stem.so" "$cache/theirs.so"
run prebuild cache --format blob-list
is "with another library's" "$stem theirs" "$(paste -sd ' ' out)"
run prebuild cache --current --arch gfx90a --format blob-list
is "--current" "$stem" "$(cat out)"
run "$lib/ck_jit/ck_jit_compile.sh" --blob "$other" --output "$T/one.so" --arch gfx90a
readelf -h one.so >out || fail "ck_jit_compile.sh made no shared object"
run prebuild list "$stem" "$other" --arch gfx90a
grep -qx "$stem.known.cached" out && grep -qx "$other.known.absent" out || fail "list of two: $(cat out)"

mkdir "$cache/.tmp-$(printf '%048d' 2)-bbbbbb"
run prebuild clean --stalled
is "clean --stalled" "$stem.so theirs.so" "$(cd "$cache" && echo *.so)"
[ -z "$(find "$cache" -name '.tmp-*')" ] || fail "clean --stalled: left: $(ls -A "$cache")"
run prebuild clean "$stem"
[ ! -e "$cache/$stem.so" ] && [ -e "$cache/theirs.so" ] || fail "clean of one: $(ls "$cache")"
run prebuild clean --all
run prebuild cache
has "after clean --all" "Cached blobs: 0 in 0 files, 0 B" out

# quick, into the same place; then what cannot be done
rm "$lib/ck_jit/ck_jit_compile.sh"
run python3 "$te/ck_jit_build.py" quick --tmp-dir "$T/w" --install-dir "$lib"
[ -x "$lib/ck_jit/ck_jit_compile.sh" ] && [ "$(cat "$lib/ck_jit/ck_jit_name")" = te_ck_jit ] || fail "quick: $(ls "$lib/ck_jit")"
compiled >out
refused 1 'unknown' prebuild build --blob-list /dev/stdin --arch gfx90a <<END
$stem
fmha_fwd_of_another_ck
END
has "what is missing is named" fmha_fwd_of_another_ck err
[ "$(compiled)" = 0 ] || fail 'compiled, with an unknown blob in the list'
refused 2 '--format xml: expected human or blob-list' prebuild cache --format xml
refused 2 "cache: unknown argument '--nothing'" prebuild cache --nothing
refused 1 "$T/nowhere/list.part: No such file" prebuild cache --write-blob-list "$T/nowhere/list"
refused 2 '--jit-name: expected a value behind it' python3 "$te/ck_jit_build.py" full --jit-name
refused 2 "--jit-name 'a/b': expected the name of a directory" python3 "$te/ck_jit_build.py" full --jit-name a/b
refused 1 'no such' python3 "$te/ck_jit_build.py" full --aiter-dir "$T/no such" --gpu-archs gfx90a --tmp-dir "$T/w2" --install-dir "$T/none"
[ ! -e "$T/none" ] || fail "installed: $(ls "$T/none")"
rm -rf "$te/ckjit"
refused 1 'is a submodule empty?' python3 "$te/ck_jit_build.py" full --aiter-dir "$example"
refused 1 'there is no ckjit-compile beside' "$te/ck_jit_compile.sh" --blob x
