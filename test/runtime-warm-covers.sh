#!/bin/sh
# The record of use covers at least 95 % of what a job of a recorded kind asks for: of twenty kernels that an upgrade has given other keys, and of
# which one is new to the job, the first call and its helper (CK_JIT_WARM=detach) compile all but that one; the job's other calls wait for nothing.
# tier: check
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
export CK_JIT_JOBS=4 CK_JIT_JOB_MEMORY=0 CK_JIT_VERBOSE=1
unset CK_JIT_WARM
many lib 24 1
api quiet # compiles it
# calls K...: a job that calls these kernels, one after another
calls() {
  # shellcheck disable=SC2046 # words
  "$T/api" "open:$T/lib/libkernels.so" $(printf 'stub:_Z6value_ILi%sEEii:1 ' "$@") >"$T/out" 2>"$T/err"
}
# shellcheck disable=SC2046 # words
calls $(seq 0 18)
many lib 24 2
: >"$T/lib/log"
CK_JIT_WARM=detach calls 4
await "the helper ends" idle ckjit-compile
before=$(started lib)
# shellcheck disable=SC2046 # words
calls 4 $(seq 18 -1 5) 3 2 1 0 23
await "the helper ends" idle ckjit-compile
asked=20 waited=$(($(started lib) - before))
[ $((100 * (asked - waited))) -ge $((95 * asked)) ] || fail "$waited of $asked calls waited, after $before compiles ahead: $(cat "$T/lib/log")"
is "none but what is recorded was compiled ahead" 19 "$before"
