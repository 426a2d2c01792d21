#include "kernel.hpp"
static std::vector<Registrar> all{{"f"}};
template<> void f<int>() {}
//= host
