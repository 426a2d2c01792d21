#!/bin/sh
# Machines that append to the files of a cache at once, on a file system that knows no common end of a file: lines are written over others,
# and what is read is whole lines.
# tier: long
. "${0%/*}/common.sh"
. "$here/unit/netfs_fixture.sh"
appends=$B/test/unit/appends
[ -x "$appends" ] || skip "no $appends: make units"
mkdir -m 700 "$T/server/cache" "$T/server/cache/.locks"
pids='' nodes='1 2 3 4'
for node in $nodes; do
  client "node$node" entry=60 negative=60 attr=60 delay=1
done
for node in $nodes; do
  "$appends" append "$T/node$node/cache" "$node" 50 &
  pids="$pids $!"
done
for pid in $pids; do
  wait "$pid" || fail "one ends with $?"
done
found=$("$appends" check "$T/server/cache") || fail "torn lines are read"
echo "times, counts and uses, of 200: $found"
# The test can fail: without that some lines were written over, there was nothing to see.
[ "$(grep -cvE '^k[0-9]+_[0-9]+_0+	[0-9.]+	[0-9]+	[0-9]+	7.042	[0-9a-f]{48}	/opt/rocm/bin/hipcc$' "$T/server/cache/.times")" -gt 0 ] ||
  fail "no line was torn"
