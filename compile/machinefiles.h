/* machinefiles.h - the files of abi/ that say what machines are like (abi/ck_jit_machine.h), for a
 * source that is compiled for the machine of a library. They are within the program, for an
 * installation has no other files. Thread safety: no state.
 */
#ifndef CKJIT_MACHINEFILES_H
#define CKJIT_MACHINEFILES_H

#include <stdbool.h>

/* Write them into the directory DIR, for -I. False: errno says why. */
bool machinefiles_write(const char *dir);

#endif
