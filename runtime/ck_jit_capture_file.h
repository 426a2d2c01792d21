/* ck_jit_capture_file.h - the file of CK_JIT_CAPTURE.
 *
 *     # ckjit-capture 1: calls, processes, seconds of the compile, kernel
 *     1380\t8\t52.114\tfmha_fwd_d128_bf16_…
 *     26\t8\t9.331\tgemm-669b6da4fd84.4e7bbedaf07e1927\tvoid kernel_gemm<…>(…)
 *
 * There is one line for each kernel, however many processes write to the file. The last line above
 * is that of a kernel of a lazy unit, with its C++ name. Each process adds its counts under a lock
 * (flock) and replaces the file, so a reader never sees half a file, and a killed process leaves
 * no partial file. core/files/bloblist.c reads it.
 */
#ifndef CK_JIT_CAPTURE_FILE_H
#define CK_JIT_CAPTURE_FILE_H

#include "ck_jit_text.h"

/* a kernel of a lazy unit; never freed */
struct ckjit_captured_kernel {
  struct ckjit_captured_kernel *next;
  uint32_t unit; /* its row */
  const char *name;
  uint32_t calls, compile_ms;
  /* As for blobs in ck_jit_capture.c; atomic. */
  uint32_t told;
};

/* The counts of one write. Each array has N elements. */
struct ckjit_capture_due {
  uint32_t n;
  struct ckjit_captured_kernel **kernel; /* NULL: it is a blob */
  /* ms: time of the compile; 0: this process did not compile it */
  uint32_t *blob, *calls, *ms;
  /* this process has not reported it before */
  uint8_t *first;
  uint8_t *done; /* for the merge; 0 before it */
};

/* Open the file NAME and lock it, trying for PATIENCE milliseconds. -1 with errno: EWOULDBLOCK if
 * it is locked, EINVAL if it cannot be a capture. */
CKJIT_LOCAL int ckjit_capture_open(const char *name, int patience);
/* Add DUE to the file NAME, open and locked as FD. False on failure, with the reason in *WHY, a
 * static text or strerror's; NULL: no memory, and another attempt may be made. */
CKJIT_LOCAL bool ckjit_capture_merge(const char *name, int fd, const struct ckjit_capture_due *due,
                                     const char **why);

#endif
