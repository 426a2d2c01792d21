#!/bin/sh
# CUDA builds that choose their compilers themselves: CMAKE_CUDA_COMPILER, CMAKE_CUDA_HOST_COMPILER, CMAKE_CXX_COMPILER, NVCC_CCBIN,
# CUDAHOSTCXX, PYTORCH_NVCC. With the fake home's programs kernels are lazy; with the real nvcc nothing is recorded, and the library is
# stock's. The sources have flags of their own, and all lines are response files.
# tier: long
# seconds: 60
. "${0%/*}/common.sh"
need cmake ninja ccache
. "$here/unit/cuda_fixture.sh"
answers k1.cu k2.cu
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(kernels LANGUAGES CXX CUDA)
add_library(kernels SHARED k1.cu k2.cu host.cpp)
set_target_properties(kernels PROPERTIES CUDA_ARCHITECTURES 90)
set_source_files_properties(k1.cu PROPERTIES COMPILE_OPTIONS -DNUMBER=1)
set_source_files_properties(k2.cu PROPERTIES COMPILE_OPTIONS "-DNUMBER=2;--use_fast_math")
END

# builds KIND NAME=VALUE… [-D…]: as a build with these variables and options does; KIND is lazy or stock
builds() {
  kind=$1
  shift
  rm -rf build h/work cache
  through "$T/h" env CK_JIT_CACHE_DIR="$T/cache" "$@" >log 2>&1 || fail "$*: $(tail -n 8 log)"
  case $kind in
  lazy) grep -q 'libkernels.so: 2 blobs are lazy' log || fail "$*: $(grep -i ckjit log)" ;;
  stock) [ ! -e h/work/manifest.json.ndjson ] || lacks "$*: recorded" '"kind":"blob"' h/work/manifest.json.ndjson ;;
  esac
  is "$*" "$answers_of_5" "$(CK_JIT_CACHE_DIR=$T/cache python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).call(5))' ./build/libkernels.so 2>&1)"
}
printf '#!/bin/sh -e\ncmake -S . -B build -G Ninja -DCMAKE_NINJA_FORCE_RESPONSE_FILE=1 "$@"\ncmake --build build\n' >configured
cat >by_hand <<'END'
#!/bin/sh -e
# as torch.utils.cpp_extension writes it
mkdir -p build
for n in 1 2; do ${PYTORCH_NVCC:-nvcc} -DNUMBER=$n -gencode=arch=compute_90,code=sm_90 --compiler-options '-fPIC' -c k$n.cu -o build/k$n.o; done
c++ -fPIC -c host.cpp -o build/host.o
c++ -shared build/k1.o build/k2.o build/host.o -L"$1" -lcudart -o build/libkernels.so
END
chmod +x configured by_hand
gcc=$(command -v g++)
builds lazy NVCC_CCBIN="$T/h/bin/c++" ./configured -DCMAKE_CUDA_COMPILER="$T/h/bin/nvcc"
builds lazy NVCC_CCBIN="$gcc" CUDAHOSTCXX="$gcc" ./configured
builds lazy ./configured -DCMAKE_CXX_COMPILER="$T/h/bin/c++" -DCMAKE_CUDA_HOST_COMPILER="$T/h/bin/c++"
builds stock ./configured -DCMAKE_CUDA_COMPILER="$cuda/bin/nvcc"
builds lazy PYTORCH_NVCC="$T/h/bin/nvcc" ./by_hand "$cuda/lib64"
builds stock PYTORCH_NVCC="$cuda/bin/nvcc" ./by_hand "$cuda/lib64"
builds lazy PYTORCH_NVCC="ccache $T/h/bin/nvcc" ./by_hand "$cuda/lib64"
