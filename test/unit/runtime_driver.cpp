// runtime_driver.cpp - the application: calls kernels through their forwarding stubs.
//
//   driver arguments          every class of argument, first and second call; prints "ok"
//   driver value N X          prints value_<N>(X)
//   driver threads COUNT      COUNT threads call value_<0> and value_<1> at once; prints the sum of the results
//   driver twice N X          two calls, each with its error if it throws
//   driver errors COUNT       COUNT threads call value_<0> at once; prints how many threw, and the first message
//   driver chdir N X          value after chdir("/")
//   driver cost               nanoseconds of a direct call and of one through a filled slot
#include "runtime_kernels.h"
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

static int value(int n, int x) {
  switch (n) {
  case 0:
    return value_<0>(x);
  case 1:
    return value_<1>(x);
  default:
    return value_<2>(x);
  }
}

static void check(bool ok, const char *what, int round) {
  if (!ok) {
    fprintf(stderr, "wrong result: %s, call %d\n", what, round);
    exit(1);
  }
}

static void arguments(int round) {
  check(ints_<0>(1, -2, 3, -4, 5, -6, 7, -8, 9) == 1 - 4 + 9 - 16 + 25 - 36 + 49 - 64 + 81, "ints", round);
  check(doubles_<0>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81 + 100,
        "doubles", round);
  big b;
  for (int i = 0; i < 16; i++)
    b.v[i] = i * 1000L;
  check(big_<0>(b, 7) == 7000 + 120000, "big", round);
  check(text_<0>("a rather long string that is on the heap ", 2).size() == 82, "std::string", round);
  check(sum_<0>(4, 1.5, 2.5, 3.0, 5.0) == 12, "varargs", round);
  check(extended_<0>(0.5L, 3) == 3.5L, "long double", round);
#ifdef __AVX__
  __m256d v = vector_<0>(_mm256_set_pd(4, 3, 2, 1), 10, _mm256_set_pd(400, 300, 200, 100));
  double lanes[4];
  _mm256_storeu_pd(lanes, v);
  check(lanes[0] == 111 && lanes[1] == 212 && lanes[2] == 313 && lanes[3] == 414, "__m256d", round);
#endif
#ifdef __AVX512F__
  __m512d w = wide_<0>(_mm512_set1_pd(3), _mm512_set_pd(8, 7, 6, 5, 4, 3, 2, 1));
  double wide[8];
  _mm512_storeu_pd(wide, w);
  check(wide[0] == 4 && wide[7] == 11, "__m512d", round);
#endif
}

template <class F> static void in_threads(int count, F f) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++)
    threads.emplace_back([&, i] {
      ready++;
      while (ready < count)
        std::this_thread::yield();
      f(i);
    });
  for (auto &t : threads)
    t.join();
}

// what a stub costs once its slot is filled
__attribute__((noinline, noclone)) static int direct(int x) {
  __asm__ volatile("");
  return x + 1;
}

template <class F> static double nanoseconds(F f) {
  double best = 1e9;
  for (int round = 0; round < 7; round++) {
    auto t0 = std::chrono::steady_clock::now();
    int x = 0;
    for (int i = 0; i < 20000000; i++)
      x = f(x);
    std::chrono::duration<double, std::nano> d = std::chrono::steady_clock::now() - t0;
    __asm__ volatile("" ::"r"(x));
    best = d.count() / 2e7 < best ? d.count() / 2e7 : best;
  }
  return best;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  int n = argc > 2 ? atoi(argv[2]) : 0, x = argc > 3 ? atoi(argv[3]) : 0;
  try {
    if (!strcmp(mode, "arguments")) {
      arguments(1);
      arguments(2);
      puts("ok");
    } else if (!strcmp(mode, "value")) {
      printf("%d\n", value(n, x));
    } else if (!strcmp(mode, "threads")) {
      std::atomic<int> sum{0};
      in_threads(n, [&](int i) { sum += value(i % 2, 0) + value((i + 1) % 2, 0); });
      printf("%d\n", sum.load());
    } else if (!strcmp(mode, "twice")) {
      for (int i = 0; i < 2; i++)
        try {
          printf("%d\n", value(n, x));
        } catch (const std::runtime_error &e) {
          printf("error: %s\n", e.what());
        }
    } else if (!strcmp(mode, "errors")) {
      std::atomic<int> threw{0};
      in_threads(n, [&](int) {
        try {
          value_<0>(1);
        } catch (const std::runtime_error &e) {
          if (threw++ == 0)
            printf("%s\n", e.what());
        }
      });
      printf("%d threw\n", threw.load());
    } else if (!strcmp(mode, "chdir")) {
      if (chdir("/"))
        return 1;
      printf("%d\n", value(n, x));
    } else if (!strcmp(mode, "cost")) {
      value_<0>(0);
      double d = nanoseconds(direct), s = nanoseconds([](int v) { return value_<0>(v); });
      printf("direct %.2f ns, through a stub %.2f ns, difference %.2f ns\n", d, s, s - d);
    } else {
      fprintf(stderr, "unknown mode '%s'\n", mode);
      return 2;
    }
  } catch (const std::runtime_error &e) {
    printf("error: %s\n", e.what());
    return 3;
  }
  return 0;
}
