#include "inc/words.h"
#include "inc/mine.h"
MINE void k(int *p) { p[0] = 1; }
void run(int *p) { k<<<1, 1>>>(p); }
