#!/bin/sh
# Of a kernel compiled in passes: a header that only the device pass reads, put in front, shows, also behind a precompiled header; and so
# does bitcode that the device pass is given. What is learnt is believed only as a whole.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
need c++ readelf
need_hipcc
cd "$T"
# number<1> launches nothing: it shall come with its kernel all the same.
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_PER_KERNEL=0
mkdir -p tools/bin first second base
cat >tools/bin/hipcc <<END
#!/bin/sh
echo >>"$T/ran"
exec "$(command -v hipcc)" "\$@" -isystem "$T/first" -isystem "$T/second"
END
chmod +x tools/bin/hipcc
echo '#pragma once' >second/system.hpp
echo '#pragma once' >second/device.hpp
cat >base/api.hpp <<'END'
#pragma once
#include <system.hpp>
#if defined(__HIP_DEVICE_COMPILE__)
#include <device.hpp>
#endif
template <int N> int number();
extern "C" __attribute__((visibility("default"))) int call();
END
cat >base/k1.cu <<'END'
#include "api.hpp"
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, struct ihipStream_t *);
typedef struct ihipStream_t *hipStream_t;
static __attribute__((global, used)) void kernel(int *p) { *p = 1; }
template <> int number<1>() { return 100; }
END
printf '#include "api.hpp"\nint call() { return number<1>(); }\n' >base/host.cpp
CK_JIT_HIPCC=$T/tools/bin/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >exports 2>home.log || fail "no fake home: $(cat home.log)"
# shellcheck disable=SC1091
as_build() (
  cd "$T/base" && . "$T/exports" && export CK_JIT_BASE="$T/base" && "$@" 2>"$T/err"
)
hip='-nogpuinc -nogpulib -O1 -fPIC --offload-arch=gfx90a'
for name in k1.cu host.cpp; do
  # shellcheck disable=SC2086 # a list
  as_build hipcc $hip -c $name -o "${name%.*}.o" || fail "$name: $(cat err)"
done
as_build hipcc --hip-link -shared -o "$T/libnumber.so" k1.o host.o || fail "$(cat err)"
grep -q ': 1 blob is lazy' err || fail "$(cat err)"
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
void **__hipRegisterFatBinary(const void *data) { static void *handle; return (void)data, &handle; }
void __hipRegisterFunction(void) {}
void __hipUnregisterFatBinary(void) {}
int hipLaunchKernel(void) { return 1; }
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW);
  int (*call)(void) = h ? (int (*)(void))dlsym(h, "call") : 0;
  if (!call) return fprintf(stderr, "%s\n", dlerror()), 3;
  printf("%d\n", call());
  return argc != 2;
}
END
cc -rdynamic main.c -ldl -o main
id() {
  for file in cache/*.so; do
    [ ! -e "$file" ] || readelf -n "$file" | sed -n 's/.*Build ID: //p'
  done
}
call() {
  : >ran
  CK_JIT_VERBOSE=1 ./main "$T/libnumber.so" >said 2>said.err || fail "$(cat said said.err)"
  grep -qx 100 said || fail "got $(cat said)"
}
for pch in 1 0; do
  export CK_JIT_PCH=$pch
  rm -rf cache
  call
  own=$(id)
  case $pch in
  1) [ "$(find cache/.pch -type f -name '*.pch' | wc -l)" = 2 ] || fail "no precompiled headers: $(ls cache/.pch)" ;;
  0) [ ! -e cache/.pch ] || fail "a plain command was wanted" ;;
  esac
  for change in 'first/device.hpp' 'first/system.hpp'; do
    rm -f cache/*.so
    printf '#pragma once\n#define CHANGED 1\n' >$change
    call
    changed=$(id)
    [ "$changed" != "$own" ] || fail "pch $pch: $change, put in front, is not noticed"
    # to compile, to be asked about its words, and which headers it reads in front of the precompiled ones
    [ "$(wc -l <ran)" -le 3 ] || fail "pch $pch: the compiler was started $(wc -l <ran) times"
    call
    [ "$(wc -l <ran)" -le 1 ] || fail "pch $pch: $change: compiled again by the next process" # asked, about its words

    rm $change
    call
    id | grep -qx "$own" || fail "pch $pch: $change is gone, and the kernel is not the library's own"
  done
done

# What the compiler says when it is told to say what it runs is for us; a message has what it says without.
printf '#pragma once\n#error broken\n' >first/system.hpp
rm cache/*.so
CK_JIT_PCH=0 ./main "$T/libnumber.so" >said 2>&1 && fail 'it compiled'
grep -q 'error: broken' said || fail "no error: $(cat said)"
lacks 'what -v adds is in the message' 'search list\|Thread model\|^ *"/' said
lacks 'what -v adds is in the log' 'search list\|Thread model\|^ *"/' cache/.logs/*
lacks 'a command that is another than the library says' ' -v ' said
rm first/system.hpp

# memos that are not whole are not believed: it is compiled again, to the same
printf '#pragma once\n#define CHANGED 1\n' >first/system.hpp
printf 'ckjit-memo 3\n%016d\n' 0 >foreign
for damage in ': >"$memo"' 'truncate -s 60 "$memo"' 'echo x >>"$memo"' 'cp foreign "$memo"' 'sed -i s/header/footer/ "$memo"' 'rm "$memo"; mkfifo "$memo"'; do
  rm -rf cache
  call
  changed=$(id)
  [ "$changed" != "$own" ] || fail "the header put in front is not noticed"
  # shellcheck disable=SC2034 # of eval
  for memo in cache/.compilers/*; do
    eval "$damage"
  done
  call
  [ -s ran ] || fail "after '$damage': not compiled again"
  [ "$(id | sort -u)" = "$changed" ] || fail "after '$damage': $(id)"
done
# nor one of another name: each gets the next one's
set -- cache/.compilers/*
first=$1
cp "$first" kept
while [ $# -gt 1 ]; do
  cp "$2" "$1"
  shift
done
[ "$1" != "$first" ] || fail "only one memo: $(ls cache/.compilers)"
cp kept "$1"
call
[ "$(id | sort -u)" = "$changed" ] || fail "after memos were exchanged: $(id)"
