/* install.h - finds the files installed with this program (docs/formats.md, first section). free() the
 * strings. */
#ifndef CKJIT_INSTALL_H
#define CKJIT_INSTALL_H

/* The path of share/ckjit/NAME. Ends the program with a message if the share directory does not exist. */
char *install_share(const char *name);
/* The path of program NAME: beside this program (as in the ck_jit/ of an installed library), in bin/ or in
 * libexec/ckjit/, the first that has it; NULL if none has. */
char *install_program(const char *name);

#endif
