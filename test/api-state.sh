#!/bin/sh
# What ckjit_state says of a kernel is what its first call does: cached is loaded, without a compile; absent is compiled. An entry of the
# same key which was made for other architectures, or by another compiler, is neither: it is a variant. A damaged one, and one of
# another key, are nothing.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
many lib 3
many other 3 2
lib=$T/lib/libkernels.so cache=$T/cache
state() {
  api "open:${2-$lib}" "state:$1"
}
# build_id STEM: that its first call looks for
build_id() {
  api "open:$lib" "info:$1" | tail -n 1
}
is "nothing there" absent "$(state k0)"
is "stored for other GPUs" stored "$(CK_JIT_ARCH=gfx1 api "open:$lib" compile:k0:store)"
is "under the plain name" variant "$(state k0)"
is "for these GPUs" cached "$(CK_JIT_ARCH=gfx1 state k0)"
is "of another key" absent "$(state k0 "$T/other/libkernels.so")"
is "compiled by a first call" "variant 5 loaded " "$(api "open:$lib" state:k0 stub:_Z6value_ILi0EEii:5 state:k0 | tr '\n' ' ')"
is "both there, for these" cached "$(state k0)"
is "both there, for others" cached "$(CK_JIT_ARCH=gfx1 state k0)"
is "compiles" 2 "$(started lib k0)"

# a keyed name alone
other=$(CK_JIT_ARCH=gfx2 build_id k1)
is "stored for others again" stored "$(CK_JIT_ARCH=gfx2 api "open:$lib" compile:k1:store)"
mv "$cache/k1.so" "$cache/k1.$other.so"
is "under the keyed name" variant "$(state k1)"
is "beside kernels of which nothing is there" "k0 cached k1 variant k2 absent " \
  "$(api "open:$lib" list | sed -n 's/^\(k[0-9] [a-z]*\) .*/\1/p' | sort | tr '\n' ' ')"
is "of another key" absent "$(state k1 "$T/other/libkernels.so")"
cp "$cache/k1.$other.so" "$cache/k2.$other.so"
is "under another stem" absent "$(state k2)"
rm "$cache/k2.$other.so"
printf x | dd of="$cache/k1.$other.so" bs=1 seek=500 conv=notrunc 2>/dev/null
is "damaged" absent "$(state k1)"
mkdir "$cache/k2.$(CK_JIT_ARCH=gfx2 build_id k2).so"
is "a directory of that name" absent "$(state k2)"

# a cache that the program chooses, and the environment's again; loaded kernels stay
rm -rf "$cache"
is "another cache" "stored cached absent cached stored " \
  "$(api "open:$lib" "cache:$T/chosen" compile:k0:store state:k0 cache state:k0 "cache:$T/chosen" state:k0 \
    cache: compile:k1:store | tr '\n' ' ')"
is "where they are" "chosen/k0.so cache/k1.so" "$(cd "$T" && echo chosen/*.so cache/*.so)"
is "loaded, then another cache" "5 loaded " \
  "$(api "open:$lib" stub:_Z6value_ILi0EEii:5 "cache:$T/third" state:k0 | tr '\n' ' ')"
has "no library" "CKJIT_E_INVALID: ckjit_set_cache_dir: expected a library" - <<END
$(api "cache:$T/chosen" 2>&1)
END
has "a cache that cannot be" "$T/chosen/k0.so/x" - <<END
$(api "open:$lib" "cache:$T/chosen/k0.so/x" compile:k0 2>&1)
END
