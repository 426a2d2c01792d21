#include "words.h"
#include "mine.h"
int run() { return 1; }
