/* hostvariables.h - the variables of the device that the host side of a CUDA source refers to; a
 * part of hoststub.h.
 */
#ifndef CKJIT_HOSTVARIABLES_H
#define CKJIT_HOSTVARIABLES_H

#include "hoststub.h"
#include "core/base/elf.h"

/* The stub's code that registers variables: before the registering function, and in it. */
extern const char hostvariables_declared[], hostvariables_registered[];

/* Have the object E, open for writing as FD, register the variables that it refers to. False with
 * *STUB: why the front end has to, free() it. */
bool hostvariables_held(const struct hoststub *hs, const struct elf *e, int fd, char **stub);

#endif
