template <class T> void f();
template<> void f<int>() {}
//= host
