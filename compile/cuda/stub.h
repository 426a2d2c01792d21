/* stub.h - the stub that the host's code includes, before the front end of the device is done with it.
 *
 * The order of calls: plan; run the steps; held; if not, correct, and compile the host's code again; free.
 */
#ifndef CKJIT_COMPILE_CUDA_STUB_H
#define CKJIT_COMPILE_CUDA_STUB_H

#include "core/base/argv.h"

struct cuda_stub {
  const char *text, *bitcode; /* what the device's front end reads, and what it writes last; borrowed */
  char *emptied;              /* TEXT without the bodies of kernels */
  char *stub;                 /* the file that the host's code includes */
  char *whole;                /* the front end's own */
  struct argv words;          /* the command that makes STUB of EMPTIED */
};

/* S for the command FRONT, which from now on writes its stub into S->whole. False if its words are not
 * understood; FRONT is then as it was. cuda_stub_free in either case. */
bool cuda_stub_plan(struct cuda_stub *s, struct argv *front, const char *text, const char *bitcode,
                    const char *temporary);
/* What the process of S->words does first (struct child); DATA is S. */
int cuda_stub_prepare(void *data);
/* Behind the front end: whether the stub that the host's code was compiled with says what its own does. */
bool cuda_stub_held(const struct cuda_stub *s);
/* Put the front end's own in its place. */
bool cuda_stub_correct(const struct cuda_stub *s);
void cuda_stub_free(struct cuda_stub *s);

#endif
