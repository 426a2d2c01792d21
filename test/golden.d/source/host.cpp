#include "api.hpp"
// call(N): 10 N + 1 by the kernel N; call(-N): N by its function that launches nothing
extern "C" __attribute__((visibility("default"))) int call(int n) {
  switch (n) {
  case 1: return fwd<traits<1, true>>({{}, 10}, {{}, 1});
  case -1: return count<traits<1, true>>(1);
#ifndef ONE
  case 2: return fwd<traits<2, true>>({{}, 10}, {{}, 1});
  case -2: return count<traits<2, true>>(1);
#endif
  }
  return 0;
}
