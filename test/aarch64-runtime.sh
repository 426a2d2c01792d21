#!/bin/sh
# On AArch64 the runtime is what it is here: arguments of every class and of random signatures, exceptions, threads, another process.
# The same tests, by cross compilers and qemu-user, whose library starts the ckjit-compile of this machine.
# tier: all
# seconds: 16
. "${0%/*}/common.sh"
need aarch64-linux-gnu-g++ qemu-aarch64
for name in runtime-arguments runtime-signatures runtime-threads runtime-second-process; do
  status=0
  CROSS=aarch64 sh "$here/$name.sh" >"$T/said" 2>&1 || status=$?
  [ $status = 0 ] || fail "$name on AArch64, status $status: $(tail -n 20 "$T/said")"
done
