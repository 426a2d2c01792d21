#include "kernel.hpp"
namespace lib { inline namespace v1 { struct row { int a; }; struct table { row rows[2]; }; } }
namespace lib { static row first{1}; }
namespace { struct row { int b; }; }
static lib::table rows{{{1}, {2}}};
static ::lib::v1::row one{1};
static row own{3};
template<> void f<1>() { g(rows.rows[0].a + one.a + own.b + lib::first.a); }
//= blob f
