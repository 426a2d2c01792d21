/* stubs.h - the forwarding stubs of one unit as an object file, written without a compiler.
 *
 * Stub I loads its slot and jumps to what it finds there. If the slot is empty, it goes to the
 * runtime's trampoline, which loads the blob. No argument is touched, so the stub fits every
 * signature. docs/formats.md has the code, byte for byte. It is the same for every compiler of a
 * machine, and a compiler would take 0.25 ms for each of CK's 23,472: half of a link step.
 */
#ifndef CKJIT_STUBS_H
#define CKJIT_STUBS_H

#include "abi/ck_jit_machine.h"
#include "core/base/base.h"

/* The function that is to be stub I; name NULL: none (an #if was false). */
struct stub {
  const char *name; /* mangled; borrowed */
  /* STB_GLOBAL or STB_WEAK, as the compiler made it */
  uint8_t bind;
  uint8_t visibility;
  /* st_other of the compiler's symbol; what the machine says is of the calls is kept */
  uint8_t other;
};

/* Write FILE, a relocatable of MACHINE, with the N stubs of unit UNIT (left alone if it would not
 * change). False with errno; EFBIG: a unit of millions of functions. */
bool stubs_write(const char *file, const struct ckjit_machine *machine, unsigned unit,
                 const struct stub *stubs, size_t n);

/* Writes FILE, a relocatable of MACHINE without code which declares the functions STUBS as defined
 * in the section STUBS_NAMES. */
#define STUBS_NAMES ".text.ckjit_names"
bool stubs_write_names(const char *file, const struct ckjit_machine *machine, const struct stub *stubs,
                       size_t n);

#endif
