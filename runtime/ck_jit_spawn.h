/* ck_jit_spawn.h - starts ckjit-compile from within somebody else's process.
 *
 * The host may have hundreds of threads (no fork: between fork and exec a copy of the host holds
 * every lock that another thread held), ignore SIGCHLD (then there is no status to wait for), have
 * another thread reap every child, block all signals, run under LD_PRELOAD or a sanitizer (which a
 * compiler must not inherit), or have closed its standard streams (then a pipe gets number 0, 1 or
 * 2). So the runtime uses posix_spawn with default signals and an empty mask, and the child is the
 * effective user only. The end of the child's pipe shows its end, and its status is a hint only;
 * the caller decides by the cache.
 */
#ifndef CK_JIT_SPAWN_H
#define CK_JIT_SPAWN_H

#include "ck_jit_waiting.h"

enum { CKJIT_STATUS_UNKNOWN = -1 }; /* somebody else reaped the child */

/* the child's descriptor of the file for its result, if there is one */
enum { CKJIT_RESULT_FD = 3 };

/* The address of the environment that getenv reads. In a library that was loaded RTLD_DEEPBIND
 * plain environ is libc's own variable, which stays empty if the program has a copy of it, as every
 * program that names it has. Asks the dynamic linker. */
CKJIT_LOCAL char ***ckjit_environ(void);

/* A task during the run of a program: RUN is called with USER when LINE (with its newline) was
 * printed, which is then removed from the output; at once if LINE is NULL. */
struct ckjit_meanwhile {
  void (*run)(void *user);
  void *user;
  const char *line;
};

/* Run ARGS (args[0] is a path) to its end, with the allowed part of ENVIRONMENT, and with RESULT,
 * unless it is -1, as CKJIT_RESULT_FD; WAITING (may be NULL) reports how long that takes. Returns 0
 * with the wait status or CKJIT_STATUS_UNKNOWN in *STATUS and the last bytes of its output in
 * OUTPUT; or an errno if it could not be started. MEANWHILE may be NULL. Thread-safe. */
CKJIT_LOCAL int ckjit_run(char *const args[], char **environment, int result,
                          struct ckjit_waiting *waiting, struct ckjit_text *output, int *status,
                          const struct ckjit_meanwhile *meanwhile);

#endif
