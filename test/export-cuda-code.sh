#!/bin/sh
# export of device code of CUDA: a cubin for one GPU, a fat binary for several architectures and for PTX, PTX, LTO-IR. It is the
# code that nvcc itself makes; a kernel can be renamed, and has the same instructions.
# tier: all
# seconds: 14
. "${0%/*}/common.sh"
. "$here/unit/export_cuda_fixture.sh"
export_ k64 --format code-object --output ./
[ "$(names .)" = 'k64.sm_80.cubin k64.sm_90.cubin ' ] || fail "there is $(ls -A)"
"$nvcc" -O3 -std=c++17 -I"$demo" -cubin -arch=sm_90 "$demo/k64.cu" -o plain.cubin
kernels k64.sm_90.cubin >"$T/ours"
kernels plain.cubin | cmp - "$T/ours" && grep -q " $kentry64\$" "$T/ours" || fail "other code than nvcc's: $(cat "$T/ours")"
kernels k64.sm_80.cubin | cmp -s - "$T/ours" && fail 'the same code for sm_80'

export_ k64 --format code-object --arch sm_90 --symbol kernel_64 --output named.cubin
[ "$(kernels named.cubin)" = "$(sed "s/$kentry64/kernel_64/" "$T/ours")" ] || fail "renamed: $(kernels named.cubin)"
export_ k64 --format asm --arch sm_90 --symbol "$kentry64=kernel_64" --output named.ptx
grep -q '^\.visible \.entry kernel_64($' named.ptx && grep -q '^\.target sm_90$' named.ptx || fail "$(cat named.ptx)"
export_ k64 --format asm --arch sm_86:compute_80 --output -
grep -q '^\.target sm_80$' "$T/export.out" || fail "PTX: $(cat "$T/export.out")"
export_ two --format code-object --arch sm_90 --symbol _Z5otherIfEvPT_=other --output two.cubin
[ "$(kernels two.cubin | sed 's/.* //' | sort | tr '\n' ' ')" = '_Z6kentryIN4demo6traitsILi2ELb1EEEEvNS0_4argsE other ' ] ||
  fail "$(kernels two.cubin)"

# Several architectures; the parts are found in it as they are, in the order of nvcc's own.
export_ k64 --format code-object --arch 'sm_90;compute_90;sm_86:compute_80' --symbol kernel_64 --output all.fatbin
python3 - all.fatbin >"$T/images" <<'END'
import struct, sys
b = open(sys.argv[1], "rb").read()
magic, _, head, size = struct.unpack_from("<IHHQ", b)
assert magic == 0xba55ed50 and head + size == len(b)
at = head
while at < len(b):
    kind, _, head, size = struct.unpack_from("<HHIQ", b, at)
    print({1: "ptx", 2: "elf"}[kind], struct.unpack_from("<I", b, at + 28)[0])
    at += head + size
END
[ "$(sort "$T/images" | tr '\n' ' ')" = 'elf 86 elf 90 ptx 90 ' ] || fail "images: $(cat "$T/images")"
export_ k64 --format code-object --arch compute_90 --output ./
[ -f k64.compute_90.fatbin ] || fail "$(ls)"

export_ k64 --format bitcode --arch sm_90 --output k64.ltoir
[ "$(od -An -tx1 -N4 k64.ltoir | tr -d ' ')" = ed434e7f ] || fail 'no LTO-IR'

# The same bytes again, also at another place.
mkdir again 'o, $dd'
export_ k64 --format code-object --arch sm_90 --symbol kernel_64 --output 'o, $dd/named.cubin'
cmp named.cubin 'o, $dd/named.cubin' || fail 'not the same cubin again'
export_ k64 --format code-object --arch 'sm_90;compute_90;sm_86:compute_80' --symbol kernel_64 --output 'o, $dd/all.fatbin'
cmp all.fatbin 'o, $dd/all.fatbin' || fail 'not the same fat binary again'

# By hand, of a source that -x says to be CUDA, with a launcher in front.
cp "$demo/k64.cu" k64.cpp
for format in code-object so; do
  CK_JIT_COMPILER_LAUNCHER="env" "$B/bin/ckjit-compile" --blob-source k64.cpp --blob-flags "-O3 -std=c++17 -x cu -arch=sm_80 -I$demo" \
    --hipcc "$nvcc" --arch sm_90 --format $format --symbol "$(if [ $format = so ]; then echo "$count64=f"; else echo kernel_64; fi)" \
    --output "$PWD/hand.$format" >"$T/hand" 2>&1 || fail "by hand, $format: $(cat "$T/hand")"
done
[ "$(kernels hand.code-object)" = "$(sed "s/$kentry64/kernel_64/" "$T/ours")" ] || fail "by hand: $(kernels hand.code-object)"
nm -D hand.so | grep -q ' T f$' || fail 'by hand: no f'
