#!/bin/sh
# export --format code-object: the GPU's own ELF file, for the architecture asked for, with the kernel and its descriptor;
# renamed in all places; several kernels in one, and a bundle of several architectures. No way changes an instruction.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
export_ k64 --format code-object --arch 'gfx90a;gfx908' --output ./
[ "$(sort "$T/export.out")" = "$(printf '%s\n' "$PWD/k64.gfx908.co" "$PWD/k64.gfx90a.co")" ] || fail "$(cat "$T/export.out")"
[ "$(names .)" = 'k64.gfx908.co k64.gfx90a.co ' ] || fail "there is $(ls -A)"
# The processor is in the flags: EF_AMDGPU_MACH, 0x30 for gfx908 and 0x3f for gfx90a.
mach() { "$llvm/llvm-readelf" -h "$1" | sed -n 's/.*Flags: *0x[0-9A-Fa-f]*\([0-9A-Fa-f]\{2\}\)\b.*/\1/p' | tr A-F a-f; }
[ "$(mach k64.gfx908.co) $(mach k64.gfx90a.co)" = '30 3f' ] || fail "made for $(mach k64.gfx908.co) and $(mach k64.gfx90a.co)"
symbols() { "$llvm/llvm-readelf" --dyn-syms "$1" | awk '$4 == "FUNC" || $4 == "OBJECT" {print $8}' | sort | tr '\n' ' '; }
[ "$(symbols k64.gfx90a.co)" = "$kentry64 $kentry64.kd " ] || fail "symbols: $(symbols k64.gfx90a.co)"

export_ k64 --format code-object --symbol kernel_64 --output named.co
[ "$(symbols named.co)" = 'kernel_64 kernel_64.kd ' ] || fail "symbols: $(symbols named.co)"
"$llvm/llvm-readelf" -n named.co >"$T/notes"
grep -q '\.name: *kernel_64$' "$T/notes" && grep -q '\.symbol: *kernel_64\.kd$' "$T/notes" || fail "metadata: $(cat "$T/notes")"
same named.co k64.gfx90a.co

export_ k64 k128 --format code-object --symbol $kentry64=kernel_64 --output both.co
[ "$(symbols both.co)" = "$(printf '%s ' $kentry128 $kentry128.kd kernel_64 kernel_64.kd)" ] || fail "symbols: $(symbols both.co)"
export_ k128 --format code-object --output k128.co
{ instructions k64.gfx90a.co; instructions k128.co; } | grep -v -e s_nop -e s_code_end >"$T/apart"
instructions both.co | grep -v -e s_nop -e s_code_end >"$T/together"
grep -q s_endpgm "$T/apart" && cmp "$T/apart" "$T/together" || fail 'joined, the kernels have other code'
[ "$("$llvm/llvm-readelf" -n both.co | grep -c '\.symbol: ')" = 2 ] || fail 'not both are in the metadata'

export_ k64 k128 --format code-object --arch 'gfx90a;gfx908' --output fat.co
"$llvm/clang-offload-bundler" -list -type=o -input=fat.co >"$T/list"
[ "$(grep -c 'amdgcn-amd-amdhsa--gfx90[a8]$' "$T/list")" = 2 ] || fail "bundle: $(cat "$T/list")"
"$llvm/clang-offload-bundler" -unbundle -type=o -input=fat.co -targets=hipv4-amdgcn-amd-amdhsa--gfx908 -output=u.co
[ "$(mach u.co) $(symbols u.co)" = "30 $kentry128 $kentry128.kd $kentry64 $kentry64.kd " ] || fail "$(symbols u.co)"
