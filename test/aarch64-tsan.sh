#!/bin/sh
# GCC's ThreadSanitizer finds nothing in many first calls on AArch64, in a library whose return addresses are signed, and exceptions leave by such frames.
# tier: long
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/aarch64_tsan_fixture.sh"
tsan gcc aarch64-linux-gnu-gcc
