#include "kernel.h"
using trait_0 = traits<64>;
template <> float kernel_<trait_0>(const stream &s, kernel_args a) {
  return a.scale + (s.id ? 1 : 0);
}
