#!/bin/sh
# On a real GPU, a kernel that Python asks for by its name and by tags (ckjit_combine) computes what these fragments compute; two combinations of one kernel are
# in the process at the same time, and another process finds both. A tag that no unit has is refused. A text of the program in place of a fragment computes
# what it says, also behind options of the device linker; how long the first one takes is printed.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
command -v python3 >/dev/null || skip 'no python3 here'
cat >search.h <<'C'
namespace search {
struct euclidean {};
struct inner_product {};
struct all {};
struct odd {};
template <class T> __device__ T distance_of(T a, T b);
__device__ bool takes(int row);
}
C
cat >search.cu <<'C'
#include "search.h"
namespace search {
template <class T> __global__ void scan(T *p, T q) { if (takes(threadIdx.x)) p[threadIdx.x] = distance_of<T>(p[threadIdx.x], q); }
}
extern "C" int run(float *p) {
  if (p) search::scan<float><<<1, 8>>>(p, 2);
  return cudaGetLastError();
}
C
distance() { printf '%s\n' '#include "search.h"' "using ckjit_fragment = search::$1;" 'namespace search {' "template <> __device__ float distance_of<float>(float a, float b) { return $2; }" '}' >"$1.cu"; }
takes() { printf '%s\n' '#include "search.h"' "using ckjit_fragment = search::$1;" "__device__ bool search::takes(int row) { return $2; }" >"$1.cu"; }
distance euclidean '(a - b) * (a - b)'
distance inner_product 'a * b'
takes all 'row >= 0'
takes odd 'row & 1'
# the library, of the units in the working directory
build() {
  for u in search euclidean inner_product all odd; do
    nvcc -std=c++17 -O2 -Xcompiler -fPIC "-arch=sm_$arch" -rdc=true -c $u.cu -o $u.o || return
  done
  nvcc -shared -rdc=true "-arch=sm_$arch" -cudart=shared -o libsearch.so search.o euclidean.o inner_product.o all.o odd.o
}
# shellcheck disable=SC2119 # it takes no arguments
lazy || fail 'the library failed'
cat >ask.py <<'C'
import ctypes, sys, time, ckjit
library = ckjit.Library("./libsearch.so")
cudart = ctypes.CDLL([line.split()[-1] for line in open("/proc/self/maps") if "libcudart.so" in line][0])
def ok(status):
    assert status == 0, status
device = ctypes.c_void_p()
ok(cudart.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(32)))
def computed(*tags, **more):
    rows = (ctypes.c_float * 8)(*range(8))
    ok(cudart.cudaMemcpy(device, rows, ctypes.c_size_t(32), 1))
    library.combine("search::scan<float>", *tags, **more).launch((1, 1, 1), (8, 1, 1), device, ctypes.c_float(3))
    ok(cudart.cudaMemcpy(rows, device, ctypes.c_size_t(32), 2))
    return list(rows)
distances = {"euclidean": lambda a: (a - 3.0) ** 2, "inner_product": lambda a: a * 3.0}
filters = {"all": lambda row: True, "odd": lambda row: row & 1}
for distance, f in distances.items():
    for name, takes in filters.items():
        expected = [f(a) if takes(a) else float(a) for a in range(8)]
        found = computed(distance, name)
        assert found == expected, (distance, name, found, expected)
        print(distance, name, "right")
def text_of(expression):
    return """#include <cuda_fp16.h>
namespace search {
template <class T> __device__ T distance_of(T a, T b);
static __device__ const float factors[] = {1, 2};
template <> __device__ float distance_of<float>(float a, float b) { return %s; }
}""" % expression
def text_right(expression, f, filter, **more):
    before = time.monotonic()
    found = computed(filter, texts={"mine.cu": text_of(expression)}, **more)
    expected = [f(a) if filters[filter](a) else float(a) for a in range(8)]
    assert found == expected, (expression, filter, found, expected)
    print("text %s, %s: right, %.2f s" % (expression, filter, time.monotonic() - before))
text_right("__half2float(__float2half(a)) + b", lambda a: a + 3.0, "odd")
text_right("factors[1] * fabsf(a - b)", lambda a: 2 * abs(a - 3.0), "odd")
text_right("factors[1] * fabsf(a - b)", lambda a: 2 * abs(a - 3.0), "all")
text_right("factors[1] * fabsf(a - b)", lambda a: 2 * abs(a - 3.0), "all", link_options=["-Xptxas=-O1", "-maxrregcount=32"])
taken = "namespace search { __device__ bool takes(int row) { return row > 5; } }"
assert computed(texts={"distance.cu": text_of("a - b"), "filter.cu": taken}) == [0, 1, 2, 3, 4, 5, 3, 4]
print("right with two texts")
if sys.argv[1:]:
    try:
        computed("odd", texts={"broken.cu": text_of("none(a)")})
    except ckjit.Error as e:
        print(e)
    try:
        computed("cosine", "odd")
    except ckjit.Error as e:
        print(e)
C
ask() { PYTHONPATH=$here/../examples/ctypes PYTHONDONTWRITEBYTECODE=1 LIBCKJIT=$B/lib/libckjit.so LD_LIBRARY_PATH=$cuda/lib64 python3 ask.py "$@" >out 2>said || fail "python: $(cat out said)"; }
ask refused
cat out
is 'combinations' 4 "$(grep -c '^[a-z_]* [a-z]* right$' out)"
has 'a tag that no unit has' "no unit of the library has the tag 'cosine'" out
is 'texts' 4 "$(grep -c '^text .*: right' out)"
has 'two texts' 'right with two texts' out
has 'a text that does not compile' 'broken.cu(5): error: identifier "none" is undefined' out
CK_JIT_ON_MISS=error ask
is 'in another process' 4 "$(grep -c '^[a-z_]* [a-z]* right$' out)"
is 'texts in another process' 4 "$(grep -c '^text .*: right' out)"
