#!/bin/sh
# A CUDA toolkit that changed after the link gives a blob another build id: each of nvcc's programs, its libdevice, its host compiler, a header
# in front, one of those that only nvcc's last steps read or __has_include finds, the toolkit's link turned. Nothing of it, or things that do not matter, give none.
# tier: long
# seconds: 90
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
cd "$T"
export CK_JIT_ARCH=sm_90 CUDA_VISIBLE_DEVICES=
rm -rf "$CK_JIT_CACHE_DIR"

# a toolkit of links, with directories and programs of its own wherever something is changed; it lacks what must come to stand in front
mkdir -p v1/bin v1/nvvm/bin front hosts
for file in "$cuda"/* "$cuda"/bin/* "$cuda"/nvvm/* "$cuda"/nvvm/bin/*; do
  [ -e "v1/${file#"$cuda"/}" ] || ln -s "$file" "v1/${file#"$cuda"/}"
done
rm v1/bin/nvcc v1/nvvm/libdevice
cp "$cuda/bin/nvcc" v1/bin/nvcc
mkdir v1/nvvm/libdevice
cp "$cuda"/nvvm/libdevice/*.bc v1/nvvm/libdevice/
for name in 'bin/cudafe++' bin/ptxas bin/fatbinary bin/nvlink nvvm/bin/cicc; do
  rm -f "v1/$name"
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$cuda/$name" >"v1/$name"
  chmod +x "v1/$name"
done
# the headers that no depfile names, which the last step reads, and what the link step adds
include=v1/$("$cuda/bin/nvcc" --dryrun -x cu -c /dev/null -o /dev/null 2>&1 | sed -n 's|^#\$ INCLUDES="-I[^"]*/bin/\.\./\([^"]*\)".*|\1|p')
[ -f "$include/crt/host_runtime.h" ] || fail "no crt/host_runtime.h in '$include'"
own() { # own DIR…: each, a link so far, is a directory of links
  for dir; do
    real=$(realpath "$dir")
    rm "$dir" && mkdir "$dir" && ln -s "$real"/* "$dir/"
  done
}
path=v1
for part in $(echo "${include#v1/}/crt" | tr / ' '); do
  path=$path/$part
  own "$path"
done
own v1/bin/crt
for name in "$include/crt/host_runtime.h" "$include/fatbinary_section.h" v1/bin/crt/link.stub; do
  cp --remove-destination "$(realpath "$name")" "$name"
done
printf '\nSYSTEM_INCLUDES += "-isystem" "%s" "-isystem" "%s" $(_SPACE_)\n' "$T/front" "$T/behind" >profile
cat "$cuda/bin/nvcc.profile" profile >v1/profile.new
rm -f v1/bin/nvcc.profile
mv v1/profile.new v1/bin/nvcc.profile
mkdir behind
echo '#pragma once' >behind/system.h
cp -a v1 v1.kept
ln -s v1 tk
# nvcc takes the host's compiler from the PATH of the build, in which a directory is empty
export PATH="$T/hosts:$PATH"

cat >api.h <<'END'
#pragma once
#include <system.h>
#if __has_include(<bonus.h>) || __has_include("beside.h")
#define BONUS 1
#endif
template <int N> int number();
END
cat >k1.cu <<'END'
#include "api.h"
static __global__ void negate(float *x, int n) {
  if (int(threadIdx.x) < n)
    x[threadIdx.x] = -x[threadIdx.x];
}
template <> int number<1>() {
  negate<<<1, 1>>>(nullptr, 0);
  return 100;
}
END
printf '#include "api.h"\nextern "C" __attribute__((visibility("default"))) int call() { return number<1>(); }\n' >host.cu
export CK_JIT_BASE="$T/base" # the toolkit is none of the library's tree
mkdir base
CUDA_HOME="$T/tk" "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
for name in k1 host; do
  through "$T/h" nvcc -O3 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -c $name.cu -o $name.o 2>err || fail "$name: $(cat err)"
done
through "$T/h" c++ -shared k1.o host.o -o libnumber.so -L"$cuda/lib64" -lcudart >out 2>&1 || fail "$(cat out)"
grep -q ': 1 blob is lazy' out || fail "$(cat out)"
# what __has_include would find, anywhere; what is there already may go on being there
for name in /usr/include/bonus.h "$T/behind/bonus.h" /usr/include/beside.h; do
  grep -qrE "^h 0{32}.$name\$" h/work/libnumber/ck_jit_inputs || fail "$name is none of what must not be there"
done
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW);
  int (*call)(void) = h ? (int (*)(void))dlsym(h, "call") : 0;
  if (!call) return fprintf(stderr, "%s\n", dlerror()), 3;
  printf("%d\n", call());
  return argc != 2;
}
END
cc main.c -ldl -o main
id() {
  for file in cache/k1.so cache/k1.????????????????????????????????????????????????.so; do
    [ ! -e "$file" ] || readelf -n "$file" | sed -n 's/.*Build ID: //p'
  done
}
call() {
  ./main "$T/libnumber.so" >said 2>said.err || fail "$row: $(cat said said.err)"
  grep -qx 100 said || fail "$row: got $(cat said said.err)"
}
restore() {
  rm -rf v1 v2 tk front/* hosts/* other
  cp -a v1.kept v1
  ln -s v1 tk
}
for per_kernel in 1 0; do
  export CK_JIT_PER_KERNEL=$per_kernel
  row="the toolkit as it is, CK_JIT_PER_KERNEL=$per_kernel"
  rm -rf cache
  call
  own=$(id)
  [ -n "$own" ] || fail "$row: $(find cache)"
  readelf -SW cache/k1.so | grep -q 'ckjit\.nvvm' || [ $per_kernel = 0 ] || fail "$row: compiled whole"
  while IFS='|' read -r want row change <&3; do
    case $want$per_kernel in *some0) continue ;; *) want=${want%% *} ;; esac
    rm -rf cache
    (
      eval "$change"
      call
      changed=$(id)
      case $want in
      same) [ "$changed" = "$own" ] || fail "$row: another build id" ;;
      *)
        [ "$changed" != "$own" ] && [ -n "$changed" ] || fail "$row, CK_JIT_PER_KERNEL=$per_kernel: not noticed"
        [ "$(echo "$changed" | cut -c 1-32)" = "$(echo "$own" | cut -c 1-32)" ] || fail "$row: another key"
        stamp=$(stat -c %i cache/k1.so)
        call
        [ "$(stat -c %i cache/k1.so)" = "$stamp" ] && [ "$(id)" = "$changed" ] || fail "$row: compiled again by the next process"
        ;;
      esac
    ) || exit 1
    restore
  done 3<<'END'
same some|nothing|:
same some|another g++ in front, on the PATH of the job|mkdir other && printf '#!/bin/sh\nexit 1\n' >other/g++ && chmod +x other/g++ && cp other/g++ other/gcc && export PATH="$T/other:$PATH"
variant|cicc|echo '# 2' >>v1/nvvm/bin/cicc
variant some|cudafe++|echo '# 2' >>v1/bin/cudafe++
variant some|ptxas|echo '# 2' >>v1/bin/ptxas
variant some|fatbinary|echo '# 2' >>v1/bin/fatbinary
variant some|nvlink|echo '# 2' >>v1/bin/nvlink
variant|a header of the last step, which is in no depfile|echo '// 2' >>"$include/crt/host_runtime.h"
variant some|another one|echo '// 2' >>"$include/fatbinary_section.h"
variant some|what is compiled for the link|echo '// 2' >>v1/bin/crt/link.stub
variant some|libdevice|echo >>v1/nvvm/libdevice/libdevice.10.bc
variant some|nvcc.profile|echo 'PTXAS_FLAGS += "-O1" $(_SPACE_)' >>v1/bin/nvcc.profile
variant|the toolkit is a link, turned to another version|cp -a v1 v2 && echo '# 2' >>v2/nvvm/bin/cicc && ln -sfn v2 tk
variant some|the same, and only a header of the last step differs|cp -a v1 v2 && echo '// 2' >>"v2/${include#v1/}/crt/host_runtime.h" && ln -sfn v2 tk
variant|a header that __has_include sees, and nothing includes|: >front/bonus.h
variant|a host compiler in a directory of the build's PATH|for name in gcc g++; do printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v $name)" >hosts/$name.new && chmod +x hosts/$name.new; done && for name in gcc g++; do mv hosts/$name.new hosts/$name; done
variant|a header put in front|printf '#pragma once\n#define CHANGED 1\n' >front/system.h
END
done
