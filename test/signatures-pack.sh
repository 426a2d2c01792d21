#!/bin/sh
# A pack of signed entries is unpacked where one of CK_JIT_TRUST_KEYS has signed them; one of another key, or that nobody signed, adds nothing.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
. "${0%/*}/unit/pack_fixture.sh"
many lib 2
install lib
cd "$T"
CK_JIT_ARCH=gfx942 api "open:$T/lib/libkernels.so" compile:k0:store >/dev/null
prebuild pack --all -o unsigned.pack >out 2>&1 || fail "$(cat out)"
prebuild keygen one >out
prebuild keygen two >out
prebuild sign --key one --cache-dir cache >out || fail "$(cat out)"
prebuild pack --all -o signed.pack >out 2>&1 || fail "$(cat out)"
# refused KEYS PACK WHY
refused() {
  CK_JIT_TRUST_KEYS=$T/$1 prebuild unpack --cache-dir refused "$2" >out 2>&1 && fail "$2 with $1 was unpacked"
  has "$2 with $1" "$3" out
  has "$2 with $1" "nothing was unpacked" out
  is "$2 with $1" "" "$(find refused -name '*.so' 2>/dev/null)"
}
refused one.pub unsigned.pack "is not signed"
refused two.pub signed.pack "is signed by a key that CK_JIT_TRUST_KEYS does not have"
# Without a good file of keys nothing is trusted, rather than all.
: >empty
cat one.pub one >secret
for keys in empty nowhere secret cache; do
  CK_JIT_TRUST_KEYS=$T/$keys prebuild unpack --cache-dir refused signed.pack >out 2>&1 && fail "unpacked with $keys"
  has "keys: $keys" "$T/$keys" out
  is "keys: $keys" "" "$(find refused -name '*.so' 2>/dev/null)"
done
CK_JIT_TRUST_KEYS=$T/one.pub prebuild unpack --cache-dir unpacked signed.pack >out 2>&1 || fail "$(cat out)"
cmp unpacked/k0.so cache/k0.so || fail "the pack's entry is another"
prebuild unpack --cache-dir anyhow unsigned.pack >out 2>&1 || fail "without keys: $(cat out)"
# A signed entry is loaded as any other.
is "loaded" 5 "$(CK_JIT_ARCH=gfx942 CK_JIT_CACHE_DIR=$T/unpacked CK_JIT_ON_MISS=error api "open:$T/lib/libkernels.so" stub:_Z6value_ILi0EEii:5)"
