#!/bin/sh
# A dispatcher that compiles in its own place alone is compiled there, by the recorded command, and a warning says so; a forwarding
# unit whose object is none that ckjit understands sends its blobs ahead of time. The library works either way.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/chooser_fixture.sh"
kernel 1 && kernel 2
cat >chooser.cpp <<'END_'
constexpr bool moved(const char* s) { return *s && (s[0] == '/' && s[1] == 'u' && s[2] == 'n' && s[3] == 'i' && s[4] == 't' && s[5] == 's' || moved(s + 1)); }
static_assert(!moved(__BASE_FILE__), "this file must stay where it is");
END_
dispatcher 2 1 2 >>chooser.cpp
chooser_host
objects k1 k2 chooser host
link liba.so k1.o chooser.o k2.o host.o
says "ckjit-link: warning: $T/chooser.cpp: this dispatcher is compiled as the build compiles it: "
says 'this file must stay where it is'
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time, 1 dispatcher (0 helpers erased, 0 tables of 0 rows)'
right liba.so 1 2
[ "$(cd cache && echo *.so)" = 'k1.so k2.so' ] || fail "cache: $(ls cache)"

mkdir -p odd/bin
cat >odd/bin/hipcc <<'END_'
#!/bin/sh
hipcc "$@" || exit
for word; do
  case $word in */objs/unit-*.o) echo '; ModuleID' >"$word" ;; esac
done
END_
chmod +x odd/bin/hipcc
CK_JIT_HIPCC=$T/odd/bin/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" || fail 'no home of the odd compiler'
rm -rf cache
objects k1 k2 chooser host
link libb.so k1.o chooser.o k2.o host.o
says 'ckjit-link: warning: libb.so: 2 kernels are compiled ahead of time: the object of its forwarding unit is not understood: '
says '0 blobs are lazy (0 functions in 1 unit), 2 compiled ahead of time, 1 dispatcher'
CK_JIT_HIPCC=/bin/false right libb.so 1 2

# A header with a helper in a directory whose name is no UTF-8 and which the source names, not the command (names-not-utf8 has that): no
# overlay can say it, so the helper stays as it is.
odd=$(printf 'h\377')
mkdir "$odd"
cat >"$odd/helper.hpp" <<'END_'
template <typename A, typename B>
int run_both(int k, args a, char* text) {
  args x{{}, 100};
  a.n = 1;
  strcpy(text, name<A>(k).c_str());
  return [=] { return fwd<B>(x, a); }();
}
END_
sed -e '/^static_assert/d' -e '/^template <typename/,/^}/d' chooser.cpp >chooser.hip
sed -i -e "/cstring/a #include \"$odd/helper.hpp\"" -e '/k == 1/i if (k == 9) return fwd<traits<1, true>>({}, a);' chooser.hip
"$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" 2>"$T/home.log" || fail 'no home again'
objects k1 k2 host
as_build hipcc -x hip --offload-arch=gfx90a -fPIC -fvisibility=hidden -I. -c chooser.hip -o chooser.o || fail "chooser.hip: $(cat err)"
link libc.so k1.o chooser.o k2.o host.o
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time, 1 dispatcher (0 helpers erased'
right libc.so 1 2
