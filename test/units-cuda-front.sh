#!/bin/bash
# A home with `front=build`: what nvcc's front end makes of a lazy unit is kept with its text, so that a first launch does not run it; the kernel's code is
# nvcc's. An error of the device's code ends the build, in nvcc's words. A front that is gone costs the time and nothing else. If the host's compiler and
# the front end have two names for one kernel, the build sees it, and nvcc gets the call; without `front=build` the launch fails and says so.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >a.cu <<'C'
template <int N> __global__ void times(int *p) { p[threadIdx.x] *= N; }
static __global__ void inner(float *p, float f) { p[threadIdx.x] = f * sinf(p[threadIdx.x]); }
extern "C" int run() {
  times<3><<<1, 32>>>(0);
  inner<<<1, 32>>>(0, 2.5f);
  return cudaGetLastError();
}
C
loading_main
build() {
  as_build nvcc -std=c++17 -O2 -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -c a.cu -o a.o || fail "$1: $(cat err)"
  tail -n 1 home/work/manifest.json.ndjson | grep -q '"kind":"unit"' || fail "$1: no lazy unit: $(cat err)"
  as_build c++ -shared -o lib.so a.o -Lcudart -lcudart || fail "$1: link: $(cat err)"
  has "$1: lazy" '1 ordinary unit' err
}
key() { grep '"kind":"unit"' home/work/manifest.json.ndjson | tail -n 1 | sed 's/.*"key":"\([0-9a-f]*\)".*/\1/'; }
kept() { grep -ac "^$1front:compute_[89]0 \|^[a-z]* $1front:compute_[89]0" "$(find home/work/.units -name "$(key).text")"; }
first() { # what a first launch runs, and the code that comes of it
  rm -rf cache code
  mkdir code
  rm -f trace
  CK_JIT_TRACE=$T/trace CUDART_CODE=$T/code run ./main >out 2>said || fail "$1: $(cat out said)"
  is "$1" 0 "$(cat out)"
  is "$1: runs of the front end" "$2" "$(grep -c '"device front end"' trace)"
  find code -name '*.cubin' -exec sha256sum {} + | sort >"$1.code"
}
build launch
key >launch.key
is 'a front with front=launch' 0 "$(kept '')"
first launch 1

printf 'front=build\n' >>home/ckjit.conf
build build
key | diff launch.key - || fail 'the key is another one'
is 'fronts in the text' 2 "$(kept '')"
first build 0
diff launch.code build.code || fail 'the code is another one'
is kernels 2 "$(wc -l <build.code)"

# an error of the device alone: nvcc's to tell
echo 'template <int N> __global__ void k(int *p) {
#ifdef __CUDA_ARCH__
  static_assert(N < 3, "more than two");
#endif
}
void f(int *p) { k<4><<<1, 1>>>(p); }' >bad.cu
as_build nvcc -arch=sm_90 -c bad.cu -o bad.o && fail 'an error of the device is none'
has 'the error' 'more than two' err
sed -i '/^front=/d' home/ckjit.conf
as_build nvcc -arch=sm_90 -c bad.cu -o bad.o || fail "front=launch: $(cat err)"

# a gcc that has a name of its own for a kernel
mkdir other
cat >other/gcc <<END
#!/bin/sh
$(command -v gcc) "\$@" || exit
for a; do case \$last in -o) case \$a in *.o) sed -i s/_Z5innerPff/_Z5innerPfd/g "\$a" ;; esac ;; esac; last=\$a; done
END
chmod +x other/gcc
sed -i s/static// a.cu
path=$PATH
PATH=$T/other:$path build 'another name'
rm -rf cache
is 'another name: the launch fails' 98 "$(run ./main 2>said)"
has 'another name: why' 'there is no kernel _Z5innerPfd; its host code and its device code call a kernel differently' said
has 'another name: what to do' 'front: build' said
printf 'front=build\n' >>home/ckjit.conf
PATH=$T/other:$path as_build nvcc -std=c++17 -O2 -Xcompiler -fPIC -arch=sm_90 -c a.cu -o a.o || fail "front=build, another name: $(cat err)"
tail -n 1 home/work/manifest.json.ndjson >last
lacks 'front=build, another name' '"kind":"unit"' last
has 'front=build, another name' 'its device code has no kernel _Z5innerPfd, as its host code calls it' last
