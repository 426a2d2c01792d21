#include "kernel.hpp"
using namespace std;
static thread t(work);
template<> void f<int>() {}
//= unsure
