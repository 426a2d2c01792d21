#include "kernel.hpp"
using namespace std;
namespace ns { static mutex m; } // of which namespace
template<> void f<int>() {}
//= host
