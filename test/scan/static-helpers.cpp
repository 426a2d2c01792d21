#include "kernel.hpp"
static int counted(int x) { return x; }
inline float weak(float x) { return x; }
constexpr int folded(int x) { return x; }
namespace { void hidden() {} struct local { int a; }; }
[[maybe_unused]] static void attributed() {}
template <int N> static int own(int x) { return x + N; }
template <int N> __global__ void kernel(float* p) { p[0] = N; }
struct type { int m() { return 1; } };
template <> struct box<type> { int x; };
class declared;
extern template void other<int>();
extern int variable;
extern "C" int c_function(int);
extern "C" { int another(int x); void third(void); }
float declared_function(const args& a, int = 3);
float third_function(args& a), fourth(stream);
void reference(args, int n);
static_assert(sizeof(int) == 4, "(");
template<> inline void in_a_header<int>() {}
template<> void declared_only<int>();
template<> void f<int>() { own<3>(1); }
//= blob f
