// From the generator: what a macro has closed is followed by a namespace, and that by a variable. As one declaration it would be a constant,
// and the instantiation in it would be lost.
#include "lib.hpp"
#define OPEN namespace in {
#define CLOSE }
OPEN inline long g(long v) { return v; } CLOSE
namespace api::v2 {
template int f<1>(char[4]);
}
static int const value = 29;
template int api::v2::f<3>(char[4]);
//= unsure
