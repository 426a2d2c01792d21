#!/bin/sh
# export --format bitcode: bitcode that llvm-dis and clang read, and that compiles to the same code; several kernels joined.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
export_ k64 --format bitcode --output k64.bc
"$llvm/llvm-bcanalyzer" k64.bc >/dev/null || fail 'llvm-bcanalyzer does not read it'
kernels() { "$llvm/llvm-dis" "$1" -o - | sed -n 's/^define .* amdgpu_kernel void @\([^(]*\)(.*/\1/p' | sort | tr '\n' ' '; }
[ "$(kernels k64.bc)" = "$kentry64 " ] || fail "kernels: $(kernels k64.bc)"
"$llvm/llvm-dis" k64.bc -o - | grep -q "\"target-cpu\"=\"gfx90a\"" || fail 'made for another processor'
"$llvm/clang" -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O3 -x ir k64.bc -o bc.co || fail 'clang does not take it'
export_ k64 --format code-object --output k64.co
same bc.co k64.co
export_ k64 k128 --format bitcode --symbol $kentry64=kernel_64 --output - >/dev/null
cp "$T/export.out" both.bc
[ "$(kernels both.bc)" = "$kentry128 kernel_64 " ] || fail "kernels: $(kernels both.bc)"
refused 1 'bitcode holds one architecture, found several: gfx90a;gfx908' k64 --format bitcode --arch 'gfx90a;gfx908' --output x.bc
export_ k64 k128 --format bitcode --arch 'gfx90a;gfx908' --output each/
[ "$(names each)" = 'k128.gfx908.bc k128.gfx90a.bc k64.gfx908.bc k64.gfx90a.bc ' ] || fail "$(ls each)"
