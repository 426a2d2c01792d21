#!/bin/sh
# A stub object cannot be linked by a linker that knows nothing of ckjit: the link fails and names it, and says what to do. Joined by
# such a linker's -r, in an archive, or stripped, a stub is still one.
# tier: check
. "${0%/*}/common.sh"
need ar as c++ ld nm objcopy readelf strip
cd "$T"
fake_home "$T/h" 'compiler=ld' "real_compiler=$(command -v ld)"
blob a.cu && "$T/h/bin/hipcc" -c a.cu -o a.o
blob b.cu && "$T/h/bin/hipcc" -c b.cu -o b.o
echo 'extern "C" int f() { return 1; }' >f.cpp && c++ -fPIC -c f.cpp -o f.o
echo 'int main() {}' >main.cpp && c++ -c main.cpp -o main.o
symbol=recorded_by_ckjit__link_this_object_with_the_compiler_of_its_fake_home
# what ckjit-link adds to a link in which stubs stay; and whether a stub harms such a link
printf '.weak %s\n.hidden %s\n.section .rodata\n%s: .long 0\n.section .note.GNU-stack,"",@progbits\n' $symbol $symbol $symbol >allowed.s
as allowed.s -o allowed.o

cp a.o stripped.o && strip --strip-unneeded stripped.o
objcopy --localize-hidden a.o copied.o
is 'symbols that a stub defines' '' "$(nm --defined-only a.o 2>&1 | grep -v 'no symbols' || :)"

# refused LD WORD…: the link fails and says why
refused() {
  if "$@" -o x.out 2>err; then fail "linked: $*"; fi
  has "$*" "$symbol" err
  lacks "$*" 'internal error\|assertion' err -i
}
for ld in ld ld.bfd ld.gold ld.lld mold; do
  command -v $ld >/dev/null || continue
  "$ld" -r a.o b.o -o both.o || fail "$ld -r"
  "$ld" -r both.o main.o -o mixed.o || fail "$ld -r with code"
  ar rc libboth.a both.o
  for stub in a.o stripped.o copied.o both.o mixed.o; do
    refused "$ld" -shared f.o $stub
    case $ld$stub in ld.goldboth.o | ld.goldmixed.o) ;; *) refused "$ld" -shared --gc-sections f.o $stub ;; esac # gold -r forgets SHF_GNU_RETAIN
    refused "$ld" -e f f.o $stub
  done
  refused "$ld" -shared f.o --whole-archive libboth.a
  for words in 'a.o' 'both.o' '--gc-sections copied.o' '--whole-archive libboth.a'; do
    # shellcheck disable=SC2086 # a list
    "$ld" -shared f.o allowed.o $words -o x.so 2>err || fail "$ld $words: $(cat err)"
    readelf --dyn-syms -W x.so | lacks "$ld: the symbol can be seen" "$symbol" -
    [ ! -s err ] || fail "$ld $words warns: $(cat err)"
  done
  rm -f both.o mixed.o libboth.a
done
refused c++ -shared f.o a.o
refused c++ main.o a.o

# the stub object of an earlier ckjit is read as it was
objcopy -R .ckjit.unlinked -R .rela.ckjit.unlinked -N $symbol a.o old.o
readelf -SsW old.o | lacks 'an old stub object' 'recorded_by\|unlinked' -
rm -f h/link.log
"$T/h/bin/hipcc" -shared f.o old.o -o x.so
[ -e h/link.log ] || fail 'an old stub object is not seen'
