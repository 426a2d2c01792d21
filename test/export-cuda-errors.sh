#!/bin/sh
# What cannot be exported of CUDA is an error that says why, and nothing is written: a kernel without code for an architecture,
# an architecture that nvcc does not know, several kernels in one module.
# tier: all
# seconds: 11
. "${0%/*}/common.sh"
. "$here/unit/export_cuda_fixture.sh"
for format in obj asm code-object; do
  refused 1 'k16: no code for sm_80: its kernel is empty .* there is code for sm_90' k16 --format $format --arch sm_80 --output f
done
refused 1 'k16: no code for compute_80' k64 k16 --format so --arch 'sm_90;compute_80' --output f
for format in so code-object; do
  export_ k8 --format $format --arch sm_90 --output "k8.$format"
  grep -q 'k8: the kernel is empty for sm_90' "$T/export.err" || fail "$format: not a word: $(cat "$T/export.err")"
done
refused 1 "cannot compile for architecture sm_9999" k64 k128 --format so --arch 'sm_90;sm_9999' --output f
grep -q "nvcc fatal.*'[a-z]*_9999'" "$T/export.err" || fail "not what nvcc said: $(cat "$T/export.err")"
refused 1 'cannot compile for architecture gfx942' k64 --format asm --arch gfx942 --output d/
refused 1 'cannot compile for architecture sm_86:compute_90' k64 --format obj --arch sm_86:compute_90 --output f
refused 2 "arch 'sm_86:compute_'" k64 --format obj --arch sm_86:compute_ --output f
refused 1 'holds one architecture, found several: sm_80;sm_90' k64 --format asm --output f
for format in code-object asm bitcode; do
  refused 1 'one module per kernel, and the modules of 2 kernels cannot be joined' k64 k128 --format $format --arch sm_90 --output f
done
refused 1 'kernels in LTO-IR keep their names' k64 --format bitcode --arch sm_90 --symbol x --output f
refused 1 'PTX has no names with a dot' k64 --format asm --arch sm_90 --symbol x.y --output f
refused 1 '2 kernels match; pass --symbol' two --format code-object --arch sm_90 --symbol x --output f
grep -q '^  _Z5otherIfEvPT_$' "$T/export.err" || fail "it does not list them: $(cat "$T/export.err")"
refused 1 "it has no kernel 'nothing', but" k64 --format asm --arch sm_90 --symbol nothing=x --output f
refused 1 'has a symbol of that name already' two --format asm --arch sm_90 --symbol "_Z5otherIfEvPT_=_Z6kentryIN4demo6traitsILi2ELb1EEEEvNS0_4argsE" --output f
