#!/bin/sh
# fork before the first call, after it, while another thread is in it, and all the time: parent and children are right, none
# waits for a lock that the other has, and nothing is compiled twice.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 24
sorted() {
  sort -n | tr '\n' ' '
}
echo 300 >"$T/lib/control/k0.sleep"
echo 1000 >"$T/lib/control/k2.sleep"

is "before and after" "1 2 1003 1004 " "$(hostile lib fork 0 | sorted)"
is "compiles, before and after" 2 "$(started lib)"
is "while a thread compiles" "2000 2001 2003 2005 2007 3002 3004 3006 3008 " "$(hostile lib forking 2 | sorted)"
is "compiles, while a thread compiles" 4 "$(started lib)"

# children of a host whose threads are everywhere in their first calls
: >"$T/lib/log"
for round in 1 2 3; do
  rm -rf "$T/cache"
  is "all the time, $round" $((8 * 276000)) "$(hostile lib storm 24 2>>"$T/forks")"
done
is "compiles, all the time" 72 "$(started lib)"
