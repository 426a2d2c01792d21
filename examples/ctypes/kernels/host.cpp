// host.cpp - the library's own interface, which calls the kernels as it always did.
#include "family.h"

extern "C" __attribute__((visibility("default"))) double reduce(int operation, const double *x, long n) {
  return operation == SUM ? reduce_<SUM>(x, n) : operation == LARGEST ? reduce_<LARGEST>(x, n) : reduce_<NORM>(x, n);
}
