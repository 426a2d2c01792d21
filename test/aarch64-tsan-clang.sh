#!/bin/sh
# What aarch64-tsan tries with GCC's ThreadSanitizer holds with clang's, too, whose library for AArch64 is of Debian's package for arm64. The headers that clang has
# for itself are this machine's.
# tier: long
# seconds: 60
. "${0%/*}/common.sh"
. "$here/unit/aarch64_tsan_fixture.sh"
need clang clang++
version=$(clang -dumpversion)
major=${version%%.*}
root=$B/toolchain/aarch64-clang-$major
"$here/toolchain/aarch64-root" "$root" "libclang-rt-$major-dev" 2>"$T/root.log" || skip "no ThreadSanitizer of clang's for AArch64: $(cat "$T/root.log")"
mkdir "$T/clang"
ln -s "$(clang -print-resource-dir)/include" "$root/usr/lib/llvm-$major/lib/clang/$version/lib" "$T/clang/"
LIB_CC="clang -resource-dir $T/clang"
LIB_CXX="clang++ --target=aarch64-linux-gnu -resource-dir $T/clang"
LIB_DEFS= # clang has its ThreadSanitizer in the program alone
export LIB_CC LIB_CXX LIB_DEFS
tsan clang clang --target=aarch64-linux-gnu -resource-dir "$T/clang"
