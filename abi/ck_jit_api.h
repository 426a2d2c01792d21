/* ck_jit_api.h - what libckjit.so and the runtime in a library agree on.
 *
 * A library that ckjit linked exports nothing of ckjit. libckjit.so finds the runtime in it by a note: an ELF
 * note is allocated, has a program header that is looked up by anybody who iterates over the loaded objects,
 * and survives strip. The note holds the distance to one function, so it costs no relocation; the function
 * fills in a struct of functions.
 *
 *     owner "ckjit", type CKJIT_API_NOTE, 8 bytes: CKJIT_API_FORMAT, and the distance from itself to
 *     void ckjit_api(struct ckjit_api *api)
 *
 * Both numbers are 4 bytes, little endian. A libckjit.so uses a library of its own format only: the number
 * changes with any change below.
 *
 * The functions: thread-safe, errno and cancellation are as before, nothing throws. KERNEL is less than
 * kernels, FUNCTION less than functions. *ERROR becomes a text that begins with the kernel's stem; give it,
 * and any other text that is said to be the caller's, to free_text. It may be NULL, when there was no memory
 * for it.
 */
#ifndef CK_JIT_API_H
#define CK_JIT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CKJIT_API_OWNER "ckjit"
enum { CKJIT_API_NOTE = 1, CKJIT_API_FORMAT = 5 };

/* what is known of a kernel */
enum ckjit_api_state {
  CKJIT_API_ABSENT,
  CKJIT_API_COMPILING, /* by a thread of this process; by any that uses this cache, under the build id of the library's compiler */
  CKJIT_API_CACHED, /* under the build id that a first call looks for, whole: a first call loads it */
  CKJIT_API_LOADED, /* in the in-process table */
  CKJIT_API_LINKED, /* compiled into the library: a call neither loads nor compiles anything */
  CKJIT_API_VARIANT, /* as absent, but the cache has a whole entry of the same key and another second half: of another
                        * compiler, other system headers or architectures. A first call asks ckjit-compile, which has it
                        * loaded if that is what it would make, or compiles */
};

/* MESSAGE of SEVERITY (enum ckjit_api_severity), one line or more without the last newline; called by any thread, by several at
 * the same time */
typedef void ckjit_api_logger(int severity, const char *message, void *user);

enum ckjit_api_severity { CKJIT_SAYS_PROGRESS, CKJIT_SAYS_NOTE, CKJIT_SAYS_WARNING, CKJIT_SAYS_ERROR };

/* how a kernel is launched: as cudaLaunchKernel takes it */
struct ckjit_api_launch {
  unsigned grid[3], block[3];
  size_t shared;
  void *stream;
  bool cooperative;
};

/* what a kernel is exported as: a format of docs/export.md, architectures (';' list; NULL: as usual), flags after the kernel's own (may be
 * NULL), and names, "NAME" or "OLD=NAME" */
struct ckjit_api_export {
  const char *format, *archs, *add_flags;
  const char *const *symbols;
  size_t nsymbols;
};

struct ckjit_api {
  uint32_t kernels, functions;

  /* the stem of KERNEL, *N bytes, not terminated; static */
  const char *(*stem)(uint32_t kernel, size_t *n);
  /* its source as it would be compiled now, and for which architectures (';' between); the caller's */
  char *(*source)(uint32_t kernel);
  char *(*archs)(uint32_t kernel);
  /* the build id under which the cache is searched, in hexadecimal; the caller's */
  char *(*build_id)(uint32_t kernel);
  /* FUNCTION's kernel, the FNV-1a of its mangled name, and that name if the library does not export it, else
   * "" */
  uint32_t (*function)(uint32_t function, uint64_t *hash, const char **name);
  /* call EACH for every function that the object of HANDLE (dlopen's) defines, until it returns false */
  void (*each_symbol)(void *handle, bool (*each)(const char *name, void *user), void *user);

  /* STATES[i] of KERNELS[i]. False with *ERROR if the cache cannot be trusted: those that are neither loaded nor
   * linked are absent then. */
  bool (*states)(const uint32_t *kernels, size_t n, uint8_t *states, char **error);
  /* Load KERNEL as its first call does, compiled if it is not in the cache: what dlopen returned, or NULL
   * with *ERROR. It stays loaded; not to be closed. */
  void *(*load)(uint32_t kernel, char **error);
  /* have it in the cache, and do not load it */
  bool (*store)(uint32_t kernel, char **error);
  /* Compile it whatever the cache and the table hold, with ADD_FLAGS after its flags (quoted as in a
   * response file; may be NULL) for ARCHS (';' list; NULL: as usual), and load it, from a file without a
   * name, as an object of its own. To be given to close. */
  void *(*fresh)(uint32_t kernel, const char *add_flags, const char *archs, char **error);
  void (*close)(void *handle);
  /* the address of FUNCTION in HANDLE, one of the above; NULL with *ERROR */
  void *(*address)(uint32_t function, void *handle, char **error);
  void (*free_text)(char *text);
  /* Compile KERNEL as HOW says, into a file without a name: its descriptor, which is the caller's, or -1 with *ERROR. It is in no
   * cache, and nothing is loaded. */
  int (*export)(uint32_t kernel, const struct ckjit_api_export *how, char **error);

  /* From now on LOGGER (NULL: standard error) gets what the library would print. False: it is called by the logger that
   * there was. Else nobody is in that one any more, nor will be. */
  bool (*set_logger)(ckjit_api_logger *logger, void *user);

  /* Kernels of CUDA in lazy units, by name and tags; all NULL in a library without such units.
   * Call EACH with the mangled name of each kernel until it returns false. */
  void (*combination_kernels)(bool (*each)(const char *name, void *user), void *user);
  /* The kernel NAME linked with the units of TAGS, "+TAG+TAG…" or "": its address for CUDA's runtime, the same one each time, for
   * good; NULL: there is none. Compiles nothing. */
  void *(*combination)(const char *name, const char *tags);
  /* have it compiled and registered with CUDA's runtime; *ERROR has no name before it */
  bool (*combination_get)(void *address, char **error);
  /* Launch it, after that; a cudaError_t. */
  int (*combination_launch)(void *address, const struct ckjit_api_launch *how, void **args);
};

#endif
