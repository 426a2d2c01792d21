#!/bin/sh
# Architecture tags and guards of examples/fmha-bwd: the launcher takes the kernels of its device's tag, and a blob has device code
# only where its #if is true, though its host half is there in any case. One that is not even there is named by the link.
# tier: all
# seconds: 32
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy

# code STEM: each architecture of the code objects in a compiled blob, and whether it has a kernel
code() {
  python3 "$here/unit/kernels_of.py" "$CK_JIT_CACHE_DIR/$1.so" | sort
}

# Of the two architectures that this compiler has libraries for, gfx1030 is none of a tag's: the real one is in real-fmha-bwd.sh.
dot=fmha_bwd_dot_do_o_d64_fp32_batch
for device in gfx90a:gfx9 gfx942:gfx9 gfx1100:gfx11; do
  tag=${device#*:}
  FMHA_BWD_ARCH=${device%:*} CK_JIT_ARCH='gfx90a;gfx1030' ends 0 "$bwd" -d=64 -s=16
  says right
  grep -q "^kernels ${dot}_$tag@.*_$tag\$" "$T/out" || fail "on ${device%:*}: $(cat "$T/out")"
done
[ "$(code ${dot}_gfx9)" = "$(printf 'gfx1030 0\ngfx90a 1')" ] || fail "gfx9: $(code ${dot}_gfx9)"
[ "$(code ${dot}_gfx11)" = "$(printf 'gfx1030 0\ngfx90a 0')" ] || fail "gfx11: $(code ${dot}_gfx11)"

# A guard that is false for the host too leaves no function.
cp -r "$example" "$T/unguarded"
sed -i 's/!defined(__HIP_DEVICE_COMPILE__) || (/(/' "$T/unguarded/generate.py"
cmp -s "$example/generate.py" "$T/unguarded/generate.py" && fail 'the guard is written in another way'
example=$T/unguarded
lazily "$T/w" TARGETS=gfx11 DTYPES=fp32 FILTER='*_batch_*_ndet*' "$T/w/build/libfmha_bwd.so" >"$T/log" 2>&1 ||
  fail "a library with holes is not linked, as it is without ckjit: $(tail -n 3 "$T/log")"
grep -q 'warning: .* 12 functions of blobs are not defined' "$T/log" || fail "$(tail -n 20 "$T/log")"
grep -q '  _Z.*fmha_bwd_dot_do_o_get_name_.*7gfx11_t' "$T/log" || fail "$(tail -n 20 "$T/log")"
