#!/bin/sh
# If what ckjit adds to every library cannot be had, the library is made as without ckjit, and a warning says why: a runtime that does
# not compile, a linker that refuses it. It works, needs no cache and no compiler; the next link is lazy again. A mistake of the
# build's own is an error at once, and nothing is compiled for it.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2
cat >chooser.hpp <<'END_'
#include "api.hpp"
template <int V> int choose(const args& x, args y);
END_
cat >chooser.cpp <<'END_'
#include "chooser.hpp"
template <> int choose<2>(const args& x, args y) { return fwd<traits<2, true>>(x, y); }
END_
host 1 2
objects k1 k2 chooser host

stock() { # stock LIBRARY: it is
  says "ckjit-link: warning: $T/$1: it is built without ckjit, with no kernel lazy: "
  says "$1: 0 blobs are lazy (0 functions in 1 unit), 2 compiled ahead of time, 1 dispatcher"
  CK_JIT_HIPCC=/bin/false right "$1" 1 2
  [ ! -e cache ] || fail "$1: something was cached: $(ls cache)"
  readelf -sW "$1" | lacks "$1: it has something of ckjit in it" ckjit_ -
}

echo '#error "no runtime today"' >broken.c
CK_JIT_RUNTIME_SRC=$T/broken.c link liba.so k1.o k2.o chooser.o host.o
says 'broken.c, which ckjit adds to it, does not compile: '
says 'no runtime today'
stock liba.so
"$B/bin/ckjit-prebuild" list --manifest "$work/liba/ck_jit_manifest.json" >listed || fail 'list'
[ ! -s listed ] || fail "it lists kernels: $(cat listed)"
"$B/bin/ckjit-build" relink --tmp-dir "$work" >out 2>&1 || fail "relink: $(cat out)"
grep -q 'built without ckjit' out || fail "relink: $(cat out)"

# A linker that refuses the runtime, which needs the C++ library to throw.
mkdir -p picky
cat >picky/hipcc <<'END_'
#!/bin/sh
for word; do
  case $word in */objs/ck_jit_runtime.o)
    echo "ld: $word: in function \`ckjit_throw': undefined reference to \`std::runtime_error::runtime_error(char const*)'" >&2
    exit 1
  esac
done
exec hipcc "$@"
END_
chmod +x picky/hipcc
CK_JIT_HIPCC=$T/picky/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" || fail 'no home of the picky compiler'
objects k1 k2 chooser host
link libb.so k1.o k2.o chooser.o host.o
says 'the linker refuses what ckjit adds to it: ld: '
stock libb.so

# The build's own mistakes: a library that there is not, a symbol that there is not.
"$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" 2>"$T/home.log" || fail 'no home again'
objects k1 k2 chooser host
refused 'no_such_library' hipcc -shared -o libc.so k1.o k2.o chooser.o host.o -lno_such_library
lacks 'it is compiled before the same error' 'without ckjit' err
echo 'int elsewhere(); int (*user)() = elsewhere;' >user.cpp && objects user
refused 'elsewhere' hipcc -shared -Wl,-z,defs -o libc.so k1.o k2.o chooser.o host.o user.o
lacks 'it is compiled before the same error' 'without ckjit' err

link libb.so k1.o k2.o chooser.o host.o
says '2 blobs are lazy'
right libb.so 1 2
[ "$(cd cache && echo *.so)" = 'k1.so k2.so' ] || fail "cache: $(ls cache)"
