#include "k.h"
template<> void f<int>() {  }
//= blob f
