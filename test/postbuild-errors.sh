#!/bin/sh
# What a link cannot do, it says: the file, what is wrong, what to do; status 1, and no output, neither half nor whole.
# tier: check
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host

refuses() { # refuses TEXT OBJECT...
  text=$1
  shift
  refused "$text" hipcc -shared -o liba.so "$@"
  for file in liba.so*; do
    [ ! -e "$file" ] || fail "$text: $file is left"
  done
}

# a blob forgotten: as without ckjit that is an error only if the linker is told so
refuses 'undefined' -Wl,-z,defs k1.o host.o

# the source is gone, and the stub object, of an earlier ckjit, has not kept its text
mv k2.cpp gone.cpp
sed 's/"source_text":/"source_tex_":/' k2.o >early.o
refuses "ckjit-link: error: $T/k2.cpp: cannot read the source of the stub object $T/k2.o" k1.o early.o host.o
lacks 'something is compiled before the error' 'the compiler ended' err
mv gone.cpp k2.cpp

# a record of another format, and a torn one
sed 's/"ckjit":1/"ckjit":7/' k2.o >foreign.o
refuses "foreign.o: the stub's record is damaged" k1.o foreign.o host.o
sed 's/"kind":"blob",/"kind":"blob"#/' k2.o >torn.o
refuses "torn.o: the stub's record is damaged" k1.o torn.o host.o
says 'build the object again'

rm -rf "$work" && : >"$work"
refuses "$work/" k1.o k2.o host.o
rm "$work" && mkdir "$work"

# the linker's own words
refuses 'no_such_library' k1.o k2.o host.o -lno_such_library
says 'the linker ended with status'

# torn lines of the NDJSON are nothing to a link: it goes by the objects
printf '{"ckjit":1,"kind":"bl' >"$work/manifest.json.ndjson"
link liba.so k1.o k2.o host.o
right liba.so 1 2
