#!/bin/sh
# The fuzz targets build, take their seeds and what was a finding once, and stand a second of fuzzing each (FUZZ_SECONDS=N).
# tier: long
# seconds: 171
. "${0%/*}/common.sh"
[ -z "${SANITIZER-}" ] || skip "the targets have sanitizers of their own"
need clang
echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n); int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return n && !p; }' >"$T/probe.c"
clang -fsanitize=fuzzer,address,undefined "$T/probe.c" -o "$T/probe" 2>"$T/log" || skip "no libFuzzer here: $(tail -n 1 "$T/log")"
make -s -C "$here/.." fuzz >"$T/log" 2>&1 || fail "make fuzz: $(tail -n 30 "$T/log")"
B="$here/../build-fuzz" "$here/fuzz/run" "${FUZZ_SECONDS:-1}" || fail "a finding: $here/../build-fuzz/fuzz/findings"

# A reader that ends the program, and one that takes no end, would be noticed.
for form in 'exit(1);' 'for (;;);' 'abort();'; do
  printf '#include <stdlib.h>\nint LLVMFuzzerTestOneInput(const char *p, unsigned long n);\nint LLVMFuzzerTestOneInput(const char *p, unsigned long n) { if (n && p[0] == 33) %s return 0; }\n' \
    "$form" >"$T/bad.c"
  mkdir -p "$T/b/fuzz/corpus/bad"
  printf '!' >"$T/b/fuzz/corpus/bad/seed"
  clang -fsanitize=fuzzer,address,undefined "$T/bad.c" -o "$T/b/fuzz/bad"
  FUZZ_TIMEOUT=2 B="$T/b" "$here/fuzz/run" 2 bad >"$T/log" && fail "$form was not noticed: $(cat "$T/log")"
  grep -q '^FAIL bad' "$T/log" || fail "$form: $(cat "$T/log")"
done
