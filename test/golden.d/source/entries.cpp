struct square;
struct cube;
template <class D> int run(int n);
extern "C" __attribute__((visibility("default"))) int call(int n) { return n == 1 ? run<square>(n) : run<cube>(n); }
