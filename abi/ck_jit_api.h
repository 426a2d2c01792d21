/* ck_jit_api.h - the agreement between libckjit.so and the runtime in a library.
 *
 * A library that ckjit linked exports no name of ckjit's; those of `ckjit full` export one of CK
 * JIT's. libckjit.so finds the runtime in it by a note: an ELF note is allocated, has a program
 * header that anyone can find among the loaded objects, and survives strip. The note holds the
 * distance to one function, so it needs no relocation; the function fills in a struct of functions.
 *
 *     owner "ckjit", type CKJIT_API_NOTE, 8 bytes: CKJIT_API_FORMAT, and the distance from
 *     itself to void ckjit_api(struct ckjit_api *api)
 *
 * Both numbers have 4 bytes, little endian. libckjit.so uses only libraries with its own format:
 * the number changes with any change below.
 *
 * All functions are thread-safe, preserve errno and cancellation, and do not throw. KERNEL is less
 * than kernels, FUNCTION less than functions. *ERROR becomes a text that begins with the kernel's
 * stem; free it, and any other text that becomes the caller's, with free_text. It may be NULL if
 * memory ran out.
 */
#ifndef CK_JIT_API_H
#define CK_JIT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CKJIT_API_OWNER "ckjit"
enum { CKJIT_API_NOTE = 1, CKJIT_API_FORMAT = 6 };

/* the state of a kernel */
enum ckjit_api_state {
  CKJIT_API_ABSENT,
  /* A thread of this process compiles it, or any process with this cache, under the build id of the
   * library's compiler. */
  CKJIT_API_COMPILING,
  /* A whole entry exists under the build id that a first call looks for: a first call loads it. */
  CKJIT_API_CACHED,
  CKJIT_API_LOADED, /* in the in-process table */
  /* The kernel is compiled into the library: a call neither loads nor compiles anything. */
  CKJIT_API_LINKED,
  /* Absent, but the cache has a whole entry of the same key whose id has another second half: made
   * by another compiler, or with other system headers or architectures. A first call starts
   * ckjit-compile, which either names that entry, if it would make the same one, or compiles. */
  CKJIT_API_VARIANT,
};

/* Receives MESSAGE of SEVERITY (enum ckjit_api_severity), one or more lines without the last
 * newline. Any thread may call it, several at the same time. */
typedef void ckjit_api_logger(int severity, const char *message, void *user);

enum ckjit_api_severity {
  CKJIT_SAYS_PROGRESS,
  CKJIT_SAYS_NOTE,
  CKJIT_SAYS_WARNING,
  CKJIT_SAYS_ERROR
};

/* how a kernel is launched, with the arguments of cudaLaunchKernel */
struct ckjit_api_launch {
  unsigned grid[3], block[3];
  size_t shared;
  void *stream;
  bool cooperative;
};

/* how a kernel is exported: a format of docs/export.md, architectures (';' list; NULL: as usual),
 * flags after the kernel's own (may be NULL), and names, "NAME" or "OLD=NAME" */
struct ckjit_api_export {
  const char *format, *archs, *add_flags;
  const char *const *symbols;
  size_t nsymbols;
};

struct ckjit_api {
  uint32_t kernels, functions;

  /* The stem of KERNEL, *N bytes, not terminated; static. */
  const char *(*stem)(uint32_t kernel, size_t *n);
  /* Its source as it would be compiled now, and the architectures for that (separated by ';'). The
   * caller frees it. */
  char *(*source)(uint32_t kernel);
  char *(*archs)(uint32_t kernel);
  /* The build id that the cache is searched for, in hexadecimal. The caller frees it. */
  char *(*build_id)(uint32_t kernel);
  /* FUNCTION's kernel, the FNV-1a of its mangled name, and that name if the library does not export
   * it, else "". */
  uint32_t (*function)(uint32_t function, uint64_t *hash, const char **name);
  /* Call EACH for every function that the object of HANDLE (from dlopen) defines, until it returns
   * false. */
  void (*each_symbol)(void *handle, bool (*each)(const char *name, void *user), void *user);

  /* STATES[i] becomes the state of KERNELS[i]. False with *ERROR if the cache cannot be trusted:
   * then kernels that are neither loaded nor linked count as absent. */
  bool (*states)(const uint32_t *kernels, size_t n, uint8_t *states, char **error);
  /* Load KERNEL as its first call does, compiling it if the cache lacks it. Returns dlopen's
   * handle, or NULL with *ERROR. It stays loaded; do not close it. */
  void *(*load)(uint32_t kernel, char **error);
  /* Put KERNEL into the cache without loading it. */
  bool (*store)(uint32_t kernel, char **error);
  /* Compile KERNEL regardless of cache and table, with ADD_FLAGS after its flags (quoted as in a
   * response file; may be NULL) for ARCHS (';' list; NULL: as usual). Load it from a file without a
   * name, as a separate object. Give the handle to close. */
  void *(*fresh)(uint32_t kernel, const char *add_flags, const char *archs, char **error);
  void (*close)(void *handle);
  /* The address of FUNCTION in HANDLE, which a function above returned; NULL with *ERROR. */
  void *(*address)(uint32_t function, void *handle, char **error);
  void (*free_text)(char *text);
  /* Compile KERNEL as HOW says into a file without a name. Returns its descriptor, which the caller
   * closes, or -1 with *ERROR. It is in no cache, and nothing is loaded. */
  int (*export)(uint32_t kernel, const struct ckjit_api_export *how, char **error);

  /* Run ckjit-prebuild with the WORDS, which end with NULL, and --cache-dir of the library's cache;
   * FILE is its descriptor 3. False with *ERROR: why it cannot run, or its last lines. */
  bool (*prebuild)(const char *const *words, int file, char **error);

  /* From now on LOGGER (NULL: standard error) receives all messages of the library. False: the
   * present logger made this call. Otherwise no thread is in that logger any more, nor will be. */
  bool (*set_logger)(ckjit_api_logger *logger, void *user);

  /* From now on the cache of the library is DIR; NULL or "": that of the environment. False: no
   * memory. */
  bool (*set_cache)(const char *dir);

  /* CUDA kernels in lazy units, by name and choices; all NULL in a library without such units. Call
   * EACH with the mangled name of each kernel until it returns false. */
  void (*combination_kernels)(bool (*each)(const char *name, void *user), void *user);
  /* The kernel NAME with CHOICES, "" or as in ck_jit_protocol.h. Returns its address for CUDA's
   * runtime, the same one each time and valid for good; NULL: there is no such kernel. Compiles
   * nothing. */
  void *(*combination)(const char *name, const char *choices);
  /* Compile it and register it with CUDA's runtime. *ERROR does not begin with a name. */
  bool (*combination_get)(void *address, char **error);
  /* Launch it after that; returns a cudaError_t. */
  int (*combination_launch)(void *address, const struct ckjit_api_launch *how, void **args);
};

#endif
