#!/bin/sh
# make.sh [PICTURE...] - make docs/pictures/PICTURE.png by Chromium; `make pictures` makes all
#
#   readme     README.md as a forge shows it
#   terminal   README's example, typed at a terminal
#
# It needs what `make demo` needs, chromium, and python3-markdown for the README.
set -eu
here=$(cd "${0%/*}" && pwd)
top=$(cd "$here/../.." && pwd)
B=$(cd "${B:-$top/build}" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
python=/usr/bin/python3

# shot NAME PAGE WIDTH HEIGHT: the page as NAME.png, which may have 150,000 bytes, a README 400,000
shot() {
  HOME=$T chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --user-data-dir="$T/profile" --hide-scrollbars --window-size="$3,$4" \
    --screenshot="$T/$1.png" "file://$2" 2>"$T/said" || {
    cat "$T/said" >&2
    exit 1
  }
  size=$(wc -c <"$T/$1.png") most=150000
  [ "$1" != readme ] || most=400000
  [ "$size" -lt "$most" ] || {
    echo "make.sh: $1.png has $size bytes; expected less than $most: a lower page" >&2
    exit 1
  }
  cp "$T/$1.png" "$here/$1.png"
}

readme() {
  "$python" "$here/page.py" readme "$top/README.md" >"$T/readme.html"
  shot readme "$T/readme.html" 900 "${HEIGHT:-3040}"
}

# The lines of README that begin with "$ ", in a home and a directory of their own.
terminal() {
  mkdir "$T/work" "$T/home"
  sed -n 's/^    \$ //p' "$top/README.md" >"$T/typed"
  set --
  while IFS= read -r line; do
    set -- "$@" "$line"
  done <"$T/typed"
  (
    cd "$T/work"
    HOME=$T/home PATH=$B/bin:$PATH "$python" "$here/page.py" terminal "$@"
  ) >"$T/terminal.html"
  shot terminal "$T/terminal.html" 980 "${HEIGHT:-235}"
}

[ $# -gt 0 ] || set -- readme terminal
for picture; do
  case $picture in
    readme | terminal) "$picture" ;;
    *)
      echo "make.sh: $picture: expected readme or terminal" >&2
      exit 2
      ;;
  esac
done
