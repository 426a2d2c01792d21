#!/bin/sh
# Response files are read for the verdict, nested ones too, and handed on as they are.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
blob 'x y.cu'
echo 'int f() { return 0; }' >host.cu
printf -- "-DA='1 2' @inner\n" >outer
printf -- '-x hip -c "x y.cu" -o\n\tx.o' >inner
"$T/h/bin/hipcc" @outer
grep -qF '"args":["-DA=1 2","-x","hip","-c","x y.cu","-o","x.o"]' x.o || fail "not expanded: $(cat h/wdir/manifest.json.ndjson)"
test ! -e h/real.log || fail "a blob reached the compiler"
printf -- '-c host.cu -o host.o' >host
"$T/h/bin/hipcc" -DB @host
grep -qx '<@host>' h/real.log || fail "the response file was not handed on: $(cat h/real.log)"
# one that is not there is the compiler's to complain about
"$T/h/bin/hipcc" @missing -o prog
grep -qx '<@missing>' h/real.log || fail "a missing response file was not handed on"
# one that contains itself ends
echo '@self' >self
"$T/h/bin/hipcc" @self || fail "a response file that contains itself"
# one that contains itself twice does, too
echo '@twice @twice' >twice
timeout 1800 "$T/h/bin/hipcc" @twice || fail "a response file that contains itself twice"
# a pipe can be read once: that is for the compiler to do
mkfifo pipe
echo '-c x.cu' >pipe &
timeout 1800 "$T/h/bin/hipcc" @pipe || fail "a pipe as a response file"
test "$(cat pipe)" = '-c x.cu' || fail "the pipe was read"
# hipcc, which does not read them, gives a source `-x hip` when it has seen no -x, and one that it does not see nothing
printf -- '-x c++ -O2' >language
printf -- '-c "x y.cu" -o z.o' >source
"$T/h/bin/hipcc" @language -c 'x y.cu' -o z.o
"$T/h/bin/hipcc" @source
test ! -e z.o || fail 'recorded in a language that hipcc does not see'
"$T/h/bin/hipcc" -x hip @source
test -s z.o && rm z.o || fail 'not recorded'
# HIP either way
printf -- '-x hip -O2' >language
"$T/h/bin/hipcc" @language -c 'x y.cu' -o z.o
test -s z.o && rm z.o || fail 'not recorded, though it is HIP whether hipcc sees it or not'
printf -- '-x hip -x c++' >language
"$T/h/bin/hipcc" @language -c 'x y.cu' -o z.o
test ! -e z.o || fail 'recorded in a language that hipcc does not see'
# one that gcc and clang take differently: form feeds, NUL, a mark of UTF-8, a backslash or an open quote at the end
for text in '-c "x y.cu" "-o" y.o"' '-c "x y.cu" -o y.o \134' '-c\f"x y.cu" -o y.o' '-c "x y.cu" -o y.o\0 -O2' '\357\273\277-c "x y.cu" -o y.o'; do
  # shellcheck disable=SC2059 # an escape
  printf -- "$text" >unclear
  : >h/real.log
  "$T/h/bin/hipcc" @unclear
  grep -qx '<@unclear>' h/real.log || fail "unclear, but not left to the compiler: $text"
  test ! -e y.o || fail "recorded: $text"
done
"$T/h/bin/hipcc" -c 'x y.cu' -mllvm @missing -o z.o
test ! -e z.o || fail 'recorded with a response file that nobody read'
# with stubs in it the link step says so, whoever would have read them
printf -- '-shared\fx.o -o x.so' >unclear
"$T/h/bin/hipcc" @unclear
grep -q '<@unclear>' h/link.log || fail 'the stubs in it were not seen'
status=0
"$B/libexec/ckjit/ckjit-link" --home "$T/h" --work "$T/h/wdir" --compiler "$(command -v c++)" -- @unclear 2>err || status=$?
test $status = 1 || fail "link: status $status"
grep -q 'response file.*form feed' err || fail "link: $(cat err)"
