/* flags.h - which words of a recorded compile make the code what it is, and which only say where it goes.
 *
 * All functions append to OUT and leave the record as it is. Relative directories become absolute (the
 * record's cwd).
 */
#ifndef CKJIT_FLAGS_H
#define CKJIT_FLAGS_H

#include "core/record.h"

/* everything but the source, -c, -o and depfile options */
void flags_code(struct argv *out, const struct record *r);
/* the flags with which a blob is compiled on its first call: flags_code without --offload-arch and without
 * what would hide the function from dlsym (-fvisibility=hidden); paths below BASE as {root}/… (BASE "" or
 * NULL: none) */
void flags_blob(struct argv *out, const struct record *r, const char *base);
/* the values of --offload-arch, in order, once each */
void flags_archs(struct argv *out, const struct record *r);
/* -L, -l, -Wl,-rpath… of a link command: what a compiled blob needs to find the libraries of its library */
void flags_libraries(struct argv *out, char *const *args, const char *cwd, const char *base);
/* whether the compile is one of HIP, so that it has a host and a device side */
bool flags_is_hip(const struct record *r);
/* PATH as {root}/… where it lies below BASE, else as it is; free() it */
char *flags_rooted(const char *path, const char *base);

#endif
