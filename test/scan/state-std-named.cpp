#include "kernel.hpp"
using std::string;
static string text = "kernel";
namespace ns {
using std::mutex, std::map;
static mutex hold;
namespace { map<int, int> seen; }
}
template<> void f<int>() {}
//= blob f
