/* frontsteps.h - section .ckjit.steps of an entry: how its kernels are made of the bitcode, or of the
 * text, beside it
 * (docs/formats.md).
 *
 * Ownership: a struct owns its words.
 */
#ifndef CKJIT_COMPILE_UNIT_FRONTSTEPS_H
#define CKJIT_COMPILE_UNIT_FRONTSTEPS_H

#include "cudasteps.h"
#include "core/cc/cicc.h"

#define FRONT_BITCODE ".ckjit.nvvm"
/* of HIP: the file of the unit's text (core/files/unittext.h) */
#define FRONT_TEXT ".ckjit.text"
#define FRONT_STEPS ".ckjit.steps"

struct frontsteps {
  /* of CUDA */
  struct argv cicc, ptxas, fatbinary;
  /* of HIP: the compiler, and the words of its command for the device's text */
  struct argv device;
  /* of HIP: what makes an object of the bitcode, and code of the object */
  struct argv clang, lld;
  struct argv device_only;
  bool host_writes;
  struct argv environment;
  struct argv tools; /* digest, program and stamp of each, one after the other */
};

/* Append the text for C, all but the last part: it takes a while, as programs are read. */
void frontsteps_write(const struct cuda *c, struct buf *out);
/* Append its last part: what the host may write. */
void frontsteps_write_host(const struct cuda *c, struct buf *out);
/* Append the text for T, of HIP: its compiler makes kernels of the unit's text with WORDS. */
void frontsteps_write_words(const struct compile_task *t, const struct argv *words, struct buf *out);
/* Append the text for T, of HIP: BACK (core/cc/cc1.h) makes OBJECT of the bitcode, and LINK CODE of that.
 * CONSTANTS: the host may write some. */
void frontsteps_write_clang(const struct compile_task *t, const struct argv *back, const struct argv *link,
                            const char *object, const char *code, bool constants, struct buf *out);
/* False if TEXT is not that, of this version. frontsteps_free in either case. */
bool frontsteps_read(struct frontsteps *s, const char *text);
void frontsteps_free(struct frontsteps *s);
/* The first program that is not the one that S was written with; NULL: all are. Borrowed. A stamp spares
 * reading them. */
const char *frontsteps_other_tool(const struct frontsteps *s);

#endif
