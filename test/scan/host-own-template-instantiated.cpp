template <class T> T f(T x) { return x; }
template int f<int>(int);
//= host
