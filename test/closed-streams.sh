#!/bin/sh
# With closed standard streams, as a daemon has them, a build and a link go on, and a program that is asked something fails: it has
# nowhere to answer. No message gets into a file, and nothing aborts.
# tier: check
# seconds: 8
. "${0%/*}/common.sh"
need_hipcc
cd "$T"
bin=$B/bin
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_ARCH=gfx90a
mkdir -m 700 cache

# refused COMMAND…: with its output closed it says so; without its input it does what it does
refused() {
  "$@" >&- 2>err && fail "'$*' with closed output: success"
  has "'$*' with closed output" 'standard output cannot be written: Bad file descriptor' err
  "$@" <&- >out 2>err || fail "'$*' with closed input: $(cat err)"
  "$@" 2>&- >out || fail "'$*' with closed messages: $?"
}
refused "$bin/ckjit" doctor
refused "$bin/ckjit" stats --json
refused "$bin/ckjit-build" home --dir "$T/h" --work "$T/w"

cat >k.h <<'CC'
template <int N> struct traits {};
template <class T> float kernel_(float x);
CC
cat >k.cu <<'CC'
#include "k.h"
using trait_0 = traits<1>;
template <> float kernel_<trait_0>(float x) { return x + 1; }
CC
cat >entry.cu <<'CC'
#include "k.h"
extern "C" int entry() { return kernel_<traits<1>>(1); }
CC
for source in k entry; do
  h/bin/hipcc -fPIC --offload-arch=gfx90a -c $source.cu -o $source.o <&- >&- 2>&- || fail "$source.cu does not compile"
done
h/bin/hipcc -shared k.o entry.o -o lib.so <&- >&- 2>&- || fail "the link ended with $?"
has 'the link' ' 1 blob is lazy ' w/lib/summary.txt
cat >call.py <<'PY'
import ctypes, sys
sys.exit(40 + ctypes.CDLL("./lib.so").entry())
PY
status=0
python3 call.py <&- >&- 2>&- || status=$?
is 'a call' 42 "$status"
