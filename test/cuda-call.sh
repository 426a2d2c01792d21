#!/bin/sh
# The first call of a CUDA blob compiles its host side and one kernel, once on the machine; the second process nothing. What fails is said
# by the names of the blob and the kernel, and what was damaged or removed is made again.
# tier: check
# seconds: 16
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini_kernels
# step WHAT ENTRIES TOOLS: the entries there are, and the tools of nvcc's that ran since the last step: cicc, ptxas, cudafe++
step() {
  is "$1: entries, of $(entries | tr "\n" " ")" "$2" "$(entries | wc -l)"
  is "$1: starts of cicc, ptxas, cudafe++" "$3" "$(ran cicc) $(ran ptxas) $(ran cudafe++)"
  is "$1: left over" "" "$(find "$CK_JIT_CACHE_DIR" -name '.tmp-*')"
  : >"$TOOL_LOG"
}
# kernel N: the file of the N-th kernel's entry
kernel() {
  find "$CK_JIT_CACHE_DIR" -name "$stem.*.so" | sort | sed -n "${1}p"
}
: >"$TOOL_LOG"

calls "$lib" $one
no_gpu 1
step "first call" 2 "2 1 1"
calls "$lib" $one $one
no_gpu 2
step "second process" 2 "0 0 0"
calls "$lib" $one $other
no_gpu 2
step "another kernel" 3 "1 1 0"

# damaged: an entry that is none, one cut short, one of another kernel
first=$(kernel 1) second=$(kernel 2)
echo garbage >"$first"
calls "$lib" $one $other
step "garbage" 3 "1 1 0"
truncate -s 2000 "$first"
calls "$lib" $one $other
step "cut short" 3 "1 1 0"
cp "$second" "$first"
calls "$lib" $one $other
step "another's, which keeps its name" 4 "1 1 0"
no_gpu 2

# removed between loading and the first launch
rm "$second"
calls "$lib" $one "sh:rm '$CK_JIT_CACHE_DIR'/*.so" $other
no_gpu 2
[ "$(ran cudafe++)" = 1 ] || fail "the blob's entry was not made again: $(cat "$TOOL_LOG")"
step "removed" 2 "2 1 1"

# 8 processes
rm -rf "$CK_JIT_CACHE_DIR"
pids=
for i in 1 2 3 4 5 6 7 8; do
  LD_LIBRARY_PATH=$lib:$LD_LIBRARY_PATH "$made/calls" $one >"$T/out.$i" 2>&1 &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid" || fail "a process failed: $(cat "$T"/out.*)"; done
cat "$T"/out.* >"$T/said"
no_gpu 8
step "8 processes" 2 "2 1 1"

# ptxas fails, which is the kernel's: then it does not
rm "$(kernel 1)"
tools TOOL_LOG="$T/tools" TOOL_FAIL=ptxas
calls "$lib" $one
tools TOOL_LOG="$T/tools"
grep -q "ckjit: $stem: kernel _ZN10mini_flash10fwd_kernelIfLi32.*ptxas: told to fail" "$T/said" || tr '\n' ' ' <"$T/said" |
  grep -q "ckjit: $stem: kernel _ZN10mini_flash10fwd_kernelIfLi32.*ptxas: told to fail" || fail "of ptxas it said: $(cat "$T/said")"
step "ptxas fails" 1 "1 1 0"
calls "$lib" $one
no_gpu 1
step "ptxas works again" 2 "1 1 0"

# cicc fails, which is the blob's
rm -rf "$CK_JIT_CACHE_DIR"
tools TOOL_LOG="$T/tools" TOOL_FAIL=cicc
calls "$lib" $one
tools TOOL_LOG="$T/tools"
tr '\n' ' ' <"$T/said" | grep -q "ckjit: $stem: .*cicc: told to fail" || fail "of cicc it said: $(cat "$T/said")"
is "entries of what failed" "" "$(entries)"
: >"$TOOL_LOG"

# whole
CK_JIT_PER_KERNEL=0 calls "$lib" $one $other
no_gpu 2
step "whole" 1 "1 1 1"
calls "$lib" $one # has no use for it: what is taken apart has a build id of its own, and finds the whole
no_gpu 1
step "whole, taken by who does not ask for it" 1 "0 0 0"
