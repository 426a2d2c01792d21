#!/bin/sh
# CK_JIT_ON_MISS=error and CUDA: a blob that is not there, and a kernel of one that is, fail at once and by name; so does what was removed
# after it was loaded. ckjit-prebuild builds what is missing, whatever the variable says.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini_kernels
# missed PATTERN CALL…: the last call fails, and no tool ran
missed() {
  pattern_=$1
  shift
  : >"$TOOL_LOG"
  CK_JIT_ON_MISS=error calls "$lib" "$@"
  tr '\n' ' ' <"$T/said" | grep -q "$pattern_" || fail "no '$pattern_' in: $(cat "$T/said")"
  is "tools, of $*" "" "$(cat "$TOOL_LOG")"
}
missed "ckjit: $stem: it is not compiled, because CK_JIT_ON_MISS is error.*looked into: $CK_JIT_CACHE_DIR to build it: .*ckjit-prebuild build .* $stem" $one
calls "$lib" $one
no_gpu 1
[ "$(ran cicc)" != 0 ] || fail "the tools are not seen"
CK_JIT_ON_MISS=error calls "$lib" $one
no_gpu 1
missed "ckjit: $stem: kernel _ZN10mini_flash10fwd_kernel.*it is not compiled.*looked into: $CK_JIT_CACHE_DIR to build it: .* $stem" $other
missed "$stem: kernel .*it is not compiled" $one "sh:rm '$CK_JIT_CACHE_DIR'/*.so" $other

# what it names builds it
command=$(sed -n 's/^to build it: //p' "$T/said" | tail -n 1)
[ -n "$command" ] || fail "no command in: $(cat "$T/said")"
(
  PATH=$B/bin:$PATH
  CK_JIT_ON_MISS=error
  export CK_JIT_ON_MISS
  eval "$command"
) >"$T/out" 2>&1 || fail "'$command': $(cat "$T/out")"
CK_JIT_ON_MISS=error calls "$lib" $one $other
no_gpu 2
