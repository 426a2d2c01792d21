#!/bin/sh
# The rest of what aarch64-programs has a part of: more tests of the runtime, of libckjit.so and of the cache, all of it with programs, libraries and
# hosts of AArch64.
# tier: long
# seconds: 300
. "${0%/*}/common.sh"
. "$here/unit/aarch64_fixture.sh"
aarch64_programs
on_aarch64 runtime-host-threads runtime-host-limits runtime-abort runtime-arguments runtime-signatures runtime-second-process runtime-processes runtime-on-error \
  api-flags api-logger api-many api-lifetime api-linker-lock cache-directory cache-messages
