#!/bin/sh
# The host code of a blob does not wait for the front end of the device: its stub is ckjit's, or that of a text without the kernels' bodies.
# Where such a stub is of no use, or a kernel's name is not certain, the host code is compiled again at the end.
# tier: all
# seconds: 35
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
# shellcheck disable=SC2119 # it takes no arguments
kinds
export CK_JIT_TRACE="$T/trace"

# host NAME: the host code in the entry of the blob of NAME
host() {
  objcopy -O binary --only-section=.text "$CK_JIT_CACHE_DIR/kinds_$1.so" "$T/text" && cat "$T/text"
}

# call NUMBER NAME SECONDS: the call with TOOL_SLEEP=SECONDS; its host code: NAME.SECONDS
call() {
  rm -f trace "$T/log"
  tools TOOL_SLEEP="$3" TOOL_LOG="$T/log"
  kind "$1"
  [ "$(entries | wc -l)" -gt 1 ] || fail "$2 was compiled whole: $(cat said)"
  host "$2" >"$2.$3"
}

# passes: how many of the host's ended in the last call
passes() { grep -c '"cat":"step".*"name":"host pass"\|"name":"host pass".*"cat":"step"' trace || :; }

# before STEP STEP: the first ended earlier
before() {
  python3 -c '
import json, sys
end = {e["name"]: e["ts"] + e["dur"] for e in json.loads(open("trace").read() + "]") if e.get("cat") == "step"}
sys.exit(not end[sys.argv[1]] < end[sys.argv[2]])' "$1" "$2"
}

# closures of the device's in linkage; in bodies a variable that only a body brings into being
for n in 1:linkage:1 5:bodies:0; do
  stubs=${n##*:} name=${n#*:} n=${n%%:*}
  name=${name%:*}
  call "$n" "$name" 0
  call "$n" "$name" host
  is "$name: host passes" 1 "$(passes)"
  is "$name: stubs of the front end's" "$stubs" "$(ran cicc-of-stub)"
  before 'host pass' 'device front end' || fail "the host's code waited: $(cat trace)"
  cmp "$name.0" "$name.host" || fail "$name: other host code than that of a compile that need not wait"
done

# the front end has the name of a kernel that is called otherwise by the host's compiler
call 8 named 0
is 'a name that the front end has: host passes' 1 "$(passes)"
call 9 either 0
is 'uncertain names: host passes' 2 "$(passes)"
is 'uncertain names: stubs of the front end' 0 "$(ran cicc-of-stub)"

# A front end that fails for the text without bodies costs nothing but time.
toolkit "$T/failing"
tool="$T/failing/nvvm/bin/cicc"
sed 's/^exec /case "$*" in *-lgenfe*without-bodies.ii*) echo told to fail >\&2; exit 7;; esac\n&/' "$tool" >cicc
grep -q 'told to fail >&2; exit 7' cicc && cat cicc >"$tool"
export CK_JIT_NVCC="$T/failing/bin/nvcc"
call 1 linkage 4
is 'after a failure: host passes' 2 "$(passes)"
cmp linkage.0 linkage.4 || fail 'other host code after a failure'
