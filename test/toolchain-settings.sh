#!/bin/sh
# The compiler is a script that reads a file which nobody knows, as hipcc reads .hipInfo and vendors' wrappers their settings. Its edit
# changes what the compiler is told, and nothing that is hashed: the words themselves are compared. What is compiled after it is stored
# apart, and a library that is linked again has other keys.
# tier: check
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/calling_main_fixture.sh"
need g++ readelf
cd "$T"
mkdir -p rocm/bin src
cat >rocm/bin/hipcc <<'C'
#!/bin/bash
. "${0%/*}/settings"
a=(-DVALUE=$VALUE)
for word; do case $word in --offload-*|-fno-gpu-rdc|-ferror-limit=*|-Xclang|-disable-llvm-passes) ;; hip) a+=(c++) ;; *) a+=("$word") ;; esac; done
exec g++ "${a[@]}"
C
printf '#!/bin/sh\necho 6.0.0\n' >rocm/bin/hipconfig
chmod +x rocm/bin/*
echo 'template <int I> int value(int x);' >src/k.hpp
for i in 0 1 2; do printf '#include "k.hpp"\ntemplate <> int value<%d>(int x) { return VALUE; }\n' $i >src/k$i.cu; done
printf '#include "k.hpp"\nextern "C" __attribute__((visibility("default"))) int call(int i) { return i == 0 ? value<0>(0) : i == 1 ? value<1>(0) : value<2>(0); }\n' >src/api.cpp
calling_main
export CK_JIT_CACHE_DIR="$T/cache"
echo VALUE=1 >rocm/bin/settings
CK_JIT_HIPCC=$T/rocm/bin/hipcc ROCM_PATH=$T/rocm "$B/bin/ckjit-build" home --dir "$T/h" >exports 2>err || fail "$(cat err)"
link() (
  export PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T/src"
  for name in k0.cu k1.cu k2.cu api.cpp; do hipcc -x hip --offload-arch=gfx90a -O1 -fPIC -c src/$name -o ${name%.*}.o; done
  hipcc -shared -o libt.so k0.o k1.o k2.o api.o
)
# gives N VALUE WHEN
gives() {
  got=$(./main ./libt.so "$1" 2>&1)
  [ "$got" = "$2" ] || fail "$3: kernel $1 gives $got"
}
link 2>err || fail "$(cat err)"
gives 0 1 "as linked"
echo VALUE=2 >rocm/bin/settings
gives 1 2 "other settings"
gives 0 1 "other settings, cached"
echo VALUE=1 >rocm/bin/settings
gives 1 1 "the old settings: the code of the others is not the library's own"
echo VALUE=2 >rocm/bin/settings
rm -rf h/work
link 2>err || fail "$(cat err)"
gives 0 2 "linked with other settings"
