#!/bin/sh
# examples/mini-flash through a fake home of CUDA: no kernel is compiled, all are recorded; make knows what is up to date; and the link
# may be nvcc's own, with CUDA's runtime linked as it says.
# tier: all
# seconds: 23
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini
cd "$T"
cp -r "$mini_flash" mini
CUDA_HOME="$made/toolkit" "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
tools TOOL_LOG="$T/tools"
: >"$TOOL_LOG"
through "$T/h" make -C mini >out 2>&1 || fail "$(cat out)"
# An empty file is compiled, to know whether nvcc takes the options (wrapper/ask.c); then the host side of one unit of stubs.
is "device compilers during the build" "2 2" "$(ran cicc) $(ran ptxas)"
is "host sides of nvcc's" 2 "$(ran cudafe++)"
is "recorded blobs" 24 "$(grep -c '"kind":"blob"' h/work/manifest.json.ndjson)"
is "depfiles" 24 "$(grep -l 'mini_flash_launch\.h' mini/build/mini_fwd*.o.d | wc -l)"
grep -q '^ckjit-link: libmini_flash.so: 24 blobs are lazy .* 0 compiled ahead of time' out || fail "$(grep ckjit-link out)"
is "kept sources" 24 "$(find h/work/trees -name 'mini_*.cu' | wc -l)"

: >"$TOOL_LOG"
through "$T/h" make -C mini >out 2>&1 || fail "$(cat out)"
grep -q 'Nothing to be done' out || fail "a second make does something: $(cat out)"
sleep 1
touch mini/build/gen/mini_fwd_hdim32_fp32.cu
through "$T/h" make -C mini >out 2>&1 || fail "$(cat out)"
is "commands after one blob was touched" 3 "$(grep -c "^$T/h/bin/" out)"
grep -q '^ckjit-link: .* 24 blobs are lazy' out || fail "it is not linked again: $(cat out)"
is "device compilers" "0 0" "$(ran cicc) $(ran ptxas)"
is "entries" "" "$(entries)"

# nvcc links: CUDA's runtime as a shared library, or linked in, which is nvcc's own choice; words for the linker
cd mini
nvcc_link() {
  through "$T/h" nvcc -shared "$@" build/*.o -o build/libmini_flash.so >../out 2>&1 || fail "nvcc -shared $*: $(cat ../out)"
  grep -q '^ckjit-link: libmini_flash.so: 24 blobs are lazy' ../out || fail "$*: $(cat ../out)"
}
# call: one, compiled anew
call() {
  rm -rf "$CK_JIT_CACHE_DIR"
  calls "$PWD/build" 1:32:0:-1:0:0:1
  no_gpu 1
  readelf -d build/libmini_flash.so "$CK_JIT_CACHE_DIR/mini_fwd_hdim32_fp16.so" >../needed
}
# count WORDS: of the library and the blob, how many name it as needed, or as a place to look in
count() {
  grep -c "\(NEEDED\|RUNPATH\|RPATH\).*\[$1" ../needed || :
}
nvcc_link -cudart shared -Xlinker -rpath,"$T/r-one" -Xlinker=-z,now
call
[ "$(count 'libcudart\.so')" -ge 1 ] || fail "shared, and the blob does not need it: $(cat ../needed)" # --as-needed: the library itself
is "who has the rpath" 2 "$(count "$T/r-one\]")"
is "entries of a first call" 2 "$(entries | wc -l)"
CK_JIT_PER_KERNEL=0 call # by nvcc itself
[ "$(count 'libcudart\.so')" -ge 1 ] || fail "shared, compiled whole, and the blob does not need it: $(cat ../needed)"
is "who has the rpath" 2 "$(count "$T/r-one\]")"

refused 1 'the linker ended with status' through "$T/h" nvcc -shared -lnone-such build/*.o -o build/libmini_flash.so

# linked in, as nvcc does without -cudart; and the build's directory is removed before the first call (keep: sources)
printf -- '-shared\n-std=c++17\n' >words
nvcc_link -optf words
mv build/libmini_flash.so "$T/h"
rm -rf src build
mkdir build
mv "$T/h/libmini_flash.so" build
call
is "linked in, who needs it" 0 "$(count 'libcudart\.so')"
is "who has an rpath" 0 "$(count "$T/r")"

# a header that is another since: what it would compile is not what the library was linked for
header=$(find "$T/h/work/trees" -name mini_flash_launch.h)
echo '#error broken since' >>"$header"
calls "$PWD/build" 2:32:0:-1:0:0:1
grep -q "ckjit: mini_fwd_hdim32_bf16: .*$header was changed since the library was linked" "$T/said" || fail "of another header it said: $(cat "$T/said")"
