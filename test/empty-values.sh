#!/bin/sh
# An empty value, of a variable of the shell that is not set, never means the current directory: for an option it is an error that
# says so, for a variable it is as if that were unset. mistakes-build has the options of ckjit-build, mistakes-prebuild ckjit-prebuild's.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
mkdir "$T/here" "$T/home"
cd "$T/here"
echo 'int x;' >"$T/a.cpp"
said='expected a name, found an empty word (an unset shell variable?)'
nothing() { # nothing WHAT: it made nothing in the current directory
  [ -z "$(ls -A)" ] || fail "$1 made $(ls -A)"
}

for option in blob-source output hipcc inputs; do
  refused 2 "^ckjit-compile: error: --$option: $said" "$I/ckjit-compile" --blob-source "$T/a.cpp" --output "$T/a.so" --$option ''
done
for option in blob manifest; do
  refused 2 "^ckjit-compile: error: --$option: $said" "$I/ckjit-compile" --blob k --manifest "$T/m.json" --output "$T/a.so" --$option ''
done
for option in home work compiler aot-list; do
  refused 2 "^ckjit-link: error: --$option: $said" "$B/libexec/ckjit/ckjit-link" --home "$T" --work "$T" --compiler cc --$option '' -- a.o
done
nvcc=$B/libexec/ckjit/ckjit-nvcc
refused 2 "^ckjit-nvcc: error: --host: $said" "$nvcc" --host '' -c "$T/a.cpp" -o "$T/a.o"
refused 2 "^ckjit-nvcc: error: -o: $said" "$nvcc" --host nvcc -c "$T/a.cpp" -o ''
refused 2 "^ckjit-nvcc: error: -MF: $said" "$nvcc" --host nvcc -c "$T/a.cpp" -MF '' -o "$T/a.o"
for command in build list clean times pack unpack matrix warm; do
  refused 2 "^ckjit-prebuild: error: $command: $said" "$I/ckjit-prebuild" $command ''
done
for command in explain export-compile-commands; do
  refused 2 "^ckjit-build: error: $command: $said" "$B/bin/ckjit-build" $command ''
done
[ ! -e "$T/a.so" ] && [ ! -e "$T/a.o" ] || fail 'something was made'
nothing 'an empty option'

# All variables that name a file or a directory, empty.
export HOME="$T/home" XDG_CACHE_HOME='' TMPDIR=''
for name in ROOT CACHE_DIR CACHE_READONLY_DIR NAME MANIFEST CAPTURE TRACE HIPCC CXX COMPILER_LAUNCHER ARCH KFD_ROOT MEMORY_ROOT TMP_DIR BASE \
  AITER_DIR CK_INCLUDE AITER_INCLUDE ROCM_INCLUDE RUNTIME_SRC; do
  export "CK_JIT_$name="
done
"$I/ckjit-prebuild" build blob_1 blob_2 >"$T/out" 2>&1 || fail "prebuild: $(cat "$T/out")"
# without a GPU one for each of the library's two architectures
[ "$(find "$HOME/.cache/ck_jit" -name 'blob_*.so' | wc -l)" = 4 ] || fail "not in the default cache: $(find "$HOME")"
echo mine >blob_1.so
"$I/ckjit-prebuild" clean --all >"$T/out" 2>&1 || fail "clean: $(cat "$T/out")"
[ "$(ls -A)" = blob_1.so ] || fail "clean removed a file here"
rm blob_1.so
[ -z "$(find "$HOME/.cache/ck_jit" -name 'blob_*.so')" ] || fail "clean left $(find "$HOME/.cache/ck_jit" -name 'blob_*.so')"
"$I/ckjit-compile" --blob-source "$T/a.cpp" --blob-flags '' --output "$T/a.so" --hipcc "$T/rocm/bin/hipcc" >"$T/out" 2>&1 ||
  fail "compile: $(cat "$T/out")"
[ -e "$T/a.so" ] || fail 'no output'
installation
aiter "$T/aiter"
refused 2 'aiter-dir DIR is missing' ckjit-build full --gpu-archs gfx942
ROCM_PATH='' HIP_PATH='' ROCM_HOME='' ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --api fwd --tmp-dir "$T/w" \
  --install-dir "$T/i2" >"$T/out" 2>&1 || fail "full: $(cat "$T/out")"
ckjit-build quick --tmp-dir "$T/w" >"$T/out" 2>&1 || fail "quick: $(cat "$T/out")"
[ -e "$T/w/manifest.json.ndjson" ] || fail "the records are elsewhere: $(ls -A "$T/w")"
nothing 'an empty variable'
