#!/bin/sh
# A real kernel of CK's, bwd dot_do_o d64, recorded for gfx942 with HIP 7.2.4 and exported for gfx942 and gfx950: a shared object
# with code for these processors that tells the kernel's name to a program that knows nothing of ckjit, and a code object with
# another name and the same instructions. In CI, with HIP 5.2: export-so (a shared object for two architectures), export-code-object
# (another name); what is started with HIP 7.2.4: golden.
# tier: long
# seconds: 100
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$(realpath "$B/toolchain") # it may be a link to one elsewhere
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
"$here/toolchain/ck-source" "$tools/ck" || skip "CK's source cannot be fetched here, see $tools/ck/log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B $tools/ck"
stem=fmha_bwd_dot_do_o_d64_bf16_batch_o2_npad

cat >"$T/main.cpp" <<'CPP'
#include <cstdio>
#include <string>
extern "C" std::string bwd_name();
int main() { puts(bwd_name().c_str()); }
CPP
cat >"$T/build" <<'SH'
#!/bin/sh
set -eu
unset ROCM_PATH ROCM_HOME HIP_PATH CXX CK_JIT_ARCH
cd "$1"
fmha=$3/composable_kernel/example/ck_tile/01_fmha
flags="-DWITH_HIP -I$3/composable_kernel/include -I$3/composable_kernel/library/include -I$fmha -fPIC -std=c++20 -O3
  --offload-arch=gfx942 -DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=2 -Wno-undefined-func-template -mllvm --lsr-drop-solution=1 -fno-gpu-rdc"
python3 "$fmha/generate.py" -d bwd --receipt 600 -o gen \
  --filter "${4%_npad}_*@fmha_bwd_convert_dq_d64_bf16*@*d64_bf16_batch*nbias*" >/dev/null
"$2/bin/ckjit-build" home --dir home --work work >/dev/null
# shellcheck disable=SC2086 # words
home/bin/hipcc $flags -c "gen/$4.cpp" -o kernel.o
home/bin/hipcc -shared --offload-arch=gfx942 -o libbwd.so kernel.o
export CK_JIT_MANIFEST="$1/work/libbwd/ck_jit_manifest.json"
"$2/bin/ckjit-prebuild" list --json "$4" >list.json
export="$2/bin/ckjit-prebuild export $4"
$export --format so --arch 'gfx942;gfx950' --symbol fmha_bwd_dot_do_o_get_name_=bwd_name --output libname.so
$export --format code-object --symbol bwd_kernel --output named.co
llvm=/usr/lib/llvm-22/bin
$llvm/llvm-objcopy --dump-section .hip_fatbin=fat libname.so rest
for arch in gfx942 gfx950; do
  $llvm/clang-offload-bundler -unbundle -type=o -input=fat -targets=hipv4-amdgcn-amd-amdhsa--$arch -output=$arch.co
done
for f in gfx942.co gfx950.co named.co; do
  $llvm/llvm-readelf -h $f | sed -n 's/.*Flags: *//p'
  $llvm/llvm-readelf --dyn-syms $f | awk '$4 == "OBJECT" {print $8}'
  $llvm/llvm-objdump -d $f | sed -n -e 's/^\t//' -e 's,//.*,,p' >$f.text
done >headers
g++ main.cpp libname.so -o main -Wl,-rpath,"$1"
env -i ./main >name
SH
chmod +x "$T/build"
"$here/toolchain/hip7-root" --run "$tools/hip7" "$T/build" "$T" "$B" "$tools/ck" "$stem" >"$T/build.log" 2>&1 ||
  fail "$(tail -n 30 "$T/build.log")"
python3 - "$T/list.json" $stem <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
assert [f["template"] for f in r["functions"]] == [
    "fmha_bwd_dot_do_o_", "fmha_bwd_dot_do_o_oneshot_", "fmha_bwd_dot_do_o_get_name_"], r
assert r["stem"] == sys.argv[2] and r["architectures"] == ["gfx942"] and r["state"] == "absent", r
assert r["signature"].startswith("float fmha_bwd_dot_do_o_<fmha_bwd_dot_do_o_traits_<64, FmhaBwdBf16,"), r
END
grep -q '0x.*gfx942' "$T/headers" && grep -q '0x.*gfx950' "$T/headers" || fail "made for: $(cat "$T/headers")"
[ "$(grep -c '^_Z.*kentry.*\.kd$' "$T/headers")" = 2 ] && grep -qx bwd_kernel.kd "$T/headers" || fail "kernels: $(cat "$T/headers")"
[ "$(wc -l <"$T/named.co.text")" -gt 100 ] && cmp "$T/named.co.text" "$T/gfx942.co.text" ||
  fail 'with another name it has other code'
grep -q "^fmha_bwd_dot_do_o_d64_bf16" "$T/name" || fail "the kernel's name is: $(cat "$T/name")"

# what docs/export.md shows of it, with the sources of its first session
scale=$(sed -n '/^    mkdir .tmp.scale/,/^    export CK_JIT_MANIFEST/s/^    //p' "$top/docs/export.md" | sed "s,/tmp/scale,'$T/scale',g; s,gfx90a,gfx942,g")
"$here/toolchain/hip7-root" --run "$tools/hip7" env PATH="$B/bin:/usr/lib/llvm-22/bin:/usr/bin:/bin" CK_JIT_CACHE_DIR="$T/cache" "$here/sessions/replay.py" "$top/docs/export.md" \
  --from '^The same library built for gfx942' --map "/tmp/scale=$T/scale" --before "$scale" >"$T/replayed" 2>&1 || fail "$(cat "$T/replayed")"
