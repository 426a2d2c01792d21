/* way.h - one export at work, and what one kind of compiler does otherwise than another.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_EXPORT_WAY_H
#define CKJIT_COMPILE_EXPORT_WAY_H

#include "driver.h"
#include "kernels.h"
#include "compile/task.h"

/* one export */
struct export {
  const struct compile_task *t;
  const struct export_way *way; /* of the compiler's kind */
  const char *temporary;
  int logs, files; /* how many there are in temporary */
  struct driver driver;
};

/* ARCH is one architecture. */
struct export_way {
  /* whether the compiler knows ARCH */
  char *(*probe)(struct export *x, const char *arch);
  /* a file of the device's for ARCH alone; a piece of one for several, as bundle takes it */
  char *(*device)(struct export *x, const char *arch, const char *output);
  char *(*piece)(struct export *x, const char *arch, const char *output);
  /* FILES, one for each of the task's architectures in their order, as one file that the loader takes */
  char *(*bundle)(struct export *x, const struct argv *files, const char *output);
  /* the host's object file, which must have code for every architecture */
  char *(*object)(struct export *x, const char *output);
  /* OBJECTS as one object file */
  char *(*join)(struct export *x, const struct argv *objects, const char *output);
  /* Compile for ARCH and look what is in it; false if that failed. */
  bool (*look)(struct export *x, struct kernels *k, const char *arch);
};

extern const struct export_way export_hip, export_cuda;

/* ---- what both ways use; in export.c ---- */

/* a name in the temporary directory that nothing has; free() it */
char *export_new_file(struct export *x, const char *extension);
/* run COMMAND */
char *export_run(struct export *x, const struct argv *command);
/* Compile T, the task of X or like it, for ARCHS, a ';' list, to FORMAT; behind the launcher if there is one. */
char *export_compile(struct export *x, const struct compile_task *t, enum export_format format,
                     const char *archs, const char *output);
/* run COMMAND, a compile, behind the launcher if there is one */
char *export_run_compiler(struct export *x, const struct argv *command);
/* the message that FILE cannot be read, by errno */
char *export_cannot_read(const struct export *x, const char *file);

#endif
