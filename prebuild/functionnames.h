/* functionnames.h - the names of a kernel's functions: mangled, demangled, and by their template.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_FUNCTIONNAMES_H
#define CKJIT_PREBUILD_FUNCTIONNAMES_H

#include "prebuild.h"

/* The mangled name as c++filt prints it, and the qualified name of its template. A name that is not
 * a C++ one is returned unchanged. free() them. */
char *symbol_signature(const char *mangled);
char *symbol_template(const char *mangled);
/* Append to TYPES those of the parameters in SIGNATURE, from symbol_signature. False: it is not
 * that of a function. */
bool symbol_parameters(struct argv *types, const char *signature);
/* Is NAME the mangled name itself, its signature, or its template's name, qualified or not? */
bool symbol_is_called(const char *mangled, const char *name);

#endif
