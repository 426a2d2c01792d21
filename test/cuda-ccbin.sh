#!/bin/sh
# A blob that is compiled with another host compiler than nvcc's own choice (-ccbin, NVCC_CCBIN, CMake's CUDAHOSTCXX) is found in the cache by
# the build id of its library: a second process asks no ckjit-compile, and CK_JIT_ON_MISS=error serves it. That compiler's files are
# inputs: if it is exchanged, the key is another.
# tier: all
# seconds: 35
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
need gcc g++
answers 1.cu 2.cu
mkdir bin other
for dir in bin other; do printf '#!/bin/sh\n# of %s\nexec g++ "$@"\n' $dir >$dir/host-c++ && chmod +x $dir/host-c++; done

# built WORDS…: the library, nvcc given WORDS, and its program
built() {
  rm -rf "$CK_JIT_CACHE_DIR"
  for number in 1 2; do
    through "$T/h" nvcc "$@" -DNUMBER=$number -arch=sm_90 -Xcompiler -fPIC -c $number.cu -o $number.o || fail "$*: $number.cu"
  done
  through "$T/h" nvcc "$@" -Xcompiler -fPIC -c -x c++ host.cpp -o host.o || fail "$*: host.cpp"
  through "$T/h" nvcc "$@" -shared 1.o 2.o host.o -o libanswers.so 2>err || fail "$*: $(cat err)"
  grep -q ': 2 blobs are lazy ' err || fail "$*: $(cat err)"
}
printf '#include <stdio.h>\nint call(int x);\nint main(void) { printf("%%d\\n", call(5)); return 0; }\n' >main.c
# served: by the cache alone
served() {
  cc main.c -o main -L. -lanswers -L"$cuda/lib64" -lcudart -Wl,--allow-shlib-undefined
  is "first process" $answers_of_5 "$(LD_LIBRARY_PATH=.:$LD_LIBRARY_PATH ./main)"
  is "$1, never compile" $answers_of_5 "$(CK_JIT_ON_MISS=error LD_LIBRARY_PATH=.:$LD_LIBRARY_PATH ./main 2>&1)"
  CK_JIT_VERBOSE=1 LD_LIBRARY_PATH=.:$LD_LIBRARY_PATH ./main >said 2>&1
  lacks "$1" compil said
}
built
served "nvcc's choice"
built -ccbin "$(command -v c++)"
served "a path"
NVCC_CCBIN=g++ built
served NVCC_CCBIN
built -ccbin="$T/bin/host-c++"
served "a program of one's own"

# exchanged, it is another compiler: what is in the cache is not of it
CK_JIT_ON_MISS=error LD_LIBRARY_PATH=.:$LD_LIBRARY_PATH ./main >said 2>&1 || fail "before: $(cat said)"
built -ccbin bin/host-c++
served "a relative path"
ids=$(readelf -n "$CK_JIT_CACHE_DIR"/*.so | grep 'Build ID')
cp other/host-c++ bin/host-c++
built -ccbin bin/host-c++
served "exchanged"
[ "$ids" != "$(readelf -n "$CK_JIT_CACHE_DIR"/*.so | grep 'Build ID')" ] || fail "another compiler has the same build ids"
