/* ck_jit_waiting.h - messages of a call that waits for a compile.
 *
 *     ckjit: note: k0: waiting for 35.0 s; being compiled for 34.8 s by ckjit-compile (pid 812 on
 *     node3) for python3 (pid 700 on node3), 41.2 CPU-seconds last time; 2 other kernels are being
 *     compiled        (one line)
 *
 * The thread that waits for ckjit-compile reads its output anyway. So it wakes up when a message is
 * due (CK_JIT_SAY_AFTER), without another thread. ckjit-compile reports who compiles, itself or
 * another process whose lock it waits for (compile/tell.h), and this side knows how long the call
 * has waited. Of several compiles that the calls of a library wait for, the oldest prints the
 * message, and counts the others. CK_JIT_QUIET: no messages.
 *
 * A struct belongs to one thread.
 */
#ifndef CK_JIT_WAITING_H
#define CK_JIT_WAITING_H

#include "ck_jit_wanted.h"

#include <sys/types.h>

struct ckjit_waiting {
  const struct ckjit_wanted *w; /* borrowed */
  pid_t pid;                    /* of ckjit-compile; set by ckjit_run */
  /* ckjit_microseconds; next UINT64_MAX: never */
  uint64_t start, next, every;
  /* From ckjit-compile; "": nothing yet. */
  char who[512], last[64];
  uint64_t heard; /* time of that report */
  /* milliseconds that it had compiled at that time; -1: unknown */
  long long before;
};

/* Begin to wait for W. */
CKJIT_LOCAL void ckjit_waiting_begin(struct ckjit_waiting *s, const struct ckjit_wanted *w);
/* Print a message if it is due. Returns the milliseconds until the next one, as poll expects it:
 * -1: for ever. */
CKJIT_LOCAL int ckjit_waiting_say(struct ckjit_waiting *s);
/* Remove ckjit-compile's reports from its OUTPUT. */
CKJIT_LOCAL void ckjit_waiting_hear(struct ckjit_waiting *s, struct ckjit_text *output);

#endif
