#!/bin/sh
# A second full of an unchanged checkout in its work directory builds nothing: it lists and installs what is there. It builds if --anew
# says so, and if something that the build reads or has left is another, and says what.
# tier: all
# seconds: 60
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
mkdir sys modules
echo '#define SYSTEM 1' >sys/system.h
export PYTHONPATH="$T/modules"
# Each build leaves a line in `builds`, writes to the files that `meanwhile` names, and has a unit of the host's that reads a header of the system.
sed -i "1a open('$T/builds', 'a').write('x\\\\n'); [open(f, 'a').write('\\\\n') for f in open('$T/meanwhile').read().split()]" aiter/op_tests/cpp/mha/compile.py
: >meanwhile
sed -i "/^objs = /a open(f'{srcs}/host.cpp', 'w').write('#include <system.h>\\\\nint host() { return SYSTEM; }\\\\n'); subprocess.check_call([os.environ['ROCM_PATH'] + '/bin/hipcc', '-I$T/sys', '-fPIC', '-c', f'{srcs}/host.cpp', '-o', f'{srcs}/host.o'])" \
  aiter/op_tests/cpp/mha/compile.py
sleep 0.1 # what changes while a build runs is not known to be what it has read

builds() { wc -l <builds; }
full() { ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api fwd --tmp-dir w "$@" >out 2>&1 || fail "full $*: $(cat out)"; }
kept() { # WHAT OPTION...
  what=$1 before=$(builds)
  shift
  full "$@"
  [ "$(builds)" = "$before" ] || fail "$what: it was built again: $(cat out)"
  grep -q '^kept     nothing has changed since the last build here; to build again: --anew$' out || fail "$what: not said: $(cat out)"
}
again() { # REASON OPTION...
  reason=$1 before=$(builds)
  shift
  full "$@"
  [ "$(builds)" = $((before + 1)) ] || fail "$reason: it was not built again: $(cat out)"
  lacks "$reason" '^kept' out
  [ -z "$reason" ] || grep -q "^rebuild  $reason\$" out || fail "no reason '$reason': $(cat out)"
}

full
[ "$(builds)" = 1 ] || fail "the first call has not built: $(cat out)"
lacks 'the first call' '^kept\|^rebuild' out
kept 'the same words' --install-dir i
grep -q "^library  $T/w/src_fwd/.*/libmha_fwd.so" out || fail "the library is not listed: $(cat out)"
[ "$(ls i)" = "$(printf 'ck_jit\nlibmha_fwd.so')" ] || fail "installed: $(ls i)"
cmp -s i/libmha_fwd.so w/src_fwd/op_tests/cpp/mha/libmha_fwd.so || fail 'another library is installed'
kept 'after an install' --jobs 1 --trace trace.json
touch aiter/csrc/include/args.h
kept 'a touch'
(export SHLVL=7 && kept 'another shell')
again '' --anew
kept 'after --anew'

echo '#define MORE 1' >>aiter/csrc/include/args.h
mkdir -p w/.ckjit-tmp-old-fwd/left w/.ckjit-tmp-old-bwd/left # a call that was killed
again "the checkout's files changed"
[ -z "$(find w -name '.ckjit-tmp-*')" ] || fail "left: $(find w -name '.ckjit-tmp-*')"
(export GENERATOR_OPTION=1 && again 'environment variable GENERATOR_OPTION changed')
(export GENERATOR_MORE=1 && again 'environment variables GENERATOR_MORE, GENERATOR_OPTION changed')
again 'environment variable GENERATOR_MORE changed'
(export TMUX=/tmp/tmux-0,1,0 SSH_AUTH_SOCK=/tmp/agent DISPLAY=:1 SLURM_JOB_ID=7 XDG_SESSION_ID=3 && kept 'another login')
echo '#define MORE 1' >>sys/system.h
again 'headers of the system changed'
mkdir modules/package
echo 'print("more")' >modules/package/more.py
again 'Python, its modules or ninja changed'
echo 'print("less")' >modules/package/more.py # in place, which changes no directory
again 'Python, its modules or ninja changed'
mkdir modules/package/__pycache__
: >modules/package/__pycache__/more.cpython-311.pyc
kept 'a module that was imported'
echo '// more' >>w/src_fwd/aiter/jit/build/libmha_fwd/build/srcs/fmha_fwd_d64_1.cu
again 'files in the work directory changed'
lacks 'the edit is still there' more w/src_fwd/aiter/jit/build/libmha_fwd/build/srcs/fmha_fwd_d64_1.cu
rm w/src_fwd/op_tests/cpp/mha/libmha_fwd.so
again 'files in the work directory changed'
touch "$T/ckjit/bin/ckjit-wrap" "$T/ckjit/libexec/ckjit/ckjit-link"
again "ckjit's own files changed"

