#!/bin/sh
# After an upgrade a job's first miss of a CUDA blob starts what was launched before: beside the blob's own entry those of others, and the
# kernels of each as soon as its entry is there. None is compiled twice, or that was not launched.
# tier: all
# seconds: 14
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini_kernels
export CK_JIT_JOBS=4 CK_JIT_JOB_MEMORY=0 CK_JIT_VERBOSE=1
unset CK_JIT_WARM
third=0:32:1:-1:0:0:1 # of another blob
record=$CK_JIT_CACHE_DIR/.used/libmini_flash.so
# upgrade: as if all keys were new
upgrade() {
  rm -f "${CK_JIT_CACHE_DIR:?}"/*.so
  : >"$TOOL_LOG"
}
# idle: no compile of this library is running. In brackets, a letter is not in grep's own command
idle() {
  # shellcheck disable=SC2046 # words
  ! grep -qa -e "[/]${T#/}" $(grep -al -e '[c]kjit-compile' /proc/[0-9]*/cmdline 2>/dev/null) /dev/null 2>/dev/null
}

calls "$lib" $one $third $other
no_gpu 3
await "the helper ends" idle
is "the record" "3 kernels of 2 blobs" "$(awk -F '\t' 'NF == 5 { n++ } NF == 4 { m++ } END { print n " kernels of " m " blobs" }' "$record")"
entries | sort >"$T/all"
is "entries" 5 "$(wc -l <"$T/all")"

# its first miss starts all
upgrade
CK_JIT_WARM=detach calls "$lib" $one
no_gpu 1
grep -q "$stem: 2 of its kernels that were launched before are compiled when it is" "$T/said" || fail "its own kernels: $(cat "$T/said")"
grep -q "$stem: 1 \(that were called before\|more\) are compiled" "$T/said" || fail "the other blob: $(cat "$T/said")"
await "the helper ends" idle
entries | sort >"$T/found"
cmp "$T/all" "$T/found" || fail "entries: $(cat "$T/found")"
is "each once: front ends and kernels, kernels, host sides" "5 3 2" "$(ran cicc) $(ran ptxas) $(ran cudafe++)"
: >"$TOOL_LOG"
calls "$lib" $one $other $third
no_gpu 3
is "what was compiled ahead is found" "" "$(cat "$TOOL_LOG")"

# without its entry no kernel is begun, and nothing is left
upgrade
tools TOOL_LOG="$T/tools" TOOL_FAIL=cicc
CK_JIT_WARM=detach calls "$lib" $one
await "the helper ends" idle
is "entries of what failed" "" "$(entries)"
is "kernels of what failed" 0 "$(ran ptxas)"
is "left" "" "$(find "$CK_JIT_CACHE_DIR" -name '.tmp-*' -o -path '*/.locks/*' ! -name '*.failed')"
