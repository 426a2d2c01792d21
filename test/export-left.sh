#!/bin/sh
# SIGKILL of an export leaves the directory that it works in; the next export into the same directory removes it, and no other.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
cat >"$T/hipcc" <<END
#!/bin/sh
case "\$*" in *-###*) exec hipcc "\$@" ;; esac
echo \$\$ >>"$T/sleeping"
echo started >"$T/started"
exec sleep 100000
END
chmod +x "$T/hipcc"
mkdir out out/.ckjit-export-mine out/.ckjit-tmp-mine

# hang: an export that hangs in its compiler; $pid
hang() {
  rm -f "$T/started"
  CK_JIT_HIPCC=$T/hipcc "$B/bin/ckjit-prebuild" export k64 --format asm --output out/ >"$T/hung" 2>&1 &
  pid=$!
  await 'no export' test -e "$T/started"
}
left() {
  find out -maxdepth 1 -name '.ckjit-*' ! -name '*-mine' | wc -l
}
hang
killed=$pid
hang
[ "$(left)" = 2 ] || fail "two that work: $(ls -A out)"
kill -KILL "$killed"
wait "$killed" || true
[ "$(left)" = 2 ] || fail "one that was killed: $(ls -A out)"
export_ k128 --format asm --output out/
[ "$(left)" = 1 ] || fail "the next one: $(ls -A out)"
kill -TERM "$pid"
wait "$pid" || true
[ "$(left)" = 0 ] || fail "one that was told to stop: $(ls -A out)"
[ "$(find out -name '*-mine' | wc -l)" = 2 ] || fail "directories of the user's: $(ls -A out)"
# what the export that was killed had started goes on
while read -r pid; do kill "$pid" 2>/dev/null || :; done <"$T/sleeping"
