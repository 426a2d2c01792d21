#!/bin/sh
# What a library's calls waited for is compiled first when all keys are new: with the first compile of a job all recorded kernels are
# started in the background, the most expensive first, one process at a time for a cache, one processor left for the job's own.
# Where no table says what is needed together the record does. It is bounded, and what is damaged, foreign or not to be written costs
# no call anything.
# tier: check
# seconds: 9
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
export CK_JIT_JOBS=4 CK_JIT_JOB_MEMORY=0 CK_JIT_VERBOSE=1 # however little memory other tests leave
unset CK_JIT_WARM
many lib 8 1
api quiet # compiles it
lib=$T/lib/libkernels.so control=$T/lib/control record=$T/cache/.used/libkernels.so
# upgrade KEY: the same library with other keys, and an empty log
upgrade() {
  many lib 8 "$1"
  : >"$T/lib/log"
}
stub() {
  printf 'stub:_Z6value_ILi%sEEii:1 ' "$@"
}
# calls K...: a job that calls these kernels, one after another; sum is what it prints
calls() {
  # shellcheck disable=SC2046 # words
  "$T/api" "open:$lib" $(stub "$@") >"$T/out" 2>"$T/err"
}
# starts: the kernels in the order in which their compiles were started
starts() {
  sed -n 's/^start \([^ ]*\) .*/\1/p' "$T/lib/log" | tr '\n' ' '
}
stems() {
  cut -f4 "$record" | tr '\n' ' '
}

calls 5 2 7 2
is "the record" "k5 k2 k7 " "$(stems)"
is "its lines" 3 "$(grep -cE '^1	[0-9]{13}	([0-9]+|-)	k[0-9]	$' "$record")"
calls 5 2 7
is "what is found in the cache is not recorded again" "k5 k2 k7 " "$(stems)"

# after an upgrade: the first call starts the others, whatever it calls itself
printf 'k5\t3\nk2\t9\nk7\t6\n' >"$T/cache/.times"
# apart: as if each had been called long after the one before it
apart() {
  sed -i 's/^\(1\t[0-9]*\t\)[0-9-]*/\199999/' "$record"
}
apart
upgrade 2
touch "$control/hold"
calls 0 &
job=$!
await "all four are started" has_started lib 4
rm "$control/hold"
wait $job
is "its own call is right" "1000001" "$(cat "$T/out")"
await "the helper ends" idle ckjit-compile
is "each once" 4 "$(started lib)"
has "it is said" "k0: compiling ahead of their calls 3 previously called kernels" "$T/err"
calls 5 2 7
is "they are there" 4 "$(started lib)"
is "what was compiled ahead was not called" "k5 k2 k7 k0 " "$(stems)"

# the most expensive first, none of which was called near the others; one processor is left for the call's own
printf 'k5\t3\nk2\t9\nk7\t6\n' >"$T/cache/.times"
apart
upgrade 3
touch "$control/k0.hold"
CK_JIT_JOBS=2 calls 0 &
await "all are started, beside its own" has_started lib 4
is "order" "k2 k7 k5 " "$(starts | sed 's/k0 //')"
sed -n 's/^\(start\|end\) k0.*//; s/^\(start\|end\) .*/\1/p' "$T/lib/log" | tr '\n' ' ' | grep -qx 'start end start end start \(end \)\?' || fail "two at once: $(cat "$T/lib/log")"
rm "$control/k0.hold"
wait $!
await "the helper ends" idle ckjit-compile

# switched off, one at a time, no memory, nothing to be compiled, no cache
for setting in CK_JIT_WARM=0 CK_JIT_JOBS=1 CK_JIT_JOB_MEMORY=9999T CK_JIT_DISABLE_FILE_CACHING=1; do
  rm -f "$T"/cache/*.so
  : >"$T/lib/log"
  env "$setting" "$T/api" "open:$lib" "stub:_Z6value_ILi0EEii:1" >"$T/out" 2>"$T/err"
  await "no helper" idle ckjit-compile
  is "$setting" "k0 " "$(starts)"
done
rm -f "$T"/cache/*.so
: >"$T/lib/log"
CK_JIT_ON_MISS=error calls 0 && fail "it was compiled"
await "no helper" idle ckjit-compile
is "CK_JIT_ON_MISS=error" "" "$(starts)"

# what followed soon is needed together with it, before what is more expensive; with each compile, not only a job's first
rm -f "$T"/cache/*.so
: >"$T/lib/log"
now=1790000000000
printf '1\t%s\t%s\t%s\t\n' $now - k1 $((now + 10)) 10 k3 $((now + 99)) 99999 k2 $((now + 100)) 5 k4 >"$record"
touch "$control/k1.hold" "$control/k3.hold" "$control/k4.hold"
printf 'k2\t9\nk4\t8\n' >"$T/cache/.times"
CK_JIT_JOBS=2 calls 1 3 &
job=$!
await "k3 is beside k1" has_started lib 1 k3
lacks "k2 waits" 'start k2' "$T/lib/log"
rm "$control"/*.hold
wait $job
await "the helper ends" idle ckjit-compile

# it ends with the job, and with CK_JIT_WARM=detach it does not
for warm in 1 detach; do
  rm -rf "$T/cache/"*.so "${control:?}"/*
  : >"$T/lib/log"
  touch "$control/k2.hold" "$control/k0.hold"
  CK_JIT_WARM=$warm "$T/api" "open:$lib" "stub:_Z6value_ILi0EEii:1" >"$T/out" 2>"$T/err" &
  job=$!
  await "k2 is started" has_started lib 1 k2
  rm "$control/k0.hold"
  wait $job
  [ $warm = detach ] || await "k2 has ended" idle ckjit-compile
  rm "$control"/*
  await "the helper ends" idle ckjit-compile
  case $warm in
  1) [ ! -e "$T/cache/k2.so" ] || fail "k2 was compiled for a job that has ended" ;;
  *) is "with detach all are there" 5 "$(find "$T/cache" -name '*.so' -path '*/k*' | wc -l)" ;;
  esac
done

# one process at a time for a cache
rm -rf "$T/cache/"*.so
: >"$T/lib/log"
touch "$control/hold"
for i in 1 2 3 4 5 6 7 8 9 10; do
  "$T/api" "open:$lib" "stub:_Z6value_ILi0EEii:1" >"$T/out.$i" 2>"$T/err.$i" &
done
await "four compiles" has_started lib 4
few() {
  [ "$(pids --ahead | wc -l)" -le 1 ]
}
await "one helper" few
rm "$control/hold"
wait
is "all ten have it" 10 "$(cat "$T"/out.* | grep -cx 2000001)"
await "the helper ends" idle ckjit-compile
