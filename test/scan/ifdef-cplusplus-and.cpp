// a comment does not end a condition
#include "kernel.hpp"
#if defined(__cplusplus) /* and */ && defined(A)
namespace a {
#endif
template<> void f<int>() {}
#if defined(__cplusplus) /* and */ && defined(A)
}
#endif
//= unsure
