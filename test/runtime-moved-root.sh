#!/bin/sh
# The tree is moved; the library finds its root beside itself, by a baked-in relative name, by CK_JIT_ROOT, through a
# symbolic link, and after the process changed its directory.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
LIB_ROOT=share/kernels library baked
mkdir "$T/baked/share"
mv "$T/baked/ck_jit" "$T/baked/share/kernels"

mkdir "$T/new place"
mv "$T/lib" "$T/new place/moved"
is "beside the library" 1005 "$("$T/new place/moved/driver" value 0 5)"
is "relative, baked in" 1105 "$("$T/baked/driver" value 1 5)"
cd "$T/baked"
is "loaded by a relative name, directory changed" 1205 "$(LD_LIBRARY_PATH=. ./driver chdir 2 5)"
cd /
is "compiles" 3 "$(compiles)"

rm -rf "$T/cache"
mkdir "$T/links"
ln -s "$T/new place/moved/libkernels.so" "$T/links/libkernels.so"
is "symbolic link" 1005 "$(LD_LIBRARY_PATH=$T/links "$T/new place/moved/driver" value 0 5)"
mv "$T/new place/moved/ck_jit" "$T/root"
is "CK_JIT_ROOT" 1105 "$(CK_JIT_ROOT=$T/root "$T/new place/moved/driver" value 1 5)"
