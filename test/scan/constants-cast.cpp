const bool q = 2 == static_cast<int>(quant::per_tensor);
const long r = static_cast<const std::int64_t>(sizeof(int)) + 1;
template <> void f<q>() {}
//= blob f
