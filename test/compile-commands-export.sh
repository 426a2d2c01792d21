#!/bin/sh
# export-compile-commands writes what a build has compiled as clangd reads it: the last call of each source, as the real compiler was called or
# would have been, and that hipcc takes it for HIP.
# tier: check
. "${0%/*}/common.sh"
need python3
cd "$T"
fake_home "$T/h"
mkdir 'a b'
blob a.cu
echo 'int f() { return 1; }' >host.cpp
"$T/h/bin/hipcc" -O1 -c a.cu -o a.o
"$T/h/bin/hipcc" -DX='1 "2"' -c a.cu -o a.o
(cd 'a b' && "$T/h/bin/hipcc" -x c++ -c ../host.cpp -o host.o)
"$T/h/bin/hipcc" --version >/dev/null 2>&1 || :
work=$(sed -n 's/^work=//p' h/ckjit.conf)
"$B/bin/ckjit" export-compile-commands h >out || fail "$(cat out)"
[ "$(cat out)" = "$work/compile_commands.json: 2 commands" ] || fail "$(cat out)"
"$B/bin/ckjit-build" export-compile-commands "$work/manifest.json.ndjson" -o - | cmp -s - "$work/compile_commands.json" || fail 'to standard output'
python3 - "$work/compile_commands.json" "$T" "$(sed -n 's/^real_compiler=//p' h/ckjit.conf)" <<'END'
import json, sys
commands, t, compiler = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
a, host = commands
assert a == {"directory": t, "file": t + "/a.cu", "output": t + "/a.o",
             "arguments": [compiler, "-x", "hip", '-DX=1 "2"', "-c", "a.cu", "-o", "a.o"]}, a
assert host["directory"] == t + "/a b" and host["file"] == t + "/host.cpp" and host["arguments"][1:3] == ["-x", "c++"], host
END

# refused STATUS TEXT WORD…
refused() {
  wanted=$1 text=$2 status=0
  shift 2
  "$B/bin/ckjit-build" export-compile-commands "$@" >out 2>err || status=$?
  [ "$status" = "$wanted" ] && grep -qF "$text" err && [ ! -s out ] || fail "$*: status $status: $(cat out err)"
}
refused 2 'expected one work directory'
refused 2 'expected one work directory' h h
refused 1 'is not a work directory' 'a b'
refused 1 'holds no records of ckjit'\''s wrapper; expected the work directory of a build, or its manifest.json.ndjson' host.cpp
: >empty.cu
refused 1 'holds no records' empty.cu
refused 1 'none: No such file or directory; expected a work directory, or its manifest.json.ndjson' none
refused 1 "$T/none/x: cannot write it" h -o "$T/none/x"
