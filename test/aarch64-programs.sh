#!/bin/sh
# ckjit's own programs do on AArch64 what they do here: first calls of threads and processes, forks, signals, what libckjit.so and
# ckjit-prebuild do. The same tests, with programs, libraries and hosts of that machine, by qemu-user and without binfmt_misc.
# tier: long
# seconds: 110
. "${0%/*}/common.sh"
. "$here/unit/aarch64_fixture.sh"
aarch64_programs
on_aarch64 runtime-threads runtime-host-children runtime-host-fork runtime-host-signals runtime-host-atfork api-compile api-state prebuild-build prebuild-list prebuild-pack
