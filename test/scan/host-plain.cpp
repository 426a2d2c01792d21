#include <x.h>
int f(int x) { return x; }
//= host
