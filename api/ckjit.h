/* ckjit.h - compile the kernels of a library explicitly, and keep handles of them.
 *
 * A library that ckjit linked compiles each kernel when it is first called. With libckjit.so a
 * program can open such a library, whether the program itself or PyTorch has loaded it: list its
 * kernels, compile one or many of them now, and get a handle of a compiled kernel with the
 * addresses of its functions. Explicit compiles and first calls share one table and one cache:
 * neither repeats a compile of the other.
 *
 *     ckjit_library *lib;
 *     ckjit_handle *handle;
 *     uint32_t kernel;
 *     void *address;
 *     char *error = NULL;
 *     if (ckjit_open("libkernels.so", 0, &lib, &error) ||
 *         ckjit_find(lib, "add_f32", &kernel, NULL, &error) ||
 *         ckjit_compile(lib, kernel, NULL, &handle, &error) ||
 *         ckjit_handle_function(handle, 0, &address, &error))
 *       fprintf(stderr, "%s\n", error);
 *     ckjit_free(error);
 *
 * Link with `pkg-config --cflags --libs ckjit`. docs/api.md has sessions, ckjit(3) the reference.
 *
 * Errors: a function that can fail returns a status, CKJIT_OK (0) or one below, and sets *ERROR to
 * a message of one or more lines without a newline at its end, which names the library, file or
 * kernel and the next step. The caller frees it with ckjit_free(). ERROR may be NULL. If there is
 * no memory for the message *ERROR is NULL; on success it is not changed. No error is thrown or
 * printed or ends the process, whatever CK_JIT_ON_ERROR says. ckjit_set_logger receives a library's
 * other messages.
 *
 * Threads: every function may be called from any thread at any time, also for one object at the
 * same time, unless stated otherwise. Cancellation points: none. Fork: a child has its parent's
 * libraries and handles; running batches belong to the parent (below).
 *
 * Ownership: the caller owns the results of ckjit_open, ckjit_compile, ckjit_combine and
 * ckjit_batch_start, and returns them with ckjit_close, ckjit_handle_release,
 * ckjit_combination_release and ckjit_batch_free. Texts in the structs below belong to the library
 * object and live until all who opened it have closed it and its handles and batches are gone.
 *
 * Structs that begin with a size: set it to sizeof, so that a later version can have more members.
 */
#ifndef CKJIT_H
#define CKJIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CKJIT_API __attribute__((visibility("default")))

/* A library that ckjit linked, opened. */
typedef struct ckjit_library ckjit_library;
/* A compiled kernel, loaded: an executor. */
typedef struct ckjit_handle ckjit_handle;
/* A CUDA kernel with the units that are linked to it. */
typedef struct ckjit_combination ckjit_combination;
/* Many kernels that are being compiled. */
typedef struct ckjit_batch ckjit_batch;

enum ckjit_status {
  CKJIT_OK = 0,
  /* an argument, or a call at a wrong moment */
  CKJIT_E_INVALID = 1,
  CKJIT_E_MEMORY = 2, /* no memory, or no thread */
  /* the library, or a file, cannot be opened */
  CKJIT_E_OPEN = 3,
  CKJIT_E_NOT_CKJIT = 4, /* ckjit has not linked this library */
  /* a ckjit of another version has linked it */
  CKJIT_E_VERSION = 5,
  CKJIT_E_NOT_FOUND = 6, /* no such kernel or function */
  /* a kernel cannot be compiled or loaded */
  CKJIT_E_FAILED = 7,
  CKJIT_E_CANCELLED = 8, /* a batch was cancelled */
  CKJIT_E_BUSY = 9,      /* not done yet */
  /* no cache has the kernel, and CK_JIT_ON_MISS=error forbids to compile it */
  CKJIT_E_MISS = 10
};

/* The name of a status, such as "CKJIT_E_FAILED"; static. */
CKJIT_API const char *ckjit_status_name(int status);
/* The version of libckjit.so, such as "0.1.0"; static. */
CKJIT_API const char *ckjit_version(void);
/* Free a message, the bytes of ckjit_export, or the array of ckjit_list_read. NULL is allowed. */
CKJIT_API void ckjit_free(void *memory);

/* ---- libraries ---- */

