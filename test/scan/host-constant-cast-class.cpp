const bool q = static_cast<registrar>(3).done;
template <> void f<q>() {}
//= host
