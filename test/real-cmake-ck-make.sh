#!/bin/sh
# real-cmake-ck.sh by Make, for two architectures. In CI: cmake-cxx, by Make, with Debian's CMake.
# tier: long
# seconds: 60
CK_MAKE=1 exec "${0%/*}/real-cmake-ck.sh"