enum ckjit_open_flags {
  /* Only a library that the process has loaded; its base name is enough. */
  CKJIT_OPEN_LOADED = 1,
  /* Make its symbols available to libraries that are loaded later (RTLD_GLOBAL). */
  CKJIT_OPEN_GLOBAL = 2
};

/* Open the library PATH, found as by dlopen; NULL is the program itself. Loads it if necessary, and
 * keeps it loaded as long as it is open here. Opening it again gives the same object. Compiles
 * nothing. Errors: CKJIT_E_OPEN, CKJIT_E_NOT_CKJIT, CKJIT_E_VERSION, CKJIT_E_INVALID,
 * CKJIT_E_MEMORY. */
CKJIT_API int ckjit_open(const char *path, unsigned flags, ckjit_library **library, char **error);
/* Open the library that contains ADDRESS, such as that of one of its functions. Errors as above. */
CKJIT_API int ckjit_open_address(const void *address, ckjit_library **library, char **error);
/* Undo one open. Its handles and batches stay valid, and keep it loaded. NULL is allowed. */
CKJIT_API void ckjit_close(ckjit_library *library);
/* The file that it was loaded from; belongs to LIBRARY. */
CKJIT_API const char *ckjit_library_path(const ckjit_library *library);

/* ---- messages ---- */

enum ckjit_severity {
  CKJIT_PROGRESS = 0, /* with CK_JIT_VERBOSE: progress */
  /* a call waits for a compile: CK_JIT_SAY_AFTER, CK_JIT_QUIET */
  CKJIT_NOTE = 1,
  CKJIT_WARNING = 2, /* a setting, file or directory cannot be used as requested */
  CKJIT_ERROR = 3    /* with CK_JIT_ON_ERROR=abort: why the process is about to end */
};

/* Receives a message of a library: text of one or more lines without a newline at its end, valid
 * during the call.
 *
 * The thread that the message is about calls it; that thread is in a call of a kernel or of
 * libckjit, or is one of libckjit's own. Several threads may call it at the same time. The thread
 * continues when the logger returns, so the logger should be short. It must not throw, fork, or
 * compile or wait for a kernel of the library: its own thread may be the one to provide that
 * kernel. */
typedef void (*ckjit_logger)(int severity, const char *message, void *user);

/* From now on call LOGGER with USER for each message that LIBRARY would print on standard error,
 * for any caller; NULL: print them again. CKJIT_ERROR is printed as well. The logger
 * stays with the library when that is closed here, as long as it is loaded, and in the child of a
 * fork. When this function returns, no thread is in the former logger, nor will be: it may be
 * unloaded. Errors: CKJIT_E_INVALID, also for a call from a logger of LIBRARY. */
CKJIT_API int ckjit_set_logger(ckjit_library *library, ckjit_logger logger, void *user,
                               char **error);

/* From now on the cache of LIBRARY is DIR, whatever CK_JIT_CACHE_DIR says; NULL or "": the cache of
 * the environment again. Kernels that are loaded stay, and so does the choice, as long as the
 * library is loaded; calls that run already may use the former cache. A relative DIR counts from
 * the current directory. DIR is made and checked when a kernel is looked up. Libraries of
 * `ckjit full` export the same as CK JIT's void ck_jit_set_cache_dir(const char *), which ignores
 * NULL and "". Errors: CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_set_cache_dir(ckjit_library *library, const char *dir, char **error);

/* ---- kernels: numbered from 0, in arbitrary order ---- */

CKJIT_API uint32_t ckjit_kernel_count(const ckjit_library *library);

struct ckjit_kernel_info {
  /* set by the caller: sizeof(struct ckjit_kernel_info) */
  size_t size;
  /* its name: its source's base name without the extension */
  const char *stem;
  /* the file that is compiled; absolute */
  const char *source;
  /* the architectures that it is compiled for here, separated by ';' */
  const char *archs;
  /* 48 hexadecimal digits, which `readelf -n` shows for the compiled kernel */
  const char *build_id;
  uint32_t functions; /* the number of its functions */
};

