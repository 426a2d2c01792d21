#!/bin/sh
# Signal handlers that call kernels: the one that their thread compiles, one that another thread compiles whose handler calls
# ours; a handler runs in a thread that waits for a compile of another; on a signal stack of 8 KiB nothing below it is written.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 16
hold=$T/lib/control/hold
run() {
  touch "$hold"
  timeout 120 "$T/hostile" "$T/lib/libkernels.so" "$@" || echo "status $?"
}
is "the kernel that is being compiled" "5 5" "$(run handler 0 0 "$hold")"
is "another kernel" "1005 2005" "$(run handler 1 2 "$hold")"
is "each calls the other's" "7010 7010" "$(run handlers 3 4 "$hold")"
is "in a thread that waits" 10010 "$(run waiter 5 "$hold")"
is "compiles" 6 "$(started lib)"
is "without a cache" "6005 6005" "$(CK_JIT_DISABLE_FILE_CACHING=1 run handler 6 6 "$hold")"
rm -f "$hold"

for bytes in 8192 16384 65536 1048576; do
  is "a stack of $bytes" "8005, 0 bytes below" "$(rm -rf "$CK_JIT_CACHE_DIR"; timeout 60 "$T/hostile" "$T/lib/libkernels.so" altstack $bytes 8)"
  is "a stack of $bytes, from the cache" "8005, 0 bytes below" "$(timeout 60 "$T/hostile" "$T/lib/libkernels.so" altstack $bytes 8)"
done
