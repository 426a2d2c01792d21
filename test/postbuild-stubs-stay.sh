#!/bin/sh
# Stubs that stay among the inputs of ckjit's own link, in an archive that is linked whole, beside code in one object, or behind -Wl,
# do not keep any linker from it: with --gc-sections, in a relink, and if the library is made as without ckjit.
# tier: all
# seconds: 22
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && kernel 3 && host 1 2 3
objects k1 k2 k3 host
ar rc libwhole.a k2.o
for ld in bfd gold lld mold; do
  command -v "ld.$ld" >/dev/null || continue
  "ld.$ld" -r -o "$ld.o" k1.o host.o || fail "ld.$ld -r"
  link "lib$ld.so" -fuse-ld=$ld -Wl,--gc-sections "$ld.o" -Wl,--whole-archive libwhole.a -Wl,--no-whole-archive -Wl,k3.o
  says '3 blobs are lazy'
  right "lib$ld.so" 1 2 3
  readelf --dyn-syms -W "lib$ld.so" | lacks "ld.$ld: what is defined for them can be seen" recorded_by_ckjit -
  # the real linker alone refuses it
  c++ -shared -fuse-ld=$ld -o x.so "$ld.o" 2>err && fail "ld.$ld linked a stub"
  has "ld.$ld" recorded_by_ckjit__link_this_object_with_the_compiler_of_its_fake_home err
done
[ -e libbfd.so ] || fail 'no linker was tried'
"$B/bin/ckjit-build" relink --tmp-dir "$work" >out 2>&1 || fail "relink: $(cat out)"
right libbfd.so 1 2 3
echo '#error "no runtime today"' >broken.c
CK_JIT_RUNTIME_SRC=$T/broken.c link libstock.so bfd.o -Wl,--whole-archive libwhole.a -Wl,--no-whole-archive -Wl,k3.o
says 'libstock.so: it is built without ckjit'
CK_JIT_HIPCC=/bin/false right libstock.so 1 2 3
