#!/bin/sh
# CK_JIT_ON_MISS=error and fragments: a kernel whose fragments are not linked fails at once and names the command that builds it; nothing
# is compiled, neither entry nor fragment, although the objects of another kernel's fragments are in the cache. What is there works.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
# shellcheck disable=SC2086 # a list
link libm.so $objects
is 'compiled first' 100 "$(calls libm.so 100)"
reset
before=$(find cache | sort)
missed() {
  CK_JIT_ON_MISS=error calls libm.so "$1" >out 2>err && fail "$1: it has not failed: $(cat out)"
  grep -qE "entry_[12]\+[a-z+]*: it is not compiled, because CK_JIT_ON_MISS is error, and no cache has it with build id [0-9a-f]{48} \[ckjit help on-miss\]\$" err ||
    fail "$1: not said: $(cat err)"
  grep -q "^looked into: $T/cache\$" err || fail "$1: not said where it was looked for: $(cat err)"
  is "$1: made" 0 "$(($(count object) + $(count link)))"
  is "$1: the cache" "$before" "$(find cache | sort)"
}
missed 110
missed 210
is 'what is there' 100 "$(CK_JIT_ON_MISS=error calls libm.so 100)"

# the command that it names, as it is
command=$(sed -n 's/^to build it: //p' err)
case $command in *ckjit-prebuild\ build\ *entry_*) ;; *) fail "the command: $command" ;; esac
sh -c "$command" >out 2>&1 || fail "$command: $(cat out)"
is 'what that has built' 210 "$(CK_JIT_ON_MISS=error calls libm.so 210)"

# the fragments' objects are there, the linked kernel is not: to link is to compile
rm cache/entry_*.so
reset
before=$(find cache | sort)
missed 100
