#!/bin/sh
# How often nvcc is started: a link asks it once for its own files and once for the steps of a forwarding unit, however many
# architectures there are, and links. The list of inputs has what the unit's host side reads as the build optimises it, and what each
# device's side reads. What a device's side cannot read is compiled ahead of time, so that nvcc says why.
# tier: check
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
answers 1.cu 2.cu
sed -i s/NUMBER/1/ 1.cu
sed -i s/NUMBER/2/ 2.cu
cat >>api.hpp <<'END'
#ifdef __OPTIMIZE__
#include "optimised.hpp"
#endif
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ == 800
#include "of_80.hpp"
#elif defined __CUDA_ARCH__ && __CUDA_ARCH__ == 900
#include "of_90.hpp"
#endif
END
touch optimised.hpp of_80.hpp of_90.hpp
mkdir bin
cat >bin/nvcc <<END
#!/bin/sh
echo "\$*" >>"$T/calls"
exec "$cuda/bin/nvcc" "\$@"
END
chmod +x bin/nvcc
export CK_JIT_NVCC="$T/bin/nvcc"
archs='-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90'
through "$T/h" g++ -O1 -fPIC -c host.cpp
# link: of both blobs, which are recorded anew
link() {
  # shellcheck disable=SC2086 # words
  for n in 1 2; do
    through "$T/h" nvcc -O1 -Xcompiler -fPIC $archs -c $n.cu -o $n.o || fail $n.cu
  done
  : >calls
  through "$T/h" nvcc -shared -cudart=shared -o libk.so 1.o 2.o host.o >said 2>&1
}
link || fail "$(cat said)"
has 'both are lazy' ': 2 blobs are lazy' said
is 'starts of nvcc at a link' 3 "$(wc -l <calls)"
is 'two are questions' 2 "$(grep -c -e --dryrun calls)"
# listed: the headers in the list of inputs
listed() { (cd h/work/libk/ck_jit_inputs && cat ./????????????????????????????????) | sed -n 's=.*{root}/\(.*hpp\)$=\1=p' | sort -u | tr '\n' ' '; }
is 'headers of all passes' 'api.hpp of_80.hpp of_90.hpp optimised.hpp ' "$(listed)"
cp h/work/libk/ck_jit_manifest.json first
link || fail "$(cat said)"
is 'starts of nvcc where nothing has changed' 2 "$(wc -l <calls)"
cmp first h/work/libk/ck_jit_manifest.json || fail 'another manifest'
echo '// edited' >of_80.hpp
link || fail "$(cat said)"
is 'starts of nvcc after an edit of what one device reads' 3 "$(wc -l <calls)"
if cmp -s first h/work/libk/ck_jit_manifest.json; then fail 'an edit of what one device reads gives no other keys'; fi
echo '#error not for this device' >of_80.hpp
if link; then fail 'a link of what does not compile'; fi
has "nvcc's words" 'error: #error not for this device' said
has 'all at once' '2 kernels are compiled ahead of time: the head of its forwarding unit does not compile' said
