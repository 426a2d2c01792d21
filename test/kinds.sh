#!/bin/sh
# Which kind a compiler is, is compared and named in core/cc alone: elsewhere the code asks for a fact in the row of core/cc/compiler.c.
# tier: check
. "${0%/*}/common.sh"

# comparisons DIR: those in the tree DIR, one a line
comparisons() (
  cd "$1" || exit
  grep -nE -r --include='*.[ch]' \
    -e 'dialect *[!=]=|\bCC_(GNU|NVCC)\b' \
    -e '\bDEVICE_(NEVER|IF_HIP|ALWAYS)\b' \
    -e 'strcmp\([^"]*(kind|home|option)[^"]*, "(hip|cuda|clang|c\+\+|rocm)"\)' \
    front driver wrapper unit postbuild compile prebuild nvcc api core | grep -v '^core/cc/' || :
)

found=$(comparisons "$here/..")
[ -z "$found" ] || fail "make it a member of struct compiler (core/cc/compiler.h) that says what is different:
$found"

# Each form of a comparison is found, and in core/cc it is allowed.
mkdir -p "$T/copy"
cd "$T/copy"
for room in front driver wrapper unit postbuild compile prebuild nvcc api core/cc; do mkdir -p $room; done
# refused LINE
refused() {
  echo >core/there.c
  echo "$1" >core/cc/here.c
  [ -z "$(comparisons .)" ] || fail "'$1' is allowed in core/cc"
  echo "$1" >core/there.c
  [ "$(comparisons .)" = "core/there.c:1:$1" ] || fail "'$1' was not found"
}
refused 'if (t->kind->dialect == CC_NVCC)'
refused 'if (a->dialect != b->dialect)'
refused 'return CC_GNU == of(t);'
refused 'case CC_NVCC:'
refused 'compiler_add_arch(c, CC_NVCC, word, n);'
refused 'return kind->device != DEVICE_NEVER;'
refused 'bool cuda = strcmp(kind->kind, "cuda") == 0;'
exit 0
