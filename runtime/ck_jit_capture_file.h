/* ck_jit_capture_file.h - the file of CK_JIT_CAPTURE.
 *
 *     # ckjit-capture 1: calls, processes, seconds of the compile, kernel
 *     1380\t8\t52.114\tfmha_fwd_d128_bf16_…
 *     26\t8\t9.331\tgemm-669b6da4fd84.4e7bbedaf07e1927\tvoid kernel_gemm<…>(…)     a kernel of a lazy unit, and what it is called in C++
 *
 * One line a kernel, whatever number of processes write to it. Each adds what it knows under a lock (flock)
 * and replaces the file, so that a reader never sees half of one, and a killed process leaves nothing.
 * core/files/bloblist.c reads it.
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
  uint32_t told; /* all three as those of blobs (ck_jit_capture.c); atomic */
};

/* what one write takes along; kernel, blob, calls, … have N each */
struct ckjit_capture_due {
  uint32_t n;
  struct ckjit_captured_kernel **kernel; /* NULL: it is a blob */
  uint32_t *blob, *calls, *ms;           /* ms: of its compile; 0: it was not compiled by this process */
  uint8_t *first;                        /* whether this process has not told of it before */
  uint8_t *done;                         /* the merge's own; 0 before it */
};

/* Open the file NAME and lock it, trying for PATIENCE milliseconds. -1 with errno: EWOULDBLOCK if it is
 * locked, EINVAL if it cannot be a capture. */
CKJIT_LOCAL int ckjit_capture_open(const char *name, int patience);
/* Add DUE to the file NAME, open and locked as FD. False if that failed, and why in *WHY, a static text or
 * strerror's; NULL: no memory, and another attempt may be made. */
CKJIT_LOCAL bool ckjit_capture_merge(const char *name, int fd, const struct ckjit_capture_due *due,
                                     const char **why);

#endif