/* The properties of KERNEL. source, archs and build_id are those of the first query. Errors:
 * CKJIT_E_NOT_FOUND, CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_kernel_info(ckjit_library *library, uint32_t kernel,
                                struct ckjit_kernel_info *info, char **error);

struct ckjit_function_info {
  /* set by the caller: sizeof(struct ckjit_function_info) */
  size_t size;
  /* its mangled name; NULL: hidden by a version script, known once it is compiled here */
  const char *symbol;
  /* its C++ name; NULL if SYMBOL is, or if no C++ library is loaded */
  const char *demangled;
  uint64_t hash; /* 64-bit FNV-1a of the mangled name */
};

/* The properties of function INDEX, less than info.functions, of KERNEL. Errors as above. */
CKJIT_API int ckjit_function_info(ckjit_library *library, uint32_t kernel, uint32_t index,
                                  struct ckjit_function_info *info, char **error);

#define CKJIT_NO_FUNCTION UINT32_MAX

/* The kernel with this NAME: its stem, the base name or path of its source, the name of a compiled
 * kernel in a cache, or the mangled name of one of its functions. In the last case *FUNCTION
 * becomes the function's index, otherwise CKJIT_NO_FUNCTION. FUNCTION may be NULL. Errors:
 * CKJIT_E_NOT_FOUND, CKJIT_E_INVALID. */
CKJIT_API int ckjit_find(ckjit_library *library, const char *name, uint32_t *kernel,
                         uint32_t *function, char **error);

enum ckjit_state {
  CKJIT_ABSENT = 0, /* its first call compiles it */
  /* by this process, or by any that uses the same cache, with the library's own compiler */
  CKJIT_COMPILING = 1,
  /* its first call loads it; for CUDA its host code, and each launch looks up its kernel */
  CKJIT_CACHED = 2,
  CKJIT_LOADED = 3, /* it is in the process's table */
  /* compiled into the library (--aot-list): its calls load and compile nothing */
  CKJIT_LINKED = 4,
  /* Not cached as above, but the cache has an entry of the same source, headers and flags that was
   * made by another compiler (CK_JIT_HIPCC), with other system headers or for other architectures.
   * Only ckjit-compile can find out whether it would make the same entry now: the first call asks
   * it, and loads the entry or compiles. */
  CKJIT_VARIANT = 5
};

/* The state of KERNEL at this moment; it may change at any time. Reads the cache, compiles
 * nothing. Errors: CKJIT_E_FAILED: the cache directory cannot be used; CKJIT_E_NOT_FOUND,
 * CKJIT_E_INVALID. */
CKJIT_API int ckjit_state(ckjit_library *library, uint32_t kernel, int *state, char **error);
/* The same for COUNT kernels, faster: STATES[i] for KERNELS[i]; KERNELS NULL: 0 … COUNT-1. */
CKJIT_API int ckjit_states(ckjit_library *library, const uint32_t *kernels, size_t count,
                           uint8_t *states, char **error);
/* "absent", "compiling", "cached", "loaded", "linked" or "variant"; static */
CKJIT_API const char *ckjit_state_name(int state);

/* ---- compiling one ---- */

enum ckjit_compile_flags {
  /* compile it regardless of cache and table; the handle has its own copy of the code */
  CKJIT_FRESH = 1,
  /* put it into the cache without loading it: there is no handle */
  CKJIT_STORE_ONLY = 2
};

/* NULL is the same as all zeros. */
struct ckjit_options {
  /* set by the caller: sizeof(struct ckjit_options) */
  size_t size;
  unsigned flags; /* enum ckjit_compile_flags */
  /* for many: the maximal number of compilers at the same time; 0: CK_JIT_JOBS, else MAX_JOBS, else
   * processors */
  unsigned parallel;
  /* with CKJIT_FRESH: after the kernel's own, quoted as in a response file */
  const char *compiler_flags;
  /* with CKJIT_FRESH: architectures, separated by ';'; NULL: those of this machine */
  const char *archs;
};

/* Get KERNEL and load it: from the process's table, then from the cache, else by compiling it into
 * the cache, which may take minutes. Of all threads and processes that want it one compiles. The
 * library's own calls use the loaded code. HANDLE may be NULL.
 *
 * With CKJIT_FRESH it is always compiled, into a file without a name: the handle is a separate
 * executor, unknown to caches and to calls of the library, which nothing changes. Use it to build a
 * cache of your own.
 *
 * Errors: CKJIT_E_FAILED: the message has the compiler's last lines; CKJIT_E_MISS: it would have to
 * be compiled, and CK_JIT_ON_MISS is error; CKJIT_E_NOT_FOUND, CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_compile(ckjit_library *library, uint32_t kernel,
                            const struct ckjit_options *options, ckjit_handle **handle,
                            char **error);

/* The address of function INDEX of the handle's kernel, to be called with its C++ type. It is valid
 * as long as the handle; without CKJIT_FRESH as long as the process. Errors: CKJIT_E_FAILED,
 * CKJIT_E_NOT_FOUND, CKJIT_E_INVALID. */
