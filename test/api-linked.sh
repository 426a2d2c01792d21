#!/bin/sh
# A kernel that is compiled into the library (--aot-list) is `linked` for ckjit_state, whatever the cache holds; when all are lazy
# again, it is not. A kernel that another compiler has compiled is a variant.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
gcc -std=gnu11 -O1 -g -I"$here/.." "$here/unit/runtime_api.c" -o api -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib"
kernel 1 && kernel 2 && kernel 3 && host 1 2 3
objects k1 k2 k3 host
link liba.so k1.o k2.o k3.o host.o
states() {
  ./api "open:$T/liba.so" list | sed -n 's/^\(k[0-9] [a-z]*\) .*/\1/p' | sort | tr '\n' ' '
}
expect() {
  [ "$(states)" = "$2" ] || fail "$1: expected '$2', found '$(states)'"
}
printf 'k1\nk3\n' >list
"$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list list >out 2>&1 || fail "relink: $(cat out)"
expect "two of three" "k1 linked k2 absent k3 linked "
./api "open:$T/liba.so" compile:k2:store >out || fail "k2: $(cat out)"
expect "and the third stored" "k1 linked k2 cached k3 linked "
"$B/bin/ckjit-build" relink --tmp-dir "$work" >out 2>&1 || fail "relink: $(cat out)"
expect "all lazy again" "k1 absent k2 cached k3 absent "

# another compiler: gcc, which says so in what it makes
rm -rf cache
cat >gcc <<'END'
#!/bin/bash
words=()
for w; do case $w in hip) words+=(c++) ;; --offload-*) ;; *) words+=("$w") ;; esac; done
exec g++ "${words[@]}"
END
chmod +x gcc
CK_JIT_HIPCC=$T/gcc ./api "open:$T/liba.so" compile:k1 >out || fail "by another compiler: $(cat out)"
expect "by another compiler" "k1 variant k2 absent k3 absent "
./api "open:$T/liba.so" compile:k1 >out || fail "by the library's own: $(cat out)"
expect "by the library's own" "k1 cached k2 absent k3 absent "
