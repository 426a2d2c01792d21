#include "kernel.hpp"
static auto twice = [](int x) { return ns::log(2 * x); };
static const auto by_size = [](const auto& a, const auto& b) { return a.size() < b.size(); };
static std::function<void()> later = [] { ns::enrol(); };
static const auto squares = [] {
  std::array<int, 16> t{};
  for (int i = 0; i < 16; i++) t[i] = i * i;
  return t;
}();
static const std::map<std::string, int> index = []() -> std::map<std::string, int> {
  std::map<std::string, int> m;
  const char* names[] = {"a", "b"};
  int n = 0;
  for (auto name : names) m[name] = n++;
  m.emplace("c", 7);
  return m;
}();
static int three = [](int a, int b) { return a + b; }(1, 2);
template<> void f<int>() { twice(1); }
//= blob f
