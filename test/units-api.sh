#!/bin/bash
# libckjit.so and a library of lazy units of HIP: it lists the units, compiles, exports and prewarms each with all its kernels, by the unit's name or
# that of one of its kernels; a launch then finds them, without a compiler. The mangled name of a kernel is none of a function. One that is
# gone, and a miss that may not be compiled, are errors.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
two_units
gcc -std=gnu11 -O1 -g -I"$here/.." "$here/unit/runtime_api.c" -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib" -o apiprogram
export CK_JIT_MANIFEST=$T/home/work/libunits/ck_jit_manifest.json
"$B/bin/ckjit-prebuild" list --kernels >kernels
kernel=$(sed -n 's/\tfirst_a(int\*)//p' kernels) other=$(sed -n 's/\tvoid times_b<3>(int\*)//p' kernels)
unit=${kernel%.*} second=${other%.*}
unset CK_JIT_MANIFEST
# told COMMAND…: what ./apiprogram prints of libunits.so, in one line
told() {
  HIPRT_LOG=$T/log LD_LIBRARY_PATH=$T/hip ./apiprogram "open:$T/libunits.so" "$@" 2>&1 | tr '\n' ' ' | sed 's/ $//'
}

is list "$unit absent 0 $second absent 0" "$(told list)"
is 'its text, architecture and build id' "$(find "$T"/home/work/.units -name "${unit#a-}*.text") gfx90a ${unit#a-}" \
  "$(told "info:$unit" | sed 's/\( [0-9a-f]\{12\}\)[0-9a-f]\{36\}$/\1/')"
is 'by its name' "$unit -1" "$(told "find:$unit")"
is 'a kernel means its unit' "$unit -1" "$(told "find:$kernel")"
told find:_Z7first_aPi >none
case $(cat none) in "CKJIT_E_NOT_FOUND: $T/libunits.so: there is no kernel '_Z7first_aPi'"*) ;; *) fail "a mangled name: $(cat none)" ;; esac
CK_JIT_ON_MISS=error told "compile:$unit" >none
case $(cat none) in CKJIT_E_MISS:*) ;; *) fail "a miss: $(cat none)" ;; esac

# compiled by the API, found by a launch
is compile 'absent stored cached' "$(told "state:$unit" "compile:$unit:store" "state:$unit")"
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main a0 a1 b0 >got 2>err
is 'each kernel of the unit' 'a0 0 a1 0 b0 98' "$(tr '\n' ' ' <got | sed 's/ $//')"
is 'a handle' 'handle 0' "$(told "compile:$unit")"

# a list of CK_JIT_CAPTURE, which names kernels
CK_JIT_CAPTURE=$T/used run ./main b1 >got 2>err || fail "capture: $(cat err)"
has capture "$other" used
rm -r cache
told prewarm:"$T/used" >prewarmed
CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent run ./main b1 b0 a0 >got 2>err
is "prewarmed ($(cat prewarmed))" 'b1 0 b0 0 a0 98' "$(tr '\n' ' ' <got | sed 's/ $//')"

# exported: the bytes are those of the kernels, which need no ckjit
told "export:$unit:code-object:unit.co" >exported
is export "$(stat -c %s unit.co) bytes" "$(cat exported)"
nm -D --defined-only unit.co >symbols
has 'both kernels' '_Z7first_aPi.kd' symbols
has 'both kernels' '_Z7times_aILi3EEvPi.kd' symbols

# without the text
mv home/work/.units gone
rm -rf cache
told "compile:$unit" >none
case $(cat none) in CKJIT_E_FAILED:*"$unit"*) ;; *) fail "no text: $(cat none)" ;; esac
mv gone home/work/.units
is 'with it again' 'handle 0' "$(told "compile:$unit")"
