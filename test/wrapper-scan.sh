#!/bin/bash
# The scanner's table against the stock compilers: which options take the next word. A compiler that took it has no source
# left to start its front end for.
# tier: check
# seconds: 20
. "${0%/*}/common.sh"
need cc
scan=$B/test/unit/ccargs
test -x "$scan" || fail "no $scan (make units)"
cd "$T"
echo 'int x;' >z.cpp
common=(-o -x -I -L -l -D -U -T -u -z -e -A -B -F -b -MF -MT -MQ -include -imacros -iquote -isystem -idirafter -iprefix
  -iwithprefix -isysroot -imultilib -Xlinker -Xassembler -Xpreprocessor --param --include --output --imacros -c -g -w -v -s -r
  -M -MM -MP -pipe -shared -static -pthread -O -Wall -fPIC -save-temps -rdynamic)
of_clang=(-Xclang -mllvm -target -Xarch_host -Xarch_device -Xanalyzer -Xcuda-ptxas -Xopenmp-target -MJ
  -include-pch -ivfsoverlay -iframework -isystem-after -cxx-isystem -stdlib++-isystem -resource-dir -rpath -arch -undefined
  -mthread-model -meabi -ftrapv-handler -fdebug-compilation-dir -serialize-diagnostics -gen-cdb-fragment-path
  -ccc-gcc-name -ccc-install-dir --serialize-diagnostics --analyzer-output -fgpu-rdc -emit-llvm -MV --cuda-device-only)
of_gcc=(-dumpbase -dumpdir -dumpbase-ext -aux-info -imultiarch -h -wrapper --define-macro --undefine-macro
  --include-directory --include-directory-after --include-prefix --assert --sysroot --prefix -da -fdump-tree-all -dD)
compare() { # compare COMPILER OPTION...
  compiler=$1 && shift
  command -v "$compiler" >/dev/null || return 0
  for option; do
    ours=kept theirs=kept
    "$scan" "$option" z.cpp | grep -q 'z.cpp:' || ours=taken
    "$compiler" '-###' "$option" z.cpp -o z.o </dev/null >out 2>&1 || true
    ! grep -q 'unknown argument' out || continue # an older compiler
    # clang 17 and later have nothing to do for a C++ source with --cuda-device-only, and say that they do not use it: an input it is
    grep -qE 'cc1(plus)?"? .*[ "]z\.cpp|argument unused during compilation: .z\.cpp' out || theirs=taken
    test $ours = $theirs || { echo "$compiler $option z.cpp: $theirs, we say $ours" && bad=1; }
    test -s z.cpp || echo 'int x;' >z.cpp # clang -### removes what it believes is its output
  done
}
bad=0
compare gcc "${common[@]}" "${of_gcc[@]}"
for clang in clang++ clang++-15 clang++-14; do
  compare "$clang" "${common[@]}" "${of_clang[@]}"
done
compare clang++-15 -Xoffload-linker # 14 does not know it
test $bad = 0 || fail "the table differs from the compilers"
