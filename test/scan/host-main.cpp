#include "k.h"
int main(int argc, char** argv) { return f<int>(); }
//= host
