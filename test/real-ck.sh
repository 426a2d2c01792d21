#!/bin/sh
# CK's own generator output at receipt 600 for head dimension 128, 728 and 1,956 blobs, or with CK_ALL=1, as in real-ck-long.sh,
# for all, 3,728 and 7,824, built by ninja through the fake home with HIP 7.2.4, and a real kernel called without a GPU: bwd
# dot_do_o's get_name is compiled on its first call and cached for the next process. Each of the four dispatchers chooses the
# kernels that the stock one chooses, for 40,000 random calls.
# tier: all
# seconds: 120
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$(realpath "$B/toolchain") # it may be a link to one elsewhere
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
"$here/toolchain/ck-source" "$tools/ck" || skip "CK's source cannot be fetched here, see $tools/ck/log"
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B $tools/ck"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" "$@"; }

if [ "${CK_ALL-}" ]; then
  optdim='' fwd=3728 fwd_tables='30 tables of 3584' bwd=7824 bwd_tables='8 tables of 16896'
else
  optdim='--optdim 128' fwd=728 fwd_tables='6 tables of 704' bwd=1956 bwd_tables='2 tables of 4224'
fi
cat >"$T/probe.cpp" <<'CPP'
#include "fmha_bwd.hpp"
// A real blob's function that needs no GPU, for ctypes.
extern "C" __attribute__((visibility("default"))) const char *probe_name() {
  static std::string name = fmha_bwd_dot_do_o_get_name_<fmha_bwd_dot_do_o_traits_<128, FmhaBwdBf16, false, false, false>>();
  return name.c_str();
}
CPP
cat >"$T/build" <<'SH'
#!/bin/sh
set -eu
cd "$1"
python3 "$3/composable_kernel/example/ck_tile/01_fmha/generate.py" -d fwd,fwd_splitkv,batch_prefill,bwd --receipt 600 $5 -o gen
mkdir -p out
eval "$("$2/bin/ckjit-build" home --dir "$1/home" --work "$1/work")"
export HIPCC="$1/home/bin/hipcc"
"$4" gen "$3/composable_kernel" out gfx942 "$1/probe.cpp"
cd out
for lib in fwd bwd; do
  start=$(date +%s)
  ninja -v libmha_$lib.so >$lib.log 2>&1 || { tail -n 5 $lib.log | cut -c1-3000; exit 1; }
  echo "$lib: $(($(date +%s) - start)) s; $(grep '^ckjit-link' $lib.log)"
done
SH
chmod +x "$T/build"
in_root "$T/build" "$T" "$B" "$tools/ck" "$here/toolchain/ck-ninja" "$optdim" >"$T/build.log" 2>&1 || {
  cat "$T/build.log"
  fail "the build through the fake home failed"
}
cat "$T/build.log"
expect() { grep -q "$1" "$T/build.log" || fail "no '$1' in the summaries"; }
expect "libmha_fwd.so: $fwd blobs are lazy .* 0 compiled ahead of time, 3 dispatchers (1 helper erased, $fwd_tables rows)"
expect "libmha_bwd.so: $bwd blobs are lazy .* 0 compiled ahead of time, 1 dispatcher (1 helper erased, $bwd_tables rows)"

cat >"$T/call.py" <<'PY'
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.probe_name.restype = ctypes.c_char_p
print(lib.probe_name().decode())
PY
call() {
  in_root env CK_JIT_VERBOSE=1 CK_JIT_CACHE_DIR="$T/cache" "$@" python3 "$T/call.py" "$T/out/libmha_bwd.so"
}
call env >"$T/first" 2>"$T/first.log" || { cat "$T/first.log"; fail "the first call failed"; }
grep -q '^fmha_bwd_dot_do_o_d128_bf16' "$T/first" || fail "unexpected name: $(cat "$T/first")"
again() { # the next process compiles nothing: a compiler that fails proves it
  call env "$@" CK_JIT_HIPCC=/bin/false >"$T/second" 2>"$T/second.log" || { cat "$T/second.log"; fail "the second process failed"; }
  cmp -s "$T/first" "$T/second" || fail "the cached kernel gives another name"
}
# get_name_ launches nothing: it comes without the kernels. With them it is the same.
[ "$(find "$T/cache/.host" -name '*.so' | wc -l)" = 1 ] || fail "expected the functions of one blob in the cache"
[ -z "$(find "$T/cache" -maxdepth 1 -name '*.so')" ] || fail "it came with kernels"
again
call env CK_JIT_PER_KERNEL=0 >"$T/whole" 2>"$T/whole.log" || { cat "$T/whole.log"; fail "the first call with kernels failed"; }
[ "$(find "$T/cache" -maxdepth 1 -name '*.so' | wc -l)" = 1 ] || fail "expected one compiled blob in the cache"
cmp -s "$T/first" "$T/whole" || fail "the blob with its kernels gives another name"
again CK_JIT_PER_KERNEL=0
# And without the cache it must fail with that compiler, naming the stem.
if CK_JIT_CACHE_DIR="$T/other" in_root env CK_JIT_CACHE_DIR="$T/other" CK_JIT_HIPCC=/bin/false python3 "$T/call.py" \
  "$T/out/libmha_bwd.so" >/dev/null 2>"$T/third.log"; then
  fail "a failing compiler went unnoticed"
fi
grep -q fmha_bwd_dot_do_o_d128_bf16 "$T/third.log" || { cat "$T/third.log"; fail "the failure does not name the blob"; }

ck=$tools/ck/composable_kernel
compare() {
  in_root python3 "$here/dispatch/real.py" build "$1" "$T/out" --source "$T/gen/$2.cpp" --work "$T/work/libmha_$3" -- \
    hipcc --offload-host-only -DWITH_HIP "-I$ck/include" "-I$ck/library/include" "-I$ck/example/ck_tile/01_fmha" -fPIC \
    -std=c++20 -fvisibility=hidden --offload-arch=gfx942 -DCK_TILE_FMHA_FWD_FAST_EXP2=1 \
    -DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=2 -O0 -w -x hip
  in_root python3 "$here/dispatch/real.py" compare "$1" "$T/out" 40000
}
compare fwd fmha_fwd_api fwd
compare splitkv fmha_fwd_splitkv_api fwd
compare prefill fmha_batch_prefill_api fwd
compare bwd fmha_bwd_api bwd
