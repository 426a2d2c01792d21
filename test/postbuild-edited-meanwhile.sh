#!/bin/sh
# A header that is edited while a link compiles what includes it: the next link compiles that again, whatever the edit left of size and time, and a
# header that was written before the link is compiled once.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
real=$(command -v hipcc)
# The compiler: behind the compile of a forwarding unit it runs $T/edit, once.
cat >hipcc <<END
#!/bin/sh
"$real" "\$@" || exit
case "\$*" in *" -c $work/"*) [ ! -e "$T/edit" ] || { mv "$T/edit" "$T/edit.now" && sh "$T/edit.now"; } ;; esac
END
chmod +x hipcc
export CK_JIT_HIPCC="$T/hipcc"
# compiled_again: the last link was edited into; the next one compiles the forwarding unit, and the one behind that nothing
compiled_again() {
  [ ! -e edit ] || fail "it was not edited: $(cat err)"
  link liba.so k1.o k2.o host.o
  says '; 1 compile, 1 kept'
  link liba.so k1.o k2.o host.o
  says '; 0 compiles, 2 kept'
  right liba.so 1 2
}
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
echo "echo '// changed' >>$T/api.hpp" >edit
link liba.so k1.o k2.o host.o
compiled_again

# to the same size, with the old time
cat >edit <<END
cp -p $T/api.hpp $T/old.hpp
sed -i 's/changed/CHANGED/' $T/api.hpp
touch -r $T/old.hpp $T/api.hpp
END
echo '// more' >>api.hpp
link liba.so k1.o k2.o host.o
says '; 1 compile, 1 kept'
compiled_again
