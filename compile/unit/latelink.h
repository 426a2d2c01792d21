/* latelink.h - the registry that the host side of an entry is linked with, so that its kernels come
 * late.
 *
 * The registry has the entry's registrations, and its calls that take a kernel or a variable
 * (runtime/ck_jit_registry.h). The same object has what kernels are made of, in sections.
 */
#ifndef CKJIT_COMPILE_UNIT_LATELINK_H
#define CKJIT_COMPILE_UNIT_LATELINK_H

#include "compile/plan.h"

/* its object, in the temporary directory */
#define LATE_SHIM "shim.o"

struct late_shim {
  const struct compile_task *t;
  /* borrowed: the directory of the compile, and the object of the host side */
  const char *temporary, *object;
  /* what of the shim's source depends on that object */
  struct buf calls;
  /* options of the link */
  struct argv wraps;
  /* the host code calls something that may write variables of the device */
  bool host_writes;
};

/* Read the undefined symbols of S's object: sets calls, wraps and host_writes. False with *WHY
 * (compile/plan.h): the blob must be compiled whole. */
bool late_shim_look(struct late_shim *s, const char **why);
/* Have the shim's object hold FILES, NULL after the last, in section NAME. False: a name cannot be
 * written. */
bool late_shim_section(struct late_shim *s, const char *name, const char *const *files);
/* Make LATE_SHIM with COMPILER, for C, and run LINK after it, in the environment ENV with output to
 * LOG. False with *WHY. */
bool late_shim_link(const struct late_shim *s, const char *compiler, const struct argv *link,
                    const struct argv *env, int log, const char **why);
void late_shim_free(struct late_shim *s);

/* Write TEXT, N bytes, to the file NAME in TEMPORARY. False with errno. */
bool late_write(const char *temporary, const char *name, const char *text, size_t n);

#endif
