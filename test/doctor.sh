#!/bin/sh
# doctor says of each thing that ckjit uses whether it is ok, a warning or an error, and then what to do; its status is 1 if there is an
# error. It needs no compiler, GPU, manifest or cache, and tells nothing of the environment.
# tier: check
. "${0%/*}/common.sh"
need python3
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
cd "$T"
unset CK_JIT_HIPCC CK_JIT_NVCC CK_JIT_CACHE_READONLY_DIR CK_JIT_ON_MISS CK_JIT_MANIFEST CK_JIT_ROOT
mkdir -m 700 cache empty
export CK_JIT_CACHE_DIR="$T/cache" PATH="$T/rocm/bin:$PATH"
install_tree

# doctor STATUS [WORD…]: it ends so, and prints lines of the form
doctor() {
  wanted=$1 status=0
  shift
  prebuild doctor "$@" >out 2>err || status=$?
  [ "$status" = "$wanted" ] && [ ! -s err ] || fail "doctor $*: status $status: $(cat out err)"
  [ "$(grep -cE '^(ok|warning|error) +[a-z-]+( [a-z]+)?  +[^ ]' out)" = "$(wc -l <out)" ] || fail "lines: $(cat out)"
  lacks 'a warning or error that says nothing to do' '^(warning|error) [^;]*$' out -E
}
# finds STATE NAME TEXT: the last one has such a line
finds() {
  grep -qE "^$1 +$2 +.*$3" out || fail "no '$1 $2 $3' in: $(cat out)"
}

doctor 0
lacks 'an error of a good install' '^error' out
finds ok programs 'ckjit [0-9.]+ in .*/ck_jit'
finds ok library "6 kernels of lib.so, built by $T/rocm/bin/hipcc"
finds ok cache "$T/cache \(CK_JIT_CACHE_DIR\): private, writable; .* free; file locks and executable mappings work"
finds ok 'gpu amd' 'gfx942;gfx950'
for name in 'compiler hip' temporary kernel libc processors memory limits 'gpu nvidia'; do finds '(ok|warning)' "$name" ''; done
[ -z "$(ls -A cache)" ] || fail "left in the cache: $(ls -A cache)"
doctor 0 --cache-dir "$T/new/deep"
finds ok cache "$T/new/deep \(--cache-dir\): will be created in $T: "
[ ! -e new ] && [ -z "$(find . -name 'doctor.tmp-*')" ] || fail 'the cache was made'
doctor 1 --cache-dir /proc/ckjit
finds error cache '/proc/ckjit \(--cache-dir\): does not exist and cannot be created in /proc: '
"$B/bin/ckjit" doctor --cache-dir "$T/cache" >out || fail "ckjit doctor: $(cat out)"
finds ok programs 'ckjit [0-9.]+ in .*/bin, complete'

# how long kernels took, here and elsewhere; a line of something else is passed over
printf 'k1\t2\nheavy\t620.25\nrubbish\n' >cache/.times
mkdir -m 700 other && printf 'k1\t7\n' >other/.times
CK_JIT_CACHE_READONLY_DIR=$T/other doctor 0
finds ok cache '2 kernels were compiled; the longest took 620\.2 CPU-seconds: heavy$'
finds ok read-only '1 kernel was compiled; the longest took 7\.0 CPU-seconds: k1$'
rm cache/.times

# flags with which clang takes hours; one of them alone is none
for flags in '"-amdgpu-early-inline-all=true", "-mllvm", "-amdgpu-function-calls=false",' '"-amdgpu-early-inline-all=true",'; do
  sed "s/\"flags\": *\[/&\"-mllvm\", $flags/" "$I/ck_jit_manifest.json" >flags.json
  cmp -s flags.json "$I/ck_jit_manifest.json" && fail 'the manifest has no flags'
  doctor 0 --manifest flags.json --root "$I"
  case $flags in
  *calls*) finds warning library '-amdgpu-early-inline-all=true and .* needs hours for large kernels; build it without these flags' ;;
  *) lacks 'one flag alone' 'needs hours' out ;;
  esac
done

