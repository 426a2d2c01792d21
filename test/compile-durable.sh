#!/bin/sh
# What is believed later without a digest of its text is on the disk before it has its name: an
# entry, a precompiled header. After a power cut there is all of it, or nothing of that name.
# tier: all
# seconds: 6
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
need strace
strace -qq -o /dev/null -e inject=getpid:error=EPERM true || skip "strace cannot be used here"
source_file "$T/a.cu" 1
strace -f -y -qq -s4096 -o "$T/trace" -e trace=fsync,rename,renameat,renameat2,link "$B/bin/ckjit-compile" --hipcc "$hipcc" \
  --blob-source "$T/a.cu" --blob-flags "-O1 -I$T/include" --arch gfx90a --cache --output "$T/c/a.so" >"$T/a.said" 2>&1 || fail "$(cat "$T/a.said")"

# synced NAME: each file that got a name like that had its own content synced before, by whatever name it had then
synced() {
  awk -v wanted="$1" '
    / fsync\(/ { name = $0; sub(/.*fsync\([0-9]+</, "", name); sub(/>.*/, "", name); safe[name] = 1 }
    / (rename|link)/ {
      n = split($0, q, "\"")
      if (n < 4) next
      if (q[4] ~ wanted "$") { found++; if (!safe[q[2]]) { print q[2] " became " q[4] " unsynced"; bad = 1 } }
      if (safe[q[2]]) safe[q[4]] = 1
    }
    END { if (!found) print "nothing was called " wanted; exit bad || !found }' "$T/trace" || fail "$1: $(cat "$T/trace")"
}
synced '/c/a[.]so'
synced '[.]pch/[0-9a-f]*[.]pch'
