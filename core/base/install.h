/* install.h - finds the files installed with this program (docs/formats.md, first section). free()
 * the strings. */
#ifndef CKJIT_INSTALL_H
#define CKJIT_INSTALL_H

/* The path of share/ckjit/NAME. Ends the program with a message if the share directory does not
 * exist. */
char *install_share(const char *name);
/* The path of program NAME: beside this program (as in the ck_jit/ of an installed library), in
 * bin/ or in libexec/ckjit/, the first that has it; NULL if none has. */
char *install_program(const char *name);
/* The name at the beginning of this program's messages: "ckjit" if COMMAND, its argv[0], shows that
 * ckjit started it (front/main.c); else OWN. A constant or OWN. */
const char *install_called(const char *command, const char *own);

#endif
