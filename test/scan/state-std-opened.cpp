#include "kernel.hpp"
#include <mutex>
using namespace std;
static mutex hold;
static map<string, vector<int>> seen;
static const unordered_map<string, int> table = {{"a", 1}, {"b", 2}};
namespace { atomic<int> calls{0}; string name_ = "kernel"; namespace { once_flag once; } }
static chrono::milliseconds wait{10};
static atomic<float> least{numeric_limits<float>::max()};
static const auto words = vector<string>{"a", "b"};
struct row { string name; int id; };
static vector<row> rows;
template<> void f<int>() { calls++; }
//= blob f
