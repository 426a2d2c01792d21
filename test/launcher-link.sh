#!/bin/sh
# A kernel that ccache has comes back with one call of hipcc, the question what it would run: the link is the one that it answers with. The entry is
# the plain command's to the byte. If the answer is not understood, hipcc links.
# tier: all
# seconds: 16
. "${0%/*}/common.sh"
need ccache objcopy
mkdir "$T/tool"
cat >"$T/tool/hipcc" <<END
#!/bin/sh
echo "\$*" >>"$T/calls"
case " \$* " in
*' -### '*) "$(command -v hipcc)" "\$@" 2>&1 | if [ -e "$T/odd" ]; then grep -v -e '"-shared"'; else cat; fi >&2 ;;
*) exec "$(command -v hipcc)" "\$@" ;;
esac
END
chmod +x "$T/tool/hipcc"
export CK_JIT_HIPCC="$T/tool/hipcc" CK_JIT_ARCH=gfx90a
. "$here/unit/postbuild_fixture.sh"
unset CK_JIT_HIPCC CCACHE_DISABLE CCACHE_CONFIGPATH CCACHE_RECACHE
export CCACHE_DIR="$T/ccache"
cat >k1.cpp <<'END'
#include "api.hpp"
#include <hip/hip_runtime.h>
using trait = traits<1, true>;
static __global__ void kernel(int *p) { *p = 1; }
template<> int fwd<trait>(const args& x, args y) {
  if (y.n == 5) kernel<<<1, 1>>>(nullptr);
  return x.n + y.n;
}
template<> std::string name<trait>(int x) { return "kernel 1, whose name is too long to be in place, " + std::to_string(x); }
END
host 1
for name in k1 host; do
  as_build hipcc -x hip --offload-arch=gfx90a -fPIC -fvisibility=hidden -I. -c $name.cpp -o $name.o || fail "$name.cpp: $(cat err)"
done
link liba.so k1.o host.o
says '1 blob is lazy'

# made FILE [VARIABLE=VALUE]: the entry that a first call makes, as FILE; what hipcc was called with is in calls
made() {
  rm -f cache/*.so calls
  : >calls
  (export "${2-_=}" && right liba.so 1)
  cp cache/k1.so "$1" || fail "$1: no entry"
  [ ! -e plain.so ] || cmp -s plain.so "$1" || fail "$1 is not what the plain command makes"
}
made plain.so CK_JIT_PCH=0
made miss.so CK_JIT_COMPILER_LAUNCHER=ccache
made hit.so CK_JIT_COMPILER_LAUNCHER=ccache
ccache --print-stats | grep -q '^direct_cache_hit[[:space:]]*1$' || fail "no hit: $(ccache --print-stats)"
lacks 'hipcc was asked, and not called to compile' '^[^-]\|^-[^#]' calls
[ "$(wc -l <calls)" -le 2 ] || fail "hipcc was asked more than twice: $(cat calls)"

: >odd
rm plain.so # what hipcc says is another thing now, and so is the entry
made plain.so CK_JIT_PCH=0
made odd.so CK_JIT_COMPILER_LAUNCHER=ccache
grep -q -e '-shared .*k1\.o' calls || fail "hipcc did not link: $(cat calls)"
