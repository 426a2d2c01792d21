#!/bin/sh
# What a user names as an output is written to: a link stays a link, and a device, a pipe or /dev/stdout is not replaced by a file. A full disk
# is an error, and leaves nothing.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need zstd
. "${0%/*}/unit/pack_fixture.sh"
many lib 2
install lib
manifest=$T/lib/ck_jit/ck_jit_manifest.json
cd "$T"
export CK_JIT_CACHE_DIR="$T/cache"
CK_JIT_ARCH=gfx942 api "open:$T/lib/libkernels.so" compile:k0:store compile:k1:store >/dev/null
mkdir bin
printf '#!/bin/sh\nexec c++ "$@"\n' >bin/hipcc
chmod +x bin/hipcc
env -u CK_JIT_HIPCC "$B/bin/ckjit-build" home --dir h --rocm "$T" >out 2>&1 || fail "$(cat out)"
echo 'int a;' >a.cpp
env -u CK_JIT_HIPCC h/bin/hipcc -c a.cpp -o a.o >out 2>err || fail "$(cat err)"
cat >t.json <<'JSON'
[{"ph":"i","name":"trace","cat":"trace","pid":1,"tid":1,"ts":1,"s":"p"}
,{"ph":"X","name":"call","cat":"call","pid":1,"tid":1,"ts":2,"dur":3}
JSON
printf '{"d":["1"]}' >m.json
printf 'int a@d@;' >a.in

mkdir places
devices=
mknod places/full c 1 7 2>"$T/err" && [ -w places/full ] && devices=1
# to COMMAND…: its last word is the output
to() {
  echo old >places/file
  ln -s file places/link
  "$@" places/link >out 2>err || fail "$* a link: $(cat err)"
  [ -L places/link ] || fail "$*: a link is replaced by a file"
  [ "$(cat places/file)" != old ] || fail "$*: the file behind the link is not written"
  mkfifo places/pipe
  cat places/pipe >got &
  "$@" places/pipe >out 2>err || fail "$* a pipe: $(cat err)"
  [ -p places/pipe ] || fail "$*: a pipe is replaced by a file"
  wait $!
  cmp -s places/file got || fail "$*: a pipe got something else"
  ln -s /proc/self/fd/1 places/stdout # as /dev/stdout is
  "$@" places/stdout 2>err | cat >got || fail "$* standard output: $(cat err)"
  [ -L places/stdout ] || fail "$*: the link to standard output is replaced"
  [ -s got ] || fail "$*: nothing on standard output"
  [ -z "$devices" ] || {
    status=0
    "$@" places/full >out 2>err || status=$?
    is "$* a full disk" 1 "$status"
    [ -c places/full ] || fail "$*: a device is replaced by a file"
    has "$* a full disk" 'No space left on device' err
  }
  rm -f places/file places/link places/pipe places/stdout
  is "$*: what is left" "${devices:+full}" "$(ls places)"
}
to "$B/bin/ckjit-prebuild" pack --manifest "$manifest" --all --output
to "$B/bin/ckjit" export-compile-commands h/work -o
to "$B/bin/ckjit" cache --manifest "$manifest" --write-blob-list
to "$B/bin/ckjit" trace view t.json -o
to "$B/bin/ckjit-prebuild" matrix m.json --template a.in --output
