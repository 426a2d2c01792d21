#!/bin/bash
# A directory of headers is another while the compiler reads it, and what it was before and after: a link that is turned and turned
# back, two directories that change names, a mount that comes and goes. The call compiles once more, and the key has the code of the
# headers that it was made from. A file that is written beside the headers meanwhile costs nothing.
# tier: check
# seconds: 20
. "${0%/*}/common.sh"
need g++ mkfifo
cd "$T"
mkdir -p rocm/bin src
cat >rocm/bin/hipcc <<C
#!/bin/bash
a=()
for word; do case \$word in --offload-*|-fno-gpu-rdc|-ferror-limit=*|-Xclang|-disable-llvm-passes) ;; hip) a+=(c++) ;; *) a+=("\$word") ;; esac; done
case " \${a[*]} " in
  *" -### "*|*--version*) ;;
  *src/k.cu*)
    echo >>"$T/compiles"
    if [ -p "$T/hold" ]; then echo >"$T/reached"; read -r _ <"$T/hold"; g++ "\${a[@]}"; status=\$?; rm "$T/hold"; echo >"$T/reached"; read -r _ <"$T/hold2"; exit \$status; fi ;;
esac
exec g++ "\${a[@]}"
C
printf '#!/bin/sh\necho 6.0.0\n' >rocm/bin/hipconfig
chmod +x rocm/bin/*
printf '#include "k.hpp"\ntemplate <> int value<0>(int x) { return VALUE; }\n' >src/k.cu
printf '#include "k.hpp"\nextern "C" __attribute__((visibility("default"))) int call(int x) { return value<0>(x); }\n' >src/api.cpp
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW);
  int (*f)(int) = h ? (int (*)(int))dlsym(h, "call") : 0;
  return f ? printf("%c\n", f(0)), 0 : puts(dlerror());
}
C
gcc main.c -o main -ldl
export CK_JIT_CACHE_DIR=$T/cache
CK_JIT_HIPCC=$T/rocm/bin/hipcc ROCM_PATH=$T/rocm "$B/bin/ckjit-build" home --dir "$T/h" >exports 2>err || fail "$(cat err)"

# library: built against headers that say A
library() {
  rm -rf cache incA incB inc h/work
  mkdir incA incB
  for v in A B; do printf "template <int I> int value(int x);\n#define VALUE '%s'\n" $v >inc$v/k.hpp; done
  case $how in link) ln -s incA inc ;; *) mv incA inc ;; esac
  (
    export PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T"
    for name in k.cu api.cpp; do hipcc -x hip --offload-arch=gfx90a -Iinc -O1 -fPIC -c src/$name -o ${name%.*}.o; done
    hipcc -shared -o libt.so k.o api.o
  ) >err 2>&1 || fail "$how: $(cat err)"
}
there() {
  case $how in
    link) ln -sfn incB inc ;;
    rename) mv inc incA && mv incB inc ;;
    mount) mount --bind incB inc ;;
    beside) touch inc/other.hpp other ;;
  esac
}
back() {
  case $how in
    link) ln -sfn incA inc ;;
    rename) mv inc incB && mv incA inc ;;
    mount) umount inc ;;
  esac
}
for how in link rename mount beside; do
  if [ $how = mount ]; then
    mkdir -p probe/a probe/b
    mount --bind probe/a probe/b 2>/dev/null || continue # not root, or a container that may not
    umount probe/b
  fi
  library
  rm -f hold hold2 reached compiles
  mkfifo hold hold2 reached
  ./main ./libt.so >first 2>&1 &
  read -r _ <reached
  there
  echo >hold
  read -r _ <reached
  back
  echo >hold2
  wait
  [ "$(cat first)" = A ] || fail "$how: the first call gives $(cat first)"
  [ "$(./main ./libt.so)" = A ] || fail "$how: the next process gives $(./main ./libt.so): B's code is kept under A's key"
  case $how in beside) want=1 ;; *) want=2 ;; esac
  [ "$(wc -l <compiles)" = $want ] || fail "$how: $(wc -l <compiles) compiles, not $want"
done
