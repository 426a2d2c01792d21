#!/bin/sh
# warm compiles what calls of a library waited for in the past, by the record of use, a capture or a list: the most expensive first, with a
# processor and memory left for others, in the background by one process at a time for a cache, or with --wait until all are there.
# What it cannot do it says, and has then done nothing.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
. "$here/unit/pack_fixture.sh"
export CK_JIT_ARCH=gfx942 CK_JIT_JOB_MEMORY=0 # however little memory other tests leave
unset CK_JIT_WARM CK_JIT_JOBS
many lib 8 1
api quiet # compiles it
install lib
lib=$T/lib/libkernels.so control=$T/lib/control used=$T/cache/.used record=$T/cache/.used/libkernels.so
# upgrade KEY: the same library with other keys, a full record, and an empty log
upgrade() {
  many lib 8 "$1"
  install lib
  again
}
again() {
  rm -f "$T"/cache/*.so
  : >"$T/lib/log"
  printf 'k5\t3\nk2\t9\nk7\t6\n' >"$T/cache/.times"
}
starts() {
  sed -n 's/^start \([^ ]*\) .*/\1/p' "$T/lib/log" | tr '\n' ' '
}
warm() {
  prebuild warm "$@" >"$T/out" 2>"$T/err"
}
# idles WHAT TEXT [WORD...]: with these words and settings warm says TEXT, ends well, and starts nothing
idles() {
  what_=$1 text_=$2
  shift 2
  env "$@" >"$T/out" 2>"$T/err" || fail "$what_: $(cat "$T/err")"
  has "$what_" "$text_" "$T/err"
  await "$what_: nobody works" idle ckjit-compile
  is "$what_: started" "" "$(starts)"
}
# refuses STATUS TEXT WORD...
refuses() {
  status_=0 want_=$1 text_=$2
  shift 2
  warm "$@" || status_=$?
  is "$*: status" "$want_" "$status_"
  has "$*" "$text_" "$T/err"
  is "$*: started" "" "$(starts)"
}

# nothing is recorded yet: a script's first run is no error
idles "no cache" "note: no call of libkernels.so has waited for a compile into $T/none yet" CK_JIT_CACHE_DIR="$T/none" "$prebuild_" warm libkernels.so
[ ! -e "$T/none" ] || fail "it has made a cache for nothing"

"$T/api" "open:$lib" stub:_Z6value_ILi5EEii:1 stub:_Z6value_ILi2EEii:1 stub:_Z6value_ILi7EEii:1 stub:_Z6value_ILi3EEii:1 >/dev/null 2>&1
cp "$record" "$T/record"

# with --wait all are there when it returns, and the calls find them
upgrade 2
CK_JIT_JOBS=2 warm --wait || fail "--wait: $(cat "$T/err")"
is "the most expensive first; what is not known is as its source is large" "k2 k3 k7 k5 " "$(starts)"
grep -qx 'start k[0-9] .*' "$T/lib/log" && sed 's/ .*//' "$T/lib/log" | tr '\n' ' ' | grep -qx '\(start end \)*' || fail "two at once: $(cat "$T/lib/log")"
has "the figures" "4 compiled, 0 in the cache already, 0 failed" "$T/out"
"$T/api" "open:$lib" stub:_Z6value_ILi2EEii:1 >"$T/out" 2>&1
is "its call is right" 1002001 "$(cat "$T/out")"
is "its call compiles nothing" 4 "$(started lib)"
warm --wait
has "again" "0 compiled, 4 in the cache already" "$T/out"
cmp "$record" "$T/record" || fail "what is compiled ahead is no call"

# what this cache has never compiled: by the times of another, and by the sizes of sources
again
printf 'k7\t1\n' >"$T/cache/.times"
printf 'k5\t2\nk3\t3\nk7\t99\n' >"$T/elsewhere"
printf '%4000s' // >>"$T/lib/ck_jit/src/k2.cu"
CK_JIT_JOBS=2 warm --wait --times "$T/elsewhere" || fail "--times: $(cat "$T/err")"
is "the times of another cache" "k2 k7 k3 k5 " "$(starts)"
again
rm "$T/cache/.times"
CK_JIT_JOBS=2 warm --wait || fail "no times: $(cat "$T/err")"
is "without any time the largest source first" k2 "$(starts | cut -d ' ' -f 1)"

