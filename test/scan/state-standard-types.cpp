#include "kernel.hpp"
#include <atomic>
static std::atomic<int> n{0};
static std::atomic<long> total(0);
static std::mutex m;
static std::once_flag f_once;
static std::condition_variable ready;
static const std::string name = "kernel";
static std::string path("/tmp");
static const std::vector<int> sizes{1, 2, 3};
static std::vector<float> zeros(10, 0.f);
static const std::array<int, 3> three = {1, 2, 3};
static const std::array<int, ns::COUNT> many = {{1, 2, 3}};
static const std::unordered_map<std::string, int> table = {{"a", 1}, {"b", 2}};
static const std::map<int, std::pair<int, const char*>> pairs{{1, {2, "x"}}};
static std::unordered_map<std::string, ns::Compiled> cache;
static std::map<int, int, std::less<int>> ordered;
static thread_local std::vector<float> scratch;
static thread_local std::mt19937 random_(42);
static std::unique_ptr<ns::Thing> thing;
static std::shared_ptr<ns::Thing> shared = nullptr;
static std::function<int(const ns::Thing&)> hook;
static std::optional<std::size_t> best = std::nullopt;
static ns::Thing* where = nullptr;
static ns::Thing const* const fixed[2] = {nullptr, nullptr};
static std::chrono::milliseconds wait{10};
static std::uint64_t mask = UINT64_MAX, other = ~0ull;
static auto plain = 3;
static auto words = std::vector<std::string>{"a", "b"};
alignas(64) static std::atomic<unsigned> line{0};
[[maybe_unused]] static std::bitset<32> bits;
namespace { std::recursive_mutex guard; std::deque<int> queue; const std::set<int> primes = {2, 3, 5}; }
const std::string in_the_open{"const alone is internal"};
static std::vector<int>* leaked = new std::vector<int>{1, 2};
static int one, two = 2, *three_ = nullptr;
template<> void f<int>() { n++; }
//= blob f
