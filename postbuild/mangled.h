/* mangled.h - what the mangled name of a function or variable says.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_MANGLED_H
#define CKJIT_MANGLED_H

#include "core/base/argv.h"
#include "core/cxx/cxxwords.h"

/* Appends the components of the mangled SYMBOL, without template arguments and parameters:
 * "gsplat", "launch_adam". An operator is "operator", a destructor has the name of its class. A
 * symbol of another kind, such as a virtual table, ends with its class and sets *OF_CLASS. */
void mangled_names(struct argv *names, const char *symbol, bool *of_class);

/* Is SYMBOL a constructor or destructor of another kind than that of a complete object? The compiler makes a function of
 * each kind of one definition. */
bool mangled_is_variant(const char *symbol);
/* Appends the constructor or destructor SYMBOL of a complete object and of a base, if it is one. */
void mangled_variants(struct argv *symbols, const char *symbol);

/* Has SYMBOL an instance of a template NAME, "<length><name>I…"? */
bool mangled_has_instance(const char *symbol, const char *name);

/* Returns how many parameters the mangled SYMBOL has; -1: that is not clear. */
int mangled_parameters(const char *symbol);

/* Returns the last of these components, or NAME itself; free() it. */
char *mangled_last(const char *name);

/* Returns the name of the kernel that SYMBOL is the host stub of, NULL if it is none; free() it. */
char *mangled_kernel(const char *symbol);

/* Returns the name that a source says to use the variable SYMBOL: its own, or that of the function
 * or class that it is in. `shared` of _ZZ6sharedvE1n, `count` of _ZN2ns5countE. NULL: there is
 * none; free() it. */
char *mangled_variable(const char *symbol);

/* Finds the next name, `<length><name>`, at P or after it, both within a mangled one and behind its
 * _Z: *NAME, borrowed. Returns where it ends; NULL: there is none. */
const char *mangled_next(const char *p, struct cxx_word *name);
/* The same for every number that may be a length, also one within a name: returns where to go
 * on. */
const char *mangled_each(const char *p, struct cxx_word *name);

/* Appends the source names in SYMBOL, its types' as well: check_generator of
 * _ZN2at15check_generatorEv, and not check. There may be some that it does not have. */
void mangled_words(struct argv *names, const char *symbol);
/* Appends the names by which a source says SYMBOL: its namespaces, classes and its own, and not
 * those of its parameters. */
void mangled_own_words(struct argv *names, const char *symbol);

/* Is it a constructor, a destructor, an operator, a conversion, type_info, a virtual table, or what
 * a loop over a range or a structured binding calls? P is behind _Z. */
bool mangled_is_unsaid(const char *p);

#endif
