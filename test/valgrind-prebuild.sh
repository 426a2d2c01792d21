#!/bin/sh
# memcheck over ckjit-prebuild: list, build and clean, with blobs that fail, are unknown or are there already.
# tier: all
. "${0%/*}/common.sh"
keeps=yes
. "${0%/*}/unit/valgrind_fixture.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
mkdir -m 700 "$T/cache"
export CK_JIT_CACHE_DIR="$T/cache"
# status WANTED WORDS…: of ckjit-prebuild WORDS
status() {
  wanted=$1 got=0
  shift
  memcheck "$I/ckjit-prebuild" "$@" >"$T/out" 2>&1 || got=$?
  [ $got = "$wanted" ] || fail "$*: status $got: $(cat "$T/out")"
  clean "$*"
}
printf '# some\nblob_1\nblob_4.cu\n' >"$T/some"
status 0 list
status 0 build blob_1 blob_2 "$I/src/blob_3.cu"
status 0 list blob_1 blob_5
status 1 list blob_1 nosuch
status 1 build --all -j 2 --job-memory 100M
status 0 build --blob-list "$T/some" --arch gfx90a --verbose
status 1 build nosuch
status 0 clean blob_1 "$T/cache/blob_3.so"
status 0 clean --all
status 1 clean --all --cache-dir "$T/nowhere"
