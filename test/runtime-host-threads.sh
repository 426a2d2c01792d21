#!/bin/sh
# 512 threads make their first calls at once: each blob is compiled once, everybody is right; where it cannot be compiled,
# everybody gets that one message. A thread with a small stack, 128 KiB, can make a first call, and be told of a failure.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 40
echo 100 >"$T/lib/control/k0.sleep"
is "sum" $((512 * 28000)) "$(CK_JIT_VERBOSE=1 hostile lib threads 512 8 2>"$T/err")"
is "compiles" 8 "$(started lib)"
is "ckjit-compiles" 8 "$(grep -c ': compiling: ' "$T/err")"
is "again" $((512 * 28000)) "$(hostile lib threads 512 8)"
is "compiles again" 8 "$(started lib)"

touch "$T/lib/control/k9.fail"
touch "$T/lib/control/k9.hold"
hostile lib errors 512 9 "$T/lib/control/k9.hold" >"$T/out"
is "messages" 1 "$(grep -c ' times: ' "$T/out")"
has "message" "512 times: ckjit: k9: " "$T/out"
is "compiles of what fails" 1 "$(started lib k9)"

is "small stack" 10005 "$(hostile lib stack 131072 10 5)"
is "small stack, from the cache" 10006 "$(hostile lib stack 131072 10 6)"
# with the longest message there is: a ckjit-compile that has much to say
mkdir -p "$T/loud/src"
cp "$T/lib/ck_jit/src/k11.cu" "$T/loud/src"
printf '#!/bin/sh\nhead -c 300000 /dev/zero | tr "\\0" x\necho the end\nexit 1\n' >"$T/loud/ckjit-compile"
chmod +x "$T/loud/ckjit-compile"
CK_JIT_ROOT=$T/loud hostile lib stack 131072 11 5 >"$T/out" && fail "small stack: no error"
has "small stack" "xxxthe end" "$T/out"
[ "$(wc -c <"$T/out")" -gt 16000 ] || fail "small stack: the message has $(wc -c <"$T/out") bytes"
