/* parameters.c - what the parameters of kernels are called in a text. */
// tier: check
#include "prebuild/parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void compare(struct global_functions *functions, const char *text, const char *want) {
  struct buf have = {0};
  buf_puts(&have, "");
  for (size_t i = 0; i < functions->n; i++) {
    buf_printf(&have, "%s%s(", i ? " " : "", functions->list[i].name);
    for (size_t k = 0; k < functions->list[i].parameters.n; k++)
      buf_printf(&have, "%s%s", k ? "," : "", functions->list[i].parameters.args[k]);
    buf_puts(&have, ")");
  }
  if (strcmp(have.data, want) != 0)
    bad = fprintf(stderr, "'%s': expected '%s', found '%s'\n", text, want, have.data);
  buf_free(&have);
  parameters_free(functions);
}

/* WANT: each function with its parameters' names */
static void check(const char *text, const char *want) {
  struct global_functions functions = {0};
  parameters_read(&functions, text, strlen(text));
  compare(&functions, text, want);
}

static void check_preprocessed(const char *text, const char *want) {
  struct global_functions functions = {0};
  parameters_read_preprocessed(&functions, text, strlen(text));
  compare(&functions, text, want);
}

static void check_names(void) {
  static const char text[] =
      "__global__ void a(int x); __global__ void a(int); __global__ void b(int x, int y);"
      "template <int N> __global__ void b(int x, int z) {} __global__ void a(int p, int q) {}";
  struct global_functions functions = {0}, more = {.more = &functions};
  parameters_read(&functions, text, strlen(text));
  const char *x = parameters_name(&more, "a", 0, 1), *p = parameters_name(&more, "a", 0, 2),
             *same = parameters_name(&more, "b", 0, 2);
  if (!x || strcmp(x, "x") != 0 || !p || strcmp(p, "p") != 0 || !same || strcmp(same, "x") != 0)
    bad = fprintf(stderr, "names: %s, %s, %s\n", x, p, same);
  if (parameters_name(&more, "b", 1, 2) || parameters_name(&more, "c", 0, 1) ||
      parameters_name(&more, "a", 0, 3))
    bad = fprintf(stderr, "a name that is not known is told\n");
  parameters_free(&functions);
}

int main(void) {
  check("__global__ void k(float *data, int n) { f(data); }", "k(data,n)");
  check(
      "template <class T, int N = (3 > 2)> __launch_bounds__(256, N) __global__ void\nk(const T *__restrict__ in, "
      "map<T, by<2>> m = {1, 2}, unsigned)\n{}",
      "k(in,m,)");
  check(
      "static __global__ void __launch_bounds__(64) __attribute__((used)) k(demo::args a[3], void (*f)(int, char), "
      "int (&r)[4]) noexcept {}",
      "k(a,f,r)");
  check("__global__ void k();__global__ void l(void) {}", "k() l()");
  check("__global__ void k(ns::type, const other, struct third, unsigned int, long long x)", "");
  check("__global__ void k(ns::type, const other, struct third, unsigned int, long long x);", "k(,,,,x)");
  check("template <> __global__ void k<by<2>, (1 < 2)>(int n) {}", "k(n)");
  check("template <class... A> __global__ void k(A... a) {} __global__ void l(int i) {}", "l(i)");
  check("// __global__ void no(int i);\n#define G __global__ void no(int i)\n\"__global__ void no(int i);\"",
        "");
  check("__global__ using x = int; int f(int i) {} auto p = __global__; __global__", "");
  check("__global__ void k(int i", "");
  check("__global__ void (", "");
  check("__attribute__((global)) void k(int i) {}", "");
  check_preprocessed(
      "# 1 \"a\"\n__attribute__((global)) void __attribute__((launch_bounds(9))) k(int i, float) {}\n"
      "__location__(global) void l(char *s) { \"unclosed",
      "k(i,) l(s)");
  check_preprocessed("(global)", "");
  check_preprocessed("(global) void k(int", "");
  check_names();
  return bad != 0;
}
