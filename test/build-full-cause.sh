#!/bin/sh
# A full build that fails says why first: messages of ckjit, ninja's FAILED: lines and what compilers call an error, out of whatever
# the build printed around them; the log's path comes last. A log without a word in it is not pointed to.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cat >"$T/aiter/op_tests/cpp/mha/compile.py" <<'END'
import os, sys
for i in range(40):
    print(f"[{i}/3000] hipcc -c blob_{i}.cu")
mode = os.environ["MODE"]
if mode == "ninja":
    print("FAILED: [code=1] blob_7.o \n/h/bin/hipcc -x hip " + "-DX=1 " * 500)
    print("ckjit-wrap: error: /w/manifest.json.ndjson: cannot record blob_7.cu: No space left on device")
    print("\033[1mx.cu:3:1: \033[0m\033[0;1;31merror: \033[0m\033[1mno kernel\033[0m")
    for i in range(1000):
        print("ninja: build stopped: subcommand failed.")
if mode == "many":
    for i in range(1000):
        print(f"x.cu:{i}:1: error: no kernel")
        print("x.cu:1:1: error: the same again")
if mode == "silent":
    sys.stdout = open(os.devnull, "w")
    os._exit(3)
for i in range(40):
    print(f'  File "x.py", line {i}, in build')
sys.exit("RuntimeError: Error building extension 'libmha_fwd'")
END
full() {
  refused 1 'fwd: .*ended with status' ckjit-build full --gpu-archs gfx942 --tmp-dir "$T/w" --aiter-dir "$T/aiter" --api fwd
}
MODE=ninja full
cat >"$T/wanted" <<END
FAILED: [code=1] blob_7.o 
ckjit-wrap: error: /w/manifest.json.ndjson: cannot record blob_7.cu: No space left on device
x.cu:3:1: error: no kernel
ckjit-build: error: fwd: op_tests/cpp/mha/compile.py --api fwd ended with status 1; all of its output is in $T/w/log_fwd.txt
END
cmp -s "$T/wanted" "$T/refused.err" || fail "ninja: $(cat "$T/refused.err")"
grep -q 'File "x.py", line 39' "$T/w/log_fwd.txt" || fail 'the log is not complete'

MODE=many full
[ "$(wc -l <"$T/refused.err")" = 22 ] || fail "many: $(cat "$T/refused.err")"
grep -q '^(981 more lines like these)$' "$T/refused.err" || fail "many: $(cat "$T/refused.err")"

# none is known for a cause: the last lines
MODE=other full
grep -q "^RuntimeError: Error building extension 'libmha_fwd'$" "$T/refused.err" || fail "other: $(cat "$T/refused.err")"
[ "$(wc -l <"$T/refused.err")" = 31 ] || fail "other: $(cat "$T/refused.err")"

# nothing was printed
sed -i '/hipcc -c blob/d; s/^for i in range(40):$/for i in []:/; s/^for i in \[\]:$/&\n    pass/' "$T/aiter/op_tests/cpp/mha/compile.py"
MODE=silent full
grep -q 'ended with status 3; it printed nothing$' "$T/refused.err" || fail "silent: $(cat "$T/refused.err")"
