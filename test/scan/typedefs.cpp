#include "kernel.hpp"
typedef traits<1> t;
typedef float (*callback)(int, args);
typedef int table[3];
typedef void handler(int);
typedef struct { int (*member)(int); } plain;
template<> void f<t>(callback c) {}
//= blob f
