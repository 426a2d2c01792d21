// api.cpp - the library's C interface: chooses the combination. Host code, compiled by the C++ compiler.
#include "search.hpp"
#include <cstring>

namespace {

template <typename T, typename D> const char *with_filter(const char *filter, const search::problem &p) {
  return std::strcmp(filter, "bitset_filter") == 0 ? search::run<T, D, search::bitset_filter>(p)
                                                   : search::run<T, D, search::no_filter>(p);
}

template <typename T> const char *with_distance(const char *distance, const char *filter, const search::problem &p) {
  return std::strcmp(distance, "euclidean") == 0 ? with_filter<T, search::euclidean>(filter, p)
                                                 : with_filter<T, search::inner_product>(filter, p);
}

} // namespace

extern "C" const char *search_run(const char *type, const char *distance, const char *filter, const search::problem *p) {
  if (std::strcmp(type, "f32") == 0)
    return with_distance<float>(distance, filter, *p);
  if (std::strcmp(type, "f64") == 0)
    return with_distance<double>(distance, filter, *p);
  return with_distance<std::int8_t>(distance, filter, *p);
}
