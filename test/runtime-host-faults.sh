#!/bin/sh
# Each request that a first call makes of the system fails in turn: memory once, memory from there on, descriptors, processes. The
# call is right or throws an error that gives the reason; nothing is left open, and the next call is right. The same for an
# entry that is in the cache.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 200
g++ -std=c++17 -O1 -g -rdynamic "$unit/runtime_failing.cpp" -o "$T/failing" -ldl

# failing KIND FEWEST: at least FEWEST requests of this kind
failing() {
  "$T/failing" "$T/lib/libkernels.so" "$1" 200 >"$T/out" || fail "$1: $(cat "$T/out")"
  n=$(sed -n '1s/ requests$//p' "$T/out")
  [ "$n" -ge "$2" ] || fail "$1: only $n requests failed"
  sed 1d "$T/out" | grep ' times: ' | while read -r line; do
    case $line in
    *" times: ckjit: k#: "*"annot allocate memory"* | *" times: ckjit: k#: "*"ut of memory"* | *" times: std::bad_alloc") ;;
    *" times: ckjit: k#: "*" cannot be "*": Too many open files"*) ;; # to be run, or to be examined
    *"cannot be run: Resource temporarily unavailable") ;;
    *"#.so cannot be loaded: /"*"/cache/k#.so: cannot "*) ;; # what the dynamic linker says of memory that is gone
    *) fail "$1: $line" ;;
    esac
  done
}
for kind in calls:10 memory:20 starved:20; do
  rm -rf "$T/cache"
  failing "${kind%:*}" "${kind#*:}"
  failing "${kind%:*}" 2
  is "$kind: left" "" "$(find "$T/cache" -name '.tmp-*')"
done

# where an error ends the process it is not a silent end
status=0
CK_JIT_ON_ERROR=abort "$T/failing" "$T/lib/libkernels.so" starved 1 >"$T/out" 2>&1 || status=$?
is "status of the aborted" 1 $status
has "aborted" "runtime_failing: request 1: Aborted" "$T/out"
has "aborted" "ckjit: error: a kernel cannot be loaded: out of memory" "$T/out"
