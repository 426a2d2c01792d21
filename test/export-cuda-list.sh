#!/bin/sh
# list --json of a library of CUDA: its functions, kernels and architectures, and the state of a blob's entry, also where that has no
# kernels because they are compiled one by one.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/export_cuda_fixture.sh"
list() {
  CK_JIT_ARCH=${1-sm_90} "$B/bin/ckjit-prebuild" list --json k64 >"$T/json" || fail 'list failed'
  python3 -c 'import json, sys; o = json.load(open(sys.argv[1])); print(o["state"], o["size"] is None, *o["architectures"], o["signature"])' \
    "$T/json"
}
[ "$(list)" = 'absent True sm_80 sm_90 float demo::forward_<demo::traits<64, true> >(demo::args const&)' ] || fail "$(cat "$T/json")"
for per_kernel in 1 0; do
  rm -rf "$CK_JIT_CACHE_DIR"
  [ "$(CK_JIT_PER_KERNEL=$per_kernel CK_JIT_ARCH=sm_90 python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).count(64, 3))' \
    "$demo/libdemo.so")" = 192 ] || fail 'the call went wrong'
  case $(list) in
  'cached False '*) ;;
  *) fail "CK_JIT_PER_KERNEL=$per_kernel: $(cat "$T/json")" ;;
  esac
  # its host side tells which kernels it has, the source what their parameters are called
  is "kernels, CK_JIT_PER_KERNEL=$per_kernel" "void kentry<demo::traits<64, true> >(demo::args) $kentry64 a demo::args" "$(CK_JIT_ARCH=sm_90 \
    "$B/bin/ckjit-prebuild" list --json k64 | python3 -c 'import json, sys
for k in json.load(sys.stdin)["kernels"]: print(k["signature"], k["symbol"], *(w for p in k["parameters"] for w in (p["name"], p["type"])))')"
  case $(list sm_80) in
  'absent True '*) ;;
  *) fail "for sm_80: $(cat "$T/json")" ;;
  esac
done