CKJIT_API int ckjit_handle_function(ckjit_handle *handle, uint32_t index, void **address,
                                    char **error);
/* The same by its mangled name. */
CKJIT_API int ckjit_handle_symbol(ckjit_handle *handle, const char *symbol, void **address,
                                  char **error);
/* The number of its kernel. */
CKJIT_API uint32_t ckjit_handle_kernel(const ckjit_handle *handle);
/* Its library, which lives as long as the handle; do not close it. */
CKJIT_API ckjit_library *ckjit_handle_library(const ckjit_handle *handle);
/* Add an owner to the handle; returns HANDLE. */
CKJIT_API ckjit_handle *ckjit_handle_retain(ckjit_handle *handle);
/* Remove an owner. The last one of a CKJIT_FRESH handle unloads its code: no thread may be in it,
 * or call it later. NULL is allowed. */
CKJIT_API void ckjit_handle_release(ckjit_handle *handle);

/* ---- exporting one: a kernel as a file in memory that does not need ckjit ---- */

struct ckjit_export_options {
  /* set by the caller: sizeof(struct ckjit_export_options) */
  size_t size;
  /* "so", "obj", "code-object", "bitcode" or "asm": docs/export.md */
  const char *format;
  /* architectures, separated by ';'; NULL: those that a first call here compiles for */
  const char *archs;
  /* after the kernel's own, quoted as in a response file; may be NULL */
  const char *compiler_flags;
  /* NSYMBOLS new names, "NAME" or "OLD=NAME" */
  const char *const *symbols;
  size_t nsymbols;
};

/* Compile KERNEL into *BYTES, *SIZE of them, followed by a NUL: the same as `ckjit export --output
 * -` writes, for hipModuleLoadData, cuModuleLoadData, nvJitLink, or a file. Free them with
 * ckjit_free(). It is compiled each time, regardless of caches, in a separate process, which takes
 * seconds to minutes; nothing is loaded, and no cache changes. Threads of one process that export
 * the same kernel compile it once each. "bitcode" and "asm" are for one architecture.
 *
 * Errors: CKJIT_E_FAILED: the message has the compiler's last lines, or the mistake in archs or
 * symbols; also for a kernel that has no code for an architecture. CKJIT_E_MISS: CK_JIT_ON_MISS is
 * error; CKJIT_E_INVALID: no such format; CKJIT_E_NOT_FOUND, CKJIT_E_MEMORY. Then *BYTES is NULL,
 * and *SIZE 0. */
CKJIT_API int ckjit_export(ckjit_library *library, uint32_t kernel,
                           const struct ckjit_export_options *options, void **bytes, size_t *size,
                           char **error);

/* ---- CUDA: a kernel and the tags of the units that are linked to it ---- */

enum { CKJIT_TEXTS_MOST = 100000 };

/* What is linked to a kernel besides the units of its tags. NULL is the same as all zeros. */
struct ckjit_combine_options {
  /* set by the caller: sizeof(struct ckjit_combine_options) */
  size_t size;
  /* NTEXTS texts in CUDA C++, fragments of the program: each defines device functions that the
   * kernel or another fragment needs, and is compiled with the options of the kernel's unit. It may
   * include headers of the CUDA toolkit and of the host compiler, and no others. In all at most
   * CKJIT_TEXTS_MOST bytes, without the byte 036. */
  const char *const *texts;
  size_t ntexts;
  /* What the compiler's messages call each text, as a file: "filter.cu", without '"' and '\'; NULL:
   * "text.cu". A text under another name is another one, as __FILE__ is. */
  const char *const *names;
  /* NLINK_OPTIONS options for the device linker after ckjit's own, such as "-Xptxas=-O1", without
   * '+'. Not -arch, -lto, -ptx and -kernels-used, which ckjit passes. */
  const char *const *link_options;
  size_t nlink_options;
};

