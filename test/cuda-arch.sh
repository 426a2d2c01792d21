#!/bin/sh
# A CUDA blob is compiled for what the GPUs of the machine take of that which the library was built for: by the driver's word in the
# process, by nvidia-smi's in ckjit-compile.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini
unset CK_JIT_ARCH
cd "$T"
# libcuda.so.1 with the GPUs of $GPUS, compute capabilities in tens; nvidia-smi of the same
mkdir driver smi
cat >driver.c <<'END2'
#include <stdlib.h>
#include <string.h>
static int gpus(int which, int *n) {
  const char *s = getenv("GPUS");
  int found = 0;
  *n = 0;
  for (char *end; s && *s; s = *end == ' ' ? end + 1 : end, ++*n) {
    int cap = (int)strtol(s, &end, 10);
    if (end == s) break;
    if (*n == which) found = cap;
  }
  return found;
}
int cuInit(unsigned flags) { return flags ? 1 : getenv("GPUS") && *getenv("GPUS") ? 0 : 100; }
int cuDeviceGetCount(int *n) { gpus(-1, n); return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetAttribute(int *value, int what, int device) {
  int n, cap = gpus(device, &n);
  *value = what == 75 ? cap / 10 : what == 76 ? cap % 10 : -1;
  return what == 75 || what == 76 ? 0 : 1;
}
END2
cc -shared -fPIC -Wl,-soname,libcuda.so.1 driver.c -o driver/libcuda.so.1
cat >smi/nvidia-smi <<'END2'
#!/bin/sh
[ "$*" = '--query-gpu=compute_cap --format=csv,noheader' ] || exit 2
[ -n "$GPUS" ] || { echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'; exit 9; }
for g in $GPUS; do echo "${g%?}.${g#"${g%?}"}"; done
END2
chmod +x smi/nvidia-smi
export PATH="$T/smi:$PATH"

# What the runtime starts to compile: it says for what.
mkdir root
ln -s "$made"/home/work/trees/*/* "$made/home/work/libmini_flash/ck_jit_inputs" root/
printf '#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" != --arch ] || { echo "for <$2>" >&2; exit 1; }; shift; done\n' >root/ckjit-compile
chmod +x root/ckjit-compile
runtime() {
  calls "$made/mini/build" 0:32:0:-1:0:0:1
  sed -n "s/.*for <\([^>]*\)>.*/\1/p" "$T/said"
}
# what ckjit-compile says to the compiler, of a blob of manifest FILE
mkdir bin
printf '#!/bin/sh\nfor a; do case $a in -gencode=*) echo "${a##*code=}" ;; -arch=*) echo "${a#*=}"; esac; done >"%s/asked"\nexit 1\n' "$T" >bin/nvcc
chmod +x bin/nvcc
manifest() {
  rm -f asked
  "$B/bin/ckjit-compile" --blob mini_fwd_hdim32_fp32 --manifest "$1" --hipcc "$T/bin/nvcc" --output "$T/x.so" >out 2>&1 && fail "it compiled"
  [ -e asked ] || fail "the compiler was not started: $(cat out)"
  paste -sd ';' asked
}
built=$made/home/work/libmini_flash/ck_jit_manifest.json
export LD_LIBRARY_PATH="$T/driver:$LD_LIBRARY_PATH" CK_JIT_ROOT="$T/root"

# chosen WHAT GPUS WANTED: of sm_80 and sm_90
chosen() {
  export GPUS="$2"
  is "$1: the runtime" "$3" "$(runtime)"
  is "$1: ckjit-compile" "$3" "$(manifest "$built")"
}
chosen 'its own' '90' 'sm_90'
chosen 'an earlier one of its generation' '86' 'sm_80'
chosen 'of none of the generations' '120' 'sm_80;sm_90'
chosen 'older than all' '75' 'sm_80;sm_90'
chosen 'no GPU' '' 'sm_80;sm_90'
chosen 'two alike' '90 90' 'sm_90'
chosen 'mixed, in ascending order' '90 80' 'sm_80;sm_90'
chosen 'mixed, one that takes none' '120 90' 'sm_90'
CK_JIT_ARCH=sm_75
export CK_JIT_ARCH
chosen 'CK_JIT_ARCH' '90' 'sm_75'
unset CK_JIT_ARCH

# of other lists, by the same rule (abi/ck_jit_arch.h)
of() {
  python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
for g in m["groups"]: g["archs"] = sys.argv[2].split(";")
json.dump(m, open("other.json", "w"))' "$built" "$1"
  GPUS=$2
  export GPUS
  is "$1 on $2" "$3" "$(manifest "$T/other.json")"
}
of 'sm_80;compute_90' 90 'compute_90'
of 'sm_80;compute_90' 120 'compute_90'
of 'sm_80;compute_80;compute_90' 120 'compute_90'
of 'sm_80;compute_80' 86 'sm_80'
of 'sm_80;compute_80' 75 'sm_80;compute_80'
of 'sm_80;sm_90a' 90 'sm_90a'
of 'sm_90;sm_90a' 90 'sm_90a'
of 'sm_100a;sm_90' 103 'sm_100a;sm_90'
of 'sm_100f;sm_90' 103 'sm_100f'
of 'sm_86:compute_80;sm_90' 89 'sm_86'
of 'compute_90a' 120 'compute_90a'
of 'native' 90 'sm_90'
