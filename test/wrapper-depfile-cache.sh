#!/bin/sh
# The include cache: calls that ask the same share one scan, and what changes in a header, in the search path or in the cache
# itself changes the next depfile.
# tier: all
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
mkdir -p first/sub second/sub sys
blob x.cu
blob y.cu
printf '#include <sub/deep.hpp>\n#include <sys.hpp>\n#include "later.hpp"\n' >second/kernel.hpp
touch second/sub/deep.hpp second/sub/other.hpp sys/sys.hpp
ln -s "$T/nowhere/later.hpp" first/later.hpp # leads nowhere yet
entries() { find h/wdir/.includes -type f "$@" | wc -l; }
# deps SOURCE WANTED…: the depfile of SOURCE names just these
deps() {
  source_=$1
  shift
  "$T/h/bin/hipcc" -Ifirst -Isecond -isystem sys -MD -MF d -c "$source_" -o o.o
  test "$(tr -d '\\\n' <d | tr -s ' ')" = "o.o: $source_ $*" || fail "wanted $*, got $(cat d)"
}
all='second/kernel.hpp second/sub/deep.hpp sys/sys.hpp'

# Files that are seconds old could change again within a tick of the clock: nothing is kept yet. Asked until both
# askings came within that time.
made=0
until [ $(($(date +%s) - made)) -lt 2 ]; do
  rm -rf h/wdir/.includes
  made=$(date +%s)
  touch second/kernel.hpp second/sub/deep.hpp sys/sys.hpp
  deps x.cu "$all"
  deps x.cu "$all"
  young=$(entries):$(entries -size +0)
done
test "$young" = 1:0 || fail 'young files were trusted'
sleep 2.2
deps x.cu "$all"
test "$(entries -size +0)" = 1 || fail 'no entry after the second asking'
# kept: a hit opens no header, and another source with the same directives shares it
hit() {
  deps "$1" "$all"
  command -v strace >/dev/null || return 0
  strace -f -o trace "$T/h/bin/hipcc" -Ifirst -Isecond -isystem sys -MD -MF d -c "$1" -o o.o 2>/dev/null || return 0
  lacks 'a header was read again' 'open.*kernel.hpp' trace
}
hit x.cu
hit y.cu
test "$(entries)" = 1 || fail 'a second entry for the same question'

# content
echo '#include "other.hpp"' >second/sub/deep.hpp
deps x.cu "$all second/sub/other.hpp"
: >second/sub/deep.hpp
deps x.cu "$all"
# the same size and the old time: the time of change cannot be set back
sleep 2.2
hit x.cu
touch -r second/sub/deep.hpp stamp
echo '#include <a>' >second/sub/deep.hpp && echo '#include <b>' >second/b_ && touch second/a second/b
deps x.cu 'second/kernel.hpp second/sub/deep.hpp sys/sys.hpp second/a'
sleep 2.2
deps x.cu 'second/kernel.hpp second/sub/deep.hpp sys/sys.hpp second/a'
touch -r second/sub/deep.hpp stamp && cat second/b_ >second/sub/deep.hpp && touch -r stamp second/sub/deep.hpp
deps x.cu 'second/kernel.hpp second/sub/deep.hpp sys/sys.hpp second/b'
: >second/sub/deep.hpp
rm second/a second/b second/b_
sleep 2.2
deps x.cu "$all"
hit x.cu

# a file that comes to stand in front, also where the directory changes meanwhile for another reason
touch first/sub/unrelated
hit x.cu
touch first/sub/deep.hpp
deps x.cu 'second/kernel.hpp first/sub/deep.hpp sys/sys.hpp'
rm first/sub/deep.hpp
deps x.cu "$all"
mkdir nowhere && touch nowhere/later.hpp
deps x.cu "$all first/later.hpp"
rm -r nowhere
touch kernel.hpp
deps x.cu kernel.hpp
rm kernel.hpp
# one that goes away
rm sys/sys.hpp
deps x.cu 'second/kernel.hpp second/sub/deep.hpp'
touch sys/sys.hpp

# a damaged or a foreign entry is no answer
sleep 2.2
deps x.cu "$all"
entry=$(find h/wdir/.includes -type f)
cp "$entry" good
head -c 100 good >"$entry"
deps x.cu "$all"
sed '$d' good >"$entry"
deps x.cu "$all"
sed 's/kernel/kernle/g' good >"$entry"
deps x.cu "$all"
# and where none can be kept, each call scans
rm -r h/wdir/.includes && touch h/wdir/.includes
deps x.cu "$all"
