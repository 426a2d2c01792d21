#!/bin/sh
# make te-dropin: ck_jit_build.py, ck_jit_prebuild.py and ck_jit_compile.sh take the options of CK
# JIT's and print what scripts read, on mini-aiter. The functions of TransformerEngine's CI are
# replayed: a list with names of other families, the cache before and after a job, their difference.
# The directory needs nothing of the checkout. Mistakes are named, with a status, and nothing is
# written.
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
CK_JIT_EXTRA_CACHE_KEY=te1 run python3 "$te/ck_jit_build.py" full --aiter-dir "$example" \
  --gpu-archs gfx90a --ck-tile-bf16 3 --tmp-dir "$T/w" --install-dir "$T/lib" \
  --jit-name te_ck_jit --api fwd
is "a variable of CK JIT's without effect" 1 \
  "$(grep -c 'CK_JIT_EXTRA_CACHE_KEY: has no effect' err)"
for file in libmha_fwd.so ck_jit/ck_jit_compile.sh ck_jit/ck_jit_prebuild.py \
  ck_jit/ck_jit_manifest.json; do
  [ -s "$T/lib/$file" ] || fail "not installed: $file"
done
is "ck_jit_config.json" '{"name": "te_ck_jit"}' "$(cat lib/ck_jit/ck_jit_config.json)"
nm -D --defined-only lib/libmha_fwd.so | grep -q ' T ck_jit_set_cache_dir$' ||
  fail "libmha_fwd.so exports no ck_jit_set_cache_dir"
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
run prebuild list --arch gfx1100 --format=blob-list --all
[ ! -s out ] || fail "of another architecture: $(cat out)"
run prebuild list --blob "$stem" --blob "$other.cpp" --arch gfx90a
is "list" "Found (arch=gfx90a):   2
Missing:  0" "$(head -n 2 out)"
for blob in "$stem" "$other"; do
  grep -qxF "  + $blob  [gfx90a]" out || fail "list: $(cat out)"
done
is "no other" 4 "$(wc -l <out)"
prebuild list "$stem" no_such >out 2>err && fail "a blob is missing: status 0"
[ ! -s err ] || fail "list: $(cat err)"
is "one is missing" "Found:   1|Missing:  1|  + $stem  [gfx90a]|  - no_such  (not in manifest)" \
  "$(paste -sd '|' out)"
# of_families ARCH NAME...: the unknown names that are for ARCH
of_families() {
  arch_=$1
  shift
  prebuild list --arch "$arch_" a_gfx9 b_gfx950 c_gfx11 d_gfx115 e_gfx12 2>/dev/null >out || :
  is "for $arch_" "$*" "$(sed -n 's/^  - \([^ ]*\) .*/\1/p' out | paste -sd ' ')"
}
of_families gfx90a a_gfx9
of_families gfx942:sramecc+:xnack- a_gfx9
of_families gfx950 b_gfx950
of_families gfx1100 c_gfx11
of_families gfx1151 d_gfx115
of_families gfx1201 e_gfx12
of_families "gfx942;gfx950" a_gfx9 b_gfx950

# TransformerEngine's CI: a list of what its tests use, for all architectures and with names of
# another CK; what is in the cache then, and after the tests
snapshot=
ci() {
  case $1 in
  build)
    prebuild build --blob-list te.txt --arch gfx90a --jobs 1 >/dev/null
    snapshot=$(prebuild cache)
    echo "$snapshot" | grep Cache
    ;;
  *)
    now=$(prebuild cache)
    [ "$snapshot" = "$now" ] || {
      echo "$snapshot" >before
      echo "$now" | diff -u before - | sed 1,2d
    }
    ;;
  esac
}
: >compiled
cat >te.txt <<END
# of a job
$stem
fmha_fwd_d256_fp16_batch_gfx950
fmha_bwd_of_another_ck_gfx9
END
run ci build
is "compiled" 1 "$(compiled)"
is "cache | grep Cache" "Cache: $cache  (1 entries)" "$(cat out)"
has "a name of another CK" '1 blob(s) not in manifest:' err
has "which is named" '  fmha_bwd_of_another_ck_gfx9' err
lacks "of another architecture" gfx950 err
run ci list
[ ! -s out ] || fail "the cache did not change: $(cat out)"
run prebuild cache
size=$(stat -c %s "$cache/$stem.so")
is "a line per entry" "  $stem.so  ($size B)" "$(sed -n '2s/,//gp' out)"
check "$lib" --only fwd_d64_fp32_nbias_nmask_lse
is "the call's own name for the cache is --jit-name, and its entry the list's" 0 "$(compiled)"
check "$lib" --only fwd_d64_fp32_nbias_nmask_nlse
run ci list
is "the difference" "-Cache: $cache  (1 entries)|+Cache: $cache  (2 entries)|+  $other.so" \
  "$(grep '^[-+]' out | sed 's/  ([0-9,]* B)$//' | paste -sd '|')"
