/* cudasteps.h - nvcc's steps for the device's side of a lazy unit, with the unit's texts in place of what they would preprocess.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_CUDASTEPS_H
#define CKJIT_COMPILE_UNIT_CUDASTEPS_H

#include "compile/turn.h"
#include "core/cc/nvcc.h"

/* one attempt to make something by steps of nvcc's */
struct cuda {
  const struct compile_task *t;
  const char *temporary;
  struct nvcc_plan nvcc;
  /* Steps of nvcc; NULL: none, or several. */
  struct nvcc_step *host_text, *cudafe, *device_text, *cicc, *ptxas, *fatbinary, *host;
  char *bitcode, *object;
  /* all that the steps are started with; what of it is of the toolchain */
  struct argv env, toolchain;
  /* the host may write variables, but for these, which it does not name */
  bool host_writes;
  struct argv device_only;
  /* the command of cicc behind its front end */
  struct argv back;
  int log;
};

/* Begin C for T in TEMPORARY, with its environment and a log. False with errno. cudasteps_free in either
 * case. */
bool cudasteps_begin(struct cuda *c, const struct compile_task *t, const char *temporary);
/* Have nvcc list the steps of COMMAND: C's. Returns what nvcc says, free() it; NULL: nothing. */
char *cudasteps_plan(struct cuda *c, const struct argv *command);
/* cudasteps_begin, and C's steps for T. The texts are written where cicc reads them, and the name of what is
 * internal to the unit. cudasteps_free in either case. */
bool cudasteps_open(struct cuda *c, const struct compile_task *t, const char *temporary, char **err);
void cudasteps_free(struct cuda *c);

/* Run WORDS, one step, called NAME in a trace. False with *WHY, static. */
bool cudasteps_run(const struct cuda *c, const char *name, const struct argv *words, const char **why);
/* The same for the device front end, WORDS, which writes C's bitcode. */
bool cudasteps_run_front(const struct cuda *c, const struct argv *words, const char **why);

/* The file that nvcc has of the fat binary is C's source; have the binary itself, in the file
 * FATBIN, of C's step. */
void cudasteps_ask_for_binary(struct cuda *c, const char *fatbin);

/* The file of F, which T needs: that in the cache, or made by MAKE in TEMPORARY. free() it; NULL:
 * *ERR. */
char *cudasteps_entry(const struct compile_task *f, const char *temporary, make_fn *make, char **err);

/* Say that an attempt to make it has failed: WHY, and what the steps said. Returns false. */
bool cudasteps_fail(const struct cuda *c, const char *why, char **err);

#endif
