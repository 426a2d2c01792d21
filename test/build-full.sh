#!/bin/sh
# full: both libraries, and an install tree that works when checkout and work directory are gone. The checkout stays as it is.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
files "$T/aiter" >"$T/before"
export JIT_WORKSPACE_DIR="$T/elsewhere" AITER_REBUILD=1
ckjit-build full --aiter-dir "$T/aiter" --gpu-archs 'gfx942;gfx950' --tmp-dir "$T/w" --install-dir "$T/i" >"$T/out" ||
  fail "full failed: $(cat "$T/out")"
files "$T/aiter" | cmp -s "$T/before" - || fail "the checkout was changed: $(files "$T/aiter" | diff "$T/before" -)"
grep -q 'archs gfx942;gfx950 gfx942;gfx950 bf16 its own is_fwd 1' "$T/w/log_fwd.txt" || fail "fwd: $(cat "$T/w/log_fwd.txt")"
grep -q 'is_fwd 0' "$T/w/log_bwd.txt" || fail "bwd: $(cat "$T/w/log_bwd.txt")"
[ "$(grep -c '"kind":"blob"' "$T/w/manifest.json.ndjson")" = 4 ] || fail 'not all blobs were recorded'
(cd "$T/i" && find . -type f | sort) >"$T/tree"
srcs=aiter/jit/build/libmha
for f in libmha_fwd.so libmha_bwd.so ck_jit/ckjit-compile ck_jit/ckjit-prebuild ck_jit/ck_jit_manifest.json \
  ck_jit/csrc/include/args.h ck_jit/${srcs}_fwd/build/srcs/fmha_fwd_d64_1.cu ck_jit/${srcs}_bwd/build/srcs/beside.h; do
  grep -qx "./$f" "$T/tree" || fail "no $f in the install tree: $(cat "$T/tree")"
done
[ -z "$(find "$T/i" -mindepth 1 -maxdepth 1 ! -name 'libmha_*.so' ! -name ck_jit)" ] || fail "more in the install directory: $(ls -A "$T/i")"

# Moved, with all that it came from gone, it compiles its kernels.
rm -rf "$T/w" "$T/aiter" "$T/ck-elsewhere" "$T/ckjit"
mv "$T/i" "$T/moved here"
CK_JIT_HIPCC=$T/rocm/bin/hipcc "$T/moved here/ck_jit/ckjit-prebuild" build --cache-dir "$T/cache" --all --arch gfx942 >"$T/out" 2>&1 ||
  fail "prebuild: $(cat "$T/out")"
[ "$(find "$T/cache" -maxdepth 1 -name '*.so' | wc -l)" = 4 ] || fail "not four blobs: $(ls "$T/cache")"
# A hint that is printed there can be typed there: the command that it names is there.
"$T/moved here/ck_jit/ckjit-prebuild" list --nothing >"$T/out" 2>&1 && fail "--nothing"
hint=$(sed -n 's/.*; see \(.*\)/\1/p' "$T/out")
is "the hint" "ckjit list --help" "$hint"
(PATH="$T/moved here/ck_jit:/usr/bin:/bin" && $hint) >"$T/out" 2>&1 || fail "$hint: $(cat "$T/out")"
has "its page" "usage: ckjit list" "$T/out"
is "its library" 4 "$("$T/moved here/ck_jit/ckjit" list | wc -l)"
