#!/bin/sh
# The rest of what aarch64-programs has a part of: more tests of the runtime, of libckjit.so, of the cache and of ckjit-prebuild, and a stampede of 16
# processes with 32 threads, all of it with programs, libraries and hosts of AArch64.
# tier: long
# seconds: 500
. "${0%/*}/common.sh"
. "$here/unit/aarch64_fixture.sh"
aarch64_programs
on_aarch64 runtime-host-threads runtime-host-limits runtime-abort runtime-arguments runtime-signatures runtime-second-process runtime-processes runtime-on-error \
  runtime-stampede \
  api-flags api-logger api-many api-lifetime api-linker-lock cache-directory cache-messages \
  prebuild-arch prebuild-clean prebuild-errors prebuild-list-json prebuild-no-cache prebuild-pack-bad prebuild-progress prebuild-records prebuild-shard-build prebuild-status
