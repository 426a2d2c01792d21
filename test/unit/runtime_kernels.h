// runtime_kernels.h - function templates as a kernel library declares them, one for each class of argument of
// the x86-64 ABI; AArch64 has the same classes. The blobs that runtime_fixture.sh writes define specialisations of them.
#pragma once
#include <string>
#ifdef __AVX__
#include <immintrin.h>
#endif

struct big {
  long v[16];
};

// six in registers, the rest on the stack
template <int N> long ints_(int a, long b, unsigned c, short d, char e, int f, int g, long h, int i);
// eight in registers, the rest on the stack
template <int N>
double doubles_(double a, float b, double c, double d, float e, double f, double g, double h, double i,
                float j);
// by value: on the stack
template <int N> long big_(big b, int i);
// the result through a hidden pointer
template <int N> std::string text_(const std::string &s, int times);
// al has the number of vector registers
template <int N> double sum_(int n, ...);
template <int N> long double extended_(long double x, int i);
#ifdef __AVX__
template <int N> __m256d vector_(__m256d a, double b, __m256d c);
#endif
#ifdef __AVX512F__
template <int N> __m512d wide_(__m512d a, __m512d b);
#endif
// what a test counts with; value_<N> lies in a blob of its own for each N
template <int N> int value_(int x);
