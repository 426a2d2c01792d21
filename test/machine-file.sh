#!/bin/sh
# Another machine is one more file, abi/ck_jit_<machine>.h: with it there, make lists it, the programs know it by its number and by its triple, and what
# is compiled for a blob is given its file. Nothing else of the source names a machine. Of a triple the machine is the whole first word.
# tier: check
. "${0%/*}/common.sh"
need make gcc
top=$(dirname "$here")
cd "$T"
mkdir source
(cd "$top" && cp -r Makefile packaging abi api core compile runtime share test "$T/source") 2>/dev/null
sed -e 's/aarch64/ppc64le/g' -e 's/AARCH64/PPC64LE/g' -e 's/EM_PPC64LE/EM_PPC64/' "$top/abi/ck_jit_aarch64.h" >source/abi/ck_jit_ppc64le.h
make -s -C source B="$T/b" V= "$T/b/obj/compile/machinefiles.o" "$T/b/share/ckjit/runtime/ck_jit_ppc64le.h" "$T/b/share/ckjit/runtime/ck_jit_machines.h" >log 2>&1 ||
  fail "make: $(tail -n 20 log)"
[ -e b/share/ckjit/runtime/ck_jit_ppc64le.h ] || fail 'its file is not installed'
has 'the list' 'M(aarch64) M(ppc64le) M(x86_64)' b/share/ckjit/runtime/ck_jit_machines.h
grep -aq 'static const struct ckjit_machine ckjit_ppc64le = {' b/obj/compile/machinefiles.o || fail 'what is compiled for a blob is not given its file'
cat >knows.c <<'C'
#include "ck_jit_machine.h"
#include <stdio.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const struct ckjit_machine *m = ckjit_machine_named(argv[i]);
    printf("%s ", m && ckjit_machine_of(m->elf) == m ? m->name : "-");
  }
}
C
gcc -Isource/abi -o knows knows.c
is 'known by triple' 'ppc64le aarch64 x86_64 - - - ' "$(./knows ppc64le-linux-gnu aarch64 x86_64-unknown-linux-gnu aarch64_be-linux-gnu riscv loongarch64-linux-gnu)"
# The list that is in the source is that of the files that are there.
cp -r "$top/abi" abi
make -s -C source -B B="$T/b" abi/ck_jit_machines.h >log 2>&1
rm source/abi/ck_jit_ppc64le.h
make -s -C source B="$T/b" abi/ck_jit_machines.h >log 2>&1
cmp source/abi/ck_jit_machines.h abi/ck_jit_machines.h || fail 'abi/ck_jit_machines.h is not what make writes'

# Who else names one, comments aside: HIP's bundles have one name for every host, what the wheel's ELF number is called is for a message, and which glibc was a
# machine's first is for wheels.
cd "$top"
grep -rniE 'aarch64|x86_64|EM_X86|EM_386' --include='*.[ch]' --include='*.py' --include='*.mk' --include=Makefile Makefile abi api compile core driver front nvcc \
  packaging postbuild prebuild python runtime unit wrapper | sed -e 's,[ \t]*/\*.*,,' | grep -E '^[^:]*:[0-9]*:.*(aarch64|x86_64|EM_X86|EM_386)' |
  grep -vE '^[^:]*:[0-9]*:( \*|# |#include)' >"$T/places" || :
cut -d : -f 1 "$T/places" | sort -u | tr '\n' ' ' >"$T/files"
is 'files that name a machine' "$(printf '%s ' abi/ck_jit_aarch64.h abi/ck_jit_machines.h abi/ck_jit_x86_64.h core/device/bundle.c packaging/old_glibc.h python/ckjit/_places.py)" "$(cat "$T/files")"
