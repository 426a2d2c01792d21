#!/bin/sh
# Mistakes that a new user makes with ckjit-compile, the wrapper and the programs that it starts.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
installation
cd "$T"
compile() {
  "$I/ckjit-compile" --blob-source "$I/src/blob_1.cu" --blob-flags "-I$I/include" "$@"
}
refused 2 "unexpected argument 'blob_1'; did you mean '--blob blob_1'? See ckjit-compile --help" "$I/ckjit-compile" blob_1
refused 2 'expected --blob-source FILE or --blob STEM, and one of them only' "$I/ckjit-compile"
refused 2 'output SO is missing: the shared object to make' compile
refused 2 "blob-flags '-I\"x': a quote is not closed" "$I/ckjit-compile" --blob-source a.cu --blob-flags '-I"x' --output x.so
refused 1 'output i: is a directory; expected the name of the file to make' compile --output i
[ ! -e i.log ] || fail 'it was compiled'
refused 1 'error: --output nope/deep/x.so: directory nope/deep does not exist; create it, or name another file' compile --output nope/deep/x.so
refused 1 'output afile/x.so: directory afile does not exist;' sh -c 'echo >afile; exec "$@"' - "$I/ckjit-compile" --blob-source "$I/src/blob_1.cu" --output afile/x.so
[ ! -e nope ] || fail 'directories were made'
compile --output x.so >out 2>&1 && [ -e x.so ] || fail "$(cat out)"
compile --output "$T/new cache/x.so" --cache >out 2>&1 && [ -e "new cache/x.so" ] || fail "$(cat out)"
[ "$("$I/ckjit-compile" --help | grep -c -- '--color')" = 1 ] || fail 'the help repeats itself'
refused 2 "kind 'CUDA': expected hip, cuda, clang or c++; did you mean 'cuda'?" compile --output x.so --kind CUDA
refused 2 "format 'object': expected so, obj, code-object, bitcode or asm$" compile --output x.so --format object
refused 2 "format 'code_object': .*; did you mean 'code-object'?" compile --output x.so --format code_object
refused 1 'the compiler CK_JIT_HIPCC=/nope is not there; set it to the real hipcc' env CK_JIT_HIPCC=/nope "$I/ckjit-compile" \
  --blob-source "$I/src/blob_1.cu" --output x.so
refused 1 "the compiler CK_JIT_HIPCC=$T is a directory" env CK_JIT_HIPCC="$T" "$I/ckjit-compile" --blob-source "$I/src/blob_1.cu" --output x.so
echo >plain
refused 1 "the compiler --hipcc $T/plain is not executable" compile --output x.so --hipcc "$T/plain"

ckjit-build home --dir H >out
echo junk >>H/ckjit.conf
refused 1 "ckjit.conf:.*: expected key=value, found 'junk'; set the home up again with ckjit home" H/bin/hipcc -c x.cu
refused 127 'ckjit-nvcc: error: cannot start /nope/nvcc: No such file' "$T/ckjit/libexec/ckjit/ckjit-nvcc" --host /nope/nvcc a.cu -o x
