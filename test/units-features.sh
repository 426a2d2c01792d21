#!/bin/sh
# The text of a lazy unit for gfx90a:xnack- serves a GPU that is called gfx90a:sramecc+:xnack-, whose features it does not contradict; not one with
# xnack+, nor one of which that is not known. What is said then names the architectures that there are texts for.
# tier: check
# seconds: 5
. "${0%/*}/common.sh"
need_hipcc
need python3 zstd
unset ROCM_PATH ROCM_HOME HIP_PATH CK_JIT_ARCH CK_JIT_ROOT CK_JIT_CACHE_DIR
cd "$T"
for n in 1 2; do
  echo "__attribute__((global)) void k(int *p) { *p = $n; }" >$n.hipi
done
tool() { python3 "$here/unit/kernel_entry.py" "$@"; }
tool text k.text gfx90a:xnack- 1.hipi gfx908 2.hipi
compile() {
  "$B/bin/ckjit-compile" --kernel _Z1kPi --blob-source k.text --blob-flags -O1 --arch "$1" --build-id 00112233445566778899aabbccddeeff0123456789abcdef \
    --kind hip --hipcc hipcc --output k.so >said 2>&1
}
for arch in gfx90a:xnack- gfx90a:sramecc+:xnack- gfx90a:xnack-:sramecc- gfx908:sramecc+; do
  compile "$arch" || fail "$arch: $(cat said)"
  tool fatbin k.so k.fatbin && grep -qaF -e "-$arch" k.fatbin || fail "$arch: it is not for that"
done
for arch in gfx90a gfx90a:xnack+ gfx90a:sramecc+ gfx90 gfx9081; do
  compile "$arch" && fail "$arch: it has been compiled"
  has "$arch" "k.text: it has no text for $arch, but for gfx90a:xnack- and gfx908; build the unit for that architecture" said
done

# of two texts the one that says more
tool text k.text gfx90a 2.hipi gfx90a:xnack- 1.hipi
compile gfx90a:sramecc+:xnack- && tool fatbin k.so k.fatbin || fail "two: $(cat said)"
tool code k.fatbin gfx90a:sramecc+:xnack- two.co || fail 'two: no code'
tool text k.text gfx90a:xnack- 1.hipi
compile gfx90a:sramecc+:xnack- && tool fatbin k.so k.fatbin && tool code k.fatbin gfx90a:sramecc+:xnack- one.co || fail "one: $(cat said)"
cmp one.co two.co || fail 'the text that says less was taken'
