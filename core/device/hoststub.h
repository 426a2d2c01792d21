/* hoststub.h - the host side of a CUDA source without the front end of the device.
 *
 * nvcc's host code includes a stub that cicc writes: it launches and registers the kernels. This
 * module writes the launches into cudafe++'s output, and the stub itself. If it cannot, cicc has to
 * write the stub: hoststub.why has the reason.
 *
 * The order of calls: may, of the device's text; cudafe++; write; the host's compiler; held; free.
 *
 * Errors: a function that returns false has set why, unless an earlier one has. Thread safety: no
 * shared state.
 */
#ifndef CKJIT_HOSTSTUB_H
#define CKJIT_HOSTSTUB_H

#include "core/cc/nvcc.h"
#include "core/cxx/devicetext.h"

struct hoststub {
  /* nvcc's steps, with those of the host; borrowed */
  const struct nvcc_plan *plan;
  char *why; /* free() it */
  size_t kernels;
  /* bytes after each name of a kernel in the object */
  size_t room;
  /* the device's text with their bodies empty */
  struct buf emptied;
  struct devicetext_named *variables; /* the device's; never freed */
  size_t nvariables;
  struct buf before; /* cudafe++'s output as it was */
};

/* May it be, as far as the device's TEXT and the plan say? MODULE: the name of what is internal to
 * it. */
bool hoststub_may(struct hoststub *hs, const char *text, size_t len, const char *module);
/* Write launches into CODE, cudafe++'s output, and the stub into FILE, which includes BINARY. */
bool hoststub_write(struct hoststub *hs, const char *code, const char *file, const char *binary);
/* Name the kernels of OBJECT as the device does. LISTED: the names that the device has, if they are
 * known. */
bool hoststub_held(struct hoststub *hs, const char *object, const struct argv *listed);
/* Append to NAMES the names on the device of the kernels that cicc's stub, FILE, registers. None:
 * it cannot be read. */
void hoststub_names(const char *file, struct argv *names);
/* Set why, unless an earlier reason is there. Returns false. */
bool hoststub_not_own(struct hoststub *hs, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Free the texts; they are large. */
void hoststub_free_texts(struct hoststub *hs);

/* Append what the host's code includes in place of the fat binary, with KEY, of 32 digits or more:
 * it says whose kernels these are (abi/ck_jit_unit.h). */
void hoststub_stand_in(struct buf *out, const char *key);

#endif
