template <int V> struct n_ {};
struct B {};

float dispatch(traits t, args a, const stream& s);
//= dispatcher
#include "gen.hpp"
template <class A>
float h(std::string c, args a, const stream& s)
{
    note(long(c.size())); return fwd_<A>(s, a);
}
float dispatch(traits t, args a, const stream& s) {
    float r = -1;
    return (r = h<fp16>(std::move(t.data_type), a, s), note(long(t.data_type.size())), r);
    return r;
}
