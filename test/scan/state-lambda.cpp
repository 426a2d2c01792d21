#include "kernel.hpp"
static auto twice = [](int x) { return ns::log(2 * x); };
static const auto by_size = [](const auto& a, const auto& b) { return a.size() < b.size(); };
static std::function<void()> later = [] { ns::enrol(); };
template<> void f<int>() { twice(1); }
//= blob f
