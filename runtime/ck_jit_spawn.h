/* ck_jit_spawn.h - starting ckjit-compile from within somebody else's process.
 *
 * The host may have hundreds of threads (no fork: between fork and exec a copy of it holds every
 * lock that another thread held), ignore SIGCHLD (then there is no status to wait for), have
 * another thread reap every child, block all signals, run under LD_PRELOAD or a sanitizer (which
 * a compiler must not inherit), or have closed its standard streams (then a pipe gets number 0,
 * 1 or 2). So: posix_spawn with default signals and an empty mask, a child that is the effective
 * user altogether, the end of the child seen as the end of its pipe, and its status a hint only;
 * the caller judges by what lies in the cache.
 */
#ifndef CK_JIT_SPAWN_H
#define CK_JIT_SPAWN_H

#include "ck_jit_waiting.h"

enum { CKJIT_STATUS_UNKNOWN = -1 }; /* somebody else reaped the child */

/* the descriptor as which the child gets a file for its result, if there is one */
enum { CKJIT_RESULT_FD = 3 };

/* Where the environment is that getenv reads. In a library that was loaded RTLD_DEEPBIND plain environ is
 * libc's own variable, and that stays empty if the program has a copy of it, as every program that names it
 * has. Asks the dynamic linker. */
CKJIT_LOCAL char ***ckjit_environ(void);

/* What is done while a program runs: RUN is called with USER, once LINE (with its newline) was printed, which is not output
 * then; at once if LINE is NULL. */
struct ckjit_meanwhile {
  void (*run)(void *user);
  void *user;
  const char *line;
};

/* Run ARGS (args[0] is a path) to its end, with what may be passed on of ENVIRONMENT, and with RESULT, unless
 * it is -1, as CKJIT_RESULT_FD; WAITING (may be NULL) says how long that takes. Returns 0 with the wait status or
 * CKJIT_STATUS_UNKNOWN in *STATUS and the last bytes that it wrote in OUTPUT; or an errno if it could not be started.
 * MEANWHILE may be NULL. Thread-safe. */
CKJIT_LOCAL int ckjit_run(char *const args[], char **environment, int result, struct ckjit_waiting *waiting,
                          struct ckjit_text *output, int *status, const struct ckjit_meanwhile *meanwhile);

#endif
