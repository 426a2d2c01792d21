template <int V> struct n_ {};
struct B {};

float dispatch(traits t, args a, const stream& s);
//= dispatcher
#include "gen.hpp"
template <class A>
float h(traits t, args a, const stream& s)
{
    using B = int; return fwd_<std::pair<A, B>>(s, a);
}
float dispatch(traits t, args a, const stream& s) {
    float r = -1;
    return h<fp16>(t, a, s);
    return r;
}
