#!/bin/sh
# The session of docs/many-machines.md, with mini-aiter on a real Slurm of four processors, prints what the document says.
# tier: long
# seconds: 60
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
. "$here/unit/slurm_fixture.sh"
full fwd
slurm_start 4
top=$(realpath "$here/..")
mkdir "$T/me"
chmod 755 "$T/me"
cp -r "$full/i" "$T/me/i"
unset CK_JIT_CACHE_DIR
"$here/sessions/replay.py" "$top/docs/many-machines.md" --in "$T/me" --map "/home/me=$T/me" >"$T/out" 2>&1 || fail "$(cat "$T/out" "$T"/me/slurm-*)"
cat "$T/out"
slurm_end
