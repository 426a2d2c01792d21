#!/bin/sh
# The host code of a blob is compiled before the front end of the device is done, with a stub made without the kernels' bodies; where
# a body matters, or the front end does not take the text, it is compiled again. Either way it is the code of a compile that waits.
# tier: all
# seconds: 64
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
  rm -f trace
  tools TOOL_SLEEP="$3"
  kind "$1"
  [ "$(entries | wc -l)" -gt 1 ] || fail "$2 was compiled whole: $(cat said)"
  host "$2" >"$2.$3"
}

# steps NAME: how many of that name ended in the last call
steps() { grep -c '"cat":"step".*"name":"'"$1"'"\|"name":"'"$1"'".*"cat":"step"' trace || :; }

# of_steps EXPRESSION: whether it holds; step: the last of each name, end: when it ended, us
of_steps() {
  python3 -c '
import json, sys
step = {e["name"]: e for e in json.loads(open("trace").read() + "]") if e.get("cat") == "step"}
end = {name: e["ts"] + e["dur"] for name, e in step.items()}
sys.exit(not eval(sys.argv[1]))' "$1"
}
before() { of_steps "end['$1'] < end['$2']"; }
is_fast() { of_steps "step['device front end']['dur'] < 2e6"; }

for n in 1:linkage:1 5:bodies:2; do
  name=${n#*:} passes=${n##*:} n=${n%%:*}
  name=${name%:*}
  call "$n" "$name" 0
  if is_fast; then # not on a machine that has too much else to do
    is "$name: host passes where the front end is fast" 1 "$(steps 'host pass')"
    before 'device front end' 'host pass' || fail "where the front end is fast: $(cat trace)"
  fi
  call "$n" "$name" host
  is "$name: host passes where it is slow" "$passes" "$(steps 'host pass')"
  [ "$passes" != 1 ] || before 'host pass' 'device front end' || fail "the host's code waited: $(cat trace)"
  is "$name: stubs" 1 "$(steps stub)"
  cmp "$name.0" "$name.host" || fail "$name: other host code than that of a compile that waits"
done

# A front end that fails for the text without bodies costs nothing but time.
toolkit "$T/failing"
tool="$T/failing/nvvm/bin/cicc"
sed 's/^exec /case "$*" in *-lgenfe*without-bodies.ii*) echo told to fail >\&2; exit 7;; esac\n&/' "$tool" >cicc
grep -q 'told to fail >&2; exit 7' cicc && cat cicc >"$tool"
export CK_JIT_NVCC="$T/failing/bin/nvcc"
call 1 linkage 4
is 'after a failure: host passes' 2 "$(steps 'host pass')"
cmp linkage.0 linkage.4 || fail 'other host code after a failure'
