#!/bin/sh
# The tables of a dispatcher have no relocations when the library is loaded if the functions in them are hidden: distances, whichever
# linker makes it. They are addresses if a function can be another library's, if it is not in an object
# of the link, or if a linker refuses distances. The kernels are right in all of them. `relocations` counts what it should.
# tier: all
# seconds: 42
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/chooser_fixture.sh"
. "$here/unit/tables_fixture.sh"
for n in 1 2 3 4 5 6; do kernel $n; done
chain 2 1 2 3 4 5 6 >chooser.cpp
chooser_host
ours=$work/libk/objs

# made LIBRARY COUNT: its tables have so many, and its kernels are right
made() {
  has "$1: a table" '1 dispatcher (1 helper erased, 1 table of 6 rows)' err
  is "$1: relocations" "$2" "$(relocations "$1")"
  right "$1" 1 2 3 4 5 6
}

objects k1 k2 k3 k4 k5 k6 chooser host
link libk.so k?.o chooser.o host.o
made libk.so 0
[ -e "$ours/near-dispatcher-chooser.o" ] || fail "objects: $(ls "$ours")"

# The compiler's own object would have them all. It is what the next link finds fresh.
readelf -rW "$ours"/dispatcher-chooser.o | grep -c 'R_X86_64_64 .*\(fwd\|name\)' >count || :
is 'addresses in the object' 12 "$(cat count)"
link libk.so k?.o chooser.o host.o
says '0 compiles'
made libk.so 0

# A function that only some rows have: no distance stands for none.
cp chooser.cpp both.cpp
{
  cat <<'CPP'
#include "chooser.hpp"
#include <cstring>
template <typename A, bool Named>
int run_some(int k, args a, char *text) {
  args x{{}, 100};
  a.n = 1;
  if constexpr (Named) { strcpy(text, name<A>(k).c_str()); } else { strcpy(text, "no name"); }
  return [=] { return fwd<A>(x, a); }();
}
template <> int choose<2>(int k, args a, char *text) {
CPP
  for n in 1 2 3 4 5 6; do
    [ $n = 1 ] || printf "else "
    echo "if (k == $n) { using t = traits<$n, true>; return run_some<t, $((n % 2))>(k, a, text); }"
  done
  echo 'return -1; }'
} >chooser.cpp
objects chooser
link libk.so k?.o chooser.o host.o
is 'functions of some rows: relocations' 0 "$(relocations libk.so)"
calls libk.so 2 3 >got
printf '201 no name\n301 kernel 3, whose name is too long to be in place, 3\n' >want
cmp -s got want || fail "functions of some rows: got $(cat got)"
mv both.cpp chooser.cpp
objects chooser

# by each linker, with sections and functions gone or folded
for linker in bfd gold lld mold; do
  command -v ld.$linker >/dev/null || [ $linker = bfd ] || continue
  case $linker in bfd) fold=--gc-sections ;; *) fold=--gc-sections,--icf=all ;; esac
  link libk.so -fuse-ld=$linker "-Wl,$fold" k?.o chooser.o host.o
  made libk.so 0
done

# a partial link, and an executable
ld -r -o part.o k?.o chooser.o
link libk.so part.o host.o
made libk.so 0
tables_main
objects main
for kind in -pie -no-pie; do
  as_build hipcc $kind -o k k?.o chooser.o host.o main.o || fail "$kind: $(cat err)"
  is "$kind: relocations" 0 "$(relocations k)"
  ./k >got
  cmp -s got want || fail "$kind: got $(cat got)"
done

# One of them compiled ahead of time is hidden as well.
link libk.so k?.o chooser.o host.o
echo k3 >list
CK_JIT_VERBOSE='' "$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list list >out 2>&1 || fail "relink: $(cat out)"
has 'one ahead of time' '5 blobs are lazy (12 functions in 1 unit), 1 compiled ahead of time' out
is 'one ahead of time: relocations' 0 "$(relocations libk.so)"
right libk.so 1 2 3 4 5 6

# One function that is exported: its table stays as it is, the other not. What is exported is another library's if that comes first.
grep -v 'int fwd' k5.cpp >name_5.cpp
grep -v 'std::string name' k5.cpp >fwd_5.cpp
objects name_5
as_build hipcc -x c++ -fPIC -c fwd_5.cpp -o fwd_5.o || fail "fwd_5.cpp: $(cat err)"
link libk.so k[12346].o name_5.o fwd_5.o chooser.o host.o
made libk.so 6
printf '#include "api.hpp"\ntemplate <> int fwd<traits<5, true>>(const args &, args) { return 7; }\n' >first.cpp
c++ -shared -fPIC -o first.so first.cpp
is 'what comes first' 7 "$(LD_PRELOAD=$T/first.so ./program "$T/libk.so" 5 | cut -d ' ' -f 1)"
# A kernel that was compiled as it is, without a record: hidden in an object, and in an archive, where nobody looks.
hipcc -x c++ -fPIC -fvisibility=hidden -I. -c k6.cpp -o plain.o 2>err || fail "k6.cpp: $(cat err)"
link libk.so k[12345].o plain.o chooser.o host.o
made libk.so 0
ar rc libplain.a plain.o
link libk.so k[12345].o chooser.o host.o libplain.a
made libk.so 12
# and a whole library that exports
for name in k1 k2 k3 k4 k5 k6 chooser; do
  as_build hipcc -x c++ -fPIC -I. -c $name.cpp -o $name.o || fail "$name: $(cat err)"
done
link libk.so k?.o chooser.o host.o
made libk.so 12
lacks 'what quick would link' 'near-' "$work/libk/ck_jit_quick_rebuild.json"

# A linker that refuses them makes the library with addresses.
mkdir -p picky
cat >picky/hipcc <<'END_'
#!/bin/sh
for word; do
  case $word in */objs/near-*.o)
    echo "ld: $word: unknown relocation (24) in section .data.rel.ro" >&2
    exit 1
  esac
done
exec hipcc "$@"
END_
chmod +x picky/hipcc
CK_JIT_HIPCC=$T/picky/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" || fail 'no home of the picky compiler'
objects k1 k2 k3 k4 k5 k6 chooser host
link libk.so k?.o chooser.o host.o
lacks 'refused' 'without ckjit' err
made libk.so 12
