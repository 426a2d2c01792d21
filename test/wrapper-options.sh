#!/bin/sh
# Whether the real compiler takes the options of a unit, it is asked itself, once for all units with the same ones. What it
# refuses fails at once, with its message, as it would have without the wrapper.
# tier: check
. "${0%/*}/common.sh"
need c++
cd "$T"
# a hipcc that is the C++ compiler, counts its calls, and writes a file beside its first word's object for -fmore
cat >hipcc <<END
#!/bin/sh
echo "\$*" >>'$T/calls'
for a; do
  shift
  case \$a in
  hip) set -- "\$@" c++ ;;
  -mllvm) exit ;; # one that prints, and compiles nothing
  -fmore) : >"\${object%.o}.extra" ;;
  *.o) object=\$a && set -- "\$@" "\$a" ;;
  *) set -- "\$@" "\$a" ;;
  esac
done
exec c++ "\$@"
END
chmod +x hipcc
touch calls
fake_home "$T/h" "real_compiler=$T/hipcc"
printf 'struct stream; struct args {}; template <int, bool> struct traits; template <class T> float kernel_fwd_(const stream&, args);\n' >kernel.hpp
printf 'template <class T> float launch(const stream&, args);\n' >>kernel.hpp
blob a.cpp
blob b.cpp
calls() {
  wc -l <calls
}

# no question: nothing that a compiler could refuse
"$T/h/bin/hipcc" -x hip -Iinc -isystem sys -DX=1 -DY -MMD -MF a.d -c a.cpp -o a.o
test "$(calls)" = 0 || fail "asked for nothing: $(cat calls)"

# one question for both units, and for another output and other macros
"$T/h/bin/hipcc" -std=c++17 -O2 -DX=1 -MD -MF a.d -c a.cpp -o a.o
"$T/h/bin/hipcc" -std=c++17 -O2 -DX=2 -MD -MF out.d -c b.cpp -o b.o
test "$(calls)" = 1 || fail "not one question: $(cat calls)"
test "$(kinds h | tr '\n' ' ')" = 'blob blob blob ' || fail "recorded: $(kinds h)"
"$T/h/bin/hipcc" -std=c++17 -O1 -c a.cpp -o a.o
test "$(calls)" = 2 || fail "other options were not asked about"
test -z "$(find h/wdir/.options -mindepth 1)" || fail "left there: $(ls h/wdir/.options)"

# taken, but nothing is made
rm -f a.o
"$T/h/bin/hipcc" -mllvm --help -c a.cpp -o a.o
test ! -e a.o || fail 'recorded, and the compiler makes nothing'

# refused: the compiler's own message and status, no object, and asked again the next time
rm -f a.o
for i in 1 2; do
  for option in -std=c++99 -fno-such-thing '-Wp,-Dx(' -Ofoo '-DX -DX=2 -Werror' --param=none=1 '-include none.h'; do
    status=0 want=0
    # shellcheck disable=SC2086
    ./hipcc $option -c a.cpp -o a.o 2>want || want=$?
    # shellcheck disable=SC2086
    "$T/h/bin/hipcc" $option -c a.cpp -o a.o 2>got || status=$?
    test $want != 0 || continue # this compiler takes it
    test $status = $want || fail "$option: status $status, not $want"
    cmp -s want got || fail "$option: $(cat got)"
    test ! -e a.o || fail "$option: an object was left"
  done
done

# an option that makes more than an object
"$T/h/bin/hipcc" -o a.o -fmore -c a.cpp
test "$(kinds h | tail -n 1)" = host || fail "what makes more than an object was recorded"
test -e a.extra || fail 'the compiler was not called'

# a source that this compiler does not know for one: it says so, ends with 0 and makes nothing
blob x.cu
"$T/h/bin/c++" -c x.cu -o x.o 2>err
test ! -e x.o || fail 'recorded what the compiler does not compile'
grep -q 'x.cu.*linker' err || fail "its warning: $(cat err)"

# units that start at the same time
for i in 1 2 3 4; do
  "$T/h/bin/hipcc" -O3 -c a.cpp -o "$i.o" &
done
wait
"$T/h/bin/hipcc" -O3 -c a.cpp -o 5.o
test "$(kinds h | tail -n 5 | tr '\n' ' ')" = 'blob blob blob blob blob ' || fail "at the same time: $(kinds h)"

# an entry that is not what it should be is no answer
: >calls
for entry in h/wdir/.includes/*; do echo broken >"$entry"; done
"$T/h/bin/hipcc" -O3 -c a.cpp -o 5.o
test "$(calls)" = 1 || fail 'a broken entry was believed'
