#include "kernel.hpp"
namespace lib { inline namespace v1 { struct row { int a; }; struct table { row rows[2]; }; } }
namespace lib { static row first{1}; static table rows{{{1}, {2}}}; }
namespace { struct row { int b; }; }
static row own{3};
template<> void f<1>() { g(lib::rows.rows[0].a + own.b + lib::first.a); }
//= blob f
