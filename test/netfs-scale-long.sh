#!/bin/sh
# 16 machines of 8 ranks that share a cache and no locks: in each round all want one kernel, and the machine that compiles it is killed,
# stopped, cut off from the server, or left alone. One compile, and one more for each such machine. ROUNDS, NODES and RANKS say how much.
# tier: long
. "${0%/*}/common.sh"
. "$here/unit/netfs_fixture.sh"
. "$here/unit/shim_fixture.sh"
need python3
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_LOCK_PATIENCE="${PATIENCE-6}"
shim "$T/fast" 1 "$T/template.so"
mkdir -m 700 "$T/server/cache"
node=0
while [ $node -lt "${NODES-16}" ]; do
  node=$((node + 1))
  : >"$T/node$node.rules"
  client "node$node" entry=60 negative=60 attr=60 rules="$T/node$node.rules"
done
# shellcheck disable=SC2086 # no SEED: another one each time
python3 "$here/fleet/scale.py" "$B/bin/ckjit-compile" "$T/fast" "$T/template.so" "$T" "${NODES-16}" "${RANKS-8}" "${ROUNDS-300}" ${SEED-} ||
  fail "see above"
