#ifdef __HIP_DEVICE_COMPILE__
constexpr int spin(int n) {
  int sum = 0;
  for (int i = 0; i < 200000; i++)
    sum ^= i + n;
  return sum;
}
template <int n> struct spun : spun<n - 1> {
  static_assert(spin(n) != -1, "");
};
template <> struct spun<0> {};
static_assert(sizeof(spun<40>) > 0, "");
#endif
