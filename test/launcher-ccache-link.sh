#!/bin/sh
# CK_JIT_COMPILER_LAUNCHER in the post-build linker and `quick`: each compile goes through ccache once, and comes out of it for the
# next work directory; the launcher is in no stamp. Another compiler behind the same hipcc is a miss.
# tier: long
# seconds: 29
. "${0%/*}/common.sh"
need ccache
mkdir "$T/tool"
cat >"$T/tool/hipcc" <<END
#!/bin/sh
# hipcc, with a clang of which the launcher sees nothing: "$T/tool/clang" is part of it
case " \$* " in
*' -### '*) echo ' "$T/tool/clang" "-cc1"' >&2 ;;
*) exec "$(command -v hipcc)" "\$@" ;;
esac
END
printf '#!/bin/sh\n# the first\n' >"$T/tool/clang"
chmod +x "$T/tool/hipcc" "$T/tool/clang"
. "$here/unit/postbuild_fixture.sh"
export CCACHE_DIR="$T/ccache"
unset CCACHE_DISABLE CCACHE_CONFIGPATH CCACHE_RECACHE
counts() {
  found=$(ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { h += $2 } /^cache_miss/ { m = $2 } END { print h "/" m }')
  [ "$found" = "$2" ] || fail "$1: hits/misses $found, not $2: $(ccache --print-stats)"
}
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host

export CK_JIT_COMPILER_LAUNCHER=ccache
link liba.so k1.o k2.o host.o
counts 'a link' 0/2 # a unit, the runtime
right liba.so 1 2
counts 'two kernels' 0/4
link liba.so k1.o k2.o host.o
says '0 compiles'
CK_JIT_COMPILER_LAUNCHER='' link liba.so k1.o k2.o host.o
says '0 compiles'
counts 'nothing to do' 0/4

rm -rf "$work/liba" "$work/.runtime" cache
link liba.so k1.o k2.o host.o
says '2 blobs are lazy'
counts 'another work directory' 2/4
right liba.so 1 2
counts 'an empty cache' 4/4
"$B/bin/ckjit-build" quick --tmp-dir "$work" >quick.out 2>&1 || fail "quick: $(cat quick.out)"
"$B/bin/ckjit-build" quick --tmp-dir "$work" --verbose >quick.out 2>&1 || fail "quick: $(cat quick.out)"
grep -q "^$(command -v ccache) " quick.out || fail "quick does not use it: $(cat quick.out)"
right liba.so 1 2

# A launcher that fails costs the link nothing but time, and is said once; what is wrong with a blob is told by the compiler.
rm -rf "$work/liba" "$work/.runtime"
CK_JIT_COMPILER_LAUNCHER='ccache;--nonsense' link liba.so k1.o k2.o host.o
[ "$(grep -c 'compiled again without the launcher' err)" = 1 ] || fail "said more or less than once: $(cat err)"
says "unrecognized option '--nonsense'"
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time'
right liba.so 1 2

# The compiler is more than the one program that ccache looks at.
rm -rf cache
"$B/bin/ckjit-build" home --dir "$T/front" --work "$T/front/work" >exports 2>home.log || fail "$(cat home.log)"
sed -i "s|^real_compiler=.*|real_compiler=$T/tool/hipcc|" front/ckjit.conf
work=$T/front/work
objects k1 k2 host
link libb.so k1.o k2.o host.o
right libb.so 1
before=$(ccache --print-stats | sed -n 's/^cache_miss[[:space:]]*//p')
printf '#!/bin/sh\n# the second\n' >"$T/tool/clang"
rm -rf cache "$work/libb" "$work/.runtime"
link libb.so k1.o k2.o host.o
right libb.so 1
after=$(ccache --print-stats | sed -n 's/^cache_miss[[:space:]]*//p')
[ $((after - before)) = 2 ] || fail "another clang: $((after - before)) misses, not 2: the unit and the kernel"
