#!/bin/sh
# An unknown blob stops everything before the first compile; a blob that does not compile is named at the end with its log.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
export CK_JIT_CACHE_DIR="$T/cache"
prebuild_alone() {
  "$B/bin/ckjit-prebuild" "$@"
}
refused 2 'expected a command' prebuild
refused 2 "unknown command 'bild'" prebuild bild blob_1
refused 2 'build: expected blobs, --blob-list FILE or --all' prebuild build
refused 2 'clean: expected blobs' prebuild clean
refused 2 'jobs: expected a number.*abc' prebuild build -j abc --all
refused 2 'unknown option' prebuild build --frobnicate
refused 1 'blob-list .*/none: cannot read it' prebuild build --blob-list "$T/none"
refused 1 'blob-list .*: cannot read it: Is a directory' prebuild build --blob-list "$T"
refused 1 'error: --capture .*/none: cannot read it' prebuild pack --capture "$T/none" --output "$T/pack"
refused 1 'error: --capture .*: a capture of another version' prebuild pack --capture "$(echo '# ckjit-capture 99' >"$T/other" && echo "$T/other")" --output "$T/pack"
refused 1 'none.json: .*No such file' prebuild list --manifest "$T/none.json"
refused 1 'list: the library is not known' prebuild_alone list
sed 's/"key": "[^"]*"/"key": "12"/' "$I/ck_jit_manifest.json" >"$T/m.json"
refused 1 "blobs.blob_1: key: expected 32 hexadecimal digits, found '12'" prebuild list --manifest "$T/m.json"
printf 'blob_1\nblob_7\n' >"$T/list"
refused 1 "list:2: unknown blob 'blob_7'" prebuild build --blob-list "$T/list" blob_2
refused 1 "unknown blob 'x.so'" prebuild clean blob_1 x.so
refused 1 "unknown blob 'blob_7'" prebuild list --blob-list "$T/list"
grep -q 'blob_7.unknown.absent' "$T/refused.out" || fail 'list does not show the unknown one'
[ ! -e "$T/cache" ] || fail 'something was compiled'

refused 1 "failed: blob_FAIL_HERE, log $T/cache/.logs/blob_FAIL_HERE.log" prebuild build --all
grep -q 'this kernel does not compile' "$T/refused.err" || fail "not what the compiler said: $(cat "$T/refused.err")"
grep -q 'this kernel does not compile' "$T/cache/.logs/blob_FAIL_HERE.log" || fail 'the log is not the compiler.s'
grep -q '^5 compiled, 0 in the cache already, 1 failed' "$T/refused.out" || fail "summary: $(cat "$T/refused.out")"
rm "$I/src/blob_2.cu" "$T/cache/blob_2.so"
refused 1 'blob_2.*source cannot be read: .*src/blob_2.cu' prebuild build blob_2
