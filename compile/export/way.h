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
  const struct argv *parts;     /* the task's, or copies of them */
  const char *temporary;
  int logs, files; /* how many there are in temporary */
  struct driver driver;
};

/* ARCH is one architecture. */
struct export_way {
  /* whether the compiler knows ARCH */
  bool (*probe)(struct export *x, const char *arch, char **err);
  /* a file of the device's for ARCH alone; a piece of one for several, as bundle takes it */
  bool (*device)(struct export *x, const char *arch, const char *output, char **err);
  bool (*piece)(struct export *x, const char *arch, const char *output, char **err);
  /* FILES, one for each of the task's architectures in their order, as one file that the loader
   * takes */
  bool (*bundle)(struct export *x, const struct argv *files, const char *output, char **err);
  /* the host's object file, which must have code for every architecture */
  bool (*object)(struct export *x, const char *output, char **err);
  /* OBJECTS as one object file */
  bool (*join)(struct export *x, const struct argv *objects, const char *output, char **err);
  /* Compile for ARCH and look what is in it; false if that failed. */
  bool (*look)(struct export *x, struct kernels *k, const char *arch);
};

extern const struct export_way export_hip, export_cuda;

/* ---- CUDA's, in cuda.c and cudaunit.c ---- */

/* FILE, a cubin or PTX for ARCH, must have kernels. */
bool export_cuda_check(struct export *x, const char *file, const char *arch, char **err);
/* PTX in the file FIRST with the names that were asked for, to OUTPUT */
bool export_cuda_rename(struct export *x, const char *first, const char *output, char **err);
/* FILE, of T, of a lazy unit */
bool export_cuda_unit(struct compile_task *t, const char *temporary, const char *file, char **err);

/* ---- what both ways use; in way.c ---- */

/* a name in the temporary directory that nothing has; free() it */
char *export_new_file(struct export *x, const char *extension);
/* run COMMAND */
bool export_run(struct export *x, const struct argv *command, char **err);
/* Runs COMMAND, a compile, through the launcher if there is one. */
bool export_run_compiler(struct export *x, const struct argv *command, char **err);
/* Compile X's source, or SOURCE, for ARCHS, a ';' list, to FORMAT. */
bool export_compile(struct export *x, enum export_format format, const char *archs, const char *output,
                    char **err);
bool export_compile_file(struct export *x, const char *source, enum export_format format, const char *archs,
                         const char *output, char **err);

#endif
