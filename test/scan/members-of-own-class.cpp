#include "kernel.hpp"
namespace {
class own {
  int v;
 public:
  own() noexcept;
  own(const own&);
  ~own();
  long get() const&;
  long get() &&;
  explicit operator long() const;
  own& operator++();
};
own::own() noexcept : v{9} {}
own::own(const own& o) try : v(o.v) {} catch (...) {}
own::~own() {}
long own::get() const& { return v; }
long own::get() && { return -v; }
own::operator long() const { return v; }
own& own::operator++() { return ++v, *this; }
}
template<> int f<1>() { return long(own()); }
//= blob f