# Behind a quick, which makes what a build would make: nothing, if all was as the build had left it, and the runtime is the same.
quick() { ckjit-build quick --tmp-dir w >out 2>&1 || fail "quick: $(cat out)"; }
before=$(stat -c %i w/src_fwd/op_tests/cpp/mha/libmha_fwd.so)
quick
[ "$before" != "$(stat -c %i w/src_fwd/op_tests/cpp/mha/libmha_fwd.so)" ] || fail 'quick has linked nothing'
kept 'a quick'
quick && quick
kept 'two of them'
echo '// more' >>w/src_fwd/aiter/jit/build/libmha_fwd/build/srcs/fmha_fwd_d64_1.cu
quick
again 'files in the work directory changed'
echo '// more' >>w/src_fwd/op_tests/cpp/mha/libmha_fwd.so
quick
again 'files in the work directory changed'
GENERATOR_OPTION=1 ckjit-build quick --tmp-dir w >out 2>&1 || fail "quick: $(cat out)"
again 'files in the work directory changed'
(export CK_JIT_RUNTIME_SRC="$T/ckjit/share/ckjit/runtime/ck_jit_runtime.c" && full && quick && again 'files in the work directory changed')
again 'environment variable CK_JIT_RUNTIME_SRC changed'
echo '// more' >>"$T/ckjit/share/ckjit/runtime/ck_jit_runtime.c"
quick
again "ckjit's own files changed"
# an edit while it runs
printf '#!/bin/sh\n[ ! -e edit ] || echo "// more" >>%s/w/src_fwd/csrc/include/args.h\nexec "$@"\n' "$T" >launcher
chmod +x launcher
export CK_JIT_COMPILER_LAUNCHER="$T/launcher"
again 'environment variable CK_JIT_COMPILER_LAUNCHER changed'
quick
kept 'a quick with a launcher'
: >edit
quick
rm edit
again 'files in the work directory changed'
unset CK_JIT_COMPILER_LAUNCHER
again 'environment variable CK_JIT_COMPILER_LAUNCHER changed'

again '.*--ck-tile-bf16 aiter, now 3' --ck-tile-bf16 3

# A header that was written while the build ran: nobody knows which text it has read. The same of ckjit's own runtime, and of a module.
for file in "$T/sys/system.h" "$T/ckjit/share/ckjit/runtime/ck_jit_runtime.c" "$T/modules/package/more.py"; do
  echo "$file" >meanwhile
  again '' --anew
  : >meanwhile
  again ''
  kept "$file stays"
done

# One that failed leaves nothing to keep, and one library is no other.
status=0
FAIL_API=fwd ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api fwd --tmp-dir w >out 2>&1 || status=$?
[ $status = 1 ] || fail "status $status: $(cat out)"
again ''
before=$(builds)
ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --tmp-dir w >out 2>&1 || fail "both: $(cat out)"
[ "$(builds)" = $((before + 2)) ] || fail "both: $(cat out)"
