#!/bin/sh
# Response files of CUDA builds: nvcc's options files nested, quoted, with CR LF; what nvcc alone can read is left to it; and at the
# link nvcc's, ar's, the C++ compiler's and the linker's own, one in another. The sources have flags of their own.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
need ar
. "$here/unit/cuda_fixture.sh"
answers k.cu 'k 2.cu'
last_kind() { sed -n 's/^{"ckjit":1,"kind":"\([a-z]*\)".*/\1/p' h/work/manifest.json.ndjson | tail -n 1; }

printf -- '-arch=sm_90 -DNUMBER=1\r\n' >inner
printf -- '"--options-file" inner -Xcompiler\r\n-fPIC -c "k.cu" -o k1.o\r\n' >outer
through "$T/h" nvcc --options-file outer || fail 'nested options files'
is 'from nested options files' blob "$(last_kind)"
printf -- '-c "k 2.cu"\n-DNUMBER=2 -arch=sm_90 -Xcompiler=-fPIC -o "k 2.o"' >own
through "$T/h" nvcc -optf own || fail 'a quoted name'
is 'with a quoted name' blob "$(last_kind)"
printf -- '-DNUMBER=2 -DNAME=\\"x\\" -arch=sm_90' >slashes
through "$T/h" nvcc -optf slashes -c k.cu -o k3.o || fail 'backslashes'
is 'with backslashes' host "$(last_kind)"
through "$T/h" c++ -fPIC -c host.cpp -o host.o

# link WHAT LIBRARY COMMAND…
link() {
  what=$1 library=$2
  shift 2
  through "$T/h" "$@" -o "$library" >out 2>&1 || fail "$what: $(cat out)"
  grep -q "^ckjit-link: $library: 2 blobs are lazy" out || fail "$what: $(cat out)"
  is "$what" "$answers_of_5" "$(python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).call(5))' "./$library" 2>err || cat err)"
}
printf 'k1.o\r\n"k 2.o"\r\n"host.o"\r\n' >objects
link "nvcc's" liba.so nvcc -shared -optf objects
ar rc libk.a @objects
printf -- '-Xcompiler=-DNAME=\\"x\\" k1.o "k 2.o" host.o' >backslash
cp k1.o 'k 2.o' h/
through "$T/h" nvcc -shared -optf backslash -o libd.so >out 2>&1 || fail "a backslash: $(cat out)"
grep -q '^ckjit-link: warning: .*libd.so: it is built without ckjit, with no kernel lazy: an options file of this link' out || fail "a backslash: $(cat out)"
is 'a backslash' 1525 "$(CK_JIT_NVCC=/bin/false python3 -c 'import ctypes, sys; print(ctypes.CDLL("./libd.so").call(5))' 2>err || cat err)"
mv h/k1.o 'h/k 2.o' .
printf '"-L%s/lib64" -lcudart -Wl,@nested' "$cuda" >libraries
printf -- '--whole-archive @archive --no-whole-archive' >nested
echo libk.a >archive
link "the linker's, nested in the compiler's, of an archive of ar's" libb.so c++ -shared @libraries
status=0
through "$T/h" nvcc -shared @objects -o libc.so 2>err || status=$?
[ $status = 1 ] || fail "nvcc takes no @file, and ours ends with $status"
