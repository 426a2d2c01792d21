/* internal.h - declarations that the parts of libckjit.so share.
 *
 * libckjit.so finds the runtime in a library (note.c) and asks it for everything about kernels. It
 * adds names (names.c), handles with owners (kernel.c), many compiles at a time (batch.c), exports
 * (export.c), packs (packing.c) and lists (list.c), and CUDA kernels by tags (combination.c). It
 * uses libc and threads only, because any process may load it: it never ends the process, handles
 * lack of memory, and waits for no signal.
 */
#ifndef CKJIT_INTERNAL_H
#define CKJIT_INTERNAL_H

#include "ckjit.h"
#include "abi/ck_jit_api.h"

#include <pthread.h>
#include <stdbool.h>

/* a function of a library */
struct function {
  uint32_t kernel;
  uint64_t hash;
  /* borrowed from the library, or owned if it was learnt from a compiled kernel */
  const char *symbol;
  char *learnt, *demangled;
};

/* Texts that the runtime is asked for once for each kernel, when they are needed; NULL before. */
struct texts {
  char *source, *archs, *build_id;
};

struct ckjit_library {
  struct ckjit_library *next; /* of the open ones */
  /* guarded by the lock, as all members below that change */
  unsigned owners;
  void *dl; /* dlopen's handle; one reference */
  char *path;
  struct ckjit_api api;
  char **stems;      /* of each kernel */
  uint32_t *by_stem; /* sorted by stem */
  /* by kernel, then in the library's order */
  struct function *functions;
  /* the runtime's number of each function */
  uint32_t *number;
  /* kernel K has functions first[K] … first[K+1]-1 */
  uint32_t *first;
  uint32_t *by_hash; /* functions sorted by hash */
  struct texts *texts;
  /* the symbols of the library have been read */
  bool named;
};

struct ckjit_handle {
  unsigned owners; /* atomic */
  struct ckjit_library *library;
  uint32_t kernel;
  void *dl;
  bool fresh; /* DL belongs to this handle alone */
};

/* ---- error.c ---- */

/* *ERROR = the message, unless ERROR is NULL; returns STATUS. */
int fail(char **error, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same with TEXT, a message of LIBRARY's runtime, which is freed. */
int fail_with(char **error, int status, const struct ckjit_library *library, char *text);

/* ---- library.c ---- */

/* Guards the list of libraries and their changes; held for short times only, and never during a
 * call of the dynamic linker. */
void lock(void);
void unlock(void);
void library_retain(struct ckjit_library *library);
/* CKJIT_OK if KERNEL is one of LIBRARY's. */
int kernel_check(const struct ckjit_library *library, uint32_t kernel, char **error);

/* ---- note.c ---- */

/* The runtime of the object of DL, called NAME in messages. */
int note_find(void *dl, const char *name, struct ckjit_api *api, char **error);

/* ---- export.c ---- */

/* All of FILE, followed by a NUL; NULL with errno. */
char *read_all(int file, size_t *size);

/* ---- names.c ---- */

/* The kernel of this name, by the rules of ckjit_find; false if there is none. */
bool names_kernel(const struct ckjit_library *library, const char *name, uint32_t *kernel);
/* Read the symbols of the functions of KERNEL from DL, a compiled kernel. */
void names_learn(struct ckjit_library *library, uint32_t kernel, void *dl);

/* ---- kernel.c ---- */

/* The status of a failed compile of KERNEL: CKJIT_E_MISS or CKJIT_E_FAILED. FRESH: regardless of
 * caches. */
int compile_failure(struct ckjit_library *library, uint32_t kernel, bool fresh);
/* A checked copy of the caller's options (NULL: all zeros). The caller keeps its texts. */
int options_read(struct ckjit_options *options, const struct ckjit_options *given, char **error);

#endif
