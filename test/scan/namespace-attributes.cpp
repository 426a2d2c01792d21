#include "kernel.hpp"
namespace __attribute__((visibility("hidden"))) near { inline int one() { return 1; } }
namespace [[maybe_unused]] far __attribute__((visibility("hidden"))) { class constructor; inline int own(int v) { return v; }; }
static int takes(int constructor) { return constructor; }
static const bool quiet = noexcept(takes(1)) && alignof(int) > 2;
template<> int f<1>() { return near::one(); }
//= blob f
