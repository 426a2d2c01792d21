#!/bin/sh
# What a blob can hold, called through stubs: explicit instantiations, conditional arms, namespaces (an inline and a macro's
# among them), constants and macros in arguments, large arguments by value, and thrown exceptions.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >forms.hpp <<'END'
#pragma once
#include "api.hpp"
#define SPACE inner
struct pair { long a, b; };
template <class A, class B> long gemm(A a, B b) { return a * 10 + b + NOT_SEEN; }
template <int N> int arm(int x);
namespace outer { inline namespace v1 { template <class T, int N> args big(args x, double y); } }
namespace outer::SPACE { template <bool B> pair two(const pair& p) noexcept; }
template <class T> void thrower(T x);
END
sed -i 's/ + NOT_SEEN//' forms.hpp
cat >instantiation.cpp <<'END'
#include "forms.hpp"
template long gemm<int, short>(int a, short b);
template long gemm<char, long>(char, long);
END
cat >arms.cpp <<'END'
#include "forms.hpp"
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__gfx950__)
template<> int arm<1>(int x) { return x + 100; }
#elif defined(__x86_64__)
template<> int arm<1>(int x) { return x + 1; }
#else
template<> int arm<1>(int x) { return x + 200; }
#endif
#if 0
template<> int arm<1>(int x) { return }
#endif
END
cat >spaces.cpp <<'END'
#include "forms.hpp"
#define COUNT (K << 1)
namespace { constexpr int K = 2; }
namespace outer { inline namespace v1 {
using type = std::basic_string<char>;
template<> args big<type, COUNT>(args x, double y) { x.n += COUNT; x.a[39] = y; return x; }
} }
namespace outer::SPACE { template<> pair two<(1 > 0)>(const pair& p) noexcept { return {p.b, p.a}; } }
END
cat >thrown.cpp <<'END'
#include "forms.hpp"
#include <stdexcept>
template<> void thrower<std::string>(std::string x) { throw std::invalid_argument(x); }
END
cat >host.cpp <<'END'
#include "forms.hpp"
#include <cstdio>
#include <stdexcept>
extern template long gemm<int, short>(int, short);
extern template long gemm<char, long>(char, long);
int call(int, char* text) {
  args x{{}, 3};
  args y = outer::big<std::string, 4>(x, 1.5);
  pair p = outer::inner::two<true>({1, 2});
  const char* caught = "nothing";
  static std::string kept;
  try { thrower(std::string("thrown")); } catch (const std::invalid_argument& e) { caught = (kept = e.what()).c_str(); }
  return sprintf(text, "%ld %ld %d %d %g %ld %ld %s", gemm<int, short>(4, 2), gemm<char, long>(1, 3), arm<1>(7), y.n, y.a[39],
                 p.a, p.b, caught);
}
END
objects instantiation arms spaces thrown host
link libforms.so instantiation.o arms.o spaces.o thrown.o host.o
says '4 blobs are lazy'
says ' 0 compiled ahead of time'
calls libforms.so 0 >got || fail "it cannot be called"
[ "$(cat got)" = '24 42 13 8 7 1.5 2 1 thrown' ] || fail "got $(cat got)"
