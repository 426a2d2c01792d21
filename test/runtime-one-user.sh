#!/bin/sh
# A process of root's that works as another user (seteuid): what the library starts is that user
# altogether, so that a compiler that is a script, whose shell goes back to the real user, does not
# write as root. The programs believe the variables that the library does.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
need setpriv bash
umask 022
chmod 711 "$T"
many lib 4
setpriv --reuid=1234 --regid=1234 --clear-groups "$B/bin/ckjit-compile" --version >/dev/null || skip "another user cannot run the programs of this build directory"
chmod a+w "$T/lib/log"
mkdir -m 700 "$T/theirs"
chown 1234:1234 "$T/theirs"
: >"$T/ids"
chmod 666 "$T/ids"
cat >"$T/script" <<END
#!/bin/bash
sed -n 's/^[UG]id:[[:space:]]*//p' /proc/self/status >>"$T/ids"
exec "$T/fast" "\$@"
END
chmod 755 "$T/script"
export CK_JIT_CACHE_DIR="$T/theirs/cache" CK_JIT_HIPCC="$T/script"
is "value" 5 "$("$T/hostile" "$T/lib/libkernels.so" seteuid 1234 0 5)"
[ -s "$T/ids" ] || fail "CK_JIT_HIPCC was not used"
is "ids of the compiler" "1234 1234 1234 1234" "$(tr '\t' ' ' <"$T/ids" | sort -u)"
is "whose" "1234 1234 1234" "$(stat -c %u "$T/theirs/cache" "$T/theirs/cache/k0.so" "$T/theirs/cache/.locks" | tr '\n' ' ' | sed 's/ $//')"

# a failure to start is seen
: >"$T/ids"
CK_JIT_HIPCC=$T/nothing "$T/hostile" "$T/lib/libkernels.so" seteuid 1234 1 5 >"$T/out" 2>&1 && fail "compiled by nothing"
has "a compiler that is not there" "$T/nothing" "$T/out"

# a program that is started so
setpriv --euid=1234 --egid=1234 --clear-groups "$T/lib/ck_jit/ckjit-compile" --hipcc "$T/script" \
  --blob-source "$T/lib/ck_jit/src/k2.cu" --output "$T/theirs/k2.so" \
  --blob-flags "--log=$T/lib/log --template=$T/lib/template.so --control=$T/lib/control" >"$T/out" 2>&1 ||
  fail "by hand: $(cat "$T/out")"
is "ids of the compiler of a program" "1234 1234 1234 1234" "$(tr '\t' ' ' <"$T/ids" | sort -u)"
