#!/bin/sh
# Progress of `full` on a terminal: one line, no wider than it is, with a sign that moves and the time since it began: what is done, then how far each
# library is; the time left only if the build says how much there is to do; erased before anything else is printed. The words that results begin with
# are bold, the last one green. Nothing of it elsewhere, with TERM=dumb, NO_COLOR, CK_JIT_QUIET or --verbose.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
unset NO_COLOR CK_JIT_QUIET
export TERM=xterm
installation
rocm "$T/rocm"
aiter "$T/aiter"
cat >"$T/edit.py" <<'END_OF_PYTHON'
import sys
path, hold = sys.argv[1:]
text = open(path).read()
text = text.replace('    objs.append(source[:-3]', '    print(f"[{n}/4] hipcc", flush=True)\n    objs.append(source[:-3]')
text = text.replace('so = f"{root}', f'import time\nprint("[3/4] c++ host.cc", flush=True)\nwhile os.path.exists("{hold}"): time.sleep(0.05)\nif os.environ.get("FAIL_LATE"): sys.exit("error: no such kernel")\nso = f"{{root}}')
open(path, "w").write(text)
END_OF_PYTHON
python3 "$T/edit.py" "$T/aiter/op_tests/cpp/mha/compile.py" "$T/hold"
# frames WIDTH UNTIL COMMAND…: on a terminal; each piece between two carriage returns is a line of $T/frames, what stays on the screen is in $T/screen
frames() {
  rm -rf "$T/w"
  touch "$T/hold"
  width_=$1 until_=$2 status=0
  shift 2
  # shellcheck disable=SC2086 # words
  python3 "$here/unit/terminal.py" "$T/raw" "$width_" --remove "$T/hold" "$until_" "$@" ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --tmp-dir "$T/w" ${more:+$more} ||
    status=$?
  python3 - "$T/raw" "$T/frames" "$T/screen" <<'END_OF_PYTHON'
import re, sys
raw = re.sub("\x1b\\[[0-9;]*m", "", open(sys.argv[1], "rb").read().decode().replace("\r\n", "\n"))
frames, screen = [], []
for line in raw.split("\n"):
    parts = line.split("\r")
    frames += parts
    shown = ""
    for part in parts:
        shown = part.replace("\x1b[K", "") if "\x1b[K" in part or len(part) >= len(shown) else part + shown[len(part):]
    screen.append(shown)
open(sys.argv[2], "w").write("\n".join(f.replace("\x1b[K", "") for f in frames) + "\n")
open(sys.argv[3], "w").write("\n".join(screen) + "\n")
END_OF_PYTHON
}
more=
frames 100 'fwd 3/4, bwd 3/4, 4 recorded, 0 host compiles, [0-9hms]+ left' env A=a
[ $status = 0 ] || fail "status $status: $(cat "$T/screen")"
grep -q '^[-|/\\] [0-9]*s fwd generates, bwd generates$' "$T/frames" || fail "no line at the start: $(cat "$T/frames")"
grep -q '^[-|/\\] [0-9]*s copying the checkout$' "$T/frames" || fail "no line while it copies: $(cat "$T/frames")"
lacks 'the line stays on the screen' '(generates|recorded|copying)' "$T/screen" -E
grep -q "^done  *use the libraries\|^done  *the libraries can be used" "$T/screen" || fail "no last line: $(cat "$T/screen")"
esc=$(printf '\033')
grep -q "$esc\[1mtotal  *$esc\[0m" "$T/raw" && grep -q "$esc\[1;32mdone  *$esc\[0m" "$T/raw" || fail "no colour: $(cat -v "$T/raw")"
grep -q '^total  *[0-9.]* s' "$T/screen" && grep -q '^fwd  *[0-9.]* s  log in' "$T/screen" || fail "the steps: $(cat "$T/screen")"

# It moves while nothing ends: the build waits until two seconds and two signs were seen.
more='--api bwd' frames 100 '([0-9]+)s bwd 3/4(?=.*(?!\1s)[0-9]+s bwd 3/4)' env A=a
[ "$(grep -o '^. [0-9]*s bwd 3/4' "$T/frames" | cut -c 1 | sort -u | wc -l)" -ge 2 ] || fail "the sign stands: $(cat "$T/frames")"
for width in 30 5 1; do
  more='--api fwd' && frames $width '\[K.*\[K.*\[K.*\[K.*\[K.*\[K' env A=a
  python3 - "$T/raw" $width <<'END_OF_PYTHON' || fail "wider than $width"
import re, sys
drawn = re.findall("\r([^\r\n]*)\x1b\\[K", open(sys.argv[1], "rb").read().decode())
assert drawn and all(len(d) < max(int(sys.argv[2]), 2) for d in drawn), drawn
END_OF_PYTHON
done

# a build that fails: the line goes before the message
more='--api bwd' && frames 100 'bwd 3/4' env FAIL_LATE=1
[ $status = 1 ] && grep -q '^ckjit-build: .*error: .*bwd: ' "$T/screen" || fail "status $status: $(cat -v "$T/screen")"
lacks 'the line stays' 'recorded' "$T/screen"

# nowhere else
quiet() {
  [ "$1" = --verbose ] || [ "$1" = CK_JIT_QUIET=1 ] || lacks "$1: an escape" "$(printf '\033')" "$T/raw"
  lacks "$1: a line" '(generates|recorded, )' "$T/raw" -E
  grep -q '^total ' "$T/screen" || fail "$1: $(cat "$T/screen")"
}
for how in TERM=dumb TERM= NO_COLOR=1 CK_JIT_QUIET=1; do
  more='--api fwd' && frames 100 'home' env $how && quiet $how
done
more='--api fwd --verbose' && frames 100 'home' env A=a && quiet --verbose
rm -f "$T/hold"
ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --tmp-dir "$T/w2" >"$T/raw" 2>&1 && cp "$T/raw" "$T/screen" && quiet 'in a pipe'