# in the background: it returns while all compiles are held, two at a time, of one process for a cache, in a session of its own
upgrade 3
touch "$control/hold"
CK_JIT_JOBS=3 warm "$lib" || fail "background: $(cat "$T/err")"
has "it is said" "4 kernels are compiled in the background, at most 2 at a time; \`ckjit-prebuild status\` shows them" "$T/out"
await "two are started" has_started lib 2
worker=$(pids 'ckjit-prebuild' | head -n 1)
is "its session" "$worker" "$(sed 's/.*) //' "/proc/$worker/stat" | cut -d ' ' -f 4)"
CK_JIT_JOBS=3 warm || fail "a second one: $(cat "$T/err")"
has "a second one" "note: nothing was started: another process already compiles ahead into this cache" "$T/err"
is "no more than two" 2 "$(started lib)"
rm "$control/hold"
await "the background ends" idle ckjit-prebuild
is "all are there" "k2 k3 k5 k7 " "$(starts | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/^ //')"
is "found" "0 compiled, 4 in" "$(warm --wait && cut -c 1-16 "$T/out")"
# a signal ends its compiles, too
again
touch "$control/hold"
warm --jobs 2
await "two are started" has_started lib 2
kill "$(pids 'ckjit-prebuild' | head -n 1)"
await "all ends" idle ckjit
rm "$control/hold"

# from a list and a capture, whatever is recorded
again
echo k1 >"$T/list"
CK_JIT_WARM=0 CK_JIT_CAPTURE=$T/capture "$T/api" "open:$lib" stub:_Z6value_ILi6EEii:1 >/dev/null 2>&1
again
warm --wait --capture "$T/capture" --blob-list "$T/list" || fail "capture: $(cat "$T/err")"
is "of a capture and a list" "k1 k6 " "$(starts | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/^ //')"

# what it leaves alone
again
idles "CK_JIT_WARM=0" "note: CK_JIT_WARM=0: nothing is compiled ahead of calls" CK_JIT_WARM=0 "$prebuild_" warm --wait
idles "one processor" "note: nothing was started: only one compile at a time is allowed" CK_JIT_JOBS=1 "$prebuild_" warm
idles "no memory" "note: nothing was started: memory does not suffice for a compile" CK_JIT_JOB_MEMORY=9999T "$prebuild_" warm
CK_JIT_JOBS=1 warm --wait || fail "somebody waits: $(cat "$T/err")"
is "somebody waits" 4 "$(started lib)"
# of another version of the library, and lines that are none
again
printf '1\t5\t-\tgone\t\nrubbish\n1\t6\t-\tk4\t' >>"$record"
warm --wait || fail "another version: $(cat "$T/err")"
has "another version" "note: skipped 1 of 5 recorded kernels: $T/lib/ck_jit/ck_jit_manifest.json does not have it" "$T/err"
is "the others" 4 "$(started lib)"

# bad input
again
refuses 1 "unknown library 'libkernel.so': expected libkernels.so, which $T/lib/ck_jit/ck_jit_manifest.json names or the cache $T/cache has a record of; did you mean 'libkernels.so'?" libkernel.so libkernels.so
refuses 1 "list:1: unknown blob 'k99'" --blob-list "$(echo k99 >"$T/list" && echo "$T/list")"
refuses 1 "none: cannot read it" --capture "$T/none"
refuses 1 "--times $T/none: cannot read it" --times "$T/none"
refuses 2 "warm: expected libraries, --capture FILE or --blob-list FILE; for --all see" --all
prebuild build --wait k1 >"$T/out" 2>"$T/err" && fail "build --wait"
has "build --wait" "build: --wait goes with warm" "$T/err"
echo rubbish >"$record"
idles "a record of nothing" "$record: it records no use" "$prebuild_" warm
rm "$record" && mkdir "$record"
refuses 1 "$record: cannot be read; expected a record of use, a regular file of this user"
rmdir "$record" && ln -s "$T/record" "$record"
refuses 1 "$record: cannot be read"
rm "$record"
idles "none" "note: no call of libkernels.so has waited for a compile into $T/cache yet" "$prebuild_" warm --wait
cp "$T/record" "$used/libother.so"
CK_JIT_HIPCC=$T/nothing refuses 1 "CK_JIT_HIPCC='$T/nothing'" libother.so
chmod 755 "$T/cache"
refuses 1 "warm: the cache directory $T/cache is open to other users"
chmod 700 "$T/cache"
CK_JIT_DISABLE_FILE_CACHING=1 refuses 1 "CK_JIT_DISABLE_FILE_CACHING is set: no library would read the cache $T/cache, into which warm compiles"
