#!/bin/sh
# doctor says how machines exclude each other in a cache: by leases where locks are not shared or do not exist, and not at all where exclusive
# creation does not work. There a compile says so, and goes on; without locks but with leases nothing is said.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/netfs_fixture.sh"
. "$here/unit/shim_fixture.sh"
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus"
shim "$T/fast" 1 "$T/template.so"
cd "$T"
: >log
: >rules
mkdir -m 700 server/cache
client one rules="$T/rules"
client two flock=refused
# doctor NODE WORDS; compile NODE STEM
doctor() {
  "$B/bin/ckjit-prebuild" doctor --cache-dir "$T/$1/cache" >said 2>&1 || true
  has "doctor on $1" "$2" said
}
compile() {
  echo "${#2}" >"$2.cu"
  "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/$2.cu" --cache --output "$T/$1/cache/$2.so" \
    --blob-flags "--log=$T/log --template=$T/template.so --control=$T" >said 2>&1 || fail "$(cat said)"
}
for node in one two; do
  doctor $node "leases keep machines from compiling the same kernel, because locks there are not shared"
  compile $node $node
  is "said on $node" "" "$(cat said)"
done
is "left" "" "$(find server/cache/.locks -name '*.[0-9]')"
echo 'create *.1 EINVAL' >rules
doctor one "machines cannot exclude each other there: exclusive creation fails: Invalid argument"
compile one without
has "without leases" "no lease can be made there (Invalid argument): another machine may compile the same" said
is "compiles" 3 "$(grep -c '^start' log)"
CK_JIT_NETWORK=0 doctor one "file locks and executable mappings work"
lacks "not a network's" leases said
# A local directory has no leases, and none is made.
mkdir -m 700 local
"$B/bin/ckjit-prebuild" doctor --cache-dir "$T/local" >said 2>&1 || true
lacks "a local directory" leases said
# leases DIR: the lease files that are there during a compile into it
leases() {
  touch held.hold
  compile "$1" held &
  await "a compile" grep -q '^start held' log
  find "$1/cache/.locks" -name '*.[0-9]' | wc -l
  rm held.hold
  wait $! || fail "$1: $(cat said)"
}
mkdir -m 700 local/cache
is "a local compile" 0 "$(leases local)"
: >log
: >rules
is "one on a network file system" 1 "$(leases two)"
