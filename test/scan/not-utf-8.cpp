#include "k.h"
/* ÿþ */ template<> void f<int>() { "é€"; int été; }
//= blob f
