#!/bin/sh
# What README says to type on a bare machine does what it says there: its two commands run to their end in a Debian 12 and a Debian 13 that
# debootstrap has just made, side by side, in a clone of this checkout. No test fails there, and none is skipped but those of bare-root/skips.
# tier: all
# serial
# timeout: 7200
# seconds: 650
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

# Of the environment only how to reach the world goes in, and how many tests to run side by side.
env | grep -iE '^(https?_proxy|no_proxy|PIP_[A-Z_]*)=' >"$T/environment" || true
echo "JOBS=$((($(nproc) + 1) / 2))" >>"$T/environment"
# inside RELEASE COMMAND: as root, in the checkout
inside() {
  root_=$T/$1
  (
    set -- "$2"
    while read -r variable; do set -- "$@" "$variable"; done <"$T/environment"
    command_=$1
    shift
    "$here/toolchain/debian-root" --run "$root_" /usr/bin/env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      "$@" /bin/sh -c 'cd /root/ckjit && eval "$0"' "$command_"
  ) </dev/null
}

# Only what the list has may be skipped: lines PATTERN of names and reasons, behind # why.
# skipped FILE: the skips in the output FILE that no line of the list allows
skipped() {
  sed -n 's/^skip \([^ ]*: .*\)/\1/p' "$1" | while read -r line; do
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
printf '%s\n' 'ok   a 1.0s' 'skip wrapper-blob: no readelf here: apt-get install build-essential' >"$T/out"
[ -n "$(skipped "$T/out")" ] || fail "a skip that the list does not have goes unnoticed"

# try RELEASE: both commands, in a root of their own; 77: there cannot be one
try() (
  release=$1 out=$T/$1.out
  "$here/toolchain/debian-root" "$T/$release" "$release" || skip "no root of Debian's $release can be made here"
  mkdir -p "$T/$release/root"
  git -c safe.directory='*' clone -q "file://$top" "$T/$release/root/ckjit" 2>"$out" || skip "the checkout cannot be cloned: $(cat "$out")"
  [ ! -s "$T/changes" ] || git -C "$T/$release/root/ckjit" apply "$T/changes"
  begun=$(date +%s)
  inside "$release" "$demo" >"$out" 2>&1 || fail "$release: $demo: $(tail -n 40 "$out")"
  echo "$release: '$demo' took $(($(date +%s) - begun)) s, installation and all"
  [ -n "$(find "$T/$release/root/ckjit/build/demo/cache" -name '*.so')" ] || fail "$release: the demo has compiled no kernel: $(tail -n 40 "$out")"
  begun=$(date +%s)
  inside "$release" "$check" >"$out" 2>&1 || fail "$release: $check: $(grep -A 30 '^FAIL' "$out" || tail -n 40 "$out")"
  echo "$release: '$check' took $(($(date +%s) - begun)) s, installation and all: $(tail -n 1 "$out")"
  tail -n 1 "$out" | grep -qE '^[1-9][0-9]+ passed, 0 failed, [0-9]+ skipped$' || fail "$release: it ends with: $(tail -n 3 "$out")"
  found=$(skipped "$out")
  [ -z "$found" ] || fail "$release: skipped, though a bare machine is to have all that it needs: $found"
  cp "$out" "$B/test/log/bare-root-$release.log"
)

# Both at the same time, each on its half of the processors: while one installs packages, the other compiles.
git -C "$top" -c safe.directory='*' diff --binary HEAD >"$T/changes" # what is not committed yet, too
try bookworm >"$T/bookworm.said" 2>&1 &
first=$!
try trixie >"$T/trixie.said" 2>&1 &
second=$!
status=0 other=0
wait $first || status=$?
wait $second || other=$?
cat "$T/bookworm.said" "$T/trixie.said"
[ $status != 0 ] && [ $status != 77 ] || [ $other = 0 ] || status=$other # a failure counts, before a root that cannot be made
exit $status
