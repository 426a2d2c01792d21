#include "family.h"
template <> double reduce_<SUM>(const double *x, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    sum += x[i];
  return sum;
}
