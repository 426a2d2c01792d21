#!/bin/sh
# Progress: on a terminal one line that changes, no wider than it is, with seconds that run between two ends and the slowest of those
# that run; in a log, with TERM=dumb, with NO_COLOR and in a rank of Open MPI a line for each.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/shard_fixture.sh"
unset NO_COLOR
export TERM=xterm
SHIM_MS=50
shard_tree 6
long=größe-$(printf 'x%.0s' $(seq 150))
cat >"$T/rename.py" <<'END'
import json, os, sys
I, old, new = sys.argv[1:]
m = json.load(open(f"{I}/ck_jit_manifest.json"))
os.rename(f"{I}/src/{old}.cu", f"{I}/src/{new}.cu")
b = m["blobs"].pop(old)
b["source"] = f"{{root}}/src/{new}.cu"
m["blobs"][new] = b
json.dump(m, open(f"{I}/ck_jit_manifest.json", "w"))
END
python3 "$T/rename.py" "$I" k0 "$long"
hold=$T/control/$long.hold

# frames WIDTH UNTIL COMMAND…: on a terminal; its lines as they were drawn, one a line, in $T/frames. The long one ends when
# UNTIL, a regular expression, was drawn
frames() {
  rm -rf "$T/cache"
  touch "$hold"
  width_=$1 until_=$2
  shift 2
  python3 "$here/unit/terminal.py" "$T/raw" "$width_" --remove "$hold" "$until_" "$@" || fail "status $?: $(cat "$T/raw")"
  python3 - "$T/raw" >"$T/frames" <<'END'
import re, sys
for part in open(sys.argv[1], "rb").read().decode("utf-8").replace("\r\n", "\n").split("\n"):
    for frame in part.split("\r"):
        print(re.sub(r"^[-|/\\] [0-9hms]+ ", "", frame.replace("\x1b[K", "")))
END
}
# build WIDTH [UNTIL [VARIABLE=VALUE]]
build() { frames "$1" "${2-.}" env "${3-A=a}" "$I/ckjit-prebuild" build --all -j 2 --cache-dir "$T/cache"; }

# Seconds run between two ends: at least two frames of the one that still runs have others, the later one more.
build 120 '\[5/6\][^\r]*slowest ([0-9]+)s(?=.*\[5/6\][^\r]*slowest (?!\1s)[0-9]+s)'
head -c 20000 "$T/frames" >"$T/shown"
grep -q '^\[0/6\]' "$T/frames" || fail "no line at the start: $(cat "$T/shown")"
sed -n 's|^\[5/6\] [0-9.]* a minute, .*1 running, slowest \([0-9]*\)s größe-x*…$|\1|p' "$T/frames" >"$T/seconds"
[ "$(sort -nu "$T/seconds" | wc -l)" -ge 2 ] && sort -nc "$T/seconds" || fail "seconds that do not run: $(cat "$T/shown")"
grep -q '^\[6/6\] [0-9.]* a minute$' "$T/frames" || fail "no last line: $(cat "$T/shown")"
grep -q '^6 compiled, 0 in the cache already, 0 failed' "$T/frames" || fail "$(cat "$T/shown")"
lacks 'lines of a log as well' 'compiled in' "$T/frames"
# within the width: a character that is not ASCII may take two columns
for width in 120 40 12 3 1; do
  [ $width = 120 ] || build $width
  python3 - "$T/raw" $width <<'END' || fail "wider than $width"
import sys
drawn = open(sys.argv[1], "rb").read().decode("utf-8").replace("\n", "\r").split("\r")
assert any("\x1b[K" in line for line in drawn)
for line in drawn:
    if "\x1b[K" in line:
        line = line.replace("\x1b[K", "")
        shown = sum(1 if ord(c) < 128 or c == "…" else 2 for c in line)
        assert shown < max(int(sys.argv[2]), 2), (shown, line)
END
done
build 0 # a terminal that does not say how wide it is: 80
awk '/^\[/ && length($0) > 90 { exit 1 }' "$T/frames" || fail 'wider than 80'

# sign and time in front of it
[ "$(tr '\r' '\n' <"$T/raw" | grep -o '^[-|/\\] [0-9]*s \[' | sort -u | wc -l)" -ge 2 ] || fail "it does not move: $(cat -v "$T/raw")"

# time left, by the times of before, and what has failed
: >"$T/control/k3.fail"
printf '%s\t600\nk1\t0.5\nk2\t0.5\nk3\t0.5\nk4\t0.5\nk5\t0.5\n' "$long" >"$T/times"
rm -rf "$T/cache"
touch "$hold"
python3 "$here/unit/terminal.py" "$T/raw" 200 --remove "$hold" '\[5/6\][^\r]*1 failed, 1 running' "$I/ckjit-prebuild" build --all -j 2 --cache-dir "$T/cache" --times "$T/times" || true
tr '\r' '\n' <"$T/raw" | sed 's/^[-|/\\] [0-9hms]* //' >"$T/frames"
grep -q '^\[5/6\] .* a minute, [0-9hms]* left, 1 failed, 1 running, slowest [0-9]*s gr' "$T/frames" || fail "$(cat "$T/frames")"
grep -q 'failed: k3, log' "$T/frames" || fail "$(cat "$T/frames")"
rm "$T/control/k3.fail"

# lines. mpirun gives each rank a terminal of its own, also if its output goes to a file, and mixes what they write.
export OMPI_COMM_WORLD_SIZE=1
for how in TERM=dumb NO_COLOR=1 TERM= OMPI_COMM_WORLD_RANK=0; do
  build 100 '\[5/6\]' $how
  lacks "$how: it moves the cursor" "$(printf '\033')" "$T/raw"
  [ "$(grep -c '^\[[1-6]/6\] .* compiled in [0-9.]* s$' "$T/frames")" = 6 ] || fail "$how: $(cat "$T/frames")"
done
unset OMPI_COMM_WORLD_SIZE
NO_COLOR='' build 100
grep -q "$(printf '\033')" "$T/raw" || fail 'an empty NO_COLOR means nothing'
rm -rf "$T/cache"
"$I/ckjit-prebuild" build --all --cache-dir "$T/cache" | grep -c '^\[[1-6]/6\] .* compiled in [0-9.]* s$' | grep -qx 6 || fail 'not a line for each in a pipe'

# what would move the cursor, and what is no character, is a question mark
odd=$(printf 'esc\033[31mtab\tend')
python3 "$T/rename.py" "$I" k5 "$odd"
hold=$T/control/$odd.hold
build 100 'slowest [0-9]+s esc'
grep -q 'slowest [0-9]*s esc?\[31mtab?end$' "$T/frames" || fail "$(cat "$T/frames")"