# the object has the same, and nothing of the environment
MY_TOKEN=s3cr3t CK_JIT_ON_ERROR=abort prebuild doctor --json >json || fail "$(cat json)"
python3 - json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["ckjit"] == 1 and d["errors"] == 0 and d["warnings"] == sum(c["state"] == "warning" for c in d["checks"]), d
assert {c["check"] for c in d["checks"]} >= {"programs", "compiler hip", "cache", "memory", "kernel", "gpu amd"}
for c in d["checks"]:
    assert set(c) == {"check", "state", "says", "advice"} and (c["state"] == "ok") == (c["advice"] is None), c
END
lacks 'a secret' "s3cr3t|abort|$(uname -n)\>" json -E

# on a terminal the states are coloured, but for NO_COLOR; elsewhere they are not
escape=$(printf '\033')
for colored in yes no; do
  [ $colored = yes ] && unset NO_COLOR || export NO_COLOR=1
  TERM=xterm python3 "$here/unit/terminal.py" tty 200 "$I/ckjit-prebuild" doctor || fail "on a terminal: $(cat tty)"
  found=no
  grep -q "^$escape\[0;32mok     $escape\[0m  " tty && found=yes
  [ $found = $colored ] || fail "NO_COLOR=${NO_COLOR-}: $(cat tty)"
done
unset NO_COLOR
prebuild doctor >out
lacks 'colour in a file' "$escape" out

# without anything: neither compiler nor GPU
gpus
mv "$I/ck_jit_manifest.json" manifest
(PATH=$T/empty CUDA_HOME=$T/empty ROCM_PATH=$T/empty prebuild doctor) >out 2>err || [ -e /usr/bin/hipcc ] || fail "$(cat out err)"
finds ok 'gpu amd' none
finds ok library 'none is named'

# errors, each with what to do
CK_JIT_HIPCC=$T/nowhere doctor 1
finds error 'compiler hip' "CK_JIT_HIPCC=$T/nowhere is not there; set it to the real hipcc, or unset it: ckjit then looks for one"
printf '#!/bin/sh\nexit 3\n' >broken && chmod +x broken
CK_JIT_HIPCC=$T/broken doctor 1
finds error 'compiler hip' 'ends with status 3; repair it'
mkdir -p home/bin && cp broken home/bin/hipcc && touch home/ckjit.conf
CK_JIT_HIPCC=$T/home/bin/hipcc doctor 0
finds warning 'compiler hip' 'is the wrapper of a fake home; .*set CK_JIT_HIPCC to the real compiler'
mkdir locks && mkdir locks/.locks && chmod 755 locks
doctor 1 --cache-dir "$T/locks"
finds error cache 'is open to other users; expected mode 0700 \(chmod 700\); until then every first call fails'
ln -s cache link
doctor 1 --cache-dir "$T/link"
finds error cache 'is a symbolic link'
CK_JIT_CACHE_READONLY_DIR=$T/nowhere doctor 0
finds warning read-only "$T/nowhere is not there; correct it: until then ckjit ignores this cache"
CK_JIT_CACHE_MAX_SIZE=2X prebuild doctor >out 2>/dev/null && fail 'a bad limit is no error'
finds error limit "CK_JIT_CACHE_MAX_SIZE: .*; correct it: every compile fails"
TMPDIR=$T/nowhere doctor 1
finds error temporary 'cannot write to .*/nowhere: not a directory; set TMPDIR'
mv "$I/ckjit-compile" compile
doctor 1
finds error programs 'ckjit-compile is missing beside ckjit-prebuild; install ckjit again'
printf '#!/bin/sh\necho ckjit-compile 0.0.9\n' >"$I/ckjit-compile" && chmod +x "$I/ckjit-compile"
doctor 1
finds error programs "is 'ckjit-compile 0.0.9'; expected version .*; install ckjit again"
mv compile "$I/ckjit-compile"
mv manifest "$I/ck_jit_manifest.json"
mv "$I/src" src
doctor 1
finds error library '6 of 6 sources are missing, such as .*/blob_.*; set CK_JIT_ROOT'
echo '{' >bad
doctor 1 --manifest bad --root "$T"
finds error library "$T/bad"

status=0
prebuild doctor blob 2>err || status=$?
[ "$status" = 2 ] && grep -q "doctor: unexpected argument 'blob'; see ckjit doctor --help" err || fail "status $status: $(cat err)"
