#!/bin/sh
# The forms of aiter's and CK's sources of 2026, in small: API files with a table whose rows call functions of the blobs that launch
# nothing; such a function called in a callback on another thread; #if and #define in front of a blob's includes; flags for single
# sources; sources called .cu; a link whose objects are in a response file. All kernels are lazy, and the program answers as stock's does.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >fmha.hpp <<'END_'
#pragma once
#ifndef FMHA_BIAS
#define FMHA_BIAS 0
#endif
#ifndef FMHA_FAST
#define FMHA_FAST 0
#endif
struct gfx9_t {};
struct gfx95_t {};
struct args { int head, x; };
struct stream_config { int id; };
template <int Head, int Pad, class Arch> struct traits_ {};
template <class Traits, class Arch> float fmha_fwd_(const stream_config& s, args a);
template <class Traits, class Arch> int fmha_fwd_kvscale_align_();
template <class Traits, class Arch> void prepare_ws_host_(void* workspace);
float fmha_fwd(args a, const stream_config& s, bool gfx95);
int fmha_prepare(args a, bool gfx95);
END_
blob_of() { # HEAD PAD ARCH [LINE]...: a kernel with the functions beside it
  name_=fmha_fwd_d$1_$2_$3 head_=$1 pad_=$2 arch_=${3}_t
  shift 3
  {
    for line_; do echo "$line_"; done
    echo '#include "fmha.hpp"'
    echo "using trait_0 = traits_<$head_, $pad_, $arch_>;"
    echo "static const int rows[] = {1, $head_}; static int launched;"
    echo "template<> float fmha_fwd_<trait_0, $arch_>(const stream_config& s, args a) { return rows[1] + a.x * 0.5f + s.id + FMHA_BIAS + 10 * FMHA_FAST + ++launched * 1000; }"
    echo "template<> int fmha_fwd_kvscale_align_<trait_0, $arch_>() { return $((head_ / 16)); }"
    echo "template<> void prepare_ws_host_<trait_0, $arch_>(void* w) { *(int*)w = $head_ + $pad_ + launched; }"
  } >"$name_.cu"
}
blob_of 64 0 gfx9
blob_of 128 0 gfx9
blob_of 64 0 gfx95
blob_of 128 8 gfx9 '#if !defined(FMHA_NO_PAD)' '#define FMHA_BIAS 7' '#endif'
flags_of() { case $1 in fmha_fwd_d128_0_gfx9) echo -DFMHA_FAST=1 ;; esac; }

cat >fmha_fwd_api.cu <<'END_'
#include "fmha.hpp"
#include <thread>
namespace {
struct row { int head, pad; bool gfx95; int align; float (*launch)(const stream_config&, args); void (*prepare)(void*); };
template <class T, class A> float launch(const stream_config& s, args a) { return fmha_fwd_<T, A>(s, a); }
template <class T, class A> void prepare(void* w) { prepare_ws_host_<T, A>(w); }
template <int H, int P, class A> row row_of(bool gfx95) {
  using t = traits_<H, P, A>;
  return {H, P, gfx95, fmha_fwd_kvscale_align_<t, A>(), launch<t, A>, prepare<t, A>};
}
const row* find(args a, bool gfx95) {
  static const row table[] = {row_of<64, 0, gfx9_t>(false), row_of<128, 0, gfx9_t>(false), row_of<64, 0, gfx95_t>(true), row_of<128, 8, gfx9_t>(false)};
  for (const row& r : table)
    if (r.head == a.head && r.gfx95 == gfx95 && a.x % r.align == 0 && (r.pad != 0) == (a.x > 1000)) return &r;
  return nullptr;
}
}
float fmha_fwd(args a, const stream_config& s, bool gfx95) {
  const row* r = find(a, gfx95);
  return r ? r->launch(s, a) : -1;
}
int fmha_prepare(args a, bool gfx95) {
  const row* r = find(a, gfx95);
  int workspace = -1;
  if (r) std::thread(r->prepare, &workspace).join();
  return workspace;
}
END_
cat >plain_api.cu <<'END_'
#include "fmha.hpp"
float fmha_plain(args a, const stream_config& s) {
  return a.head == 64 ? fmha_fwd_<traits_<64, 0, gfx9_t>, gfx9_t>(s, a) : fmha_fwd_<traits_<128, 0, gfx9_t>, gfx9_t>(s, a);
}
END_
cat >main.cpp <<'END_'
#include "fmha.hpp"
#include <cstdio>
#include <initializer_list>
float fmha_plain(args a, const stream_config& s);
int main(int argc, char** argv) {
  if (argc > 2) return std::printf("%g\n", fmha_fwd({64, 8}, {1}, false)), 0;
  if (argc > 1) return std::printf("%g\n", fmha_plain({64, 8}, {1})), 0;
  std::printf("%d\n", fmha_prepare({64, 8}, true));
  for (int turn = 0; turn < 2; turn++)
    for (int head = 64; head <= 192; head += 64)
      for (int x : {8, 9, 1008})
        for (bool gfx95 : {false, true}) std::printf("%g %d\n", fmha_fwd({head, x}, {turn}, gfx95), fmha_prepare({head, x}, gfx95));
}
END_
sources="fmha_fwd_d64_0_gfx9 fmha_fwd_d128_0_gfx9 fmha_fwd_d64_0_gfx95 fmha_fwd_d128_8_gfx9 fmha_fwd_api plain_api"
for name in $sources; do
  # shellcheck disable=SC2046
  as_build hipcc -x c++ -std=c++17 -fPIC -fvisibility=hidden $(flags_of "$name") -I. -c "$name.cu" -o "$name.o" || fail "$name.cu: $(cat err)"
  # shellcheck disable=SC2046
  hipcc -x c++ -std=c++17 -fPIC -fvisibility=hidden $(flags_of "$name") -I. -c "$name.cu" -o "stock-$name.o" 2>err || fail "stock, $name.cu: $(cat err)"
done
c++ -std=c++17 -I. -c main.cpp -o main.o
for name in $sources; do echo "$name.o"; done >lazy.rsp
sed 's/^/stock-/' lazy.rsp >stock.rsp
hipcc main.o @stock.rsp -o stock -pthread 2>err || fail "stock: $(cat err)"
as_build hipcc main.o @lazy.rsp -o lazy -pthread || fail "$(cat err)"
says '4 blobs are lazy (12 functions in '
says ' 0 compiled ahead of time'

# same WHAT COMPILED [WORD...]: stock and lazy say the same with these words, and then so many kernels are in the cache
same() {
  what_=$1 count_=$2
  shift 2
  ./stock "$@" >want
  ./lazy "$@" >got || fail "$what_: the lazy program ends with $?"
  cmp -s want got || fail "$what_: $(diff want got)"
  find cache -name '*.so' >entries
  [ "$(wc -l <entries)" = "$count_" ] || fail "$what_: not $count_ kernels are compiled, but $(cat entries)"
}
same 'a call by the arguments' 1 plain
# the table calls a function of each row's blob when it is made: slow, and right
same 'a call by the table' 4 by table
rm -r cache
same 'a callback first, then all calls' 4
