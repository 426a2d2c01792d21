#!/bin/bash
# A kernel of CUDA that a program asks for by its name and by tags, which are not in its name (ckjit_combine): from C, C++ and Python. It is linked with the units
# that have these tags, and with texts of the program, once in the process and once in the cache; what nobody could link is refused, with the reason.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
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
template <class T> __global__ void scan(T *p) { if (takes(threadIdx.x)) p[threadIdx.x] = distance_of<T>(p[0], p[1]); }
template <class T> __global__ void alone(T *p) { p[0] = 7; }
}
extern "C" __global__ void first(int *p) { p[0] = 1; }
namespace search {
__global__ void first(int *p) { p[0] = 2; }
}
extern "C" __global__ void last(int *p) { p[0] = 1; }
extern "C" int run(float *p) {
  if (!p) return 0;
  ::first<<<1, 1>>>((int *)p), search::first<<<1, 1>>>((int *)p), ::last<<<1, 1>>>((int *)p);
  search::scan<float><<<1, 8>>>(p);
  search::alone<float><<<1, 8>>>(p);
  search::alone<int><<<1, 8>>>((int *)p);
  return cudaGetLastError();
}
C
distance() { printf '%s\n' '#include "search.h"' "using ckjit_fragment = search::$1;" 'namespace search {' "template <> __device__ float distance_of<float>(float a, float b) { return $2; }" '}' >"$1.cu"; }
takes() { printf '%s\n' '#include "search.h"' "using ckjit_fragment = search::$1;" "__device__ bool search::takes(int row) { return $2; }" >"$1.cu"; }
distance euclidean '(a - b) * (a - b)'
distance inner_product 'a * b'
takes all 'row >= 0'
takes odd 'row & 1'
echo 'namespace search { __global__ void last(int *p) { p[0] = 2; } }' >>odd.cu # registered behind the other one
flags='-std=c++17 -O2 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
for u in search euclidean inner_product all odd; do
  # shellcheck disable=SC2086 # words
  as_build nvcc -rdc=true $flags -c $u.cu -o $u.o || fail "$u: $(cat err)"
done
as_build nvcc -shared -rdc=true -gencode arch=compute_90,code=sm_90 -o libsearch.so search.o euclidean.o inner_product.o all.o odd.o -cudart=shared -Lcudart || fail "link: $(cat err)"

# KERNEL[+TAG…] one after the other: what becomes of it, and whether a second asking gives the same address
cat >ask.c <<'C'
#include "ckjit.h"
#include <stdio.h>
#include <string.h>
static int end(const char *what, int status, char *error) {
  printf("%s %s: %s\n", what, ckjit_status_name(status), error ? error : "");
  ckjit_free(error);
  return 1;
}
static void ask(ckjit_library *l, char *words) {
  const char *tags[8];
  size_t n = 0;
  ckjit_combination *c, *again;
  char *error = NULL, *kernel = strtok(words, "+"), *word;
  int status;
  while ((word = strtok(NULL, "+")))
    tags[n++] = word;
  if ((status = ckjit_combine(l, kernel, tags, n, NULL, &c, &error)) && end("combine", status, error))
    return;
  float memory[8] = {0}, *p = memory;
  void *args[] = {&p};
  struct ckjit_launch how = {.size = sizeof how, .grid = {1, 1, 1}, .block = {8, 1, 1}, .cooperative = n == 2};
  if ((status = ckjit_combination_launch(c, &how, args, &error)))
    end("launch", status, error);
  else
    printf("launched %s\n", ckjit_combination_symbol(c));
  const char *other = tags[0];
  if (n == 2)
    tags[0] = tags[1], tags[1] = other;
  ckjit_combine(l, ckjit_combination_symbol(c), tags, n, NULL, &again, NULL);
  if (ckjit_combination_address(again) != ckjit_combination_address(c))
    printf("another address\n");
  ckjit_combination_release(again);
  ckjit_combination_release(c);
}
int main(int n, char **v) {
  ckjit_library *l;
  char *error = NULL;
  if (ckjit_open(v[1], 0, &l, &error))
    return end("open", 1, error);
  for (int i = 2; i < n; i++)
    ask(l, v[i]);
  ckjit_close(l);
}
C
# shellcheck disable=SC2086 # words
gcc ${LIB_CFLAGS-} -I"$B/include" ask.c -o ask "$B/lib/libckjit.so" -Wl,-rpath,"$B/lib" -L. -lsearch -Lcudart -lcudart -Wl,-rpath,"$T"
links() { find cache/.fragments -name '*.linked' 2>/dev/null | wc -l; }
parts() { find cache -name '*.so' -exec readelf -SW {} + 2>/dev/null | grep -c '\.ckjit\.ltoir' || :; }
export CUDART_CODE=$T/code
mkdir code
run ./ask ./libsearch.so 'search::scan<float>+euclidean+search::all' 'scan<float>+odd+euclidean' >out 2>said || fail "ask: $(cat out said)"
is launched '2 launched _ZN6search4scanIfEEvPT_' "$(sort out | uniq -c | sed 's/^ *//')"
is 'parts and links' '4 2' "$(parts) $(links)"
is 'kernels in the code' 1 "$(readelf -SW code/_ZN6search4scanIfEEvPT_.cubin 2>/dev/null | grep -c ' \.text\.')"
is 'its launches' 2 "$(grep -c '^launch _ZN6search4scanIfEEvPT_ 1 8' log)"

