#!/bin/sh
# How often hipcc is started: a link asks it once for the passes over a text, a forwarding unit's or a fragment's, however many
# architectures there are; a lazy unit's texts, and all that a first call of a late unit has of its source, come from one answer. What
# the compiler proper makes is what hipcc makes: a hipcc that does not answer gives the same list of inputs and the same texts.
# tier: check
# seconds: 60
. "${0%/*}/common.sh"
late=1
. "$here/unit/hip_fixture.sh"
need g++
source=$here/golden.d/source
archs='--offload-arch=gfx906 --offload-arch=gfx90a'
flags="-x hip -nogpuinc -nogpulib -O1 -fPIC -I$source"
# where the compiler's own linker and objcopy are
tools=-B$(hipcc -### -x hip -nogpuinc -nogpulib -c /dev/null -o /dev/null 2>&1 | sed -n '/ "-cc1"/{s=^ "\(/[^"]*\)/[^/"]*" .*=\1=p;q}')
real=$(command -v hipcc)
mkdir bin
cat >bin/hipcc <<END
#!/bin/sh
echo "\$*" >>"$T/calls"
case \$* in *-shared\ /dev/null*) ;; *'-###'*) [ ! -e "$T/silent" ] || exit 1 ;; esac
exec "$real" "\$@"
END
chmod +x bin/hipcc
export CK_JIT_HIPCC="$T/bin/hipcc"
g++ -O1 -fPIC -I"$source" -c "$source/host.cpp" -o host.o
# calls WHAT PATTERN N: of those since the last `: >calls`
calls() { is "$1" "$3" "$(grep -c -e "$2" calls)"; }

# blobs [silent]: two in the home of that name
blobs() {
  "$B/bin/ckjit-build" home --dir "$T/home" >exports 2>said || fail "$(cat said)"
  # shellcheck disable=SC2086 # words
  for n in 1 2; do
    as_build hipcc $flags $archs -c "$source/k$n.cu" -o k$n.o || fail "$(cat err)"
  done
  : >calls
  as_build hipcc -shared -o libk.so k1.o k2.o host.o || fail "$(cat err)"
}
blobs
calls 'a link of two blobs for two architectures' . 3
calls 'asks twice' '^-###' 2
: >calls
as_build hipcc -shared -o libk.so k1.o k2.o host.o || fail "$(cat err)"
calls 'again' . 2
(cd home/work/libk/ck_jit_inputs && cat ./????????????????????????????????) >inputs
grep -q golden.d/source/ inputs || fail 'the list of inputs has no header'
rm -r home k1.o k2.o
touch silent
blobs
calls 'no answer' . 6
rm silent
(cd home/work/libk/ck_jit_inputs && cat ./????????????????????????????????) >plain
cmp inputs plain || fail "another list of inputs: $(diff inputs plain)"
rm -r home

# fragments: the question for their group is one more
"$B/bin/ckjit-build" home --dir "$T/home" >exports 2>said || fail "$(cat said)"
for f in entry square cube; do
  # shellcheck disable=SC2086 # words
  as_build hipcc $flags $archs $tools -fgpu-rdc -c "$source/$f.cu" -o $f.o || fail "$(cat err)"
done
g++ -O1 -fPIC -I"$source" -c "$source/entries.cpp"
: >calls
# shellcheck disable=SC2086 # words
as_build hipcc $archs $tools -fgpu-rdc --hip-link -shared -o libsearch.so entry.o square.o cube.o entries.o || fail "$(cat err)"
calls 'a link of fragments for two architectures' . 4
calls 'asks three times' '^-###' 3
rm -r home

# units: a lazy one, and its text
unit() {
  CK_JIT_UNITS=build
  export CK_JIT_UNITS
  units_home
  # shellcheck disable=SC2086 # words
  as_build hipcc $flags $archs -c "$source/a.cu" -MD -MF a.d -o first.o || fail "$(cat err)"
  : >calls
  # shellcheck disable=SC2086 # words
  as_build hipcc $flags $archs -c "$source/a.cu" -MD -MF a.d -o a.o || fail "$(cat err)"
  has 'it is lazy' '"kind":"unit","stem":"a"' home/work/manifest.json.ndjson
}
unit
calls 'a lazy unit for two architectures' . 3
calls 'asks for its steps and for the compiler' '^-###' 2
mv home/work/.units asked
mv a.d asked.d
rm -r home
touch silent
unit
calls 'no answer' . 6
rm silent
diff -r asked home/work/.units || fail 'another text'
cmp asked.d a.d || fail 'another depfile'
rm -r home
unset CK_JIT_UNITS

# late units
units_home
for u in a b; do
  # shellcheck disable=SC2086 # words
  as_build hipcc $flags --offload-arch=gfx90a -c "$source/$u.cu" -o $u.o || fail "$(cat err)"
done
g++ -O1 -fPIC -c "$source/units.cpp" -o units.o
g++ -O0 "$source/main.cpp" -o main -ldl
printf 'extern "C" void *PyInit_units() { return nullptr; }\n' >module.cpp
g++ -fPIC -c module.cpp
as_build hipcc -shared -o libunits.so a.o b.o units.o module.o || fail "$(cat err)"
: >calls
CK_JIT_WARM=0 run ./main ./libunits.so 10 11 20 21 >said 2>&1 || fail "$(cat said)"
calls 'four first launches of two late units' . 9
calls 'one is the question for the compiler' '/dev/null' 1
calls 'nothing is preprocessed by it' ' -E ' 0
calls 'the registry is not compiled by it' shim.c 0
