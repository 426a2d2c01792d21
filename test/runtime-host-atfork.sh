#!/bin/sh
# No first call goes on before its fork handlers are registered: while one thread is still in pthread_atfork, another one compiles,
# and a child that is forked then waits for no thread of its parent's. That both register does no harm.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 4
touch "$T/lib/control/k1.hold"
"${cross}gcc" -std=gnu11 -O1 -g -rdynamic "$unit/runtime_atfork.c" -o "$T/atfork" -ldl -pthread
emulated "$T/atfork"
is "results" "1007 7 3007 2 registered " \
  "$("$T/atfork" "$T/lib/libkernels.so" "$T/lib/log" "$T/lib/control/k1.hold" | tr '\n' ' ')"
is "compiles" 4 "$(started lib)"
