#!/bin/sh
# What a first call starts, word by word and variable by variable, is what test/commands/wanted says for the CKJIT_ABI_FORMAT of its first line. So nobody
# changes how the code of a key is made, by HIP in passes, by the plain command and behind a launcher, by the C++ compiler and by nvcc, without a
# word on whether entries that were made before may still be used (CONTRIBUTING.md, Commits). The toolchain is a fake one: no version of a
# compiler is in it, and no path. Not held: what is done to the files between nvcc's steps when each kernel is compiled by itself.
# UPDATE=1 writes the file anew.
# tier: check
# seconds: 4
. "${0%/*}/common.sh"
need python3 gcc
umask 022
wanted=$here/commands/wanted
format=$(sed -n 's/^#define CKJIT_ABI_FORMAT //p' "$here/../abi/ck_jit_abi.h")
mkdir "$T/made"
{
  echo "CKJIT_ABI_FORMAT $format"
  python3 "$here/commands/record.py" "$B/bin/ckjit-compile" "$T/made" "$format"
} >"$T/found" || fail 'the commands cannot be recorded'
[ -z "${UPDATE-}" ] || cp "$T/found" "$wanted"
before=$(sed -n '1s/CKJIT_ABI_FORMAT //p' "$wanted")
sed 1d "$wanted" >"$T/was"
sed 1d "$T/found" >"$T/is"
if ! cmp -s "$T/was" "$T/is"; then
  diff -U1 "$T/was" "$T/is" | sed 1,2d
  [ "$before" != "$format" ] || fail "what ckjit-compile starts for a key is another than with the same CKJIT_ABI_FORMAT before: if an entry that was made \
before must not be used any more, raise the number in abi/ck_jit_abi.h; if it may, say why in the commit; then write test/commands/wanted anew: \
UPDATE=1 test/compile-commands.sh"
fi
[ "$before" = "$format" ] || fail "test/commands/wanted is of CKJIT_ABI_FORMAT $before, now $format: write it anew: UPDATE=1 test/compile-commands.sh"
