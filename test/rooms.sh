#!/bin/sh
# No room includes upward: every #include "…" of the rooms is one that the picture in CONTRIBUTING.md allows, each arrow there leads
# down, and each is used.
# tier: check
. "${0%/*}/common.sh"

# rooms DIR: what is wrong with the tree in DIR; nothing if nothing is.
#
# The picture is the first fenced block of "Where things live". A line of it is `ROOM → ROOM, ROOM   what it is` (three blanks); `core` on the right
# stands for all of core/. A directory without a line belongs to the room above it. An include is looked for beside the file that has
# it, then from the top; the runtime is installed into one directory with abi/, so its bare names may be abi's.
rooms() (
  cd "$1" || exit
  sed -n '/^## Where things live/,/^## /p' CONTRIBUTING.md | awk '/^```/ { if (inside++) exit; next } inside' >"$T/picture"
  find front driver wrapper unit postbuild compile prebuild nvcc api runtime abi core -name '*.[chS]' | sort >"$T/files"
  tr '\n' '\0' <"$T/files" | xargs -0 awk '/^[ \t]*#[ \t]*include[ \t]*"/ { split($0, q, "\""); print FILENAME ":" FNR, q[2] }' >"$T/includes"
  awk '
    # the room of a path: the longest directory that has a line
    function room(path) {
      while (sub(/\/[^\/]*$/, "", path)) if (path in line) return path
      return ""
    }
    FILENAME ~ /picture$/ && / →/ {
      at = $1
      if (at in line) print "CONTRIBUTING.md: " at " has two lines"
      line[at] = FNR
      to = substr($0, index($0, "→") + length("→ "))
      sub(/(^|  ) .*/, "", to)
      allowed[at] = to
      next
    }
    FILENAME ~ /picture$/ { next }
    FILENAME ~ /files$/ && !prepared++ {
      for (at in line) {
        n = split(allowed[at], words, /, */)
        for (i = 1; i <= n; i++) {
          if (words[i] == "core") { for (r in line) if (r ~ /^core\//) edge[at, r] = words[i] }
          else if (words[i] in line) edge[at, words[i]] = words[i]
          else print "CONTRIBUTING.md: " at " → " words[i] ": there is no line of that room"
        }
      }
      for (e in edge) {
        split(e, ends, SUBSEP)
        if (line[ends[2]] <= line[ends[1]]) print "CONTRIBUTING.md: " ends[1] " → " ends[2] " leads up"
      }
    }
    FILENAME ~ /files$/ {
      is_file[$0] = 1
      if (room($0) == "") print $0 ": its directory is no room in CONTRIBUTING.md"
      else lives[room($0)] = 1
      next
    }
    {
      from = $1
      sub(/:[0-9]*$/, "", from)
      beside = from
      sub(/[^\/]*$/, "", beside)
      name = $2
      if (name ~ /^ck_jit_(unit_calls|side_calls)\.h$/) next # written by the link and by ckjit-compile
      if ((beside name) in is_file) target = beside name
      else if (name in is_file) target = name
      else if (room(from) == "runtime" && ("abi/" name) in is_file) target = "abi/" name
      else { print $1 ": \"" name "\" is neither beside it nor a path from the top"; next }
      a = room(from); b = room(target)
      if (a == b) next
      if (!((a, b) in edge)) print $1 ": " a " must not include " b " (" name ")"
      else used[a, edge[a, b]] = 1
    }
    END {
      for (at in line) {
        if (!(at in lives)) print "CONTRIBUTING.md: there is no file in " at
        n = split(allowed[at], words, /, */)
        for (i = 1; i <= n; i++) if (!((at, words[i]) in used)) print "CONTRIBUTING.md: " at " → " words[i] ": no file includes so"
      }
      if (NR < 100) print "CONTRIBUTING.md: no picture of the rooms, or no files"
    }' "$T/picture" "$T/files" "$T/includes"
)

top=$(cd "$here/.." && pwd)
found=$(rooms "$top")
[ -z "$found" ] || fail "$found"

# An upward include, a room that nobody drew and an arrow that nobody uses are found.
mkdir "$T/copy"
(cd "$top" && cp -r CONTRIBUTING.md front driver wrapper unit postbuild compile prebuild nvcc api runtime abi core "$T/copy")
# refused TEXT: it is what is wrong with the copy
refused() {
  rooms "$T/copy" | grep -qF -e "$1" || fail "'$1' was not found, but: $(rooms "$T/copy")"
}
cd "$T/copy"
[ -z "$(rooms "$T/copy")" ] || fail "the copy differs: $(rooms "$T/copy")"
printf '#include "driver/main.h"\n' >core/base/upward.c
printf '\n' >driver/main.h
refused 'core/base/upward.c:1: core/base must not include driver (driver/main.h)'
printf '#include "core/base/base.h"\n' >core/base/upward.c
printf '#include "core/base/base.h"\n' >runtime/ck_jit_upward.h
refused 'runtime/ck_jit_upward.h:1: runtime must not include core/base'
rm runtime/ck_jit_upward.h
printf '#include "driver/main.h"\n' >wrapper/across.c
refused 'wrapper/across.c:1: wrapper must not include driver'
printf '#include "nowhere.h"\n' >wrapper/across.c
refused 'wrapper/across.c:1: "nowhere.h" is neither'
rm wrapper/across.c
mkdir core/attic
touch core/attic/old.c
refused 'core/attic/old.c: its directory is no room'
rm -r core/attic
sed 's/^core\/base *→/& driver,/' CONTRIBUTING.md >"$T/upward" && cp "$T/upward" CONTRIBUTING.md
refused 'core/base → driver leads up'
refused 'core/base → driver: no file includes so'
