#include "jobs.h"
#include "env.h"
#include "memory.h"
#include "number.h"

unsigned jobs_set(void) {
  const char *bad;
  char *err;
  unsigned n = ckjit_jobs_set(&bad);
  if (bad && !number_jobs("CK_JIT_JOBS", bad, &n, &err))
    die(EXIT_USAGE, "%s", err);
  return n;
}

unsigned jobs_unwatched(void) {
  const char *bad, *set = env_get("CK_JIT_JOB_MEMORY");
  unsigned n = ckjit_jobs_set(&bad);
  uint64_t each = 0, limit = memory_limit();
  char *err = NULL;
  if (n)
    return n;
  n = ckjit_processors();
  if (!number_size("CK_JIT_JOB_MEMORY", set ? set : JOBS_MEMORY, 0, &each, &err))
    free(err); /* programs that watch memory report it */
  if (each && limit / each < n)
    n = limit / each ? (unsigned)(limit / each) : 1;
  return n;
}
