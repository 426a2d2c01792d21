#!/bin/sh
# The depfile of a recorded unit does not name a header that a conditional leaves out: it may be one
# that a program with the object in it writes, and ninja reports a cycle. The compiler is asked,
# once for units with the same words, directives and headers, and only if nothing else leads to a
# header of the build's own.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/hip_words_fixture.sh"
: >calls
# record SOURCE WORDS…: its depfile is x.d; $asked is how often the compiler was asked
record() {
  source=$1
  shift
  : >calls
  "$T/h/bin/hipcc" --offload-arch=gfx90a "$@" -MD -MF x.d -c "$source" -o x.o || fail "$source: status $?"
  is "$source" blob "$(kinds h | tail -n 1)"
  asked=$(grep -c '^-M -w ' calls) || :
}
# names HEADER…: the depfile's, sorted
names() {
  is "the depfile of $source" "$*" "$(tr ' ' '\n' <x.d | sed -n 's/^\([a-z0-9/]*\.h\)$/\1/p' | sort | tr '\n' ' ' | sed 's/ $//')"
}
mkdir system
for name in run table other plain inner two system/foreign; do : >$name.h; done
echo 'template <int N> int run(int n);' >run.h
echo '#include "inner.h"' >table.h
cat >guarded.h <<'C'
/* a guard is no question */
#pragma once
#ifndef GUARDED_H
#define GUARDED_H
#ifdef __cplusplus
#include "plain.h"
#endif
#endif
C
cat >k1.hip <<'C'
#include "run.h"
#include "guarded.h"
#ifdef STAGE2
#include "table.h"
#else
#include "other.h"
#endif
template <> int run<1>(int n) { return n; }
C
sed 's/run<1>/run<2>/' k1.hip >k2.hip
record k1.hip
names guarded.h other.h plain.h run.h
is 'asked' 1 "$asked"
record k1.hip -DSTAGE2
names guarded.h inner.h plain.h run.h table.h

# What a conditional leads to and something else, too, is no question; nor is a header of a package.
sed '1i #include "table.h"\n#include "other.h"' k1.hip >both.hip
record both.hip
names guarded.h inner.h other.h plain.h run.h table.h
is 'asked, of headers that are read anyway' 0 "$asked"
printf '#include "run.h"\n#ifdef NEVER\n#include <foreign.h>\n#endif\ntemplate <> int run<1>(int n) { return n; }\n' >foreign.hip
record foreign.hip -isystem system
is 'asked, of a package' 0 "$asked"
printf '#include "run.h"\n#ifdef NEVER\n#include "not-there.h"\n#endif\ntemplate <> int run<1>(int n) { return n; }\n' >absent.hip
record absent.hip
is 'asked, of a header that is not there' 0 "$asked"

# The answer is kept, for all units with the same directives, until a header changes, one more is
# there, or another word is given.
old() { [ -z "$(find . -newerct '3 seconds ago' -name '*.h')" ]; }
await 'headers old enough for the cache' old
record k1.hip
record k1.hip
is 'asked again' 0 "$asked"
names guarded.h other.h plain.h run.h
record k2.hip
is 'asked for another source' 0 "$asked"
names guarded.h other.h plain.h run.h
record k1.hip -DSTAGE2
is 'asked with another word' 1 "$asked"
names guarded.h inner.h plain.h run.h table.h
echo '#define STAGE2' >plain.h
record k1.hip
is 'asked after an edit' 1 "$asked"
names guarded.h inner.h plain.h run.h table.h
: >plain.h
mkdir first && echo '#define STAGE2' >first/run.h && cat run.h >>first/run.h
sed 's/"run.h"/<run.h>/' k1.hip >angled.hip
record angled.hip -Ifirst -I.
names first/run.h guarded.h inner.h plain.h table.h

# The compiler that does not answer: nothing is left out.
sed 's/#else/#else\n#error no/' k1.hip >error.hip
record error.hip
is 'asked of an error' 1 "$asked"
names guarded.h inner.h other.h plain.h run.h table.h

# A build.ninja that names none of these headers says that the build writes none: the depfile has
# them, and the compiler is not asked. One that names one, or has others beside it, says nothing.
printf 'build x.o: compile k1.hip\n' >build.ninja
record k1.hip -DNINJA
is 'asked where ninja knows all' 0 "$asked"
names guarded.h inner.h other.h plain.h run.h table.h
printf 'build gen/other.h: write x.o\n' >>build.ninja
record k1.hip -DNINJA
is 'asked of a header that ninja writes' 1 "$asked"
printf 'build x.o: compile k1.hip\nsubninja other.ninja\n' >build.ninja
record k1.hip -DNINJA=2
is 'asked where there are other files of ninja' 1 "$asked"
