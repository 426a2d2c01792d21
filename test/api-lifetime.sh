#!/bin/sh
# Handles keep their library loaded: when it is closed, when its program unloads it too. A forked child can use what its parent has
# opened, also while threads of the parent compile, and a batch stays the parent's.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
many one 4
many two 4 2
one=$T/one/libkernels.so two=$T/two/libkernels.so

api "open:$one" compile:k0 compile:k1:fresh close call:0:5 call:1:5 release:0 call:1:6 maps:memfd release:1 maps:memfd \
  maps:one/libkernels >"$T/out" || fail "closed: $(cat "$T/out")"
is "handles of a closed library" "5 1005 1006 $maps 0 0 " "$(grep -v handle "$T/out" | tr '\n' ' ')"
is "opened again" "handle 0 handle 1 5 5 " "$(api "open:$one" compile:k0 close "open:$one" compile:k0 call:0:5 call:1:5 | tr '\n' ' ')"
is "two libraries" "5 1000005 5 1000005 " "$(api "open:$one" compile:k0 "open:$two" compile:k0 call:0:5 call:1:5 use:0 close call:0:5 \
  use:1 close call:1:5 | grep -v handle | tr '\n' ' ')"
is "the program unloads it" "5 1005 1006 0 " "$(api "dlopen:$one" open:libkernels.so:loaded compile:k0 compile:k1:fresh dlclose call:0:5 \
  call:1:5 close call:1:6 release:1 release:0 maps:one/libkernels | grep -v handle | tr '\n' ' ')"

# fork
touch "$T/one/control/k2.hold"
is "child" "handle 0 5 loaded handle 1 3006 child: 0 " "$(api "open:$one" compile:k0 fork call:0:5 state:k0 compile:k3 call:1:6 | tr '\n' ' ')"
api quiet "open:$one" batch:2:k2,k1 "until:$T/one/log:start k2" fork poll wait:-1 result:0 cancel free \
  "remove:$T/one/control/k2.hold" compile:k2 call:0:7 state:k2 >"$T/out"
has "what failed in the child" "child: 2" "$T/out"
has "poll of a child" "CKJIT_E_INVALID: 0 done, 0 failed" "$T/out"
has "wait of a child" " started the batch, and this is its fork; call it there" "$T/out"
is "the child's own" "2007 loaded" "$(sed -n '/^2007/,/loaded/p' "$T/out" | tr '\n' ' ' | sed 's/ $//')"
is "compiles of k2" 1 "$(started one k2)"
is "parent" "handle 0 child: 0 child: 0 " "$(api "open:$one" compile:k0 fork "stub:_Z6value_ILi0EEii:1" fork | sed '/^1$/d' | tr '\n' ' ')"
