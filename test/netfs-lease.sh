#!/bin/sh
# The lease of a kernel is a directory, a FIFO, a link to nothing, a file of holes, or of the year 2100; or it cannot be read, written or
# opened. A compile waits for it as long as for a dead holder, not for ever, and goes on, without a lease where none can be made.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/netfs_fixture.sh"
[ -z "${NETFS_OPTIONS-}" ] || skip "the faults are those of the tests' own file system"
. "$here/unit/shim_fixture.sh"
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_LOCK_PATIENCE=1
shim "$T/fast" 1 "$T/template.so"
cd "$T"
: >log
: >rules
mkdir -m 700 server/cache
client one rules="$T/rules"

compile() {
  "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/$1.cu" --cache --output "$T/one/cache/$1.so" \
    --blob-flags "--log=$T/log --template=$T/template.so --control=$T" >"$1.said" 2>&1
}

# odd KERNEL WORDS COMMAND...: COMMAND makes the lease of KERNEL, whose name it gets; what the compile says has WORDS; "": it says nothing
odd() {
  kernel=$1 words=$2
  shift 2
  echo "${#kernel} $kernel" >"$kernel.cu"
  touch "$kernel.hold"
  compile "$kernel" &
  first=$!
  await "$kernel: a compile" grep -q "^start $kernel" log
  lease=$(find server/cache/.locks -name '*.1')
  send KILL "output $T/one/cache/$kernel.so"
  wait "$first" || true
  mv "$lease" lease
  rm "$kernel.hold"
  "$@" "$lease"
  compile "$kernel" || fail "$kernel: $(cat "$kernel.said")"
  : >rules
  case $words in
  '') is "$kernel: said" "" "$(cat "$kernel.said")" ;;
  *) has "$kernel: said" "no lease can be made there ($words)" "$kernel.said" ;;
  esac
  [ -e "server/cache/$kernel.so" ] || fail "$kernel: no entry"
  rm -rf server/cache/.locks
}
kept() {
  cp lease "$2"
  echo "$1" >rules
}
dated() {
  cp lease "$2"
  touch -d "$1" "$2"
}
odd directory "Is a directory" mkdir
odd fifo "Invalid argument" mkfifo
odd dangling "Too many levels of symbolic links" ln -s nowhere
odd holes "" truncate -s 1G
odd future "" dated '2100-01-01'
odd unread "Input/output error" kept 'read *.1 EIO'
odd unwritten "Input/output error" kept 'write *.1 EIO'
odd forbidden "Permission denied" kept 'open *.1 EACCES'
odd gone "Stale file handle" kept 'open *.1 ESTALE'
