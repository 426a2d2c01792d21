#!/bin/sh
# Whatever a file of a cache was replaced by, a FIFO, a directory, a link to a device, a sparse file of 100 GB: calls come back,
# right, and with little memory, and the commands that read a cache end. A source that a library names: an error.
# tier: check
# seconds: 12
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need prlimit
many lib 4
unset CK_JIT_WARM
touch "$T/lib/control/k2.fail"
hostile lib value 0 5 >"$T/out" || fail "$(cat "$T/out")"
hostile lib value 2 5 >"$T/out" && fail "it was compiled"
rm "$T/lib/control/k2.fail"
mv "$CK_JIT_CACHE_DIR" "$T/before"
files=$(cd "$T/before" && find . -type f | sort)
for file in .stats .times .used/libkernels.so .logs/k2.log; do
  [ -e "$T/before/$file" ] || fail "no $file: $files"
done

# replaced KIND FILE: FILE is one
replaced() {
  rm -f "$2"
  case $1 in
  FIFO) mkfifo "$2" ;;
  directory) mkdir "$2" ;;
  device) ln -s /dev/zero "$2" ;;
  sparse) truncate -s 100G "$2" ;;
  esac
}
# limited COMMAND…: with 4 GB of addresses and a minute
limited() {
  timeout 60 prlimit --as=4000000000 "$@"
}
truncate -s 100G "$T/sparse" 2>/dev/null || skip "no sparse files here"
for kind in FIFO directory device sparse; do
  for file in $files ./.locks/times ./.locks/stats; do
    case $kind,$file in directory,*.so) continue ;; esac # its name cannot be had: an error that says so
    rm -rf "$CK_JIT_CACHE_DIR"
    cp -a "$T/before" "$CK_JIT_CACHE_DIR"
    replaced $kind "$CK_JIT_CACHE_DIR/$file"
    is "$file is a $kind" "5 1005 2005" \
      "$(for n in 0 1 2; do limited "$T/hostile" "$T/lib/libkernels.so" value $n 5 || echo "status $?"; done | paste -sd ' ')"
    for command in status cache stats 'clean --stalled' verify; do
      status=0
      # shellcheck disable=SC2086 # words
      limited "$B/bin/ckjit-prebuild" $command >"$T/out" 2>&1 || status=$?
      [ $status -le 1 ] || fail "$file is a $kind: $command: status $status: $(cat "$T/out")"
    done
  done
done

for kind in FIFO directory device sparse; do
  replaced $kind "$T/lib/ck_jit/src/k3.cu"
  limited "$T/hostile" "$T/lib/libkernels.so" value 3 5 >"$T/out" && fail "a source that is a $kind was compiled"
  has "a source that is a $kind" "error: ckjit: k3: " "$T/out"
  rm -rf "$T/lib/ck_jit/src/k3.cu"
done