/* For libraries with lazy CUDA units (`ckjit home --units`), whose kernels are not those above:
 * each is a separate kernel with its C++ name. A unit with -rdc=true may have a tag, `using
 * ckjit_fragment = euclidean;`, and is linked to kernels that have the tag among their template
 * arguments (docs/fragments.md). With this function a program chooses tags at run time, for a
 * kernel that has none of them in its name, as a planner does. Its OPTIONS may have fragments that
 * are no units, because the program has their text. ckjit.hpp has a planner in C++.
 *
 * KERNEL is a mangled name, or a C++ name ("scan<float, 4>", as `ckjit list --kernels` prints it):
 * return type, namespaces and parameters may be omitted. A mangled name is found faster. TAGS are
 * NTAGS names, in any order; namespaces may be omitted. Without tags it is the kernel as launches
 * use it.
 *
 * OPTIONS may be NULL. Compiles nothing: only the compile shows whether there are units with these
 * tags, and whether the texts are sound. The same kernel with the same tags, spelled alike, and the
 * same texts and link options in the same order is one object in the process: it is compiled once,
 * and once for all processes with this cache. Nothing is borrowed after the call. CK_JIT_CAPTURE
 * does not count it. Errors: CKJIT_E_NOT_FOUND: no such kernel, or several; CKJIT_E_INVALID,
 * CKJIT_E_MEMORY. */
CKJIT_API int ckjit_combine(ckjit_library *library, const char *kernel, const char *const *tags,
                            size_t ntags, const struct ckjit_combine_options *options,
                            ckjit_combination **combination, char **error);
/* Compile and link it, or find it in the cache, and register it with CUDA's runtime. A compile of
 * units takes minutes, one of a small text with all units in the cache half a second. Errors:
 * CKJIT_E_FAILED: no unit has one of the tags, two requested units or texts define the same
 * function, a function is missing, the compiler failed: the message has its words, with the name
 * and line of the text; CKJIT_E_MISS: it would have to be compiled, and CK_JIT_ON_MISS is error;
 * CKJIT_E_INVALID. */
CKJIT_API int ckjit_combination_compile(ckjit_combination *combination, char **error);

struct ckjit_launch {
  /* set by the caller: sizeof(struct ckjit_launch) */
  size_t size;
  unsigned grid[3], block[3];
  size_t shared; /* bytes of dynamic shared memory */
  /* a cudaStream_t; NULL: the default stream */
  void *stream;
  /* as cudaLaunchCooperativeKernel does */
  int cooperative;
};

/* Launch it on the current device, after compiling it if necessary: ARGS as for cudaLaunchKernel.
 * Errors: as ckjit_combination_compile; CKJIT_E_FAILED with the number of CUDA's error, which
 * cudaGetLastError of the library's runtime returns as well. */
CKJIT_API int ckjit_combination_launch(ckjit_combination *combination,
                                       const struct ckjit_launch *how, void **args, char **error);
/* The address to pass to calls of CUDA's runtime that take a kernel's address, such as
 * cudaFuncSetAttribute, once it is compiled; for the runtime that the library is linked with. It is
 * valid as long as the library is loaded. */
CKJIT_API const void *ckjit_combination_address(const ckjit_combination *combination);
/* Its kernel's mangled name; belongs to COMBINATION. */
CKJIT_API const char *ckjit_combination_symbol(const ckjit_combination *combination);
/* Release it, and its hold on the library; the compiled code stays. NULL is allowed. */
CKJIT_API void ckjit_combination_release(ckjit_combination *combination);

/* ---- compiling many ---- */

struct ckjit_progress {
  /* set by the caller: sizeof(struct ckjit_progress) */
  size_t size;
  size_t total;     /* requested kernels */
  size_t done;      /* of them: ended, in any way */
  size_t failed;    /* of those: failed */
  size_t cancelled; /* of those: never begun */
  size_t running;
  double seconds; /* since the start */
};

enum ckjit_event_kind { CKJIT_EVENT_STARTED = 0, CKJIT_EVENT_DONE = 1 };

