/* symbol.h - what the functions of a kernel are called: mangled, demangled, and by their template.
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_PREBUILD_SYMBOL_H
#define CKJIT_PREBUILD_SYMBOL_H

#include "prebuild.h"

/* A mangled name as c++filt prints it, the qualified name of the template that it is of; the name itself
 * if it is none of C++. free() them */
char *symbol_signature(const char *mangled);
char *symbol_template(const char *mangled);
/* whether NAME is the mangled name itself, its signature or its template, qualified or not */
bool symbol_is_called(const char *mangled, const char *name);

#endif
