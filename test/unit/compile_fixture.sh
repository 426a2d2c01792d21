# compile_fixture.sh - ckjit-compile with the real hipcc, on sources that take it a second: source it behind common.sh.
# shellcheck shell=sh disable=SC2154
#
#   source_file FILE N [HEAD]   a blob whose kernel writes N; HEAD: its leading #include block
#   compile NAME [OPTION…]      compile $T/NAME.cu into the cache $T/c; what it said is in $T/NAME.said
#   said NAME TEXT              that must be in there
need readelf nm objcopy
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_PCH ROCM_PATH
export CK_JIT_KFD_ROOT="$T/no-gpus"
need_hipcc
hipcc=$(command -v hipcc)
grep -q '"-cc1".*"-fcuda-is-device"' "$made/says" || skip "hipcc is not clang here"
mkdir -p "$T/include"
mkdir -m 700 "$T/c"
printf '#pragma once\n#include <hip/hip_runtime.h>\n#include "value.h"\ntemplate <int N> int call_(int *p);\n' >"$T/include/kernel.h"
echo '#define VALUE 1000' >"$T/include/value.h"

source_file() {
  {
    echo '// written by a test'
    if [ $# -gt 2 ]; then printf '%s\n' "$3"; else echo '#include "kernel.h"'; fi
    cat <<END
static __global__ void kernel(int *p) { p[threadIdx.x] = VALUE + $2; }
template <> int call_<$2>(int *p) {
  kernel<<<1, 64>>>(p);
  return VALUE + $2;
}
END
  } >"$1"
}

compile() {
  name_=$1
  shift
  rm -f "$T/c/$name_.so"
  "$B/bin/ckjit-compile" --hipcc "$hipcc" --blob-source "$T/$name_.cu" --blob-flags "${FLAGS--O1} -I$T/early -I$T/include" \
    --arch gfx90a --cache --output "$T/c/$name_.so" --verbose "$@" >"$T/$name_.said" 2>&1
}

said() {
  grep -qF -e "$2" "$T/$1.said" || {
    cat "$T/$1.said"
    fail "$1: '$2' was not said"
  }
}

# answer NAME N: what its host function returns, and its kernel writes, is N
answer() {
  objdump -d --no-show-raw-insn "$T/c/$1.so" | sed -n '/<_Z5call_.*>:$/,/ret/p' | grep -q "mov *\$$(printf '0x%x' "$2")," ||
    fail "$1: its host code does not have $2"
  objcopy -O binary -j .hip_fatbin "$T/c/$1.so" "$T/$1.fatbin"
  LC_ALL=C grep -qaP "$(printf '%08x' "$2" | sed 's/\(..\)\(..\)\(..\)\(..\)/\\x\4\\x\3\\x\2\\x\1/')" "$T/$1.fatbin" ||
    fail "$1: its device code does not have $2"
}
