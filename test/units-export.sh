#!/bin/sh
# ckjit-prebuild export of kernels of lazy units of HIP: a code object, bitcode and assembly of one kernel, template or not, with its name and another's,
# have its instructions and metadata as the real compiler's code object of the unit, and no other kernel; of the whole unit, byte for byte. For
# several architectures it is a bundle; several kernels go to a directory, those of two units to one file. What cannot be had is refused: so and
# obj, two kernels of one unit in one file, --add-flags, a text that is gone, a source that has none of it.
# tier: all
# seconds: 23
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
# LLVM's own tools, of hipcc's version, judge what comes out.
llvm=/usr/lib/llvm-$(hipcc --version | sed -n 's/.*clang version \([0-9]*\).*/\1/p')/bin
for tool in llvm-readelf llvm-objdump llvm-dis clang-offload-bundler; do
  [ -x "$llvm/$tool" ] || skip "no $llvm/$tool"
done
two_units
hipcc -std=c++17 -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a --cuda-device-only --no-gpu-bundle-output -c a.hip -o stock.co 2>err ||
  fail "stock: $(cat err)"
export CK_JIT_MANIFEST="$T/home/work/libunits/ck_jit_manifest.json"
prebuild() {
  status=0
  "$B/bin/ckjit-prebuild" "$@" >out 2>said || status=$?
}
tab=$(printf '\t')
prebuild list --kernels
times=$(sed -n "s/${tab}void times_a<3>(int\*)//p" out) first=$(sed -n "s/${tab}first_a(int\*)//p" out)
first_b=$(sed -n "s/${tab}first_b(int\*)//p" out) unit=${times%.*}

# kernels FILE: their names; code FILE KERNEL: its instructions
kernels() { "$llvm/llvm-readelf" --dyn-syms -W "$1" | sed -n 's/.* \([^ ]*\)\.kd$/\1/p' | sort | tr '\n' ' '; }
code() { "$llvm/llvm-objdump" -d --disassemble-symbols="$2" --no-show-raw-insn --no-leading-addr "$1" | sed '1,/>:$/d; s,//.*,,; /s_nop 0/d; /^[[:space:].]*$/d'; }

prebuild export "$times" --format code-object --output x.co
is 'a template: status' "0 " "$status $(cat said)"
is 'a template: the file' "$T/x.co" "$(cat out)"
is 'a template: its kernels' '_Z7times_aILi3EEvPi ' "$(kernels x.co)"
is 'a template: its code' "$(code stock.co _Z7times_aILi3EEvPi)" "$(code x.co _Z7times_aILi3EEvPi)"
[ -n "$(code x.co _Z7times_aILi3EEvPi)" ] || fail 'there is no code'
"$llvm/llvm-readelf" --dyn-syms -W x.co >symbols
lacks 'a mark of ours' 'ckjit_selected' symbols
prebuild export _Z7first_aPi --format code-object --output x.co
is 'another: its kernels' '_Z7first_aPi ' "$(kernels x.co)"
is 'another: its code' "$(code stock.co _Z7first_aPi)" "$(code x.co _Z7first_aPi)"

prebuild export "$times" --format code-object --symbol times3 --output - --arch gfx90a
cp out x.co
is 'another name' 'times3 ' "$(kernels x.co)"
prebuild export "$times" --format asm --output x.s
is 'asm' 1 "$(grep -c 'amdhsa_kernel _Z7times_aILi3EEvPi' x.s)"
prebuild export "$times" --format bitcode --output x.bc
is 'bitcode' '@_Z7times_aILi3EEvPi(' "$("$llvm/llvm-dis" x.bc -o - | sed -n 's/^define .*amdgpu_kernel void \([^(]*(\).*/\1/p')"

prebuild export "$unit" --format code-object --output x.co
is 'the whole unit: kernels' '_Z7first_aPi _Z7times_aILi3EEvPi ' "$(kernels x.co)"
is 'the whole unit: code' "$(code stock.co _Z7times_aILi3EEvPi)" "$(code x.co _Z7times_aILi3EEvPi)"

# to a directory, a file for each; of two units to one file
prebuild export "$times" "$first" --format code-object --output many/
is 'a directory' "$(printf '%s\n' "$first.gfx90a.co" "$times.gfx90a.co" | sort)" "$(ls many)"
prebuild export "$times" "$first_b" --format code-object --output x.co
is 'of two units: status' '0 ' "$status $(cat said)"
is 'of two units' '_Z7first_bPi _Z7times_aILi3EEvPi ' "$(kernels x.co)"

# a unit for several architectures
as_build hipcc -std=c++17 -O2 -fPIC --offload-arch=gfx90a --offload-arch=gfx908 -c a.hip -o a2.o || fail "two: $(cat err)"
as_build hipcc -shared -o libtwo.so a2.o || fail "two: link: $(cat err)"
env -u CK_JIT_ARCH "$B/bin/ckjit-prebuild" export --manifest home/work/libtwo/ck_jit_manifest.json _Z7first_aPi --format code-object --output two.co >out 2>said ||
  fail "two: $(cat said)"
"$llvm/clang-offload-bundler" -list -type=o -input=two.co >targets
is 'a bundle' 2 "$(grep -c 'gfx90[a8]$' targets)"

# refused, and nothing is written
refused() {
  what=$1 words=$2
  shift 2
  rm -f y.co
  prebuild export "$@" --output y.co
  is "$what: status" 1 $status
  has "$what" "$words" said
  [ ! -e y.co ] || fail "$what: something was written"
}
refused 'so' 'whose functions are in its library; expected --format' "$times" --format so
refused 'two of one unit' 'belong to one unit and cannot be joined' "$times" "$first" --format code-object
refused '--add-flags' 'whose text is already preprocessed' "$times" --format code-object --add-flags -DX=1
refused 'an architecture that it was not built for' 'has no text for gfx908' "$times" --format code-object --arch gfx908
mv home/work/.units gone
refused 'without its text' '.text: No such file' "$unit" --format code-object
