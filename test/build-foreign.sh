#!/bin/sh
# What ckjit-build and a link run is written down in the work directory and in the fake home: state,
# records, configuration, objects. One of another user's, or that others can write to, is refused
# before anything of it is read or run.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
umask 022
installation
rocm "$T/rocm"
aiter "$T/aiter"
w=$T/w dir=$T/w/libmha_fwd
state=$dir/ck_jit_quick_rebuild.json
full() {
  ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --api fwd --tmp-dir "$w"
}
# foreign TEXT COMMAND…: refused, and nothing ran
foreign() {
  text=$1
  shift
  status=0
  "$@" >"$T/said" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "$*: status $status: $(cat "$T/said")"
  tr '\n' ' ' <"$T/said" | grep -q -e "$text" || fail "$*: expected '$text', found: $(cat "$T/said")"
  [ ! -e "$T/ran" ] || fail "$*: $(cat "$T/ran")"
}

# another user has made it before
mkdir "$w"
chown 4321 "$w"
foreign "the work directory $w is not used.*$w belongs to another user (owner 4321, mode 0755).*name another directory with --tmp-dir" full
chown 0 "$w"
chmod 777 "$w"
foreign "$w is writable by everybody (owner 0, mode 0777).*chmod go-w it if it is yours" full
chmod 1777 "$w"
foreign "$w is writable by everybody" full
rmdir "$w"
mkdir "$T/mine"
ln -s mine "$w"
chown -h 4321 "$w"
foreign "$w belongs to another user" full
chown -h 0 "$w"
mkdir "$T/mine/home"
chown 4321 "$T/mine/home"
foreign "the fake home $w/home is not used" full
rm -r "$w" "$T/mine"
mkdir -m 755 "$w"
touch "$w/.ckjit-lock"
chown 4321 "$w/.ckjit-lock"
foreign ".ckjit-lock, the lock of the work directory, belongs to another user; remove it" full
rm -r "$w"
full >"$T/out" 2>&1 || fail "$(cat "$T/out")"
[ "$(stat -c %a "$w" "$dir" "$state" | tr '\n' ' ')" = "755 755 644 " ] || fail "modes: $(stat -c '%a %n' "$w" "$dir" "$state")"

# quick, relink and explain read it
printf '#!/bin/sh\necho "$0 $*" >>%s/ran\nexit 1\n' "$T" >"$T/evil"
chmod 755 "$T/evil"
cp "$state" "$T/state"
python3 - "$state" "$T/evil" <<'END'
import json, sys
s = json.load(open(sys.argv[1]))
s["runtime_cc"][0] = sys.argv[2]
json.dump(s, open(sys.argv[1], "w"))
END
chown 4321 "$state"
for command in quick relink full; do
  set -- ckjit-build "$command" --tmp-dir "$w"
  [ "$command" != full ] || set -- full
  chown 4321 "$state"
  if [ "$command" != full ]; then # which removes it
    foreign "$state: is not used, because another user can change the commands in it.*$state belongs to another user" "$@"
    chown 0 "$state"
    chmod 666 "$state"
    foreign "$state is writable by everybody" "$@"
    chmod 644 "$state"
    chown 4321 "$dir"
    foreign "$dir belongs to another user" "$@"
    chown 0 "$dir"
  fi
  chown 4321 "$w"
  foreign "the work directory $w is not used" "$@"
  chown 0 "$w"
done
cp "$T/state" "$state" && chown 0 "$state"
log=$w/manifest.json.ndjson
chown 4321 "$log"
foreign "the log of records $log is not used" ckjit-build explain "$w"
chown 0 "$log"
chown 4321 "$w"
foreign "the work directory $w is not used" ckjit-build explain "$w"
chown 0 "$w"
ckjit-build explain "$w" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
ckjit-build quick --tmp-dir "$w" >"$T/out" 2>&1 || fail "$(cat "$T/out")"

# a fake home and its links
mkdir "$T/h"
chown 4321 "$T/h"
foreign "the fake home $T/h is not used" ckjit-build home --dir "$T/h"
rmdir "$T/h"
mkdir "$T/hw"
chown 4321 "$T/hw"
foreign "the work directory $T/hw is not used.*name another with --work" ckjit-build home --dir "$T/h" --work "$T/hw"
chown 0 "$T/hw"
ckjit-build home --dir "$T/h" --work "$T/hw" >"$T/exports" || fail "home"
echo 'int f() { return 1; }' >"$T/f.cpp"
chmod 666 "$T/h/ckjit.conf"
foreign "$T/h/ckjit.conf: is writable by others; chmod go-w it" "$T/h/bin/ckjit-cxx" -c "$T/f.cpp" -o "$T/f.o"
chmod 644 "$T/h/ckjit.conf"
chown 4321 "$T/h/ckjit.conf"
foreign "$T/h/ckjit.conf: belongs to another user" "$T/h/bin/ckjit-cxx" -c "$T/f.cpp" -o "$T/f.o"
chown 4321 "$T/h/bin/"*
"$T/h/bin/ckjit-cxx" -c "$T/f.cpp" -o "$T/f.o" || fail "a home of another user's, whose programs run anyway"
chown 0 "$T/h/bin/"* "$T/h/ckjit.conf"
link() {
  "$B/libexec/ckjit/ckjit-link" --home "$T/h" --work "$T/hw" --compiler "$(command -v g++)" -- -shared -o "$T/libf.so" "$T/f.o"
}
for part in hw hw/libf hw/libf/objs hw/libf/units; do
  mkdir -p "$T/$part"
  chown 4321 "$T/$part"
  foreign "$T/$part is not used.*CK_JIT_TMP_DIR names the work directory" link
  chown 0 "$T/$part"
  chmod 777 "$T/$part"
  foreign "$T/$part is writable by everybody" link
  chmod 755 "$T/$part"
done
