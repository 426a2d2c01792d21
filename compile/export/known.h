/* known.h - which architectures a compiler knows, for a message about one that it does not know. */
#ifndef CKJIT_COMPILE_EXPORT_KNOWN_H
#define CKJIT_COMPILE_EXPORT_KNOWN_H

struct export;

/* "; did you mean 'gfx942'?" if X's compiler knows an architecture with a name like that of ARCH, else "";
 * free() it */
char *known_similar(struct export *x, const char *arch);

#endif
