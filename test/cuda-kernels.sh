#!/bin/sh
# Kernels of every kind are compiled one by one to the code that nvcc makes of them; those that share a variable together, and blobs that
# cannot be taken apart whole.
# tier: all
# seconds: 32
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
# shellcheck disable=SC2119 # it takes no arguments
kinds
tools TOOL_CUBINS="$T/cubins"

# call NUMBER: the call, which comes to CUDA's runtime; what ptxas made for it: cubins/
call() {
  rm -rf cubins
  mkdir cubins
  kind "$1"
}
# code STEM: the kernels that were compiled are those of nvcc's own cubin, to the instruction; of those that need no constants, to the byte
code() {
  # shellcheck disable=SC2086 # words
  "$cuda/bin/nvcc" $kinds_flags -arch=sm_90 -cubin "src/$1.cu" -o "$1.cubin" || fail "$1: nvcc -cubin"
  "$here/cuda/cubin_text.py" "$1.cubin" | sed '/checked\|mapped\|count\|take\|weigh/s/ [^ ]*$//' >stock
  "$here/cuda/cubin_text.py" cubins/*.cubin | sed '/checked\|mapped\|count\|take\|weigh/s/ [^ ]*$//' >ours
  diff stock ours >differ || fail "other code than nvcc's: $(cat differ)"
}

call 1
is "linkage: entries" 7 "$(entries | wc -l)"
is "linkage: cubins" 6 "$(find cubins -type f | wc -l)"
code kinds_linkage
is "linkage: kernels of nvcc's" 6 "$(wc -l <stock)"
# ckjit writes the fat binary of each with the bytes that fatbinary writes
for file in cubins/*.cubin; do
  "$cuda/bin/fatbinary" -64 --image3=kind=elf,sm=90,file="$file" --create=fat || fail "fatbinary"
  cat >find.py <<'END'
import sys
fat = open(sys.argv[1], "rb").read()
sys.exit(not any(fat in open(name, "rb").read() for name in sys.argv[2:]))
END
  python3 find.py fat "$CK_JIT_CACHE_DIR"/*.so || fail "no entry has the fat binary of $file"
done

call 2
is "shared: entries, the blob.s, one of a kernel, one that says that all are wanted, one of all" 4 "$(entries | wc -l)"
is "shared: cubins, of the one kernel and of all" 2 "$(find cubins -type f | wc -l)"
code kinds_shared
call 2:0 # compiled alone, it would never see what count has counted
is "shared: entries of a call that only reads: as above" 3 "$(entries | wc -l)"
is "shared: cubins, of all" 1 "$(find cubins -type f | wc -l)"
code kinds_shared
call -2
is "shared: entries of a call that has no use for the variable" 2 "$(entries | wc -l)"

call 3
is "symbol: entries, the blob's and one of all kernels" 2 "$(entries | wc -l)"
code kinds_symbol
is "symbol: kernels" 2 "$(wc -l <stock)"
call 3:0 # it reads what the host may have written
is "symbol: entries of a launch, with one that says that all are wanted" 3 "$(entries | wc -l)"
code kinds_symbol
call -3
is "symbol: entries of a kernel that has no use for the variable" 2 "$(entries | wc -l)"
call 4
is "lineinfo: entries" 2 "$(entries | wc -l)"
code kinds_lineinfo
readelf -SW cubins/*.cubin | grep -q '\.debug_line' && grep -qa 'kinds_lineinfo\.cu' cubins/*.cubin || fail "no lines in $(ls cubins)"
call 5
is "bodies, with a variable that only kernels read: entries" 2 "$(entries | wc -l)"
code kinds_bodies
call 8
is "named: entries" 2 "$(entries | wc -l)"
code kinds_named
call 7
is "async: entries, the blob's and one of all kernels" 2 "$(entries | wc -l)"
call 6 # variables would be lost
is "debug, whole: entries" 1 "$(entries | wc -l)"
