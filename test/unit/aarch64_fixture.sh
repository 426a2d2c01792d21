# aarch64_fixture.sh - ckjit's own programs, built for AArch64: source it behind common.sh.
#
#   aarch64_make TARGET…    make these of the Makefile's targets, by Debian's cross compiler, in $aarch64, which is $B/aarch64
#   aarch64_programs        $emulated is a build directory like $B: its programs are those of AArch64, which qemu-user runs. What stands in their
#                           places is test/emulated/launch.c
#   on_aarch64 NAME…        these tests pass with those programs, and with libraries and hosts of AArch64 where the test makes its own
# shellcheck shell=sh disable=SC2034,SC2154
need make aarch64-linux-gnu-g++ qemu-aarch64 gcc
[ -z "${SANITIZER-}" ] || skip "static programs have no sanitizer"
aarch64=$B/aarch64 emulated=$B/aarch64/emulated top=$(dirname "${here:?}")

aarch64_make() {
  root_=$B/toolchain/aarch64-root
  "$here/toolchain/aarch64-root" "$root_" 2>"$T/root.log" || skip "no libraries for AArch64: $(cat "$T/root.log")"
  exec 9>"$B/aarch64.lock"
  flock 9
  make -s -C "$top" -j"$(nproc)" B="$aarch64" AR=aarch64-linux-gnu-ar RUN='qemu-aarch64 -L /usr/aarch64-linux-gnu' \
    CC="aarch64-linux-gnu-gcc -isystem $root_/usr/include -B$root_/usr/lib/aarch64-linux-gnu/" "$@" >"$T/make.log" 2>&1 ||
    fail "make $* for AArch64: $(tail -n 20 "$T/make.log")"
  exec 9>&-
}

aarch64_programs() {
  aarch64_make all static-programs
  exec 9>"$B/aarch64.lock"
  flock 9
  key_=$(cat "$here/unit/aarch64_fixture.sh" "$here/emulated/launch.c" "$here/emulated/open.c" "$aarch64"/static/bin/* "$aarch64"/static/libexec/ckjit/* "$aarch64"/lib/*.so | sha256sum)
  if [ "$(cat "$emulated/.key" 2>/dev/null)" != "$key_" ]; then
    rm -rf "$emulated"
    mkdir -p "$emulated/bin" "$emulated/libexec/ckjit"
    gcc -D_GNU_SOURCE -O1 -shared -fPIC -o "$emulated/open.so" "$here/emulated/open.c" -ldl
    mkdir "$emulated/qemu"
    for program_ in "$aarch64"/static/bin/* "$aarch64"/static/libexec/ckjit/*; do
      qemu_=$emulated/qemu/${program_##*/} # the process is called what the program is
      ln -s "$(command -v qemu-aarch64)" "$qemu_"
      gcc -D_GNU_SOURCE -O1 -static -DQEMU="\"$qemu_\"" -DOPEN="\"$emulated/open.so\"" -DREAL="\"$program_\"" \
        -o "$emulated/${program_#"$aarch64/static/"}" "$here/emulated/launch.c"
    done
    cp -r "$aarch64/lib" "$aarch64/share" "$aarch64/include" "$emulated/"
    echo "$key_" >"$emulated/.key"
  fi
  exec 9>&-
}

on_aarch64() {
  for name_; do
    status_=0
    B=$emulated CROSS=aarch64 sh "$here/$name_.sh" >"$T/said" 2>&1 || status_=$?
    case $status_ in
    0 | 77) ;;
    *) fail "$name_ on AArch64, status $status_: $(tail -n 20 "$T/said")" ;;
    esac
  done
}
