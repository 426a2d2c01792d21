#!/bin/sh
# Compiler and headers lie in a read-only image (squashfs, erofs), where ctime is mtime and inodes are in order. A new image, made with the
# same SOURCE_DATE_EPOCH, has other files under the same stamps: their contents are read again, by a link and by a first call.
# tier: all
# seconds: 9
. "${0%/*}/common.sh"
. "$here/unit/calling_main_fixture.sh"
need g++ mksquashfs mkfs.erofs
cd "$T"
mkdir -p img/bin img/inc at src
trap 'umount "$T/at" 2>/dev/null; rm -rf "$T"' EXIT
cat >driver.c <<'C'
#include <string.h>
#include <unistd.h>
/* g++, with the image's own number; it hides that in an answer to -###, as a patched cc1plus would */
int main(int argc, char **argv) {
  char *a[1000] = {"g++"};
  int n = 1, asked = 0;
  for (int i = 1; i < argc; i++)
    asked |= !strcmp(argv[i], "-###");
  if (!asked)
    a[n++] = "-DOF_COMPILER=" NUMBER;
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], "--offload-", 10) && strcmp(argv[i], "-fno-gpu-rdc") && strncmp(argv[i], "-ferror-limit", 13) &&
        strcmp(argv[i], "-Xclang") && strcmp(argv[i], "-disable-llvm-passes"))
      a[n++] = strcmp(argv[i], "hip") ? argv[i] : "c++";
  execvp(a[0], a);
  return 127;
}
C
for i in 0 1; do printf '#include "k.hpp"\ntemplate <> int value<%d>(int x) { return OF_COMPILER * 10 + OF_HEADER; }\n' $i >src/k$i.cu; done
printf '#include "k.hpp"\nextern "C" __attribute__((visibility("default"))) int call(int i) { return i ? value<1>(0) : value<0>(0); }\n' >src/api.cpp
calling_main
export CK_JIT_CACHE_DIR="$T/cache"
use() {
  umount "$T/at" 2>/dev/null || :
  mount -o loop,ro "$1" "$T/at" 2>err || skip "no image can be mounted here: $(cat err)"
}
# gives N VALUE WHEN
gives() {
  got=$(./main ./libt.so "$1" 2>&1)
  [ "$got" = "$2" ] || fail "$fs, $3: kernel $1 gives $got"
}
# shellcheck disable=SC2030,SC2031 # each for itself
link() (
  export PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T/src"
  hipcc -shared -o libt.so k0.o k1.o api.o
)
printf '#!/bin/sh\necho 6.0.0\n' >img/bin/hipconfig
chmod +x img/bin/hipconfig
for fs in squashfs erofs; do
  for v in 1 2; do
    gcc -DNUMBER="\"$v\"" driver.c -o img/bin/hipcc
    printf 'template <int I> int value(int x);\n#define OF_HEADER %d\n' $v >img/inc/k.hpp
    find img -exec touch -d @1700000000 {} +
    case $fs in
      squashfs) SOURCE_DATE_EPOCH=1700000000 mksquashfs img $fs.$v -noappend -all-root -quiet >/dev/null 2>&1 ;;
      erofs) mkfs.erofs --all-root -T1700000000 -U 00000000-0000-0000-0000-000000000001 $fs.$v img >/dev/null 2>&1 ;;
    esac
  done
  rm -rf cache h
  use $fs.1
  stamp=$(stat -c '%s %Y %Z %i %d' at/bin/hipcc at/inc/k.hpp)
  CK_JIT_HIPCC=$T/at/bin/hipcc ROCM_PATH=$T/at "$B/bin/ckjit-build" home --dir "$T/h" >exports 2>err || fail "$(cat err)"
  # shellcheck disable=SC2030,SC2031 # each for itself
  (
    export PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T/src"
    for name in k0.cu k1.cu api.cpp; do hipcc -x hip --offload-arch=gfx90a -Iat/inc -O1 -fPIC -c src/$name -o ${name%.*}.o; done
  ) 2>err || fail "$(cat err)"
  link 2>err || fail "$(cat err)"
  gives 0 11 "as linked"
  use $fs.2
  [ "$(stat -c '%s %Y %Z %i %d' at/bin/hipcc at/inc/k.hpp)" = "$stamp" ] || fail "$fs: another stamp: nothing is tried"
  gives 1 22 "another image"
  use $fs.1
  gives 1 11 "the first image again: the code of the other is kept as the library's own"
  use $fs.2
  link 2>err || fail "$(cat err)"
  gives 0 22 "linked again"
done
