#include <mylib/softmax_decl.h>
namespace mylib::detail {
template <> Status row_reduce<float, 7>(Row<float> in, Row<float>* out) noexcept { return reduce_impl<float, 7>(in, out); }
}
//= blob row_reduce
