# emulated_fixture.sh - a test of a GPU with HIP 7.2.4, on AMD's emulator: source it after common.sh.
#
#   emulated CONFIG NAME [VARIABLE=VALUE…]   runs test/NAME.sh in the HIP root, on the GPU of rocjitsu's CONFIG
#   on_emulator CONFIG COMMAND…              runs a command so
#   in_root COMMAND…                         runs a command in the root, without the emulator
#   both_builds WORD…                        $T/build DIRECTORY builds $T/stock by the regular compiler
#                                            and $T/lazy in a fake home that is made with WORD…
#   regular LIBRARY CASE                     $T/stock's LIBRARY computes CASE on a gfx942, in $T/stock.out
#   lazily LIBRARY CASE                      $T/lazy's computes the same, then without a compiler
#
# The emulator is not ckjit's and not in any package. CKJIT_ROCJITSU is the directory that has it:
# bin/rocjitsu, lib/librocjitsu.so, configs/.
# shellcheck shell=sh disable=SC2154
emulator=${CKJIT_ROCJITSU-}
[ -n "$emulator" ] || skip "set CKJIT_ROCJITSU to the directory of AMD's emulator rocjitsu"
for file_ in bin/rocjitsu lib/librocjitsu.so configs; do
  [ -e "$emulator/$file_" ] || fail "CKJIT_ROCJITSU: $emulator has no $file_"
done
emulator=$(realpath "$emulator")
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare
"$here/toolchain/hip7-root" "$B/toolchain/hip7" || skip "no HIP 7.2.4 root can be made here, see $B/toolchain/hip7.log"
hip7=$(realpath "$B/toolchain/hip7")
in_root() {
  CKJIT_BIND="$(realpath "$here/..") $T $B $emulator ${CKJIT_BIND-}" "$here/toolchain/hip7-root" --run "$hip7" "$@"
}
on_emulator() {
  config_=$1
  shift
  in_root env "EMULATOR=$emulator" "EMULATED=$config_" "$here/gpu/run_hip" "$@"
}
both_builds() {
  cat >"$T/all" <<'SH2'
#!/bin/sh
set -eu
gcc "$here/gpu/calls.c" -o "$T/calls" -ldl
sh "$T/build" "$T/stock"
eval "$("$B/bin/ckjit-build" home --dir "$T/home" --work "$T/work" "$@")"
sh "$T/build" "$T/lazy"
SH2
  in_root env "T=$T" "B=$B" "ck=$ck" "here=$here" sh "$T/all" "$@" >"$T/log" 2>&1 ||
    fail "$(tail -n 20 "$T/log")"
}
regular() {
  on_emulator gfx942_cdna3_kmd "$T/calls" "$T/stock/$1:$2" >"$T/stock.out" 2>"$T/err" ||
    fail "the regular library: $(cat "$T/stock.out" "$T/err")"
}
lazily() {
  for on_miss in compile error; do
    CK_JIT_ON_MISS=$on_miss on_emulator gfx942_cdna3_kmd "$T/calls" "$T/lazy/$1:$2" \
      >"$T/lazy.out" 2>"$T/err" || fail "$2, $on_miss: $(cat "$T/lazy.out" "$T/err")"
    diff "$T/stock.out" "$T/lazy.out" || fail "$2, $on_miss: other results: $(cat "$T/err")"
  done
  cat "$T/lazy.out"
}
emulated() {
  config_=$1 name_=$2 status_=0
  shift 2
  [ -e "$emulator/configs/$config_.json" ] || fail "CKJIT_ROCJITSU: $emulator/configs has no $config_.json"
  in_root env "B=$B" "TMPDIR=$T" GPU=hip "EMULATOR=$emulator" "EMULATED=$config_" "$@" bash "$here/$name_.sh" || status_=$?
  case $status_ in
  0) echo "$config_: $name_ passed" ;;
  77) skip "$config_: $name_ was skipped" ;;
  *) fail "$config_: $name_ failed" ;;
  esac
}
