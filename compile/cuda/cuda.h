/* cuda.h - a CUDA blob whose kernels are compiled one by one, when they are launched.
 *
 * A blob of flash-attention holds dozens of kernels behind switches, and a call launches one of them. `nvcc
 * -shared` compiles them all before anything can be called. Here the entry of the blob is its host side, with
 * the bitcode of the device's front end in it, and each kernel is an entry of its own:
 *
 *     <stem>.so          host code; section .ckjit.nvvm: bitcode of all kernels; .ckjit.steps: how to go on
 *                        from it
 *     <stem>.<hash>.so   the fat binary of one kernel
 *
 *     the first          cuda.c; stub.c is why its host code need not wait for the
 *                        bitcode, link.c what is linked with it
 *     the second         kernel.c
 *
 * docs/cuda.md says what was measured. What cannot be taken apart in this way is compiled whole, by the plain
 * command.
 */
#ifndef CKJIT_COMPILE_CUDA_H
#define CKJIT_COMPILE_CUDA_H

#include "compile/passes.h"
#include "core/cc/nvcc.h"

#define CUDA_BITCODE_SECTION ".ckjit.nvvm"
#define CUDA_STEPS_SECTION ".ckjit.steps"
#define CUDA_STEPS_HEAD "ckjit-cuda-steps 1"

/* Words in the steps that stand for files. */
#define CUDA_IN "{in}"
#define CUDA_OUT "{out}"

/* Make OUTPUT, the host side of T, in TEMPORARY. False where it has to be compiled whole. */
bool compile_cuda(const struct compile_task *t, const char *temporary, const char *output);

/* Make OUTPUT, the entry of kernel T->kernel from the entry T->source. NULL or why not. */
char *compile_cuda_kernel(const struct compile_task *t, const char *temporary, const char *output);

/* ---- the parts of cuda.c ---- */

/* one attempt */
struct cuda {
  const struct compile_task *t;
  const char *temporary;
  struct nvcc_plan nvcc;
  struct nvcc_step *text, *front, *device, *cicc, *ptxas, *fatbinary, *host;
  char *bitcode, *object;
  struct argv env;
  struct argv lower; /* cicc's words behind the front end */
  int log;
};

/* the file NAME in the temporary directory */
bool cuda_write(const struct cuda *c, const char *name, const char *text, size_t n);
/* One more step of P: NAME is for a trace, AFTER a bit for each step that must have ended. */
struct step *cuda_step(struct plan *p, const char *name, const struct argv *list, uint64_t after);

/* link.c: OUTPUT of the host's object and the sections. Why it must be compiled whole, or NULL.
 */
const char *cuda_link(struct cuda *c, const char *output);

/* ---- stub.c ---- */

struct cuda_stub {
  const char *text, *bitcode; /* what the device's front end reads, and what it writes last; borrowed */
  char *emptied;              /* TEXT without the bodies of kernels */
  char *stub;                 /* the file that the host's code includes */
  char *whole;                /* the front end's own */
  struct argv words;          /* the command that makes STUB of EMPTIED */
};

/* S for the command FRONT, which from now on writes its stub into S->whole. False where its words are not
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
