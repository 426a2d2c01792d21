# units_api_fixture.sh - what libckjit.so does with libunits.so, a library of two lazy units, of HIP or CUDA: source it behind hip_fixture.sh or
# cuda_units_fixture.sh, when libunits.so and its program main are made.
#
#   units_api ARCH RUNTIME LOG [SUFFIX]   LOG is the variable of the runtime in directory RUNTIME, which stands in for the real one; SUFFIX is
#                                         what a kernel has in a code object
# shellcheck shell=bash disable=SC2154

# told COMMAND…: what ./apiprogram prints of libunits.so, in one line
told() {
  env "$log_of=$T/log" LD_LIBRARY_PATH="$T/$runtime" ./apiprogram "open:$T/libunits.so" "$@" 2>&1 | tr '\n' ' ' | sed 's/ $//'
}
# launched KERNEL…: what is launched without a compiler
launched() {
  (
    # shellcheck disable=SC2030 # for this launch alone
    export CK_JIT_ON_MISS=error CK_JIT_HIPCC=/nonexistent CK_JIT_NVCC=/nonexistent
    run ./main "$@" 2>err | tr '\n' ' ' | sed 's/ $//'
  )
}
# refused WHAT BEGINNING COMMAND…: what it says begins so
refused() {
  what_=$1 beginning_=$2
  shift 2
  told "$@" >none
  case $(cat none) in "$beginning_"*) ;; *) fail "$what_: $(cat none)" ;; esac
}

units_api() {
  runtime=$2 log_of=$3
  gcc -std=gnu11 -O1 -g -I"$here/.." "$here/unit/runtime_api.c" -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib" -o apiprogram
  CK_JIT_MANIFEST=$T/home/work/libunits/ck_jit_manifest.json "$B/bin/ckjit-prebuild" list --kernels >kernels
  kernel=$(sed -n 's/\tfirst_a(int\*)//p' kernels) other=$(sed -n 's/\tvoid times_b<3>(int\*)//p' kernels)
  unit=${kernel%.*} second=${other%.*}

  is list "$unit absent 0 $second absent 0" "$(told list)"
  is 'its text, architecture and build id' "home/work/.units/$(cd home/work/.units && ls "${unit#a-}"*.text) $1 ${unit#a-}" \
    "$(told "info:$unit" | sed 's,^[^ ]*/\(home/work/.units\),\1,; s/\( [0-9a-f]\{12\}\)[0-9a-f]\{36\}$/\1/')"
  is 'by its name' "$unit -1" "$(told "find:$unit")"
  is 'a kernel means its unit' "$unit -1" "$(told "find:$kernel")"
  refused 'a mangled name' "CKJIT_E_NOT_FOUND: $T/libunits.so: there is no kernel '_Z7first_aPi'" find:_Z7first_aPi
  CK_JIT_ON_MISS=error refused 'a miss' CKJIT_E_MISS: "compile:$unit"

  # compiled by the API, found by a launch
  is compile 'absent stored cached' "$(told "state:$unit" "compile:$unit:store" "state:$unit")"
  is 'each kernel of the unit' 'a0 0 a1 0 b0 98' "$(launched a0 a1 b0)"
  is 'a handle' 'handle 0' "$(told "compile:$unit")"

  # a list of CK_JIT_CAPTURE, which names kernels
  CK_JIT_CAPTURE=$T/used run ./main b1 >got 2>err || fail "capture: $(cat err)"
  has capture "$other" used
  rm -r cache
  told prewarm:"$T/used" >prewarmed
  is "prewarmed ($(cat prewarmed))" 'b1 0 b0 0 a0 98' "$(launched b1 b0 a0)"

  # exported: the bytes are those of the kernels, which need no ckjit
  told "export:$unit:code-object:unit.code" >exported
  is export "$(stat -c %s unit.code) bytes" "$(cat exported)"
  readelf -sW unit.code >symbols
  has 'both kernels' "_Z7first_aPi${4-}" symbols
  has 'both kernels' "_Z7times_aILi3EEvPi${4-}" symbols

  # without the text, which may lie beside the kept sources as well
  text=$(told "info:$unit" | cut -d ' ' -f 1)
  mv "$text" gone
  rm -rf cache
  told "compile:$unit" >none
  case $(cat none) in CKJIT_E_FAILED:*"$unit"*) ;; *) fail "no text: $(cat none)" ;; esac
  mv gone "$text"
  is 'with it again' 'handle 0' "$(told "compile:$unit")"
}