# another process finds them, and nothing is compiled
CK_JIT_ON_MISS=error run ./ask ./libsearch.so '_ZN6search4scanIfEEvPT_+search::all+euclidean' 'scan<float>+euclidean+odd' 'scan<float>+inner_product+odd' >out 2>said || fail "again: $(cat out said)"
is 'found' 2 "$(grep -c '^launched' out)"
has 'not there' 'launch CKJIT_E_MISS: _ZN6search4scanIfEEvPT_+inner_product+odd: ' out
is 'nothing was linked' '4 2' "$(parts) $(links)"

# what cannot be: a tag that nobody has, two units that define one function, none that does; no such kernel, one of two
run ./ask ./libsearch.so 'scan<float>+cosine+odd' 'scan<float>+euclidean+inner_product' 'scan<float>+euclidean' 'scan<double>' 'alone<int>' 'alone' >out 2>said || fail "failing: $(cat out said)"
has 'unknown tag' "no unit of the library has the tag 'cosine'; expected search::euclidean, search::inner_product, search::all, search::odd" out
has 'two that match' 'both define _ZN6search11distance_ofIfEET_S1_S1_, and both tags, search::euclidean and search::inner_product, are requested' out
has 'one is missing' 'search needs _ZN6search5takesEi' <(sed 's/search-[0-9a-f]*/search/g' out)
has 'unknown kernel' "combine CKJIT_E_NOT_FOUND: $T/libsearch.so: there is no kernel 'scan<double>' in its lazy units" out
has 'a kernel without tags' 'launched _ZN6search5aloneIiEEvPT_' out
is 'no kernel' 2 "$(grep -c CKJIT_E_NOT_FOUND out)"
lacks 'addresses' 'another address' out
# a kernel that is called exactly so is meant, whatever else ends so
run ./ask ./libsearch.so first last search::last >out 2>said || fail "exact: $(cat out said)"
printf 'launched %s\n' first last _ZN6search4lastEPi | diff - out || fail 'another kernel than the one of that name'

# ---- texts of the program, and options of its link: ckjit.hpp ----

