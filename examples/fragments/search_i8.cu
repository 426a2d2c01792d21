// The entry for std::int8_t: one kernel, whatever it is linked with, and a host function for each combination.
#include "entry.hpp"

template const char *search::run<std::int8_t, search::euclidean, search::no_filter>(const search::problem &p);
template const char *search::run<std::int8_t, search::euclidean, search::bitset_filter>(const search::problem &p);
template const char *search::run<std::int8_t, search::inner_product, search::no_filter>(const search::problem &p);
template const char *search::run<std::int8_t, search::inner_product, search::bitset_filter>(const search::problem &p);
