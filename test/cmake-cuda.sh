#!/bin/sh
# A CMake project of the language CUDA through a fake home: CMake finds nvcc and the C++ compiler there, its own checks reach the
# real ones, kernels are recorded and lazy, a second build does nothing; what needs a device link is compiled as ever.
# tier: all
# seconds: 13
. "${0%/*}/common.sh"
need cmake make
. "$here/unit/cuda_fixture.sh"
mini
cd "$T"
mkdir src
cp "$mini_flash"/src/mini_flash* src/
cp "$made"/mini/build/gen/mini_fwd_hdim32_fp32.cu "$made"/mini/build/gen/mini_fwd_split_hdim32_fp16.cu src/
printf '__device__ int twice(int x) { return 2 * x; }\n' >src/device.cu
printf '__device__ int twice(int x);\n__global__ void k(int *p) { *p = twice(*p); }\nvoid launch(int *p) { k<<<1, 1>>>(p); }\n' >src/caller.cu
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(mini LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 17)
add_library(mini SHARED src/mini_fwd_hdim32_fp32.cu src/mini_fwd_split_hdim32_fp16.cu)
set_target_properties(mini PROPERTIES CUDA_ARCHITECTURES "80;90")
target_compile_options(mini PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Xcompiler=-Wall>)
add_library(linked SHARED src/device.cu src/caller.cu)
set_target_properties(linked PROPERTIES CUDA_ARCHITECTURES 90 CUDA_SEPARABLE_COMPILATION ON)
END
CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
through "$T/h" cmake -S . -B build >configure.log 2>&1 || fail "it does not configure: $(tail -n 5 configure.log)"
grep -q 'CUDA compiler: .*/h/bin/nvcc' configure.log || fail "CMake has another nvcc: $(grep -i 'cuda comp' configure.log)"
through "$T/h" make -C build >build.log 2>&1 || fail "it does not build: $(tail -n 5 build.log)"
grep -q 'libmini.so: 2 blobs are lazy (2 functions in 1 unit), 0 compiled ahead of time' build.log || fail "$(grep ckjit build.log)"
lacks 'what is linked on the device was taken' 'liblinked.so: .* lazy' build.log
readelf -sW build/liblinked.so | grep -q ' _Z6launchPi' || fail "liblinked.so lacks its function"
through "$T/h" make -C build >again.log 2>&1
lacks 'the second build did something' 'Building|Linking' again.log -E
