#!/bin/sh
# memcheck over ckjit-build home and explain.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/memo_fixture.sh"
keeps=yes
. "${0%/*}/unit/valgrind_fixture.sh"
. "$here/unit/build_fixture.sh"
rocm "$T/rocm"
unset CK_JIT_HIPCC
memcheck "$B/bin/ckjit-build" home --dir "$T/home" --rocm "$T/rocm" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
clean "home"
memcheck "$B/bin/ckjit-build" home --dir "$T/home" --rocm "$T/rocm" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
clean "home, again"
cd "$T"
blob a.cu
echo 'int f() { return 1; }' >b.cu
for unit in a b; do
  "$T/home/bin/hipcc" -c $unit.cu -o $unit.o >"$T/out" 2>&1 || :
done
mkdir -p home/work/liba
printf '%s\n' "library $T/liba.so" 'unit ahead' "source $T/a.cu" "object $T/a.o" 'why it is' | memo 'units 1' >home/work/liba/ck_jit_units.txt
for form in '' --json --replay '--profile hip'; do
  # shellcheck disable=SC2086
  memcheck "$B/bin/ckjit-build" explain home $form >"$T/out" 2>&1 || fail "$(cat "$T/out")"
  grep -q 'int f()' "$T/out" || fail "explain $form: $(cat "$T/out")"
  clean "explain $form"
done
memcheck "$B/bin/ckjit-build" explain -- home/bin/hipcc -c a.cu >"$T/out" 2>&1 || fail "$(cat "$T/out")"
clean 'explain a command'
