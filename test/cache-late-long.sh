#!/bin/sh
# Two clients of one cache directory that see each other's files late: sshfs, twice, with attributes, names and what is not there kept for a
# minute, and with locks that the other does not see. Every call is right; what one has made the other uses, or makes again; what was
# removed under a client's eyes, an entry or a lock, is made again; a client that comes later compiles nothing; and nothing is left.
# tier: long
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
need sshfs fusermount3
server=/usr/lib/openssh/sftp-server
[ -x $server ] || skip "no $server here: apt-get install openssh-sftp-server"
printf '#!/bin/sh\nexec %s\n' $server >"$T/ssh"
chmod +x "$T/ssh"
mkdir -m 700 "$T/server"
unmount() {
  for client in a b c; do
    [ ! -d "$T/$client" ] || fusermount3 -u -z "$T/$client" 2>/dev/null || :
  done
  rm -rf "$T"
}
trap unmount EXIT
late=dir_cache=yes,dcache_timeout=60,attr_timeout=60,entry_timeout=60,negative_timeout=60,ac_attr_timeout=60
client() {
  mkdir "$T/$1"
  sshfs -o "ssh_command=$T/ssh,$late" "x:$T/server" "$T/$1" 2>"$T/err" || skip "nothing can be mounted here: $(cat "$T/err")"
}
many lib 3
lib=$T/lib/libkernels.so control=$T/lib/control
on() {
  client_=$1
  shift
  CK_JIT_CACHE_DIR=$T/$client_ "$T/api" "open:$lib" "$@"
}
CK_JIT_CACHE_DIR=$T/other api "open:$lib" compile:k0:store >/dev/null # makes the program
: >"$T/lib/log"
client a
client b

# b has seen that there is nothing, and keeps it
ls -la "$T/b" "$T/b/k0.so" >/dev/null 2>&1 || true
is "a" 5 "$(on a stub:_Z6value_ILi0EEii:5)"
is "one compile" 1 "$(started lib k0)"
[ -e "$T/server/k0.so" ] || fail "a has put nothing into the cache: $(ls -la "$T/server")"
is "b" 6 "$(on b stub:_Z6value_ILi0EEii:6)"
[ "$(started lib k0)" -le 2 ] || fail "$(started lib k0) compiles"

# both at once, four processes each: each client knows its own locks at least
touch "$control/k1.hold"
pids=
for n in 1 2 3 4; do
  for client in a b; do
    on $client stub:_Z6value_ILi1EEii:$n >"$T/out.$client$n" 2>"$T/err.$client$n" &
    pids="$pids $!"
  done
done
await "a compile" has_started lib 1 k1
rm "$control/k1.hold"
for pid in $pids; do wait "$pid" || fail "a process: $(cat "$T"/err.*)"; done
for n in 1 2 3 4; do is "a and b, $n" "100$n 100$n" "$(cat "$T/out.a$n" "$T/out.b$n" | tr '\n' ' ' | sed 's/ $//')"; done
[ "$(started lib k1)" -le 2 ] || fail "$(started lib k1) compiles"

# removed by a, while b keeps that it is there
is "b has it" 1007 "$(on b stub:_Z6value_ILi1EEii:7)"
rm "$T/a/k1.so"
is "removed under b's eyes" 1008 "$(on b stub:_Z6value_ILi1EEii:8)"

# the lock file as well, which b has seen while a held it: whoever opens it is told that it is not there, as often as he asks
touch "$control/k2.hold"
on a stub:_Z6value_ILi2EEii:1 >"$T/out" 2>"$T/err" &
await "a compile of k2" has_started lib 1 k2
lock=$(cd "$T/server/.locks" && echo ????????????????????????????????????????????????)
is "b sees a's lock" "$lock" "$(cd "$T/b/.locks" && ls "$lock")"
rm "$control/k2.hold"
wait $! || fail "a: $(cat "$T/err")"
[ ! -e "$T/server/.locks/$lock" ] || fail "a has left its lock"
rm "$T/a/k2.so"
[ -e "$T/b/.locks/$lock" ] || fail "b knows that the lock is gone: nothing is tried"
on b stub:_Z6value_ILi2EEii:8 >"$T/out" 2>"$T/err" || fail "the lock was removed under b's eyes: $(cat "$T/err")"
is "the lock, removed under b's eyes" 2008 "$(cat "$T/out")"

# a client that comes later
on a compile:k1:store >/dev/null
: >"$T/lib/log"
client c
is "c" "9 1009" "$(on c stub:_Z6value_ILi0EEii:9 stub:_Z6value_ILi1EEii:9 | tr '\n' ' ' | sed 's/ $//')"
is "c compiles nothing" 0 "$(started lib)"
is "left" "" "$(find "$T/server" -name '.tmp-*' -o -path '*/.locks/*')"
[ "$(find "$T/server" -name 'k*.so' | wc -l)" -ge 2 ] || fail "it was not looked for where it would be: $(ls -la "$T/server")"
