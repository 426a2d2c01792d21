#!/bin/sh
# RTLD_LAZY, RTLD_NOW, RTLD_LOCAL, RTLD_GLOBAL, RTLD_DEEPBIND and LD_BIND_NOW make no difference; nor does a second library with
# the same stems and functions in the global scope.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 16
many other 16 2
# right FLAG…: two kernels that were not called before
n=0
right() {
  is "$*" "$((1000 * n + 5)) $((1000 * n + 1006)) " "$(hostile lib flags "$@" - $n 5 $((n + 1)) 6 | tr '\n' ' ')"
  n=$((n + 2))
}
right LAZY
right NOW
right LAZY GLOBAL
right NOW GLOBAL
right NOW DEEP
LD_BIND_NOW=1
export LD_BIND_NOW
right LAZY GLOBAL
unset LD_BIND_NOW
is "compiles" $n "$(started lib)"

is "two libraries at once" "12000 1012000 " "$(hostile lib beside "$T/other/libkernels.so" 32 12 | tr '\n' ' ')"
is "their compiles" 1 "$(started other)"
is "their entries" 2 "$(find "$T/cache" -name 'k12*.so' | wc -l)"
