#!/bin/sh
# What is installed names neither the work directory nor the checkout that it was built from, nor that of ckjit: not the library, its
# debug information included, not the programs, lists, sources and headers beside it; nor after quick. In its work directory the
# library has these names, and falls back to them; away from its ck_jit directory an installed one says what it lacks.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
full fwd
top=$(cd "$here/.." && pwd)
case $top in
/*/*) ;;
*) top=$example ;; # too short a name to look for
esac

# names DIR PLACE…: the files below DIR that have one of these names in them, with the first text that has
names() {
  dir_=$1
  shift
  for place_; do
    printf '%s\n' "$place_"
  done >"$T/places"
  grep -raFl -f "$T/places" "$dir_" | while read -r file_; do
    printf '%s: %s\n' "$file_" "$(grep -aoE -m 1 "[[:print:]]*($(paste -sd '|' "$T/places"))[[:print:]]*" "$file_" | head -n 1 | cut -c 1-200)"
  done
}
found=$(names "$full/i" "$full/w" "$example" "$top")
[ -z "$found" ] || fail "installed: $found"
readelf -SW "$full/i/libmha_fwd.so" | grep -q ' \.ckjit\.build ' || fail "the section that was cleared is not there at all"
found=$(names "$full/w/libmha_fwd" "$full/w" "$example" "$top")
case $found in
*/ck_jit_tables.o:*) ;;
*) fail "the work directory has no names of its own: $found" ;;
esac

cp -r "$full/w" "$T/w"
export CK_JIT_HIPCC="$T/counting-hipcc"
"$B/bin/ckjit-build" quick --tmp-dir "$T/w" --install-dir "$T/i" >"$T/out" 2>&1 || fail "quick: $(cat "$T/out")"
found=$(names "$T/i" "$full/w" "$T/w" "$example" "$top")
[ -z "$found" ] || fail "installed by quick: $found"
"$B/bin/ckjit-build" quick --tmp-dir "$T/w" --install-dir "$T/i" >"$T/out" 2>&1 || fail "quick again: $(cat "$T/out")"
found=$(names "$T/i" "$full/w" "$T/w" "$example" "$top")
[ -z "$found" ] || fail "installed by quick, again: $found"

# from its work directory, where nothing lies beside it
so=$(find "$T/w/src_fwd" -name libmha_fwd.so | head -n 1)
[ -n "$(names "$so" "$full/w")" ] || fail "the library in the work directory does not know where it was built"
check "$(dirname "$so")" --only fwd_d64_fp32_nbias_nmask_lse
[ "$(compiled)" = 1 ] || fail 'not one compile at the first call'
# alone
mkdir "$T/alone"
mv "$T/i/libmha_fwd.so" "$T/alone"
rm -rf "$T/cache"
python3 "$example/check.py" "$T/alone" --only fwd_d64_fp32_nbias_nmask_lse >"$T/out" 2>&1 && fail "alone, it was compiled"
grep -qF "there is no ckjit-compile: neither CK_JIT_ROOT is set nor a directory ck_jit beside $T/alone/libmha_fwd.so" "$T/out" ||
  fail "alone: $(cat "$T/out")"
export CK_JIT_ROOT="$T/i/ck_jit"
check "$T/alone" --only fwd_d64_fp32_nbias_nmask_lse
