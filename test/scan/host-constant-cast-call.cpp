const int q = static_cast<int>(enrol());
template <> void f<q>() {}
//= host
