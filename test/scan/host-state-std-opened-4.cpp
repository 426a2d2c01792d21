#include "kernel.hpp"
namespace ns { using std::string; }
static string s;
template<> void f<int>() {}
//= host
