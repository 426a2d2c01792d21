#!/bin/sh
# After an upgrade a first miss of a CUDA blob starts what was launched before: beside the own entry those of other blobs, and the kernels of
# each as soon as its entry is there; `ckjit-prebuild warm` does the same by hand. None is compiled twice, or that was not launched.
# tier: all
# seconds: 30
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
is "the record" "3 kernels of 2 blobs" "$(awk -F '\t' 'NF == 5 { $5 ? n++ : m++ } END { print n " kernels of " m " blobs" }' "$record")"
entries | sort >"$T/all"
is "entries" 5 "$(wc -l <"$T/all")"

# its first miss starts all
upgrade
CK_JIT_WARM=detach calls "$lib" $one
no_gpu 1
grep -q "$stem: compiling with it 2 previously launched kernels" "$T/said" || fail "its own kernels: $(cat "$T/said")"
grep -q "$stem: compiling \(ahead of their calls\|in parallel with it\) 1 " "$T/said" || fail "the other blob: $(cat "$T/said")"
entries_are_there() { # a helper that has not begun is idle, too
  entries | sort >"$T/found"
  cmp -s "$T/all" "$T/found"
}
await "what was launched before is compiled" entries_are_there
await "the helper ends" idle
entries_are_there || fail "entries: $(cat "$T/found")"
is "each once: front ends and kernels, kernels, host sides" "5 3 2" "$(ran cicc) $(ran ptxas) $(ran cudafe++)"
: >"$TOOL_LOG"
calls "$lib" $one $other $third
no_gpu 3
is "what was compiled ahead is found" "" "$(cat "$TOOL_LOG")"
# ready knows the record's kernels; a capture names the blobs, and the record their kernels
library=$made/home/work/libmini_flash/ck_jit_manifest.json
ready() {
  status=0
  "$B/bin/ckjit-prebuild" ready --manifest "$library" "$@" >"$T/out" 2>"$T/err" || status=$?
}
ready
is "ready" "0 ready: 5 entries are" "$status $(cut -d ' ' -f 1-4 "$T/out")"
echo "$stem" >"$T/list"
ready --capture "$T/list"
is "ready: a blob of a list" "0 ready: 3 entries are" "$status $(cut -d ' ' -f 1-4 "$T/out")"
mv "$record" "$T/record"
ready --capture "$T/list"
is "ready: its kernels are not known" "4 $stem	unknown	which of its kernels will be launched" "$status $(head -n 1 "$T/out")"
mv "$T/record" "$record"
kernel=$(find "$CK_JIT_CACHE_DIR" -name "$stem.????????????????.so" | head -n 1)
mv "$kernel" "$T/kernel"
ready
is "ready: a kernel is missing" "3 1" "$status $(grep -c "^$stem, kernel .*	absent	" "$T/out")"
mv "$T/kernel" "$kernel"

# by another compiler than the library's: its entries have build ids of their own, and their kernels are compiled of them
toolkit "$T/other"
echo '# another release' >>"$T/other/nvvm/bin/cicc"
other_compiler() {
  CK_JIT_NVCC="$T/other/bin/nvcc" CK_JIT_WARM=detach calls "$lib" "$@"
}
upgrade
tools TOOL_LOG="$T/tools" TOOL_BURN=cicc
other_compiler $one
no_gpu 1
five_entries() { [ "$(entries | wc -l)" = 5 ]; }
await "what was launched before is compiled by it" five_entries
await "the helper ends" idle
is "another compiler: each once: front ends and kernels, kernels, host sides" "5 3 2" "$(ran cicc) $(ran ptxas) $(ran cudafe++)"
tools TOOL_LOG="$T/tools"
: >"$TOOL_LOG"
other_compiler $one $other $third
no_gpu 3
is "what another compiler has compiled ahead is found" "" "$(cat "$TOOL_LOG")"
# ready finds what a call finds: they are there for that compiler, and absent for the library's own
CK_JIT_NVCC="$T/other/bin/nvcc" ready
is "ready: by another compiler" "0 ready: 5 entries are" "$status $(cut -d ' ' -f 1-4 "$T/out")"
ready
is "ready: of another compiler only" "3 5" "$status $(grep -c "	absent	" "$T/out")"

# the time of a kernel is that of all its steps
is "kernels that took less than 0.2 s, of the last 2" 0 \
  "$(grep "^${stem}[.]" "$CK_JIT_CACHE_DIR/.times" | tail -n 2 | awk -F '\t' '$2 < 0.2 { n++ } END { print n + 0 }')"

# without its entry no kernel is begun, and nothing is left
upgrade
tools TOOL_LOG="$T/tools" TOOL_FAIL=cicc
CK_JIT_WARM=detach calls "$lib" $one
await "the helper ends" idle
is "entries of what failed" "" "$(entries)"
is "kernels of what failed" 0 "$(ran ptxas)"
is "left" "" "$(find "$CK_JIT_CACHE_DIR" -name '.tmp-*' -o -path '*/.locks/*' ! -name '*.failed')"

# warm makes the same by hand: of the blobs in the record the kernels that were launched, and not all of them
export CK_JIT_MANIFEST="$made/home/work/libmini_flash/ck_jit_manifest.json"
warm() {
  status=0
  "$B/bin/ckjit-prebuild" warm --wait "$@" >"$T/out" 2>"$T/err" || status=$?
}
tools TOOL_LOG="$T/tools"
upgrade
warm
has "warm" "5 compiled, 0 in the cache already, 0 failed" "$T/out"
has "warm: a kernel's name" "$stem, kernel _ZN10mini_flash10fwd_kernelIfLi32" "$T/out"
entries | sort >"$T/found"
cmp "$T/all" "$T/found" || fail "warm: entries: $(cat "$T/found")"
is "warm: each once" "5 3 2" "$(ran cicc) $(ran ptxas) $(ran cudafe++)"
: >"$TOOL_LOG"
calls "$lib" $one $other $third
no_gpu 3
is "what warm has made is found" "" "$(cat "$TOOL_LOG")"
rm "$(find "$CK_JIT_CACHE_DIR" -name "$stem.*.so" | head -n 1)"
warm
has "warm: what is missing" "1 compiled, 4 in the cache already, 0 failed" "$T/out"
is "warm: what is missing" "1 1 0" "$(ran cicc) $(ran ptxas) $(ran cudafe++)"
upgrade
tools TOOL_LOG="$T/tools" TOOL_FAIL=cudafe++
warm
tools TOOL_LOG="$T/tools"
is "warm, cudafe++ fails: status" 1 $status
has "warm, cudafe++ fails" "0 compiled, 0 in the cache already, 2 failed" "$T/out"
is "warm, cudafe++ fails: what is named" 2 "$(grep -c 'error: failed: ' "$T/err")"
upgrade
echo $stem >"$T/list"
warm --blob-list "$T/list" libmini_flash.so
has "warm: a listed blob is wanted whole, another's kernels alone" "3 compiled, 0 in the cache already, 0 failed" "$T/out"
CK_JIT_PER_KERNEL=0 warm
has "warm: whole" "1 compiled, 1 in the cache already, 0 failed" "$T/out"
