// inlined.cpp - a kernel of STEPS steps with temporaries that are passed by reference, as libraries of templates have them. If
// all is inlined before anything is simplified, SROA takes time in the square of STEPS (docs/heavy-kernels.md).
struct tile {
  float a, b, c, d;
};
static void load(tile &t, const float *p) { t = {p[0], p[1], p[2], p[3]}; }
static void add(tile &sum, const tile &t) { sum = {sum.a + t.a, sum.b + t.b, sum.c + t.c, sum.d + t.d}; }
template <int I> static void step(tile &sum, const float *p) {
  tile t = {};
  if (p[I] > 0)
    load(t, p + 4 * I);
  add(sum, t);
}
template <class T, T... I> struct numbers {
  static void steps(tile &sum, const float *p) { (step<I>(sum, p), ...); }
};
__attribute__((amdgpu_kernel)) void kernel(float *p, int n) {
  tile sum = {};
  for (int i = 0; i < n; i++)
    __make_integer_seq<numbers, int, STEPS>::steps(sum, p);
  p[0] = sum.a + sum.b + sum.c + sum.d;
}
