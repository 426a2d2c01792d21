#!/bin/sh
# libckjit.so finds the runtime in a library by its note: in one that was stripped and linked with --gc-sections, in one that
# the program has loaded already, in two at once, in the program itself; and says what is wrong with any other.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
need strip readelf
many one 3
many two 3 2
one=$T/one/libkernels.so two=$T/two/libkernels.so

# the same library, linked as builds link, by each linker that is here
for linker in bfd gold lld; do
  g++ -shared -fuse-ld=$linker -Wl,--gc-sections -o "$T/small.so" "$T/one/stubs.o" "$T/one/tables.o" "$T/one/runtime.o" "$T/one/throw.o" \
    2>"$T/err" || continue
  strip "$T/small.so"
  is "stripped, $linker" "3 k2 -1 " "$(api "open:$T/small.so" list find:k2 | grep -c '^k[0-2] absent 1') $(api \
    "open:$T/small.so" find:k2 | tr '\n' ' ')"
done

# what is not ours
api "open:$(ldd "$T/api" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')" >"$T/out" && fail "libc is taken"
has "libc" "CKJIT_E_NOT_CKJIT: /" "$T/out"
has "libc" "ckjit has not linked this library, or an older ckjit has: it has no ELF note of owner 'ckjit'" "$T/out"
api open:/nonexistent.so >"$T/out" && fail "a file that is not there"
has "absent" "CKJIT_E_OPEN: /nonexistent.so: cannot be loaded: /nonexistent.so: cannot open" "$T/out"
api open: >"$T/out" && fail "a program without kernels is taken"
has "program" "CKJIT_E_NOT_CKJIT: the program: " "$T/out"
# note LIBRARY AT BYTES: a copy of $one with BYTES (for printf) from AT in its note
offset=$(readelf -SW "$one" | sed -n 's/.* \.note\.ckjit *NOTE *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
note() {
  cp "$one" "$1"
  # shellcheck disable=SC2059
  printf "$3" | dd of="$1" bs=1 seek=$((0x$offset + $2)) conv=notrunc 2>"$T/err"
}
note "$T/newer.so" 20 '\377'
api "open:$T/newer.so" >"$T/out" && fail "another format is taken"
has "another format" "CKJIT_E_VERSION: $T/newer.so: its runtime has format 255, this libckjit.so" "$T/out"
note "$T/long.so" 0 '\006\000\000\000\377\377\377\177' # a size that is not in the file
api "open:$T/long.so" >"$T/out" && fail "a torn note is taken"
has "torn" "CKJIT_E_NOT_CKJIT: $T/long.so: " "$T/out"
note "$T/other.so" 12 'CKJIT'
api "open:$T/other.so" >"$T/out" && fail "another owner's note is taken"
has "another owner" "CKJIT_E_NOT_CKJIT" "$T/out"

# loaded already: by its path or its base name, and only then
api "open:$one:loaded" >"$T/out" && fail "it is not loaded"
has "not loaded" "CKJIT_E_OPEN: $one: this process has not loaded such a library" "$T/out"
is "loaded" "k1 -1 k1 -1 " "$(api "dlopen:$one" "open:$one:loaded" find:k1 open:libkernels.so:loaded find:k1 | tr '\n' ' ')"

# two of them, each with its kernels; one that is opened twice stays open until it is closed twice
is "two" "handle 0 handle 1 7 1000007 " "$(api "open:$one" compile:k0 "open:$two" compile:k0 call:0:7 call:1:7 | tr '\n' ' ')"
is "twice" "k1 -1 " "$(api "open:$one" "open:$one" close use:0 find:k1 | tr '\n' ' ')"
is "unloaded" "0 " "$(api "open:$one" "open:$one" close close maps:one/libkernels | tr '\n' ' ')"

# a program with kernels of its own
# shellcheck disable=SC2086 # flags are words
gcc -std=gnu11 ${LIB_CFLAGS-} -I"$top" -c "$unit/runtime_api.c" -o "$T/api.o"
# shellcheck disable=SC2086
g++ ${LIB_CFLAGS-} -rdynamic -o "$T/one/program" "$T/api.o" "$T/one/stubs.o" "$T/one/tables.o" "$T/one/runtime.o" "$T/one/throw.o" -L"$B/lib" -lckjit \
  -Wl,-rpath,"$B/lib"
is "program" "k2 -1 handle 0 2005 " "$("$T/one/program" open: find:k2 compile:k2 call:0:5 | tr '\n' ' ')"
