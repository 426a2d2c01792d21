/* hipfront.h - kernels of a lazy HIP unit by the steps of its driver, and from the bitcode of its
 * front end.
 *
 *     <stem>.<digits of +front>.so   the front end's entry (front.h): bitcode of the whole unit for
 *                                    one architecture, and the steps that follow
 *
 * The front end of the whole unit runs beside the compile of the unit's first kernel, if there is a
 * second processor. If it ends with that compile, or an eighth of its time later, its result becomes
 * the entry, and further kernels are made from it. Otherwise it is ended: the unit's templates take
 * long, and further kernels are made with the precompiled header (header.h). The memo "unit front
 * KEY" has a letter for each attempt that was too slow or failed; there are three.
 *
 * All of this is an attempt: without it a kernel is compiled from the text.
 */
#ifndef CKJIT_COMPILE_UNIT_HIPFRONT_H
#define CKJIT_COMPILE_UNIT_HIPFRONT_H

#include "compile/plan.h"
#include "core/cc/steps.h"

/* the steps of one command of a driver */
struct hipsteps {
  struct steps all;
  /* clang's device pass, and the link of its object; NULL: the steps are not understood */
  const struct argv *pass, *link;
  const char *object; /* borrowed from PASS */
};

/* Ask T's driver for the steps of COMMAND, which makes CODE from TEXT. hipsteps_free S. */
void hipsteps_ask(struct hipsteps *s, const struct compile_task *t, const struct argv *command,
                  const char *temporary);
void hipsteps_free(struct hipsteps *s);

/* the front end's result of T's unit */
struct hipfront {
  const struct compile_task *t;
  const char *temporary;
  char *file; /* the entry; NULL: there is none */
  /* it is to be made, and nobody else makes it: the lock is held */
  bool wanted;
  bool made;     /* BITCODE is complete */
  double began;  /* when the compile beside it did, in ckjit_seconds */
  unsigned lost; /* attempts so far: the length of the memo */
  char *text, *bitcode, *memo, *lock_path;
  int lock;
  struct argv back;
};

/* Look for the entry of T's unit, for one architecture. hipfront_free F in any case. */
void hipfront_find(struct hipfront *f, const struct compile_task *t, const char *temporary);
/* Make CODE, T's kernel, from the entry. *CONSTANTS: the host may write some. False: *ERR. */
bool hipfront_kernel(const struct hipfront *f, const char *code, bool *constants, char **err);
/* Make CODE from TEXT by the steps S, after the precompiled header HEADER (NULL: none). If F is
 * wanted, the front end of the unit's WHOLE text (N bytes) runs beside it. False: it is not made,
 * and the driver's command says why. */
bool hipfront_compile(struct hipfront *f, const struct hipsteps *s, const char *text, const char *header,
                      const char *whole, size_t n);
/* Make what hipfront_compile made the unit's entry. CODE: as in S. */
void hipfront_keep(struct hipfront *f, const struct hipsteps *s, const char *code, bool constants);
void hipfront_free(struct hipfront *f);

#endif
