#!/bin/sh
# A blob that needs something of a sibling by a name that it does not say, because a function, a class or a macro of a header says it, gets it
# from the library when it is loaded: an operator of a class that a function of a header returns, a function that an inline one calls, a
# function of another blob, or of a dispatcher. No compiler is asked what it needs. If blobs and siblings are members of an archive, of which the
# linker takes what something needs, such a blob is compiled ahead of time. Of blobs that have the same names, each is asked then: one may only
# mention what another calls. Names that lead nowhere cost no laziness, and none that the headers themselves have.
# tier: all
# seconds: 35
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END'
struct number { int n; };
inline number make(int n) { return {n}; }
int operator+(const number&, int);
struct turned { int n; operator int() const; };
inline turned turn(int n) { return {n}; }
struct closed { int n; ~closed(); };
inline closed open(int n) { return {n}; }
struct list { int n; const int* begin() const; const int* end() const; };
inline list all(int n) { return {n}; }
int log_launch(int);
inline int launch(int n) { return log_launch(n); }
template <class T> int indirect(T n) { return launch(n); }
#define LAUNCH(n) log_launch(n)
struct helper { int run(int n) { return log_launch(n); } };
extern int level;
inline int now(int n) { return n * level; }
template <class T> int elsewhere(T x);
template <class T> int through(T x) { return elsewhere(x); }
struct plain { int n; };
inline plain fill(int n) { return {n}; }
inline int operator-(const plain& a, int b) { return log_launch(a.n) - b; }
template <> int fwd<traits<14, true>>(const args& x, args y);
inline int fourteenth(const args& x, const args& y) { return fwd<traits<14, true>>(x, y); }
int choose(const args& x, args y);
inline int chosen(const args& x, const args& y) { return choose(x, y); }
inline int harmless(int n) { return n; }
END
# needs N TEXT SYMBOL: blob N returns what the TEXT does; it needs the SYMBOL
needs() {
  kernel "$1"
  sed -i "s/return x.n \* $1/$2/" "k$1.cpp"
  echo "k$1.cpp: it needs $3 of " >>needed
}
needs 1 'auto a = make(x.n); return (a + 0) * 1' _ZplRK6numberi
needs 2 'int a = turn(x.n); return a * 2' _ZNK6turnedcviEv
needs 3 'auto a = open(x.n); return a.n * 3' _ZN6closedD1Ev
needs 4 'int a = 0; for (int i : all(x.n)) a += i; return a * 4' _ZNK4list5beginEv
needs 5 'return launch(x.n) * 5' _Z10log_launchi
needs 6 'return indirect(x.n) * 6' _Z10log_launchi
needs 7 'return LAUNCH(x.n) * 7' _Z10log_launchi
needs 8 'return helper().run(x.n) * 8' _Z10log_launchi
needs 9 'return now(x.n) * 9' level
needs 10 'return through(x.n) * 10' _Z9elsewhereIiEiT_
needs 11 'return (fill(x.n) - 0) * 11' _Z10log_launchi
kernel 12 && sed -i 's/return x.n \* 12/return static_cast<int>(sizeof(launch(1)) * 3) * x.n/' k12.cpp
needs 13 'return static_cast<int>(launch(x.n)) * 13' _Z10log_launchi
kernel 14 && sed -i 's/return x.n \* 14/return harmless(x.n) * 14/' k14.cpp
# the functions of another blob and of a dispatcher, by inline functions of the header; another blob's specialisation of one's own template
needs 15 'return fourteenth(x, y) - y.n + x.n' _Z3fwdI6traitsILi14ELb1EEEiRK4argsS2_
needs 16 'return chosen(x, y) - y.n + x.n * 2' _Z6chooseRK4argsS_
needs 17 'return fwd<traits<14, true>>(x, y) - y.n + x.n * 3' _Z3fwdI6traitsILi14ELb1EEEiRK4argsS2_
all='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17'
# shellcheck disable=SC2086 # a list
host $all
cat >defined <<'END'
int operator+(const number& a, int b) { return a.n + b; }
turned::operator int() const { return n; }
closed::~closed() {}
const int* list::begin() const { return &n; }
const int* list::end() const { return &n + 1; }
int log_launch(int n) { return n; }
int level = 1;
template <class T> int elsewhere(T x) { return x; }
template int elsewhere<int>(int);
END
cat defined >>host.cpp
echo 'dispatcher=choose.*' >>home/ckjit.conf
cat >choose.cpp <<'END'
#include "api.hpp"
int choose(const args& x, args y) { return fwd<traits<14, true>>(x, y); }
END
objects host choose
files=
for n in $all; do
  objects "k$n" && files="$files k$n.o"
done
# shellcheck disable=SC2086 # a list
link liba.so $files host.o choose.o
says '17 blobs are lazy (34 functions in 1 unit), 0 compiled ahead of time'
says '; 3 compiles, ' # the forwarding unit, the dispatcher, the runtime
# shellcheck disable=SC2086 # a list
right liba.so $all

# blobs and siblings in an archive
# shellcheck disable=SC2086 # a list
host $all
(echo '#include "api.hpp"' && cat defined) >defined.cpp
objects host defined
# shellcheck disable=SC2086 # a list
ar rc libk.a $files defined.o
link libc.so host.o choose.o libk.a
sed -i /_Z6chooseRK4argsS_/d needed
while read -r line; do says "$line"; done <needed
says '3 blobs are lazy (6 functions in '
# shellcheck disable=SC2086 # a list
right libc.so $all

# the header's name is a macro's, in the only blobs of a library
for n in 5 9; do
  sed -i '1s/.*/#define API "api.hpp"\n#include API/' "k$n.cpp"
done
host 5 9
cat defined >>host.cpp
objects host k5 k9
link libb.so k5.o k9.o host.o
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time'
right libb.so 5 9
