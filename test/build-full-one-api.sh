#!/bin/sh
# --api builds one library; --verbose shows the build as it comes; a second full build in the same --tmp-dir replaces the first,
# and the other library joins it. Where the other library is not in the work directory, the install is refused.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
full() {
  ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --install-dir "$T/i" "$@" >"$T/out" 2>&1
}
full --tmp-dir "$T/w" --api fwd --verbose --ck-tile-bf16 0 || fail "fwd: $(cat "$T/out")"
grep -q '^\[fwd\] archs gfx942 gfx942 bf16 0 ' "$T/out" || fail "no output with a prefix: $(cat "$T/out")"
[ ! -e "$T/w/src_bwd" ] || fail 'bwd was built, too'
[ -e "$T/i/libmha_fwd.so" ] && [ ! -e "$T/i/libmha_bwd.so" ] || fail "installed: $(ls "$T/i")"
refused 1 'libmha_fwd.so of an earlier install' ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 \
  --install-dir "$T/i" --tmp-dir "$T/w2" --api bwd
[ ! -e "$T/w2/log_bwd.txt" ] || fail 'it was built first and refused then'
full --tmp-dir "$T/w" --api fwd || fail "fwd again: $(cat "$T/out")"
full --tmp-dir "$T/w" --api bwd || fail "bwd: $(cat "$T/out")"
grep -q fmha_fwd_d64_1 "$T/i/ck_jit/ck_jit_manifest.json" || fail 'fwd is gone from the manifest'
grep -q fmha_bwd_d64_1 "$T/i/ck_jit/ck_jit_manifest.json" || fail 'bwd is not in the manifest'
# A work directory is made and named where none is given.
TMPDIR=$T ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --api fwd >"$T/out" || fail "no --tmp-dir: $(cat "$T/out")"
dir=$(sed -n 's/^work directory //p' "$T/out")
[ -e "$dir/libmha_fwd/ck_jit_quick_rebuild.json" ] || fail "nothing in '$dir'"
