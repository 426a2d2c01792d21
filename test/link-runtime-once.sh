#!/bin/sh
# The runtime is compiled once for all libraries of a work directory, also if they are linked at the same time. It is compiled again
# if its source or its compiler is another, and after a compile that was cut off; another list of functions does not matter.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >cxx <<'SCRIPT'
#!/bin/sh
dir=${0%/*}
case "$*" in
*ck_jit_runtime.c*)
  echo "$$" >>"$dir/compiles"
  [ ! -e "$dir/cut" ] || for word; do # what a compiler that is killed leaves
    [ "${last:-}" != -o ] || { echo half >"$word" && exit 1; }
    last=$word
  done
  ;;
esac
exec c++ "$@"
SCRIPT
chmod +x cxx
export CK_JIT_CXX="$T/cxx"
# compiles N: so often was the runtime compiled up to now
compiles() {
  is "compiles of the runtime, $2" "$1" "$(wc -l <"$T/compiles")"
}
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
(link liba.so k1.o k2.o host.o) &
(link libb.so k1.o k2.o host.o)
wait $! || fail 'the link of liba.so'
compiles 1 'two links at once'
cmp "$work/liba/objs/ck_jit_runtime.o" "$work/libb/objs/ck_jit_runtime.o" || fail 'two objects'
right liba.so 1 2
right libb.so 1 2

# a library of another shape, by its own relative name of the root
echo 'template<> int fwd<int>(const args&, args) { return 3; }' >>k1.cpp && objects k1
CK_JIT_ROOT=elsewhere CK_JIT_NAME=other link libc.so k1.o k2.o host.o
compiles 1 'a third library'
right libc.so 1 2

# half an object, which nobody takes
rm -r "$work/.runtime"
touch cut
as_build hipcc -shared -o libd.so k1.o k2.o host.o || fail "libd.so: $(cat err)"
rm cut
link libe.so k1.o k2.o host.o
compiles 3 'after half of one'
right libe.so 1 2

# another compiler of this name
echo '# another one' >>cxx
link liba.so k1.o k2.o host.o
link libb.so k1.o k2.o host.o
compiles 4 'another compiler'

# another source of this name
cp -r "$B/share/ckjit/runtime" runtime
export CK_JIT_RUNTIME_SRC="$T/runtime/ck_jit_runtime.c"
link liba.so k1.o k2.o host.o
compiles 5 'a source of another place'
sed -i 's/"ckjit: "/"CKJIT: "/' runtime/ck_jit_say.c
grep -q CKJIT: runtime/ck_jit_say.c || echo 'static const char ckjit_edited[] __attribute__((used)) = "CKJIT: ";' >>runtime/ck_jit_runtime.c
link liba.so k1.o k2.o host.o
link libb.so k1.o k2.o host.o
compiles 6 'an edited source'
has 'the edit' CKJIT: libb.so
