#!/bin/sh
# A record of use that is torn, foreign, no file or not to be written costs no call anything: what is no line is passed over, the job goes
# on, and that nothing is recorded is said once, not at all with CK_JIT_QUIET. It stays small, and clean --all removes it.
# tier: check
# seconds: 3
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
export CK_JIT_JOBS=4 CK_JIT_JOB_MEMORY=0 # however little memory other tests leave
unset CK_JIT_WARM CK_JIT_QUIET
many lib 8
api quiet # compiles it
lib=$T/lib/libkernels.so used=$T/cache/.used record=$T/cache/.used/libkernels.so
# anew: no entries, and an empty log
anew() {
  await "no helper" idle ckjit-compile
  rm -rf "$T"/cache/*.so
  : >"$T/lib/log"
}
call() {
  "$T/api" "open:$lib" stub:_Z6value_ILi0EEii:1 stub:_Z6value_ILi1EEii:1 >"$T/out" 2>"$T/err" || fail "$1: $(cat "$T/err")"
  is "$1" "1 1001 " "$(tr '\n' ' ' <"$T/out")"
}
call "no record"

# k5 and k6 are the only lines
anew
{
  printf '\000\377garbage\n1\t5\n1\tx\t-\tk2\t\n2\t1\t-\tk3\t\n1\t17\t-\tk5\t\n1\t171\t17\t-\tk4\t\n1\t99999999999999999999999\t-\tk4\t\n1\t1\t-\t../k2\t\n\n\t\t\t\t\n'
  printf '1\t18\t-\tnot_of_this_library\t\n1\t18\t-\tk6\textra\tmore\n1\t19\t4\tk6\t\n1\t20\t-\tk7\t'
} >"$record"
call "a torn record"
await "k5 and k6" has_started lib 4
anew
is "the half of a line stays alone" 1 "$(grep -c '	k7	$' "$record")"
is "what is called is on lines of its own" 2 "$(grep -cE '^1	[0-9]{13}	[0-9-]+	k[01]	$' "$record")"
head -c 1500000 /dev/urandom >"$record"
call "no record at all"
anew

# it is shortened
yes "$(printf '1\t1700000000000\t-\tk3\t\n1\t1700000000000\t-\tk2\t')" | head -n 60000 >"$record"
call "a large record"
anew
[ "$(wc -c <"$record")" -lt 1000 ] || fail "the record has $(wc -c <"$record") bytes"
is "each once" "k2 k3 k0 k1 " "$(cut -f4 "$record" | sort | uniq | tr '\n' ' ' | sed 's/k0 k1 k2 k3/k2 k3 k0 k1/')"

# not to be written
for what in "a file in its place" "a directory in the record's place"; do
  rm -rf "$used"
  case $what in
  a\ file*) : >"$used" ;;
  *) mkdir -m 700 "$used" "$record" ;;
  esac
  anew
  call "$what"
  [ "$(grep -c '^ckjit: warning: .*\.used.*: its calls cannot be recorded' "$T/err")" = 1 ] || fail "$what is not said once: $(cat "$T/err")"
  anew
  CK_JIT_QUIET=1 call "$what, quietly"
  is "$what, quietly" "" "$(cat "$T/err")"
done
rm -rf "$used"
anew
call "it is made again"
is "both are recorded" 2 "$(wc -l <"$record")"

# clean
await "no helper" idle ckjit-compile
"$B/bin/ckjit-prebuild" clean --all --cache-dir "$T/cache" >"$T/out" 2>&1 || fail "clean: $(cat "$T/out")"
[ ! -e "$record" ] || fail "clean --all leaves the record"