cat >plan.cpp <<'C'
#include "ckjit.hpp"
#include "search.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
struct dim { unsigned x, y, z; };
static std::string content(const char *file) {
  std::ifstream in(file);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
static void ask(ckjit_library *library, char *words) {
  ckjit::planner plan(library, std::strtok(words, "|"));
  while (const char *word = std::strtok(nullptr, "|"))
    if (std::strstr(word, ".txt"))
      plan.add_text(word, content(word));
    else if (word[0] == '-')
      plan.linktime_extra_options.push_back(word);
    else if (!std::strcmp(word, "odd"))
      plan.add_static_fragment<search::odd>();
    else
      plan.add_fragment(word);
  try {
    float memory[8] = {}, *const p = memory;
    auto scan = plan.get_launcher();
    scan->dispatch<void(float *)>(nullptr, dim{1, 1, 1}, dim{8, 1, 1}, 0, p);
    scan->dispatch_cooperative<void(float *)>(nullptr, dim{1, 1, 1}, dim{8, 1, 1}, 0, memory + 0);
#ifdef WRONG
    scan->dispatch<void(float *)>(nullptr, dim{1, 1, 1}, dim{8, 1, 1}, 0, WRONG);
#endif
    std::printf("launched twice%s\n", plan.get_launcher()->get_kernel() == scan->get_kernel() ? "" : ", at another address");
  } catch (const ckjit::error &e) {
    std::printf("%s: %s\n", ckjit_status_name(e.status), e.what());
  }
}
int main(int n, char **v) {
  ckjit_library *library;
  if (ckjit_open(v[1], 0, &library, nullptr))
    return 1;
  for (int i = 2; i < n; i++)
    ask(library, v[i]);
  ckjit_close(library);
}
C
build_plan() { # shellcheck disable=SC2086 # words
  g++ -std=c++17 -Wall -Wextra -Werror -O1 ${LIB_CFLAGS-} "$@" -I"$B/include" -D__device__= plan.cpp -o plan "$B/lib/libckjit.so" -Wl,-rpath,"$B/lib" -L. -lsearch -Lcudart -lcudart -Wl,-rpath,"$T"; }
for wrong in '(double *)p' 'p, 1' 1 memory; do
  ! build_plan -fsyntax-only "-DWRONG=$wrong" 2>err || fail "dispatch takes $wrong"
  has "dispatch of $wrong" "the arguments do not have the types of the kernel's parameters" err
done
build_plan || fail 'ckjit.hpp'
cat >mine.txt <<'C'
#include <cuda_fp16.h>
namespace search {
template <class T> __device__ T distance_of(T a, T b);
static __device__ const float factors[] = {1, 2};
static __device__ __half half_of(float a) { return __float2half(a + factors[threadIdx.x]); } // a + is no end
template <> __device__ float distance_of<float>(float a, float b) { return __half2float(half_of(a)) * LESS(b); }
}
C
sed 's/LESS(b)/cuda_only(b)/' mine.txt >broken.txt
sed 's/LESS(b)/fabsf(b)/' mine.txt >good.txt
sed 's/ search {/&\n__device__ int calls;/; s/LESS(b)/++calls/' mine.txt >variable.txt
{ echo '#include "of_the_program.h"' && cat good.txt; } >includes.txt
{ echo "#include \"$T/search.h\"" && cat good.txt; } >absolute.txt
echo '__device__ bool declared_elsewhere(int); namespace search { __device__ bool takes(int row) { return declared_elsewhere(row); } }' >needs.txt
echo 'namespace search { __device__ bool takes(int row) { return row > 2; } }' >filter.txt
before=$(parts) links=$(links)
CK_JIT_VERBOSE=1 CK_JIT_CAPTURE=$T/capture CK_JIT_WARM=detach CK_JIT_JOBS=2 CK_JIT_UNIT_KERNELS=2 run ./plan ./libsearch.so 'scan<float>|good.txt|odd' 'scan<float>|all|good.txt' 'scan<float>|good.txt|filter.txt' 'scan<float>|good.txt|odd|-Xptxas=-O1|-maxrregcount=32' >out 2>said ||
  fail "plan: $(cat out said)"
lacks 'all kernels of the unit, which serve none of these' 'compiling the whole unit' said
[ ! -s capture ] || is 'captured' 1 "$(wc -l <capture)" # its head
is 'with texts' '4 launched twice' "$(sort out | uniq -c | sed 's/^ *//')"
is 'parts and links of texts' "$((before + 2)) $((links + 4))" "$(parts) $(links)"
CK_JIT_ON_MISS=error run ./plan ./libsearch.so 'scan<float>|good.txt|odd' 'scan<float>|filter.txt|good.txt' >out 2>said || fail "again: $(cat out said)"
is 'texts in another process' 'launched twice' "$(sed -n 1p out)"
has 'texts in another order' 'CKJIT_E_MISS: _ZN6search4scanIfEEvPT_+filter.txt+good.txt: ' out
run ./plan ./libsearch.so 'scan<float>|odd|broken.txt' 'scan<float>|odd|includes.txt' 'scan<float>|odd|absolute.txt' 'scan<float>|euclidean|odd|good.txt' \
  'scan<float>|good.txt|needs.txt' 'scan<float>|odd|variable.txt' 'scan<float>|odd|good.txt|-arch=sm_80' 'scan<float>|odd|good.txt|-no-such-option' 'scan<float>|odd|good.txt|good.txt' \
  >out 2>said || fail "texts that fail: $(cat out said)"
has 'text and line' 'broken.txt(6): error: identifier "cuda_only" is undefined' out
has 'a header that is not found' 'of_the_program.h: No such file' out
has 'a header of the program' "absolute.txt includes $T/search.h, whose changes ckjit would not see" out
sed -i 's/-[0-9a-f]\{12\}\b//g' out # of the names of texts
has 'text and tag' 'euclidean and good both define _ZN6search11distance_ofIfEET_S1_S1_; request one of them' out
has 'a need of a text' 'needs needs _Z18declared_elsewherei' out
has 'a variable' 'variable has the device variable _ZN6search5callsE; a text may have constants only' out
has 'an option that is ours' "CKJIT_E_INVALID: ckjit_combine: link option 0 is '-arch=sm_80', which ckjit passes itself" out
has 'an option that is none' 'error 1 of nvJitLink: -arch=sm_90' out
has 'the same text twice' 'good and good both define' out
lacks 'the text in a message' 'half_of(float a)' out
before=$(parts) links=$(links)

# from Python; two threads ask for one, which is linked once
cat >ask.py <<'C'
import ctypes, sys, threading, ckjit
library = ckjit.Library("./libsearch.so")
memory = (ctypes.c_float * 8)()
def launch():
    library.combine("scan<float>", "inner_product", "odd").launch((1, 1, 1), (8, 1, 1), ctypes.c_void_p(ctypes.addressof(memory)))
threads = [threading.Thread(target=launch) for _ in range(2)]
[t.start() for t in threads]
[t.join() for t in threads]
scan = library.combine("scan<float>", "odd", "inner_product").compile()
texts = {"good.txt": open("good.txt").read()}
print("text", library.combine("scan<float>", "odd", texts=texts, link_options=["-Xptxas=-O1", "-maxrregcount=32"]).compile().symbol)
print(scan.symbol, scan.address == library.combine(scan.symbol, "inner_product", "odd").address)
try:
    library.combine("scan<float>", "a+b")
except ckjit.Error as e:
    print(e.status, e)
C
if [ -z "${SANITIZER-}" ]; then
  PYTHONPATH=$here/../examples/ctypes PYTHONDONTWRITEBYTECODE=1 LIBCKJIT=$B/lib/libckjit.so LD_PRELOAD=$T/cudart/libcudart.so run python3 ask.py >out 2>said || fail "python: $(cat out said)"
  has symbol '_ZN6search4scanIfEEvPT_ True' out
  has 'a tag that is none' "1 ckjit_combine: tag 0 is 'a+b'; expected the name of a class" out
  has 'a text' 'text _ZN6search4scanIfEEvPT_' out
  is 'parts and links' "$((before + 1)) $((links + 2))" "$(parts) $(links)"
  is 'registered once each' 2 "$(grep -c '^function _ZN6search4scanIfEEvPT_' log)"
fi
