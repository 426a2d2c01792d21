extern "C" int a(int), b(int);
// call(10 U + K): kernel K of unit U
extern "C" __attribute__((visibility("default"))) int call(int n) { return n < 20 ? a(n % 10) : b(n % 10); }
