#!/bin/sh
# Entries in the storage of one of ccache's remote storage helpers: stored by `ckjit sign --upload`, and copied into the cache of a machine
# that wants them if they are signed. A helper that is missing, dead or wrong costs a compile one second, once, and never more.
# tier: check
# seconds: 15
. "${0%/*}/common.sh"
need python3
. "$here/unit/signed_fixture.sh"
export XDG_RUNTIME_DIR="$T/run" PATH="$T/programs:$PATH"
mkdir -m 700 run store programs
cp "$here/fleet/helper.py" programs/ccache-storage-test
chmod +x programs/ccache-storage-test
stop() {
  for pid in $(pgrep -f "$T/programs/ccache-storage-test" || true); do kill "$pid" 2>/dev/null || true; done
}
trap 'stop; rm -rf "$T"' EXIT

"$prebuild" keygen key >out
compile made
"$prebuild" sign --key key --upload --cache-dir made >out 2>&1 && fail "--upload without a storage"
has "--upload without a storage" "needs CK_JIT_REMOTE_STORAGE" out
export CK_JIT_REMOTE_STORAGE="test://$T/store colour=blue"
"$prebuild" sign --key key --upload --cache-dir made >out 2>&1 || fail "$(cat out)"
has "stored" "1 entry signed and stored, 0 failed" out
has "stored" put store/log
"$prebuild" sign --key key --upload --cache-dir made >out 2>&1 || fail "a second time: $(cat out)"

# Without keys nothing is asked for.
: >store/log
rm -rf cache
compile cache
is "without keys" "2 " "$compiles $(cat store/log)"
export CK_JIT_TRUST_KEYS="$T/key.pub"
fetched "signed"
has "asked" get store/log
lacks "one helper" start store/log
echo 6 >k.cu
rm -rf cache
compile cache
is "missing there: said" "" "$(cat said)"
echo 5 >k.cu
"$prebuild" keygen other >out
CK_JIT_TRUST_KEYS=$T/other.pub refused "another key" "is signed by a key that CK_JIT_TRUST_KEYS does not have"
value=$(find store -name '636b6a697431*')
cp "$value" value
truncate -s -100 "$value"
refused "a torn value" "it is not used"
echo nonsense >"$value"
refused "no entry" "is not an ELF file: it is not used"
# Another kernel's entry, signed by the same key: compiled, and no reason for a message.
echo 7 >k.cu
rm -rf cache
compile cache
CK_JIT_REMOTE_STORAGE='' "$prebuild" sign --key key --cache-dir cache >out 2>&1 || fail "$(cat out)"
cp cache/k.so "$value"
echo 5 >k.cu
before=$compiles
rm -rf cache
compile cache
is "another kernel's entry" "$((before + 1)) " "$compiles $(cat said)"
cp value "$value"

# A helper that is dead or wrong: one second, once. It is started by sign, which gives it longer to listen than a call does: python3 may
# take more than a second on a busy machine. $least is the least time of those that keep a call waiting; one alone may be of a busy machine.
# wrong MODE WHY
wrong() {
  stop
  rm -rf run
  mkdir -m 700 run
  CK_JIT_REMOTE_STORAGE="test://$T/store mode=$1"
  : >store/log
  "$prebuild" sign --key key --upload --cache-dir made >out 2>&1 &
  await "the helper" grep -q start store/log
  kill $! 2>/dev/null || true
  wait $! || true
  rm -f run/ckjit-storage/*.down
  refused "$1" "$2"
  [ "$ms" -lt 20000 ] || fail "$1: $ms ms"
  case $1 in hang | silent) [ "$ms" -ge "$least" ] || least=$ms ;; esac
  echo "$1: $ms ms, then"
  rm -rf cache
  compile cache
  echo "  $ms ms"
}
least=20000
for mode in hang silent old big error cut odd empty drip; do
  case $mode in
  hang | silent | cut | drip) why="its helper does not answer" ;;
  old) why="its helper speaks version 9 of the protocol, expected 1" ;;
  big) why="a value that is too large for an entry" ;;
  odd) why="its helper answers 7, expected 0, 1 or 2" ;;
  empty) why="is not an ELF file: it is not used" ;;
  error) why="CK_JIT_REMOTE_STORAGE: no such server!" ;;
  esac
  wrong "$mode" "$why"
  case $mode in hang | silent | old | cut | odd | drip) is "$mode: said again" "" "$(cat said)" ;; esac
done
[ "$least" -lt 4000 ] || fail "a server that does not answer: $least ms"
CK_JIT_REMOTE_STORAGE="none://$T/store"
refused "no helper" "ccache-storage-none cannot be started"
for url in nonsense a/b://store ://store; do
  CK_JIT_REMOTE_STORAGE=$url
  refused "no URL" "expected URL [NAME=VALUE…], found '$url'"
done
chmod 777 run
rm -rf run/ckjit-storage
mkdir -m 777 run/ckjit-storage
chmod 777 run/ckjit-storage
CK_JIT_REMOTE_STORAGE="test://$T/store"
refused "a directory of sockets that others can write to" "ckjit-storage"
