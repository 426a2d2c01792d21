#!/bin/sh
# No circle of files: no file needs a function or a variable of another file that needs one of the first, directly or by way
# of others. The symbols of the objects tell (test/lint/circles.py).
# tier: check
. "${0%/*}/common.sh"
need nm gcc python3

# circles OBJECTS SOURCES
circles() {
  if "$here/lint/circles.py" "$1" "$2" >"$T/found"; then return; fi
  cat "$T/found"
  [ -s "$T/found" ] || fail "$1: nothing was looked at"
}

found=$(circles "$B/obj" "$here/..")
[ -z "$found" ] || fail "move what closes it to a third file, or make one file of two:
$found"

# A circle of two files is found, and nothing else: neither the files around it, nor files of another room with the same names.
mkdir -p "$T/s/room" "$T/s/other" "$T/s/core" "$T/o/room" "$T/o/other" "$T/o/core"
cd "$T/s"
echo 'int b(void); int low(void); int a(void) { return b() + low(); }' >room/a.c
echo 'int a(void); int b(void) { return a(); }' >room/b.c
echo 'int a(void); int main(void) { return a(); }' >room/main.c
echo 'int low(void) { return 1; }' >core/low.c
echo 'int a(void); int b(void) { return a(); }' >other/b.c
echo 'int a(void) { return 0; }' >other/a.c
for file in */*.c; do gcc -c "$file" -o "../o/${file%.c}.o"; done
circles ../o . >"$T/two"
cat >"$T/wanted" <<'END'
a circle of 2 files: room/a.c room/b.c
  room/a.c -> room/b.c: b
  room/b.c -> room/a.c: a
END
cmp "$T/wanted" "$T/two" || fail "other circles: $(cat "$T/two")"
rm room/b.c # its object no longer counts
[ -z "$(circles ../o .)" ] || fail "a source that is gone is in a circle: $(circles ../o .)"
(circles "$T/none" .) 2>/dev/null && fail "nothing to look at is no circle"
exit 0
