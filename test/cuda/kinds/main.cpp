// main.cpp - calls the specialisations of run that are named by their numbers, KIND[:N]; N is 4, and -1 where a number is negative.
#include "kinds.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char **argv) {
  float x[4] = {};
  for (int i = 1; i < argc; i++) {
    const int kind = std::atoi(argv[i]);
    int n = kind < 0 ? -1 : 4;
    std::sscanf(argv[i], "%*d:%d", &n);
    try {
      const int e = std::abs(kind) == 1   ? kinds::run<1>(x, n)
                    : std::abs(kind) == 2 ? kinds::run<2>(x, n)
                    : std::abs(kind) == 3 ? kinds::run<3>(x, n)
                    : std::abs(kind) == 4 ? kinds::run<4>(x, n)
                    : std::abs(kind) == 5 ? kinds::run<5>(x, n)
                    : std::abs(kind) == 6 ? kinds::run<6>(x, n)
                    : std::abs(kind) == 7 ? kinds::run<7>(x, n)
                    : std::abs(kind) == 8 ? kinds::run<8>(x, n)
                                          : kinds::run<9>(x, n);
      std::printf("%d: %s\n", kind, cudaGetErrorName(cudaError_t(e)));
    } catch (const std::exception &e) {
      std::printf("%d: %s\n", kind, e.what());
    }
  }
}
