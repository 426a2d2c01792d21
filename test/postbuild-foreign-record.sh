#!/bin/sh
# A link runs what this home's builds have recorded. An object of somebody else's, or an archive's
# member, may have a record as well: no program of its is run, no option of it that names a program,
# a library or a file to write; the link says which word it is. An ordinary record that the log does
# not have (another project's archive, ccache) is compiled by the home's compiler.
# tier: check
. "${0%/*}/common.sh"
need g++ gcc objcopy ar
cd "$T"
umask 022
mkdir real real/bin third
cat >real/bin/hipcc <<'END'
#!/bin/bash
# g++ as hipcc
a=(); while [ $# -gt 0 ]; do case $1 in --offload-arch=*) ;; -x) shift; case $1 in hip) a+=(-x c++);; *) a+=(-x "$1");; esac;; -fno-gpu-rdc|-ferror-limit=*|-Xclang|-disable-llvm-passes|--cuda-*|--offload-*) ;; *) a+=("$1");; esac; shift; done
exec g++ "${a[@]}"
END
printf '#!/bin/sh\necho 6.0.0\n' >real/bin/hipconfig
printf '#!/bin/sh\necho "$0 $*" >>"%s/ran"\nexit 1\n' "$T" >third/evil
chmod +x real/bin/* third/evil
CK_JIT_HIPCC=$T/real/bin/hipcc ROCM_PATH=$T/real "$B/bin/ckjit-build" home --dir "$T/h" --rocm "$T/real" >exports
printf 'template <int I> int value_(int x);\n' >k.hpp
printf '#include "k.hpp"\ntemplate <> int value_<0>(int x) { return x; }\n' >third/z.cu
printf '#include "k.hpp"\nint third();\nint call(int x) { return value_<0>(x) + third(); }\n' >api.cpp
echo 'int third() { return 1; }' >code.cpp
g++ -fPIC -c code.cpp -o code.o
# record KIND COMPILER WORDS: the object third/z.o with this record, and an archive with it
record() {
  printf '{"ckjit":1,"kind":"%s","stem":"z","source":"%s/third/z.cu","output":"%s/third/z.o","cwd":"%s","compiler":"%s","compiler_kind":"hip","rule":"specialisations","line":1,%s"args":[%s"-x","hip","-c","%s/third/z.cu","-o","%s/third/z.o"]}\n' \
    "$1" "$T" "$T" "$T" "$2" "${4-}" "$3" "$T" "$T" >line
  objcopy --add-section .ckjit.record=line --set-section-flags .ckjit.record=exclude,readonly code.o third/z.o
  rm -f third/libz.a
  ar rc third/libz.a third/z.o
}
link() {
  rm -rf libt.so h/work ran
  env PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T" h/bin/hipcc -fPIC -c api.cpp -o api.o &&
    env PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T" h/bin/hipcc -shared -o libt.so api.o "$@" >out 2>&1
}
# refused NAME TEXT: as an object and as a member
refused() {
  ! link third/z.o || fail "$1: linked"
  grep -qF "third/z.o: its record asks for $2, and no build with the fake home $T/h " out || fail "$1: $(cat out)"
  ! link -Lthird -lz || fail "$1, an archive: linked"
  grep -qF "libz.a(z.o): its record asks for $2" out || fail "$1, an archive: $(cat out)"
  [ ! -e ran ] || fail "$1: $(cat ran)"
}

real=$T/real/bin/hipcc
record blob "$real" "\"-I$T\",\"-O1\",\"-fPIC\",\"-Wall\",\"-DNAME=\\\"a/b\\\"\",\"-ffile-prefix-map=/a=/b\","
link third/z.o || fail "an ordinary record: $(cat out)"
grep -q '1 blob is lazy' out || fail "an ordinary record: $(cat out)"
for kind in blob dispatcher; do
  record "$kind" "$T/third/evil" '"-fPIC",'
  refused "the compiler of a $kind" "the compiler $T/third/evil"
done
device='"key":"00000000000000000000000000000000","device_text":"/dev/null","archs":["gfx90a"],"device":['
record unit "$T/third/evil" '"-fPIC",' "$device],"
refused "the compiler of a unit" "the compiler $T/third/evil"
record unit "$real" '"-fPIC",' "$device\"-B$T/third\"],"
refused "a word for the device" "the option -B$T/third"
for word in "-B$T/third/" -B. "-fplugin=$T/third/evil.so" -fplugin=evil "-fpass-plugin=evil.so" "-specs=$T/third/specs" -specs=specs --specs=specs \
  "-wrapper" "@third/words" "--config=third" "-fuse-ld=$T/third/evil" "--gcc-toolchain=third" "-Wl,-plugin,evil.so" "-Wa,-o,x" "--rocm-path=third" \
  "-fdump-tree-all=x" "-ccc-install-dir" "third/other.o"; do
  record blob "$real" "\"-fPIC\",\"$word\",$([ "$word" != -wrapper ] && [ "$word" != -ccc-install-dir ] || echo '"third/evil",')"
  refused "$word" "the option $word"
done
record blob "$real" '"-fPIC","-Xclang","-load","-Xclang","evil.so",'
refused "-Xclang -load" "the option -Xclang"

# what this home has recorded itself may have all of them
sed -i 's/--cuda-\*|/&-specs=none|/' real/bin/hipcc
cp third/z.cu z.cu
: >none # a specs file
rm -rf h/work
env PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T" h/bin/hipcc -fPIC -c api.cpp -o api.o
env PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T" h/bin/hipcc -fPIC -specs=none -I"$T" -x hip -c z.cu -o z.o
grep -q '"kind":"blob"' h/work/manifest.json.ndjson || fail "not recorded: $(cat h/work/manifest.json.ndjson)"
env PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T" h/bin/hipcc -shared -o libt.so api.o code.o z.o >out 2>&1 || fail "own: $(cat out)"
grep -q '1 blob is lazy' out || fail "own: $(cat out)"

# a log of somebody else's says nothing
if [ "$(id -u)" = 0 ]; then
  chown 4321 h/work/manifest.json.ndjson
  ! env PATH="$T/h/bin:$PATH" ROCM_PATH="$T/h" CK_JIT_BASE="$T" h/bin/hipcc -shared -o libt.so api.o code.o z.o >out 2>&1 || fail "another's log: linked"
  grep -qF "h/work/manifest.json.ndjson belongs to another user" out || fail "another's log: $(cat out)"
fi
