#!/bin/sh
# Real command lines, mutated: the wrapper passes them through unchanged, or treats them as the stock compiler would. This is a
# sample; `COUNT=20000 test/wrapper-mutations.sh` takes more, for longer, and HIPCC=/usr/bin/hipcc the real one.
# tier: all
. "${0%/*}/common.sh"
need python3 c++ cc
seed
clang=
for name in clang++-15 clang++-19 clang++-18 clang++-17 clang++-16 clang++; do
  [ -n "$clang" ] || clang=$(command -v "$name") || true
done
[ -n "$clang" ] || skip 'no clang++ here'
# hipcc as far as it matters here, without its half second: the language by the suffix, host code only
cat >"$T/hipcc" <<END
#!/bin/sh
typed= value= n=\$#
while [ "\$n" -gt 0 ]; do
  a=\$1
  shift
  n=\$((n - 1))
  case \$a in
  -x*) typed=1 ;;
  -*) ;;
  *.cu | *.cuh | *.hip | *.cpp | *.cc | *.cxx | *.C) [ -n "\$typed\$value" ] || set -- "\$@" -x hip ;;
  esac
  value=
  [ "\$a" != -o ] || value=1
  set -- "\$@" "\$a"
done
# shellcheck disable=SC2086 # words
exec $clang -nogpulib -nogpuinc -nocudainc -nocudalib --cuda-host-only \$HIPCC_COMPILE_FLAGS_APPEND "\$@"
END
chmod +x "$T/hipcc"
printf 'template <int N> int f();\ntemplate <> int f<1>() { return 1; }\n' >"$T/probe.cpp"
"$T/hipcc" -x hip --offload-arch=gfx90a -c "$T/probe.cpp" -o "$T/probe.o" >"$T/log" 2>&1 || skip "$clang compiles no HIP here: $(tail -n 1 "$T/log")"
[ -n "${COUNT-}" ] || limit='--seconds 40'
# shellcheck disable=SC2086 # words
python3 "$here/mutations/compare.py" --build "$B" --work "$T/work" --hipcc "${HIPCC:-$T/hipcc}" --flags "$B/test/unit/flags" \
  --first "$SEED" --count "${COUNT:-400}" ${limit-} || fail 'the wrapper and the compiler differ'
