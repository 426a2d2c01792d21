#include "kernel.hpp"
struct row { const char* name; int id; };
enum class mode { fast, slow };
enum { LIMIT = 4 };
static const row rows[] = {{"a", 1}, {"b", 2}};
static const struct { int a; float b; } pairs[] = {{1, 2.f}, {.a = 3, .b = 4.f}};
static struct { int hits; std::mutex lock; } counters;
static mode current = mode::fast;
static int limit = LIMIT;
static std::atomic<mode> wanted{mode::slow};
namespace { class counter { int n = 0; public: counter() = default; ~counter() {} int next() { return ::ns::log(++n); } }; counter c, d; }
struct cell { constexpr cell(int x) : v(x) { } cell(const cell&) = delete; int v; std::vector<row> rows{}; static constexpr int size = 3; inline static int made = 0; };
static cell only{1};
template <class T, int N> struct fixed { T v[N]; std::array<T, N> w{}; };
static fixed<int, 3> small;
using table_t = std::map<std::string, row>;
typedef std::vector<table_t> tables_t;
static table_t by_name;
static tables_t all_of = {};
struct derived : row { int more = LIMIT; };
static derived one{};
static int helper(int x) { return x + 1; }
template <int N> static int own_template(int x) { return x + N; }
static const struct { const char* name; int (*call)(int); } calls[] = {{"helper", helper}, {"other", &own_template<3>}};
static int after = LIMIT;
static int last = after;
template<> void f<int>() { c.next(); }
//= blob f
