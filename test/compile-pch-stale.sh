#!/bin/sh
# A precompiled header is used while everything it was made of is as it was, and not longer: content counts, not time stamps.
# tier: all
# seconds: 24
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
source_file "$T/a.cu" 1
compile a || fail "$(cat "$T/a.said")"
said a '2 made'
answer a 1001

touch "$T/include/value.h" "$T/include/kernel.h"
compile a || fail "$(cat "$T/a.said")"
said a '0 made, 2 found'

# the same size, the same time stamp, another value
touch -r "$T/include/value.h" "$T/stamp"
echo '#define VALUE 2000' >"$T/include/value.h"
touch -r "$T/stamp" "$T/include/value.h"
compile a || fail "$(cat "$T/a.said")"
said a '2 made'
answer a 2001

# a header that hides the one that was found
mkdir "$T/early"
compile a || fail "$(cat "$T/a.said")"
answer a 2001
echo '#define VALUE 3000' >"$T/early/value.h"
sed -i 's/"value.h"/<value.h>/' "$T/include/kernel.h"
compile a || fail "$(cat "$T/a.said")"
answer a 3001
rm "$T/early/value.h"
compile a || fail "$(cat "$T/a.said")"
answer a 2001
echo '#define VALUE 4000' >"$T/early/value.h"
compile a || fail "$(cat "$T/a.said")"
said a '2 made'
answer a 4001

# A header beside the source hides the one of the include directories.
printf '#include <hip/hip_runtime.h>\n#define VALUE 5000\ntemplate <int N> int call_(int *p);\n' >"$T/kernel.h"
compile a || fail "$(cat "$T/a.said")"
answer a 5001
rm "$T/kernel.h" "$T/early/value.h"
compile a || fail "$(cat "$T/a.said")"
answer a 2001

# A header that appears beside the one that includes it by a quoted name hides that of the include directories; one below it, too.
mkdir -p "$T/include/deep" "$T/include/more"
printf '#pragma once\n#include <hip/hip_runtime.h>\n#include "value.h"\n#include "more/next.h"\ntemplate <int N> int call_(int *p);\n' >"$T/include/deep/kernel.h"
echo '#define NEXT 0' >"$T/include/more/next.h"
source_file "$T/b.cu" 1+NEXT '#include "deep/kernel.h"'
compile b || fail "$(cat "$T/b.said")"
answer b 2001
compile b || fail "$(cat "$T/b.said")"
said b '0 made, 2 found'
echo '#define VALUE 6000' >"$T/include/deep/value.h"
compile b || fail "$(cat "$T/b.said")"
answer b 6001
mkdir "$T/include/deep/more"
echo '#define NEXT 9' >"$T/include/deep/more/next.h"
compile b || fail "$(cat "$T/b.said")"
answer b 6010

# A file that an option names decides which header is read: an overlay.
overlay() {
  printf '{"version":0,"roots":[{"name":"%s","type":"file","external-contents":"%s"}]}' "$T/mapped.h" "$T/$1.h" >"$T/map"
}
echo '#define OTHER 1' >"$T/one.h"
echo '#define OTHER 2' >"$T/two.h"
overlay one
source_file "$T/d.cu" 1+OTHER
FLAGS="-O1 -ivfsoverlay $T/map -include $T/mapped.h"
compile d || fail "$(cat "$T/d.said")"
answer d 2002
overlay two
compile d || fail "$(cat "$T/d.said")"
answer d 2003
compile d || fail "$(cat "$T/d.said")"
said d '0 made, 2 found'
[ "$(find "$T/c/.pch" -type f -name '*.pch' | wc -l)" -le 12 ] || fail 'they are never removed'
