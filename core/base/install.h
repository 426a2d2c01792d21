/* install.h - where this program's neighbours are (docs/formats.md, first section). Strings are the caller's.
 */
#ifndef CKJIT_INSTALL_H
#define CKJIT_INSTALL_H

/* share/ckjit/NAME; the program ends with a clear error where the share directory is gone */
char *install_share(const char *name);
/* NAME beside this program (as in the ck_jit/ of an installed library), in bin/ or in libexec/ckjit/,
 * whichever has it first; NULL if none has */
char *install_program(const char *name);

#endif
