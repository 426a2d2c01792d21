/* front.h - the entry that kernels are made of: the bitcode of a device front end for all kernels
 * of a unit or blob, and the steps that follow it (frontsteps.h).
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_FRONT_H
#define CKJIT_COMPILE_UNIT_FRONT_H

#include "frontsteps.h"

struct front {
  const char *file; /* borrowed */
  char *bitcode;    /* LEN bytes, which the reader may change */
  size_t len;
  struct frontsteps steps;
};

/* F: the task that makes the front end's entry of T's unit. task_free it. */
void front_task(struct compile_task *f, const struct compile_task *t);
/* Write OUTPUT, T's entry, with the bitcode in the file BITCODE and STEPS. */
bool front_write(const struct compile_task *t, const char *output, const char *bitcode,
                 const struct buf *steps, char **err);
/* Read the entry F->file. front_free F in either case. */
bool front_read(struct front *f, const struct compile_task *t, char **err);
void front_free(struct front *f);
/* Are the programs of its steps those that made it? */
bool front_check_tools(const struct front *f, const struct compile_task *t, char **err);
/* Run WORDS, a step, with IN and OUT in the places of CICC_IN and CICC_OUT. NAME is the log's, in TEMPORARY. */
bool front_run(const struct compile_task *t, const struct front *f, const struct argv *words, const char *in,
               const char *out, const char *temporary, const char *name, char **err);

#endif
