# emulated_fixture.sh - a test of a GPU with HIP 7.2.4, on AMD's emulator: source it after common.sh.
#
#   emulated CONFIG NAME [VARIABLE=VALUE…]   runs test/NAME.sh in the HIP root, on the GPU of rocjitsu's CONFIG
#   on_emulator CONFIG COMMAND…              runs a command so
#   in_root COMMAND…                         runs a command in the root, without the emulator
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
