#include "family.h"
#include <cmath>
template <> double reduce_<NORM>(const double *x, long n) {
  double squares = 0;
  for (long i = 0; i < n; i++)
    squares += x[i] * x[i];
  return std::sqrt(squares);
}
