// api.cpp - the scans that the library has.
#include "ivf_flat.hpp"

namespace {
ivf_flat::scan *first; // before any of them is added, however the library is linked
}

int ivf_flat::add_scan(scan &s) {
  s.next = first;
  first = &s;
  return 1;
}

extern "C" const ivf_flat::scan *ivf_flat_scans() { return first; }