struct ckjit_event {
  size_t size;  /* of this struct */
  int kind;     /* enum ckjit_event_kind */
  size_t index; /* index in the requested kernels */
  uint32_t kernel;
  /* of CKJIT_EVENT_DONE: CKJIT_OK, CKJIT_E_FAILED, CKJIT_E_MISS or CKJIT_E_CANCELLED, … */
  int status;
  /* its message, or NULL; valid during the callback */
  const char *error;
  ckjit_handle *handle;           /* or NULL; retain it to keep it */
  double seconds;                 /* duration */
  struct ckjit_progress progress; /* including this event */
};

/* Called for each start and each end, in order, never two at a time for one batch. Return 0, or
 * another number to cancel. It must not throw, and must not wait for the batch that calls it or
 * free it. */
typedef int (*ckjit_callback)(const struct ckjit_event *event, void *user);

/* Compile COUNT kernels (NULL: 0 … COUNT-1), several at the same time, and return when all have
 * ended. CALLBACK (may be NULL) is called in this thread, PROGRESS (may be NULL) is set at the end.
 * A kernel that fails does not stop the others. Errors: CKJIT_E_FAILED: some failed, the message
 * has their number and the first one's message; CKJIT_E_CANCELLED; and as ckjit_compile, before
 * anything was compiled. */
CKJIT_API int ckjit_compile_many(ckjit_library *library, const uint32_t *kernels, size_t count,
                                 const struct ckjit_options *options, ckjit_callback callback,
                                 void *user, struct ckjit_progress *progress, char **error);

/* The same without waiting: CALLBACK is called in a thread of libckjit. All signals are blocked in
 * these threads. Errors: CKJIT_E_INVALID, CKJIT_E_NOT_FOUND, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_batch_start(ckjit_library *library, const uint32_t *kernels, size_t count,
                                const struct ckjit_options *options, ckjit_callback callback,
                                void *user, ckjit_batch **batch, char **error);
/* Get its progress without waiting. CKJIT_OK: all have ended, their callbacks too; CKJIT_E_BUSY:
 * not yet. */
CKJIT_API int ckjit_batch_poll(ckjit_batch *batch, struct ckjit_progress *progress);
/* Wait for its end for SECONDS, or without a limit if that is negative. CKJIT_E_BUSY: not yet; else
 * the result of ckjit_compile_many. CKJIT_E_INVALID: from its own callback, or in a forked child.
 * PROGRESS may be NULL. */
CKJIT_API int ckjit_batch_wait(ckjit_batch *batch, double seconds, struct ckjit_progress *progress,
                               char **error);
/* Begin no more kernels. Running compiles continue: others may wait for them, and their results go
 * into the cache. Does not wait. */
CKJIT_API void ckjit_batch_cancel(ckjit_batch *batch);
/* The result of number INDEX of the requested kernels: its status, *ERROR, and *HANDLE (may be
 * NULL), with one more owner. CKJIT_E_BUSY: it has not ended yet. */
CKJIT_API int ckjit_batch_result(ckjit_batch *batch, size_t index, ckjit_handle **handle,
                                 char **error);
/* Cancel, wait for running compiles, and free the batch with its handles. Do not call it in its own
 * callback. In a forked child it does not wait. NULL is allowed. */
CKJIT_API void ckjit_batch_free(ckjit_batch *batch);

/* ---- lists of kernels, in the form of `ckjit build --blob-list` ---- */

enum ckjit_list_flags { CKJIT_LIST_SKIP_UNKNOWN = 1 /* skip names of other libraries' kernels */ };

/* Read the kernels that FILE ("-": standard input) names: one a line in any form that ckjit_find
 * accepts, with # for comments, or a file of CK_JIT_CAPTURE. *KERNELS has COUNT kernels, each once;
 * free it with ckjit_free. Errors: CKJIT_E_OPEN, also for a capture of another version;
 * CKJIT_E_NOT_FOUND with each unknown name and its line; CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_list_read(ckjit_library *library, const char *file, unsigned flags,
                              uint32_t **kernels, size_t *count, char **error);
/* ckjit_list_read, then ckjit_compile_many. A list with an unknown name compiles nothing. */
CKJIT_API int ckjit_prewarm(ckjit_library *library, const char *file,
                            const struct ckjit_options *options, ckjit_callback callback,
                            void *user, struct ckjit_progress *progress, char **error);

#ifdef __cplusplus
}
#endif

#endif
