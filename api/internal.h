/* internal.h - the parts of libckjit.so: what they share.
 *
 * libckjit.so finds the runtime in a library (note.c) and asks it for everything that is about kernels; what
 * it adds is names (names.c), handles with owners (kernel.c), many compiles at a time (batch.c), exports (export.c) and lists
 * (list.c), and kernels of CUDA by tags (combination.c). libc and threads only, as it is loaded into everybody's process: nothing ends the process, no
 * memory is taken for granted, no signal is waited for.
 */
#ifndef CKJIT_INTERNAL_H
#define CKJIT_INTERNAL_H

#include "ckjit.h"
#include "abi/ck_jit_api.h"

#include <pthread.h>
#include <stdbool.h>

/* One function of a library. */
struct function {
  uint32_t kernel;
  uint64_t hash;
  const char *symbol; /* borrowed from the library, or owned if it was learnt from a compiled kernel */
  char *learnt, *demangled;
};

/* What is asked of the runtime once for each kernel, when somebody wants to know; NULL before. */
struct texts {
  char *source, *archs, *build_id;
};

struct ckjit_library {
  struct ckjit_library *next; /* of those that are open */
  unsigned owners;            /* guarded by the lock, as all that changes below */
  void *dl;                   /* what dlopen returned; one reference */
  char *path;
  struct ckjit_api api;
  char **stems;               /* of each kernel */
  uint32_t *by_stem;          /* kernels in order of their stems */
  struct function *functions; /* by kernel, then in the library's order */
  uint32_t *number;           /* of each of them: what the runtime calls it */
  uint32_t *first;            /* kernel K has functions first[K] … first[K+1]-1 */
  uint32_t *by_hash;          /* functions in order of their hashes */
  struct texts *texts;
  bool named; /* symbols were looked for in the library */
};

struct ckjit_handle {
  unsigned owners; /* atomic */
  struct ckjit_library *library;
  uint32_t kernel;
  void *dl;
  bool fresh; /* DL is ours alone */
};

/* ---- error.c ---- */

/* *ERROR = the message, unless ERROR is NULL; returns STATUS */
int fail(char **error, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same with TEXT, a message of LIBRARY's runtime, which is freed. */
int fail_with(char **error, int status, const struct ckjit_library *library, char *text);

/* ---- library.c ---- */

/* Guards the list of libraries and what changes in them; held for short times only, and never while the
 * dynamic linker is asked for something. */
void lock(void);
void unlock(void);
void library_retain(struct ckjit_library *library);
/* CKJIT_OK if KERNEL is one of LIBRARY's */
int kernel_check(const struct ckjit_library *library, uint32_t kernel, char **error);

/* ---- note.c ---- */

/* The runtime of the object of DL, called NAME in messages. */
int note_find(void *dl, const char *name, struct ckjit_api *api, char **error);

/* ---- names.c ---- */

/* The kernel of this name, by the rules of ckjit_find; false if there is none. */
bool names_kernel(const struct ckjit_library *library, const char *name, uint32_t *kernel);
/* Learn the symbols of the functions of KERNEL from DL, a compiled kernel. */
void names_learn(struct ckjit_library *library, uint32_t kernel, void *dl);

/* ---- kernel.c ---- */

/* What a compile of KERNEL that failed is: CKJIT_E_MISS or CKJIT_E_FAILED. FRESH: whatever a cache has. */
int compile_failure(struct ckjit_library *library, uint32_t kernel, bool fresh);
/* A copy of what the caller gave (NULL: all zeros), checked. Its texts stay the caller's. */
int options_read(struct ckjit_options *options, const struct ckjit_options *given, char **error);

#endif
