/* install.h - finds the files installed with this program (docs/formats.md, first section). free() the
 * strings. */
#ifndef CKJIT_INSTALL_H
#define CKJIT_INSTALL_H

/* The path of share/ckjit/NAME. Ends the program with a message if the share directory does not exist. */
char *install_share(const char *name);
/* The path of program NAME: beside this program (as in the ck_jit/ of an installed library), in bin/ or in
 * libexec/ckjit/, the first that has it; NULL if none has. */
char *install_program(const char *name);
/* The name that this program's messages begin with: "ckjit" if it was started as a command of ckjit
 * (front/main.c), by COMMAND, its argv[0]; else OWN. A constant or OWN. */
const char *install_called(const char *command, const char *own);

#endif
