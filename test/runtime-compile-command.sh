#!/bin/sh
# The command that ckjit-compile makes: what is missing is added, what a loadable blob must not have is dropped.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
compile=$B/bin/ckjit-compile
for ext in cu hip cpp o; do
  echo 'int answer() { return 42; }' >"$T/a.$ext"
done
cat >"$T/show" <<'SHIM'
#!/bin/sh
for a; do printf '<%s>' "$a"; done >"${0%/*}/calls"
exit 1
SHIM
chmod +x "$T/show"
id=0123456789abcdef0123456789abcdef0123456789abcdef

# shows WANTED SOURCE OPTION...: what stands before and behind the output
shows() {
  wanted=$1 source=$2
  shift 2
  "$compile" --hipcc "$T/show" --blob-source "$T/$source" --build-id $id --output "$T/o.so" "$@" 2>/dev/null && fail "?"
  is "command for $source $*" "$wanted" "$(sed "s|<-o><[^>]*>|<OUT>|; s|$T/||; s|<-Wl,-Bsymbolic-functions><-Wl,--build-id=0x${id}01000000>|<LD>|" "$SHIM_CALLS")"
}
shows "<-O2><--offload-arch=gfx942><--offload-arch=gfx950><-shared><-fPIC><LD><OUT><-x><hip><a.cu><-x><none><-lm>" \
  a.cu --blob-flags -O2 --arch 'gfx942,gfx950' --link-flags -lm
shows "<-shared><-fPIC><LD><OUT><-x><hip><a.hip><-x><none>" a.hip
shows "<-shared><-fPIC><LD><OUT><a.o>" a.o
shows "<-x><hip><-shared><-fPIC><LD><OUT><a.cpp><-x><none>" a.cpp --blob-flags "-x hip"
shows "<-fPIC><-shared><--offload-arch=gfx90a><LD><OUT><-x><hip><a.cu><-x><none>" a.cu \
  --blob-flags '-c -fPIC -fvisibility=hidden -shared --offload-arch=gfx90a' --arch gfx942
shows "<-DX=\"a b\"><-mllvm><--y><-shared><-fPIC><LD><OUT><-x><hip><a.cu><-x><none>" a.cu \
  --blob-flags '-DX=\"a\ b\" -mllvm --y'
