// arms that are known split a bracket: the text is what stands in them
#include "kernel.hpp"
#ifdef __cplusplus
extern "C" {
#endif
int of_c(int);
#if defined(__cplusplus) // and behind it
}
#else
)
#endif
#ifndef __cplusplus
}
#endif
template<> void f<int>() {}
#if 1
namespace a {
#endif
namespace b {
int within(int);
}
#if defined __cplusplus
}
#else
#error not here
#endif
template<> void f<long>() {}
//= blob f f
