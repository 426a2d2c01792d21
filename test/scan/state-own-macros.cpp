#include "kernel.hpp"
#include <limits.h>
#define N 8
#define EIGHT (N)
#define ZEROS {EIGHT, EIGHT + 1}
#define ROW(name, n) {name, (n) * EIGHT}
static int sizes[N] = ZEROS;
static long most = EIGHT, least = -INT_MAX;
static struct { const char *name; int n; } rows[] = {ROW("a", 1), ROW("b", N)};
template<> void f<int>() {}
//= blob f
