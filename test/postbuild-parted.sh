#!/bin/sh
# A forwarding unit that the compiler refuses without naming a blob is parted: only the blobs to blame are compiled ahead of time, and a
# warning names them, with the compiler's first error. Headers that cannot be had together, a header and a context
# that only hold in its own file, a compiler that crashes.
# tier: all
# seconds: 42
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
for n in 1 2 3 4 5 6 7; do kernel $n; done
host 1 2 3 4 5 6 7

# Two system headers, each fine alone.
echo '#define MODE 1' >one.hpp
printf '#ifdef MODE\n#error two modes\n#endif\n' >two.hpp
sed -i '1a #include <one.hpp>' k2.cpp k3.cpp
sed -i '1a #include <two.hpp>' k4.cpp
objects k1 k2 k3 k4 k5 k6 k7 host
link liba.so k1.o k2.o k3.o k4.o k5.o k6.o k7.o host.o
says '6 blobs are lazy (12 functions in 1 unit), 1 compiled ahead of time'
says "ahead of time: $T/k4.cpp: what it includes does not compile with what others include: ./two.hpp:2:2: error: two modes"
says "ckjit-link: warning: liba.so: 1 kernel is compiled ahead of time: what it includes"
right liba.so 1 2 3 4 5 6 7

# A header that refuses to be compiled without optimisation.
printf '#ifndef __OPTIMIZE__\n#error optimise\n#endif\n' >fast.hpp
sed -i 's/two.hpp/fast.hpp/' k4.cpp
as_build hipcc -x c++ -O1 -fPIC -fvisibility=hidden -I. -c k4.cpp -o k4.o || fail "k4.cpp: $(cat err)"
for n in 1 5; do as_build hipcc -x c++ -O1 -fPIC -fvisibility=hidden -I. -c k$n.cpp -o k$n.o || fail "k$n.cpp: $(cat err)"; done
link liba.so k1.o k2.o k3.o k4.o k5.o k6.o k7.o host.o
says '7 blobs are lazy (14 functions in 2 units), 0 compiled ahead of time'

# A header that one blob includes, and that only the blob's own file can.
echo "static_assert(sizeof(__BASE_FILE__) <= sizeof \"$T/k4.cpp\", \"own\");" >own.hpp
sed -i 's/fast.hpp/own.hpp/' k4.cpp
as_build hipcc -x c++ -O1 -fPIC -fvisibility=hidden -I. -c k4.cpp -o k4.o || fail "k4.cpp: $(cat err)"
link liba.so k1.o k2.o k3.o k4.o k5.o k6.o k7.o host.o
says '6 blobs are lazy (12 functions in 2 units), 1 compiled ahead of time'
says "ahead of time: $T/k4.cpp: the head of its forwarding unit does not compile: ./own.hpp:1:"
right liba.so 1 2 3 4 5 6 7

# A directive in the head of the unit that only the blob's own file makes sense of.
kernel 4
sed -i '1a namespace far { struct away { struct nested {}; }; }\nusing away = far::away;\nusing space = away::nested;\nusing ::space;' k4.cpp
sed -i '1a namespace very { namespace deep { inline int own() { return 0; } } using namespace deep; }\nusing very::own;' k5.cpp
objects k1 k4 k5
link liba.so k1.o k2.o k3.o k4.o k5.o k6.o k7.o host.o
says "ahead of time: $T/k5.cpp: "
says "error: no member named 'own' in namespace 'very'"
right liba.so 1 2 3 4 5 6 7

# A compiler that dies of two of seven, and says nothing of where.
mkdir -p crash/bin
cat >crash/bin/hipcc <<'END_'
#!/bin/sh
for file; do
  case $file in */parts/*.cpp | */units/*.cpp)
    echo >>"$COUNT"
    if grep -q 'kernel_of_death' "$file"; then
      echo 'clang++: error: clang frontend command failed due to signal' >&2
      exit 254
    fi
  esac
done
exec hipcc "$@"
END_
chmod +x crash/bin/hipcc
export COUNT="$T/count"
for n in 1 2 3 4 5 6 7; do kernel $n; done
for n in 3 7; do # the name of an alias that the signature needs
  sed -i 's/trait\b/kernel_of_death/g' k$n.cpp
done
CK_JIT_HIPCC=$T/crash/bin/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" || fail 'no home of the compiler that crashes'
objects k1 k2 k3 k4 k5 k6 k7 host
link libb.so k1.o k2.o k3.o k4.o k5.o k6.o k7.o host.o
says '5 blobs are lazy (10 functions in 1 unit), 2 compiled ahead of time'
says "ckjit-link: warning: libb.so: 2 kernels are compiled ahead of time: its forwarding stub does not compile: clang++: error: clang frontend"
for n in 3 7; do says "ahead of time: $T/k$n.cpp: its forwarding stub does not compile: clang++: error: clang frontend"; done
[ "$(wc -l <count)" -lt 20 ] || fail "$(wc -l <count) compiles to find two of seven"
right libb.so 1 2 3 4 5 6 7
[ ! -e "$work/libb/parts" ] || fail 'the parts are left'

# Where stock fails, the link fails, with the compiler's words about the user's file.
sed -i 's/x\.n/not_there/' k3.cpp && objects k3
refused "k3.cpp:3" hipcc -shared -o libb.so k1.o k3.o host.o
