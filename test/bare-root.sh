#!/bin/sh
# What README says to type on a bare machine does what it says there: its two commands run to their end in a Debian that debootstrap has just
# made, in a clone of this checkout. No test fails there, and none is skipped but those of bare-root/skips. It is Debian 13, for CI is
# a bare Debian 12 and begins with README's make check (.ci/run); RELEASE=bookworm, as in bare-root-long.sh, is that one.
# tier: long
# timeout: 7200
# seconds: 850
. "${0%/*}/common.sh"
[ -z "${SANITIZER-}" ] || skip "README's commands build without a sanitizer"
[ "$(id -u)" = 0 ] || skip "needs root, for debootstrap and chroot"
need debootstrap unshare git
top=$(cd "$here/.." && pwd)

# commands: the two that README gives under "Try it", the indented lines there
commands() {
  awk '/^## / { inside = /^## Try it/ } inside && /^    / { sub(/^ +/, ""); print }' "$1"
}
commands "$top/README.md" >"$T/commands"
[ "$(wc -l <"$T/commands")" = 2 ] || fail "README has not two commands under 'Try it', but: $(cat "$T/commands")"
demo=$(sed -n 1p "$T/commands")
check=$(sed -n 2p "$T/commands")
case $demo--$check in *'make demo'*--*'make check'*) ;; *) fail "README's commands are '$demo' and '$check'" ;; esac

# Of the environment only how to reach the world goes in, and that one test runs at a time: others run beside this one.
env | grep -iE '^(https?_proxy|no_proxy|PIP_[A-Z_]*)=' >"$T/environment" || true
echo "JOBS=1" >>"$T/environment"
# inside COMMAND: as root, in the checkout
inside() {
  (
    set -- "$1"
    while read -r variable; do set -- "$@" "$variable"; done <"$T/environment"
    command_=$1
    shift
    "$here/toolchain/debian-root" --run "$T/root" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      "$@" /bin/sh -c 'cd /root/ckjit && eval "$0"' "$command_"
  ) </dev/null
}

# Only what the list has may be skipped: lines PATTERN of names and reasons, behind # why.
# skipped FILE: the skips in the output FILE that no line of the list allows
skipped() {
  sed -n 's|^\[[0-9/]*\] skip \([^ ]*: .*\)|\1|p' "$1" | while read -r line; do
    allowed=
    while read -r name words; do
      # shellcheck disable=SC2254 # patterns
      case $name in '' | '#'*) continue ;; esac
      # shellcheck disable=SC2254
      case $line in $name:*"$words"*) allowed=1 ;; esac
    done <"$here/bare-root/skips"
    [ -n "$allowed" ] || echo "$line"
  done
}
printf '%s\n' '[1/2] ok   a 1.0s' '[2/2] skip wrapper-blob: no readelf here: apt-get install build-essential' >"$T/out"
[ -n "$(skipped "$T/out")" ] || fail "a skip that the list does not have goes unnoticed"

release=${RELEASE:-trixie} out=$T/out checkout=$T/root/root/ckjit
"$here/toolchain/debian-root" "$T/root" "$release" || skip "no root of Debian's $release can be made here"
git -c safe.directory='*' clone -q "file://$top" "$checkout" 2>"$out" || skip "the checkout cannot be cloned: $(cat "$out")"
git -C "$top" -c safe.directory='*' diff --binary HEAD >"$T/changes" # what is not committed yet, too
[ ! -s "$T/changes" ] || git -C "$checkout" apply "$T/changes"
begun=$(date +%s)
inside "$demo" >"$out" 2>&1 || fail "$release: $demo: $(tail -n 40 "$out")"
echo "$release: '$demo' took $(($(date +%s) - begun)) s, installation and all"
[ -n "$(find "$checkout/build/demo/cache" -name '*.so')" ] || fail "$release: the demo has compiled no kernel: $(tail -n 40 "$out")"
begun=$(date +%s)
inside "$check" >"$out" 2>&1 || fail "$release: $check: $(grep -A 30 '^\[[0-9/]*\] FAIL' "$out" || tail -n 40 "$out")"
echo "$release: '$check' took $(($(date +%s) - begun)) s, installation and all: $(tail -n 1 "$out")"
tail -n 1 "$out" | grep -qE '^[1-9][0-9]+ passed, 0 failed, [0-9]+ skipped$' || fail "$release: it ends with: $(tail -n 3 "$out")"
found=$(skipped "$out")
[ -z "$found" ] || fail "$release: skipped, though a bare machine is to have all that it needs: $found"
cp "$out" "$B/test/log/bare-root-$release.log"
