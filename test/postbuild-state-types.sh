#!/bin/sh
# State of class type, of internal linkage: variables of the standard library's types and of classes that the unit defines, tables,
# lambdas that nobody calls, once_flags, thread_local. Such units are lazy, and called by four threads at once, in both orders, they answer as those of
# a program that the compiler alone made. A variable whose initialiser others can see is initialised when the program starts.
# tier: all
# seconds: 23
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >state.hpp <<'END_'
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>
template <int N> int step(int by);
END_
one() { # N DECLARATION EXPRESSION: state-N.cpp
  printf '#include "state.hpp"\n%s\ntemplate<> int step<%d>(int by) { return %s; }\n' "$2" "$1" "$3" >"state-$1.cpp"
}
one 0 'static std::atomic<int> count{3};' 'count += by'
one 1 'static std::mutex m; static int count;' '[&] { std::lock_guard<std::mutex> hold(m); return count += by; }()'
one 2 'static std::once_flag once; static std::atomic<int> count;' '(std::call_once(once, [] { count = 100; }), count += by)'
one 3 'struct counter { std::atomic<int> n{7}; int add(int x) { return n += x; } }; namespace { counter c; }' 'c.add(by)'
one 4 'static const std::unordered_map<std::string, int> rows = {{"a", 1}, {"b", 2}}; static std::atomic<int> n;' '(n += by) + rows.at("b")'
one 5 'struct row { const char* name; int id; }; static const row rows[] = {{"a", 1}, {"b", 5}}; static std::atomic<int> n;' '(n += by) + rows[1].id'
one 6 'static auto add = [](int a, int b) { static std::atomic<int> n; return a + (n += b); };' 'add(1, by)'
one 7 'enum { FOUR = 4 }; static std::array<int, 4> squares = {0, 1, FOUR, 9}; static std::atomic<int> n;' '(n += by) + squares[3]'
one 8 'static thread_local std::vector<int> mine; static std::atomic<int> n;' '(mine.push_back(by), n += by + (int)mine.size() / 1000000)'
one 9 'static const std::string name = "kernel"; static std::function<int(int)> twice = [](int x) { return 2 * x; }; static std::atomic<int> n;' '(n += twice(by)) + (int)name.size()'
one 10 'class limits { int most = 3; public: int get() { return most; } }; static limits own; static int n = 3;' '__atomic_add_fetch(&n, by, __ATOMIC_RELAXED) + own.get()'
{
  echo '#include "state.hpp"'
  echo '#include <cstdio>'
  echo '#include <thread>'
  echo 'static int (*const steps[])(int) = {'
  seq 0 10 | sed 's/.*/  step<&>,/'
  echo '};'
  cat <<'END_'
int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([t] {
      for (int i = 0; i < 440; i++) steps[t % 2 ? i % 11 : 10 - i % 11](1);
    });
  for (auto& t : threads) t.join();
  for (int i = 0; i < 11; i++) std::printf("%d %d\n", i, steps[i](i));
}
END_
} >all.cpp
sources=$(seq -f state-%g.cpp 0 10)
objects_=$(seq -f state-%g.o 0 10)
stock=$(sed -n 's/^real_cxx=//p' home/ckjit.conf)
# shellcheck disable=SC2086
"$stock" -std=c++17 -O0 -I. $sources all.cpp -o stock -pthread || fail 'stock does not build'
for n in $(seq 0 10); do
  as_build hipcc -x c++ -std=c++17 -fPIC -I. -c "state-$n.cpp" -o "state-$n.o" || fail "state-$n.cpp: $(cat err)"
done
as_build hipcc -x c++ -std=c++17 -fPIC -I. -c all.cpp -o all.o || fail "all.cpp: $(cat err)"
# shellcheck disable=SC2086
as_build hipcc all.o $objects_ -o lazy -pthread || fail "$(cat err)"
says '11 blobs are lazy (11 functions in 1 unit), 0 compiled ahead of time'
./stock >want && ./lazy >got || fail "the lazy program ends with $?"
cmp -s want got || fail "it is not as stock's: $(diff want got | head -n 5)"

# What others can see: it is there before the first call, as stock's is.
cat >state-0.cpp <<'END_'
#include "state.hpp"
#include <cstdio>
static bool registered = [] { std::puts("registered"); return true; }();
template<> int step<0>(int by) { return by + registered; }
END_
as_build hipcc -x c++ -std=c++17 -fPIC -I. -c state-0.cpp -o state-0.o || fail "state-0.cpp: $(cat err)"
# shellcheck disable=SC2086
as_build hipcc all.o $objects_ -o lazy -pthread || fail "$(cat err)"
says '10 blobs are lazy (10 functions in 1 unit), 0 compiled ahead of time'
./lazy | head -n 1 | grep -qx registered || fail 'it is not initialised at the start'
