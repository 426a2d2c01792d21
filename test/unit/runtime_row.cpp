// runtime_row.cpp - a dispatcher's rows as postbuild/dispatch writes them: a library of runtime_fixture.sh with
// LIB_ROWS=1 has row (k0, k1, k2) and other (k0, k3), which call the functions one after another.
#include "postbuild/dispatch/prelude.hpp"

template <int N> int value_(int);

extern "C" __attribute__((visibility("default"))) int row(int x) {
  static unsigned char begun[1];
  if (__builtin_expect(!__atomic_load_n(&begun[0], __ATOMIC_RELAXED), 0))
    ckjit_dispatch::begin(&begun[0], &value_<0>, &value_<1>, (int (*)(int)) nullptr, &value_<2>, &value_<1>);
  return value_<0>(x) + value_<1>(x) + value_<2>(x);
}

static int elsewhere(int x) {
  return x;
}

extern "C" __attribute__((visibility("default"))) int other(int x) {
  static unsigned char begun[1];
  if (__builtin_expect(!__atomic_load_n(&begun[0], __ATOMIC_RELAXED), 0))
    ckjit_dispatch::begin(&begun[0], &elsewhere, &value_<3>, &value_<0>);
  return elsewhere(x) + value_<0>(x) + value_<3>(x);
}
