# chooser_fixture.sh - a dispatcher of the form of a blob, in front of the kernels of postbuild_fixture.sh: source it behind that.
# shellcheck shell=sh
cat >chooser.hpp <<'END'
#include "api.hpp"
template <int Version> int choose(int k, args a, char* text);
END

# dispatcher VERSION N...: choose<VERSION>(), which calls these kernels, on standard output
dispatcher() {
  version_=$1 else_=
  shift
  cat <<END
#include "chooser.hpp"
#include <cstring>
template <typename A, typename B>
int run_both(int k, args a, char* text) {
  args x{{}, 100};
  a.n = 1;
  strcpy(text, name<A>(k).c_str());
  return [=] { return fwd<B>(x, a); }();
}
template <> int choose<$version_>(int k, args a, char* text) {
END
  for n_; do
    echo "  ${else_:+$chained }if (k == $n_) { using t = traits<$n_, true>; return run_both<t, t>(k, a, text); }"
    else_=${chained-}
  done
  echo '  return -1; }'
}
# chain VERSION N...: the same with else in front of each if but the first, as CK writes it: it becomes a table
chain() {
  chained='else' dispatcher "$@"
}
# chooser_host: host.cpp, whose call() is choose<2>()
chooser_host() {
  printf '#include "chooser.hpp"\n#include <stdexcept>\nint call(int k, char* text) { return choose<2>(k, {}, text); }\n' >host.cpp
}