: >compiled
printf '%s\n' fmha_fwd_x_gfx950 fmha_fwd_y_gfx950 fmha_fwd_z_gfx12 >none.txt
run prebuild build --blob-list none.txt --arch gfx90a
has "only other architectures" \
  'nothing to build for gfx90a: the names are for other architectures: gfx12 (1), gfx950 (2)' err
refused 1 'the library has none of the names' prebuild build no_such --arch gfx90a
refused 1 'gfx90a: the other names are for other architectures: gfx950 (1)' \
  prebuild build no_such x_gfx950 --arch gfx90a
refused 1 'no blobs requested' prebuild build --arch gfx90a
is "compiled" 0 "$(compiled)"
CK_JIT_EXTRA_CACHE_KEY=te1 run prebuild build --blob "$stem" --arch gfx90a \
  --hipcc "$T/counting-hipcc" --rocm-lib /opt/rocm/lib
is "in the cache" 0 "$(compiled)"
is "warned once" 1 "$(grep -c CK_JIT_EXTRA_CACHE_KEY err)"
run prebuild --cache-dir "$cache" build --blob "$stem" --arch gfx90a --force
is "--force" 1 "$(compiled)"

run prebuild cache --format blob-list --write-blob-list written.txt
is "cache --format blob-list" "$(printf '%s\n' "$stem" "$other" | sort)" "$(cat out)"
cmp -s out written.txt || fail "--write-blob-list: $(cat written.txt)"
cp "$cache/$stem.so" "$cache/theirs.so"
run prebuild cache --format blob-list
is "with another library's" 3 "$(wc -l <out)"
run prebuild cache --current --arch gfx90a --format blob-list
cmp -s out written.txt || fail "--current: $(cat out)"
run "$lib/ck_jit/ck_jit_compile.sh" --blob "$other" --cache-dir "$cache" --output "$T/one.so" \
  --arch gfx90a
readelf -h one.so >out || fail "ck_jit_compile.sh made no shared object"

mkdir "$cache/.tmp-$(printf '%048d' 2)-bbbbbb"
run prebuild clean --stalled --verbose
is "clean --stalled" "Removed $cache/theirs.so|Removed 1 file(s) from $cache." \
  "$(paste -sd '|' out)"
[ -z "$(find "$cache" -name '.tmp-*')" ] || fail "clean --stalled: left: $(ls -A "$cache")"
run prebuild clean --stalled
is "nothing stale" "No stale entries in $cache." "$(cat out)"
run prebuild clean "$stem"
[ ! -e "$cache/$stem.so" ] && [ -e "$cache/$other.so" ] || fail "clean of one: $(ls "$cache")"
run prebuild clean
is "clean" "Removed 1 file(s) from $cache." "$(cat out)"
run prebuild clean --all
is "clean --all" "Nothing to clean in $cache." "$(cat out)"
run prebuild --cache-dir "$T/none" cache
is "no cache" "Cache: $T/none  (0 entries)" "$(cat out)"

# quick, into the same place; then what cannot be done
rm "$lib/ck_jit/ck_jit_compile.sh"
run python3 "$te/ck_jit_build.py" quick --tmp-dir "$T/w" --install-dir "$lib"
[ -x "$lib/ck_jit/ck_jit_compile.sh" ] && grep -q '"te_ck_jit"' "$lib/ck_jit/ck_jit_config.json" ||
  fail "quick: $(ls "$lib/ck_jit")"
refused 2 '--format xml: expected human or blob-list' prebuild cache --format xml
refused 2 "cache: '--nothing' is no option of it" prebuild cache --nothing
refused 2 "--blob: expected a value" prebuild build --blob
refused 1 "$T/nowhere/list.part: No such file" prebuild cache --write-blob-list "$T/nowhere/list"
refused 1 "nowhere.txt: cannot read it" prebuild build --blob-list nowhere.txt
build_te() {
  python3 "$te/ck_jit_build.py" "$@"
}
refused 2 '--jit-name: expected a value after it' build_te full --jit-name
refused 2 "--jit-name 'a/b': expected the name of a directory" build_te full --jit-name a/b
refused 1 'no such' build_te full --aiter-dir "$T/no such" --gpu-archs gfx90a --tmp-dir "$T/w2" \
  --install-dir "$T/none"
[ ! -e "$T/none" ] || fail "installed: $(ls "$T/none")"
rm -rf "$te/ckjit"
refused 1 'is a submodule empty?' build_te full --aiter-dir "$example"
refused 1 'there is no ckjit-compile beside' "$te/ck_jit_compile.sh" --blob x
