#!/bin/sh
# A cache that others can write to is used if CK_JIT_TRUST_KEYS has the key that signed its entries: never one that is not signed, was signed
# by another key, was changed, or has another's content. Keys can be added and withdrawn; what is no key is refused, and `doctor` names it.
# tier: check
# seconds: 15
. "${0%/*}/common.sh"
made=shared
. "$here/unit/signed_fixture.sh"

"$prebuild" keygen one >out
has "keygen" "one.pub: the public key" out
is "the secret key's mode" 600 "$(stat -c %a one)"
"$prebuild" keygen two >out
compile shared
chmod 777 shared
export CK_JIT_CACHE_READONLY_DIR="$T/shared"
# Without keys it is not looked into.
rm -rf cache
compile cache
is "no keys" 2 "$compiles"
cp one.pub trusted
export CK_JIT_TRUST_KEYS="$T/trusted"
refused "not signed" "$T/shared/k.so is not signed: it is not used"

chmod 700 shared
"$prebuild" sign --key one --cache-dir shared >out || fail "$(cat out)"
has "sign" "1 entry signed, 0 failed" out
"$prebuild" verify --cache-dir shared >out || fail "a signed entry is damaged: $(cat out)"
cp shared/k.so k.signed
chmod 777 shared
fetched "signed"
"$prebuild" doctor --cache-dir cache >out 2>&1 || true
has "doctor" "CK_JIT_TRUST_KEYS: $T/trusted: 1 key" out
has "doctor" "only entries that one of the keys has signed are used" out

# An entry that was changed, and sealed again by somebody who has no key.
seal() {
  python3 - "$1" <<'PY'
import ctypes, ctypes.util, struct, sys
data = open(sys.argv[1], 'rb').read()[:-24]
at = data.rindex(b'ckjitSG1') - 100
data = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
lib = ctypes.CDLL(ctypes.util.find_library('xxhash') or 'libxxhash.so.0')
lib.XXH64.restype = ctypes.c_uint64
lib.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
open(sys.argv[1], 'wb').write(data + b'ckjitEN1' + struct.pack('<QQ', len(data), lib.XXH64(data, len(data), 0)))
PY
}
seal shared/k.so
refused "changed" "$T/shared/k.so has a wrong signature"
printf x | dd of=shared/k.so bs=1 seek=4000 conv=notrunc 2>/dev/null
refused "damaged" "$T/shared/k.so is damaged"
cp k.signed shared/k.so

# Rotation: both keys are trusted for a while; then the old one is withdrawn.
cat one.pub two.pub >trusted
fetched "two keys"
cp two.pub trusted
refused "withdrawn" "$T/shared/k.so is signed by a key that CK_JIT_TRUST_KEYS does not have"
chmod 700 shared
"$prebuild" sign --key two --cache-dir shared >out
chmod 777 shared
fetched "signed again"
is "one signature" "$(stat -c %s k.signed)" "$(stat -c %s shared/k.so)"

# Another kernel's entry under this name is another build's, and no reason for a message.
cp shared/k.so another
echo 6 >k.cu
rm -rf cache
compile cache
is "another kernel" "" "$(cat said)"
echo 5 >k.cu

# What is no key
echo nonsense >trusted
refused "no key" "$T/trusted:1: expected a public key"
"$prebuild" doctor --cache-dir cache >out 2>&1 || true
has "doctor names it" "$T/trusted:1: expected a public key" out
echo '# nothing' >trusted
refused "no key" "$T/trusted: it has no public key"
printf '%s\r\n' "$(cat two.pub)" >trusted
refused "lines of another system" "$T/trusted:1: expected a public key"
printf '# old\n%s %s\n' "$(cat one.pub)" "$(cat two.pub)" >trusted
refused "two keys on a line" "$T/trusted:2: expected a public key that \`ckjit keygen\` made, one a line"
printf '%s\n\0\n%s\n' "$(cat one.pub)" "$(cat two.pub)" >trusted
refused "a byte 0" "$T/trusted: it has a byte 0"
printf 'ckjit-public-key 1 %064d\n' 0 >trusted
refused "a key of zeros" "signed by a key that CK_JIT_TRUST_KEYS does not have"
for kind in "mkdir trusted" "mkfifo trusted" "truncate -s 2G trusted" "ln -s nowhere trusted"; do
  rm -rf trusted
  $kind
  refused "$kind" "CK_JIT_TRUST_KEYS: $T/"
done
rm trusted
printf '%s\n# withdrawn: %s\n' "$(cat one.pub)" "$(cat two.pub)" >trusted
refused "withdrawn by a comment" "signed by a key that CK_JIT_TRUST_KEYS does not have"
rm trusted
cat one.pub >keys
cat two.pub >>keys
ln -s keys trusted
fetched "a link to keys, ours the last"
rm trusted
cp one trusted
refused "a secret key" "$T/trusted:1: expected a public key"
cp two.pub trusted
chmod 666 trusted
refused "keys that others can write" "trusted"
chmod 644 trusted one
"$prebuild" sign --key one --cache-dir cache >out 2>&1 && fail "a secret key that others can read"
has "a secret key that others can read" "others can read it (mode 0644)" out
"$prebuild" sign --key two.pub --cache-dir cache >out 2>&1 && fail "a public key to sign with"
cat one two >both
{ head -c 83 two; tail -c +84 one; } >halves
for file in both halves; do
  chmod 600 $file
  "$prebuild" sign --key $file --cache-dir cache >out 2>&1 && fail "a secret key: $file"
  has "a secret key: $file" "$file: expected a secret key" out
done
"$prebuild" keygen two >out 2>&1 && fail "keygen replaces a key"
has "keygen replaces a key" "two.pub cannot be made: File exists" out
