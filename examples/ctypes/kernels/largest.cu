#include "family.h"
template <> double reduce_<LARGEST>(const double *x, long n) {
  double largest = n ? x[0] : 0;
  for (long i = 1; i < n; i++)
    largest = x[i] > largest ? x[i] : largest;
  return largest;
}
