#pragma once
/* the macro of a generator: the unit is a call of it */
#define INSTANTIATE(SIZE, TYPE) \
  template void gemm<A, TYPE,   \
                     SIZE>(const TYPE* in, int n);
#define EACH(what, ...) what(1, __VA_ARGS__) what(2, __VA_ARGS__)
#define JOINED(name, type) template <> void name##_run<type>() {}
#ifdef WIDE
#define CHOSEN(n) template void wide<n>();
#else
#define CHOSEN(n) template void narrow<n>();
#endif
#define NAMED(n) const char* name_of_##n = #n;
