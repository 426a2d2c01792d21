#!/bin/sh
# What a compile leaves that was killed with its keeper goes at the next one: beside its output, where there is no lock; in a cache on a file
# system without flock, where the lock says nothing. The directory of one that lives, stopped or not, stays.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
. "$here/unit/shim_fixture.sh"
need strace
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus"
shim "$T/fast" 1 "$T/template.so"
strace -qq -o /dev/null -e inject=getpid:error=EPERM true || skip "strace cannot be used here"
cd "$T"
for k in a b; do echo 5 >$k.cu; done

# compile KIND STEM: KIND is beside, or cache without flock
mkdir beside

compile() {
  without=
  [ "$1" = beside ] || without="strace -f -qq -o /dev/null -e trace=flock -e inject=flock:error=ENOLCK"
  # shellcheck disable=SC2046,SC2086 # words
  exec $without "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/$2.cu" --output "$T/$1/$2.so" $([ "$1" = beside ] || echo --cache) \
    --blob-flags "--log=$T/log --template=$T/template.so --control=$T --sleep=1"
}
# hang KIND STEM: one that hangs in its compiler; its two processes are $pids
hang() {
  : >log
  : >"$2.hold"
  compile "$@" >/dev/null 2>&1 &
  await "no compile of $2" grep -q "^start $2 " log
  pids=$(pgrep -f -- "ckjit-compile.* --output $T/$1/$2.so" | while read -r pid; do
    [ "$(readlink "/proc/$pid/exe")" != "$(realpath "$B/bin/ckjit-compile")" ] || echo "$pid"
  done)
  rm "$2.hold"
}
left() {
  find "$1" -name '.tmp-*' -o -name '.ckjit-tmp-*'
}
for kind in beside cache; do
  hang $kind a
  # shellcheck disable=SC2086
  kill -STOP $pids # or the one would tidy up for the other
  living=$(left $kind)
  [ "$(echo "$living" | wc -l)" = 1 ] && [ -n "$living" ] || fail "$kind: $living"
  (compile $kind b) >out 2>&1 || fail "$kind, beside a stopped one: $(cat out)"
  [ "$(left $kind)" = "$living" ] || fail "$kind: it removed the directory of a stopped process"
  # shellcheck disable=SC2086
  kill -KILL $pids
  for pid in $pids; do gone "$pid" "$kind"; done
  [ "$(left $kind)" = "$living" ] || fail "$kind: what was to be left?"
  rm "$kind/b.so"
  (compile $kind b) >out 2>&1 || fail "$kind, behind a killed one: $(cat out)"
  [ -s "$kind/b.so" ] && [ -z "$(left $kind)" ] || fail "$kind: left: $(left $kind)"
done
