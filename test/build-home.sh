#!/bin/sh
# home: a fake ROCm home by the real one, and export lines for eval. Twice is as good as once.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
h="$T/a home, it's"
ckjit-build home --dir "$h" --work "$T/w" >"$T/exports"
files "$h" | sed 's/ [^ ]* [^ ]* / /' >"$T/first"
ckjit-build home --dir "$h" --work "$T/w" >"$T/exports"
files "$h" | sed 's/ [^ ]* [^ ]* / /' | cmp -s - "$T/first" || fail 'the second run made another home'
[ ! -L "$h/bin/hipcc" ] && [ -x "$h/bin/hipcc" ] || fail 'bin/hipcc is no file'
for name in c++ g++ clang++ ckjit-cxx hipconfig; do
  [ "$(stat -c %i "$h/bin/$name")" = "$(stat -c %i "$h/bin/hipcc")" ] || fail "bin/$name is not the wrapper"
done
[ ! -e "$h/bin/rocminfo" ] || fail 'a tool that the real home does not have'
for name in include lib llvm .info bin/rocm-other; do
  [ "$(readlink "$h/$name")" = "$T/rocm/$name" ] || fail "$name is no link to the real one"
done
for line in ckjit-home=1 "real_home=$T/rocm" "real_compiler=$T/rocm/bin/hipcc" "work=$T/w" home_var=HIP_PATH compiler=hipcc \
  cxx=ckjit-cxx 'dispatcher=fmha_*_api.*' 'family=fmha_bwd_*'; do
  [ "$line" = cxx=ckjit-cxx ] || grep -qxF "$line" "$h/ckjit.conf" || fail "no $line: $(cat "$h/ckjit.conf")"
done
(
  eval "$(cat "$T/exports")"
  [ "$ROCM_PATH:$ROCM_HOME:$HIP_PATH" = "$h:$h:$h" ] || fail "variables: $(cat "$T/exports")"
  [ "$(command -v hipcc)" = "$h/bin/hipcc" ] && [ "$CXX" = "$h/bin/ckjit-cxx" ] || fail "PATH or CXX: $(cat "$T/exports")"
  [ "$(hipconfig)" = "hipconfig of nothing" ] || fail "hipconfig: $(hipconfig)"
  # In the midst of a fake home the real one is found again, and its own compiler is never taken for a real one.
  ckjit-build home --dir "$T/h2" >/dev/null
  grep -qxF "real_compiler=$T/rocm/bin/hipcc" "$T/h2/ckjit.conf" || fail "$(cat "$T/h2/ckjit.conf")"
  lacks 'its own C++ compiler is taken for a real one' "real_cxx=$T" "$T/h2/ckjit.conf"
  refused 1 'CK_JIT_HIPCC=.* is the wrapper' env CK_JIT_HIPCC="$h/bin/hipcc" ckjit-build home --dir "$T/h3"
  refused 1 'CK_JIT_CXX=.* is the wrapper' env CK_JIT_CXX="$CXX" ckjit-build home --dir "$T/h3"
) || exit 1

# A shell whose fake home was removed can make a new one.
CXX=$T/removed/bin/ckjit-cxx PATH=$T/removed/bin:$PATH ckjit-build home --dir "$T/h5" >/dev/null 2>"$T/err" ||
  fail "after a removed home: $(cat "$T/err")"
lacks 'the removed home is the real one' removed "$T/h5/ckjit.conf"

# A home for another real home: what was the first one's is gone.
rocm "$T/rocm2" && rm "$T/rocm2/bin/rocm-other"
ckjit-build home --dir "$h" --rocm "$T/rocm2" >/dev/null
[ ! -e "$h/bin/rocm-other" ] && [ ! -L "$h/bin/rocm-other" ] || fail 'an entry of the first home is left'

# Ordinary units are lazy if it is asked for, by the call or by the profile; the next home without it is as ever.
lacks 'units, which nobody asked for' '^units=' "$h/ckjit.conf"
ckjit-build home --dir "$h" --units >/dev/null
grep -qxF units=lazy "$h/ckjit.conf" || fail "--units: $(cat "$h/ckjit.conf")"
printf 'compilers: hipcc\nunits: lazy\n' >"$T/p.yaml"
ckjit-build home --dir "$h" --profile "$T/p.yaml" --units >/dev/null
[ "$(grep -c '^units=lazy$' "$h/ckjit.conf")" = 1 ] || fail "units: lazy: $(cat "$h/ckjit.conf")"
ckjit-build home --dir "$h" >/dev/null
lacks 'units of the home before' '^units=' "$h/ckjit.conf"
