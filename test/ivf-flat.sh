#!/bin/bash
# examples/ivf-flat: a family of fragments from four matrices, by CMake's ckjit_generate_kernels, in a home of lazy units; a launch links the scan with the
# distance, the filter and the post-processing that were asked for. The same sources are compiled by nvcc alone. Two of its 320 scans.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
need cmake make
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
cp -r "$here/../examples/ivf-flat" family
"$B/bin/ckjit-prebuild" matrix family/scan_matrix.json >product
is 'scans of the family' 320 "$(wc -l <product)"
is 'distances of the family' 16 "$("$B/bin/ckjit-prebuild" matrix family/distance_matrix.json | wc -l)"
type='"_type": [{"type": "f32", "data_type": "float", "acc_type": "float", "veclen": "4"}]'
echo "{$type, \"capacity\": [\"0\", \"64\"], \"order\": \"ascending\", \"ascending\": \"true\", \"norm\": \"normalised\", \"normalised\": \"true\"}" >family/scan_matrix.json
echo "{\"metric\": [\"euclidean\", \"inner_product\"], $type}" >family/distance_matrix.json

as_build cmake -S family -B b "-DCMAKE_PREFIX_PATH=$B" -DCMAKE_CUDA_ARCHITECTURES=90 -DCMAKE_BUILD_TYPE=Release >out || fail "configure: $(cat out err)"
as_build cmake --build b -j 2 >out || fail "build: $(cat out err)"
cat err >>out
has 'the summary' '9 ordinary units, lazy' out

# a launch of a scan by its name and numbers
cat >launch.cpp <<'C'
#include "ivf_flat.hpp"
#include <cstdio>
#include <cstdlib>
#include <cstring>
int main(int, char **v) {
  for (v++; *v; v += 4)
    for (const ivf_flat::scan *s = ivf_flat::ivf_flat_scans(); s; s = s->next)
      if (strstr(s->name, *v))
        printf("%s %d\n", s->name, s->launch({}, ivf_flat::metric(atoi(v[1])), ivf_flat::filter(atoi(v[2])), ivf_flat::post(atoi(v[3]))));
}
C
g++ -Ifamily launch.cpp -o launch -Lb -livf_flat -Lcudart -lcudart -Wl,-rpath,"$T/b"
launch() { LD_PRELOAD=$T/cudart/libcudart.so run ./launch "$@"; } # CMake has linked the library with the real one
parts() { find cache -name '*.so' -exec readelf -SW {} + | grep -c '\.ckjit\.ltoir' || :; }
links() { find cache/.fragments -name '*.linked' | wc -l; }
launch c0_ 0 0 0 >out 2>said || fail "first: $(cat out said)"
is 'first launch' 'f32_v4_c0_ascending_normalised 0' "$(cat out)"
is 'its scan, distance, filter, post-processing; one link' '4 1' "$(parts) $(links)"
has 'what was launched' 'launch _ZN8ivf_flat11scan_kernelINS_9euclideanENS_9no_filterENS_8identityEffLi4ELi0ELb1ELb1EEEvNS_6searchE' log
launch c64_ 0 0 0 c64_ 1 1 2 >out 2>said || fail "more: $(cat out said)"
is 'both launches' 'f32_v4_c64_ascending_normalised 0' "$(sort -u out)"
is 'another scan, and the other fragments of the second; a link each' '8 3' "$(parts) $(links)"

# an edit of a filter: its unit is compiled again, and the launch that has it is linked again
sed -i 's|return s.allowed|return 1u \& s.allowed|' family/filter_bitset_filter.cuh
as_build cmake --build b -j 2 >out || fail "build again: $(cat out err)"
is 'compiled again' 1 "$(grep -c 'Building CUDA object' out)"
launch c0_ 0 0 0 c64_ 1 1 2 >out 2>said || fail "edited: $(cat out said)"
is 'parts and links after the edit' '9 4' "$(parts) $(links)"

# by nvcc alone, without fragments
make -s -C family WHOLE=1 NVCC="$cuda/bin/nvcc" PREBUILD="$B/bin/ckjit-prebuild" CXX=g++ B="$T/whole" "$T/whole/libivf_flat.so" >out 2>&1 || fail "by nvcc: $(cat out)"
nm whole/scan_f32_v4_c64_ascending_normalised.o >names
is 'kernels of a scan' 12 "$(grep -c ' [tTW] _ZN8ivf_flatL*11scan_kernel' names)"
