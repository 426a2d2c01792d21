#!/bin/bash
# examples/ivf-flat with PLAIN=1: fragments that are plain template instantiations. No tag and no list says what belongs together, the symbols do: nvcc alone links the
# same sources, and a launch links a scan with the instantiations that its unit names. One that is missing is told by its name.
# tier: long
# seconds: 40
. "${0%/*}/common.sh"
need make
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
cp -r "$here/../examples/ivf-flat" family
type='"_type": [{"type": "f32", "data_type": "float", "acc_type": "float", "veclen": "4"}]'
echo "{$type, \"capacity\": [\"0\", \"64\"], \"order\": \"ascending\", \"ascending\": \"true\", \"norm\": \"normalised\", \"normalised\": \"true\"}" >family/scan_matrix.json
echo "{\"metric\": [\"euclidean\", \"inner_product\"], $type}" >family/distance_matrix.json
build() { make -s -C family PLAIN=1 PREBUILD="$B/bin/ckjit-prebuild" "$@"; }
through_home() {
  # shellcheck disable=SC2016 # the home's
  as_build sh -c 'make -s -C family PLAIN=1 PREBUILD="$1" NVCC="$2" CXX="$CXX" LIBS="-L$3" B="$4" "$4/libivf_flat.so"' - "$B/bin/ckjit-prebuild" "$T/home/bin/nvcc" "$T/cudart" "$T/b"
}

# by nvcc alone: a device link of all, with nothing missing and nothing twice
build NVCC="$cuda/bin/nvcc" CXX=g++ B="$T/stock" "$T/stock/libivf_flat.so" >out 2>&1 || fail "by nvcc: $(cat out)"
nm stock/scan_f32_v4_c64_ascending_normalised.o >names
is 'kernels of a scan' 12 "$(grep -c ' [tTW] _ZN8ivf_flatL*11scan_kernel' names)"

through_home >out || fail "build: $(cat out err)"
has 'the summary' '9 ordinary units, lazy' err
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
parts() { find cache -name '*.so' -exec readelf -SW {} + | grep -c '\.ckjit\.ltoir' || :; }
links() { find cache/.fragments -name '*.linked' | wc -l; }
run ./launch c0_ 0 0 0 >out 2>said || fail "first: $(cat out said)"
is 'first launch' 'f32_v4_c0_ascending_normalised 0' "$(cat out)"
is 'its scan, and what this kernel of its twelve reaches; one link' '4 1' "$(parts) $(links)"
has 'what was launched' 'launch _ZN8ivf_flat11scan_kernelINS_9euclideanENS_9no_filterENS_8identityEffLi4ELi0ELb1ELb1EEEvNS_6searchE' log
run ./launch c64_ 0 0 0 c64_ 1 1 2 >out 2>said || fail "more: $(cat out said)"
is 'both launches' 'f32_v4_c64_ascending_normalised 0' "$(sort -u out)"
is 'the other scan, and what is other of its two kernels; a link each' '8 3' "$(parts) $(links)"
cat home/work/.units/*.linked >lists
lacks 'tags in the lists' '^tag ' lists

# an edit of a filter is one compile
sed -i 's|return s.allowed|return 1u \& s.allowed|' family/filter_bitset_filter.cuh
through_home >out || fail "build again: $(cat out err)"
run ./launch c0_ 0 0 0 c64_ 1 1 2 >out 2>said || fail "edited: $(cat out said)"
is 'parts after the edit' 9 "$(parts)"

# a source is missing in the link: nvlink has its words for that, as without ckjit
rm b/post_composed.o b/libivf_flat.so
as_build nvcc -shared -rdc=true -gencode arch=compute_90,code=sm_90 -cudart=shared -o b/libivf_flat.so b/*.o -Lcudart && fail 'linked without a part'
has 'which one' "Undefined reference to '_ZN8ivf_flat9processedINS_8composedEEEff'" err
