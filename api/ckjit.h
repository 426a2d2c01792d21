/* ckjit.h - compile the kernels of a library explicitly, and hold on to them.
 *
 * A library that ckjit linked compiles each kernel when it is first called. With libckjit.so a program can
 * look into such a library, whether it has loaded it itself or PyTorch has: list its kernels, compile one or
 * many of them now, and get a handle of a compiled kernel with the addresses of its functions. What is
 * compiled here and what is compiled by a first call share one table and one cache: neither compiles again
 * what the other has.
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
 * Errors: a function that can fail returns a status, CKJIT_OK (0) or one below, and sets *ERROR to a message
 * of one or more lines without a newline at its end, which names the library, file or kernel and says what to
 * do. It is the caller's: ckjit_free(). ERROR may be NULL. Without memory for it *ERROR is NULL; on success
 * it is not touched. No error is thrown or printed or ends the process, whatever CK_JIT_ON_ERROR says. What a library prints
 * besides errors can be had by ckjit_set_logger.
 *
 * Threads: every function may be called from any thread at any time, also for one object at the same time,
 * unless stated otherwise. Cancellation points: none. Fork: a child has its parent's libraries and handles;
 * batches that run belong to the parent (below).
 *
 * Ownership: what is made by ckjit_open, ckjit_compile and ckjit_batch_start is the caller's, and given back
 * by ckjit_close, ckjit_handle_release, ckjit_combination_release and ckjit_batch_free. Texts in the structs below belong to the library
 * object and live until it is closed by all who opened it and its handles and batches are gone.
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

/* a library that ckjit linked, opened */
typedef struct ckjit_library ckjit_library;
/* a compiled kernel, loaded: an executor */
typedef struct ckjit_handle ckjit_handle;
/* a kernel of CUDA, with what it is linked with */
typedef struct ckjit_combination ckjit_combination;
/* many kernels that are being compiled */
typedef struct ckjit_batch ckjit_batch;

enum ckjit_status {
  CKJIT_OK = 0,
  CKJIT_E_INVALID = 1,   /* an argument, or a call at a wrong moment */
  CKJIT_E_MEMORY = 2,    /* no memory, or no thread */
  CKJIT_E_OPEN = 3,      /* the library, or a file, cannot be opened */
  CKJIT_E_NOT_CKJIT = 4, /* ckjit has not linked this library */
  CKJIT_E_VERSION = 5,   /* a ckjit of another version has linked it */
  CKJIT_E_NOT_FOUND = 6, /* no such kernel or function */
  CKJIT_E_FAILED = 7,    /* a kernel cannot be compiled or loaded */
  CKJIT_E_CANCELLED = 8, /* a batch was cancelled */
  CKJIT_E_BUSY = 9,      /* not done yet */
  CKJIT_E_MISS = 10      /* no cache has the kernel, and CK_JIT_ON_MISS=error forbids to compile it */
};

/* The name of a status, such as "CKJIT_E_FAILED"; static. */
CKJIT_API const char *ckjit_status_name(int status);
/* The version of libckjit.so, such as "0.1.0"; static. */
CKJIT_API const char *ckjit_version(void);
/* Free a message, the bytes of ckjit_export, or the array of ckjit_list_read. NULL is allowed. */
CKJIT_API void ckjit_free(void *memory);

/* ---- libraries ---- */

enum ckjit_open_flags {
  /* only a library that the process has loaded; it may be given by its base name alone */
  CKJIT_OPEN_LOADED = 1,
  /* its symbols are for libraries that are loaded later (RTLD_GLOBAL) */
  CKJIT_OPEN_GLOBAL = 2
};

/* Open the library PATH, as dlopen finds it; NULL is the program itself. It is loaded if it is not yet, and
 * stays loaded as long as it is open here. Opening it again gives the same object. Compiles nothing.
 * Errors: CKJIT_E_OPEN, CKJIT_E_NOT_CKJIT, CKJIT_E_VERSION, CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_open(const char *path, unsigned flags, ckjit_library **library, char **error);
/* Open the library that ADDRESS lies in, such as that of one of its functions. Errors as above. */
CKJIT_API int ckjit_open_address(const void *address, ckjit_library **library, char **error);
/* Give back what one open gave. Its handles and batches stay valid, and keep it loaded. NULL is allowed. */
CKJIT_API void ckjit_close(ckjit_library *library);
/* the file that it was loaded from; belongs to LIBRARY */
CKJIT_API const char *ckjit_library_path(const ckjit_library *library);

/* ---- messages ---- */

enum ckjit_severity {
  CKJIT_PROGRESS = 0, /* with CK_JIT_VERBOSE: what is done */
  CKJIT_NOTE = 1,     /* a call waits for a compile: CK_JIT_SAY_AFTER, CK_JIT_QUIET */
  CKJIT_WARNING = 2,  /* a setting, a file or a directory that cannot be used as asked */
  CKJIT_ERROR = 3     /* with CK_JIT_ON_ERROR=abort: why the process is about to end */
};

/* Gets a message of a library: text of one or more lines without a newline at its end, valid during the call.
 *
 * It is called by the thread that the message is about, which is in a call of a kernel or of libckjit, or is one of libckjit's
 * own; several threads may be in it at the same time. That thread goes on when it returns, so it should be short. It must not
 * throw, fork, or have a kernel of the library compiled or waited for: that may be the one that its thread is to bring. */
typedef void (*ckjit_logger)(int severity, const char *message, void *user);

/* Have LOGGER called with USER for each message that LIBRARY would print on standard error from now on, whoever calls it; NULL:
 * they are printed again. CKJIT_ERROR is printed as well. It stays with the library when that is closed here, as long as it
 * is loaded, and in the child of a fork. When this returns, no thread is in the former logger, nor will be: it may be
 * unloaded. Errors: CKJIT_E_INVALID, also for a call from a logger of LIBRARY. */
CKJIT_API int ckjit_set_logger(ckjit_library *library, ckjit_logger logger, void *user, char **error);

/* ---- kernels: numbered from 0, in no order that means something ---- */

CKJIT_API uint32_t ckjit_kernel_count(const ckjit_library *library);

struct ckjit_kernel_info {
  size_t size;          /* set by the caller: sizeof(struct ckjit_kernel_info) */
  const char *stem;     /* its name: that of its source without the extension */
  const char *source;   /* the file that is compiled; absolute */
  const char *archs;    /* offload architectures that it is compiled for here, ';' between */
  const char *build_id; /* 48 hexadecimal digits: what `readelf -n` shows of the compiled kernel */
  uint32_t functions;   /* how many it has */
};

/* What is known of KERNEL. source, archs and build_id are as they were when it was first asked for. Errors:
 * CKJIT_E_NOT_FOUND, CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_kernel_info(ckjit_library *library, uint32_t kernel, struct ckjit_kernel_info *info,
                                char **error);

struct ckjit_function_info {
  size_t size;        /* set by the caller: sizeof(struct ckjit_function_info) */
  const char *symbol; /* its mangled name; NULL: hidden by a version script, known once it is compiled here */
  const char *demangled; /* as C++ is written; NULL if SYMBOL is, or if no C++ library is loaded */
  uint64_t hash;         /* 64-bit FNV-1a of the mangled name */
};

/* What is known of function INDEX, less than info.functions, of KERNEL. Errors as above. */
CKJIT_API int ckjit_function_info(ckjit_library *library, uint32_t kernel, uint32_t index,
                                  struct ckjit_function_info *info, char **error);

#define CKJIT_NO_FUNCTION UINT32_MAX

/* The kernel that NAME means: its stem, the base name or path of its source, the name of a compiled kernel in
 * a cache, or the mangled name of one of its functions, whose index goes to *FUNCTION then; else that becomes
 * CKJIT_NO_FUNCTION. FUNCTION may be NULL. Errors: CKJIT_E_NOT_FOUND, CKJIT_E_INVALID. */
CKJIT_API int ckjit_find(ckjit_library *library, const char *name, uint32_t *kernel, uint32_t *function,
                         char **error);

enum ckjit_state {
  CKJIT_ABSENT = 0, /* its first call compiles it */
  CKJIT_COMPILING =
      1, /* by this process; or by any that uses the same cache, for the library's own compiler */
  CKJIT_CACHED =
      2, /* its first call loads it; of CUDA its host code, its kernels being looked up when launched */
  CKJIT_LOADED = 3, /* it is in the process's table */
  CKJIT_LINKED = 4, /* compiled into the library (--aot-list): its calls load and compile nothing */
  /* Not cached as above, but the cache has an entry of the same source, headers and flags which was made by another
   * compiler (CK_JIT_HIPCC), with other system headers or for other architectures. Only ckjit-compile can tell whether
   * that is what it would make now: its first call asks, and loads the entry or compiles. */
  CKJIT_VARIANT = 5
};

/* The state of KERNEL at this moment, which may be another one at the next. Looks at the cache, compiles
 * nothing. Errors: CKJIT_E_FAILED: the cache directory cannot be used; CKJIT_E_NOT_FOUND, CKJIT_E_INVALID. */
CKJIT_API int ckjit_state(ckjit_library *library, uint32_t kernel, int *state, char **error);
/* The same for COUNT kernels, faster: STATES[i] for KERNELS[i]; KERNELS NULL: 0 … COUNT-1. */
CKJIT_API int ckjit_states(ckjit_library *library, const uint32_t *kernels, size_t count, uint8_t *states,
                           char **error);
/* "absent", "compiling", "cached", "loaded", "linked" or "variant"; static */
CKJIT_API const char *ckjit_state_name(int state);

/* ---- compiling one ---- */

enum ckjit_compile_flags {
  CKJIT_FRESH = 1, /* compile it whatever the cache and the table hold; the handle is of code of its own */
  CKJIT_STORE_ONLY = 2 /* have it in the cache, do not load it: there is no handle */
};

/* NULL is the same as all zeros. */
struct ckjit_options {
  size_t size;       /* set by the caller: sizeof(struct ckjit_options) */
  unsigned flags;    /* enum ckjit_compile_flags */
  unsigned parallel; /* of many: compilers at the same time, at most; 0: CK_JIT_JOBS, else processors */
  const char *compiler_flags; /* with CKJIT_FRESH: after the kernel's own, quoted as in a response file */
  const char *archs; /* with CKJIT_FRESH: offload architectures, ';' between; NULL: those of this machine */
};

/* Compile KERNEL and load it, or find it: in the process's table, then in the cache, else by compiling it
 * into the cache, which may take minutes. Of all threads and processes that want it one compiles. The
 * library's own calls use what this loaded. HANDLE may be NULL.
 *
 * With CKJIT_FRESH it is always compiled, and comes in a file that has no name: the handle is an executor of
 * its own, which no cache and no call of the library knows of, and which nothing changes. That is what a
 * cache of one's own is made of.
 *
 * Errors: CKJIT_E_FAILED: the message has the compiler's last lines; CKJIT_E_MISS: it would have to be compiled, and
 * CK_JIT_ON_MISS is error; CKJIT_E_NOT_FOUND, CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_compile(ckjit_library *library, uint32_t kernel, const struct ckjit_options *options,
                            ckjit_handle **handle, char **error);

/* The address of function INDEX of the handle's kernel, to be called as what it is in C++. It is valid as
 * long as the handle; that of a handle without CKJIT_FRESH as long as the process. Errors: CKJIT_E_FAILED,
 * CKJIT_E_NOT_FOUND, CKJIT_E_INVALID. */
CKJIT_API int ckjit_handle_function(ckjit_handle *handle, uint32_t index, void **address, char **error);
/* The same by its mangled name. */
CKJIT_API int ckjit_handle_symbol(ckjit_handle *handle, const char *symbol, void **address, char **error);
/* the number of its kernel */
CKJIT_API uint32_t ckjit_handle_kernel(const ckjit_handle *handle);
/* its library, which lives as long as the handle; not to be closed */
CKJIT_API ckjit_library *ckjit_handle_library(const ckjit_handle *handle);
/* One more owner of the handle; returns HANDLE. */
CKJIT_API ckjit_handle *ckjit_handle_retain(ckjit_handle *handle);
/* One owner less. The last one of a CKJIT_FRESH handle unloads its code: nobody may be in it, or call it
 * later. NULL is allowed. */
CKJIT_API void ckjit_handle_release(ckjit_handle *handle);

/* ---- exporting one: a kernel as a file in memory that needs no ckjit ---- */

struct ckjit_export_options {
  size_t size;        /* set by the caller: sizeof(struct ckjit_export_options) */
  const char *format; /* "so", "obj", "code-object", "bitcode" or "asm": docs/export.md */
  const char *archs; /* offload architectures, ';' between; NULL: those that a first call here compiles for */
  const char *compiler_flags; /* after the kernel's own, quoted as in a response file; may be NULL */
  const char *const *symbols; /* NSYMBOLS new names, "NAME" or "OLD=NAME" */
  size_t nsymbols;
};

/* Compile KERNEL into *BYTES, *SIZE of them, and a NUL behind: what `ckjit export --output -` writes, for hipModuleLoadData,
 * cuModuleLoadData, nvJitLink, or a file of one's own. They are the caller's: ckjit_free(). It is compiled each time, whatever a cache has, in
 * a process of its own, which takes seconds to minutes; nothing is loaded, and no cache changes. The threads of one process that
 * export the same kernel compile it once each. "bitcode" and "asm" are for one architecture.
 *
 * Errors: CKJIT_E_FAILED: the message has the compiler's last lines, or what is wrong with archs or symbols; a kernel that has no code for an
 * architecture is one as well. CKJIT_E_MISS: CK_JIT_ON_MISS is error; CKJIT_E_INVALID: no such format; CKJIT_E_NOT_FOUND, CKJIT_E_MEMORY.
 * *BYTES is NULL then, and *SIZE 0. */
CKJIT_API int ckjit_export(ckjit_library *library, uint32_t kernel,
                           const struct ckjit_export_options *options, void **bytes, size_t *size,
                           char **error);

/* ---- CUDA: a kernel and the tags of what it is linked with ---- */

/* For libraries with lazy units of CUDA (`ckjit home --units`), whose kernels are not those above: each is one by itself, named as
 * in C++. A unit with -rdc=true may have a tag, `using ckjit_fragment = euclidean;`, and kernels get it linked if the tag is among their
 * template arguments (docs/fragments.md). Here a program says at run time which tags it wants, for a kernel that has none of them in its
 * name: what a planner does.
 *
 * KERNEL is a mangled name, or one as in C++ ("scan<float, 4>", as `ckjit list --kernels` prints it): return type, namespaces
 * and parameters may be left out. A mangled one is found faster. TAGS are NTAGS names, in any order; namespaces may be left out. Without
 * tags it is the kernel as its launches have it.
 *
 * Compiles nothing: whether there are units with these tags is known when it is compiled. The same kernel with the same tags, spelled alike, is one and
 * the same in the process, however often it is asked for: it is compiled once, and once for all processes with this cache. It is not
 * counted by CK_JIT_CAPTURE. Errors: CKJIT_E_NOT_FOUND: no such kernel, or several; CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_combine(ckjit_library *library, const char *kernel, const char *const *tags, size_t ntags,
                            ckjit_combination **combination, char **error);
/* Have it compiled and linked, or find it in the cache, and make it known to CUDA's runtime. Takes minutes if it must be compiled. Errors:
 * CKJIT_E_FAILED: no unit has one of the tags, two that are asked for define the same function, a function is missing, the compiler
 * failed; CKJIT_E_MISS, CKJIT_E_INVALID. */
CKJIT_API int ckjit_combination_compile(ckjit_combination *combination, char **error);

struct ckjit_launch {
  size_t size; /* set by the caller: sizeof(struct ckjit_launch) */
  unsigned grid[3], block[3];
  size_t shared;   /* bytes of dynamic shared memory */
  void *stream;    /* a cudaStream_t; NULL: the default stream */
  int cooperative; /* as cudaLaunchCooperativeKernel does */
};

/* Launch it, compiled first if it must be, on the current device: ARGS as for cudaLaunchKernel. Errors: as ckjit_combination_compile;
 * CKJIT_E_FAILED with the number of CUDA's error, which cudaGetLastError of the library's runtime has as well. */
CKJIT_API int ckjit_combination_launch(ckjit_combination *combination, const struct ckjit_launch *how,
                                       void **args, char **error);
/* What stands for it in calls of CUDA's runtime that take a kernel's address, such as cudaFuncSetAttribute, once it is compiled; of the
 * runtime that the library is linked with. It is valid as long as the library is loaded. */
CKJIT_API const void *ckjit_combination_address(const ckjit_combination *combination);
/* Its kernel's mangled name; belongs to COMBINATION. */
CKJIT_API const char *ckjit_combination_symbol(const ckjit_combination *combination);
/* Give it back, and its hold on the library; what was compiled stays. NULL is allowed. */
CKJIT_API void ckjit_combination_release(ckjit_combination *combination);

/* ---- compiling many ---- */

struct ckjit_progress {
  size_t size;      /* set by the caller: sizeof(struct ckjit_progress) */
  size_t total;     /* kernels asked for */
  size_t done;      /* of them: ended, one way or another */
  size_t failed;    /* of those: could not be compiled */
  size_t cancelled; /* of those: never begun */
  size_t running;
  double seconds; /* since the start */
};

enum ckjit_event_kind { CKJIT_EVENT_STARTED = 0, CKJIT_EVENT_DONE = 1 };

struct ckjit_event {
  size_t size;  /* of this struct */
  int kind;     /* enum ckjit_event_kind */
  size_t index; /* which of the kernels asked for */
  uint32_t kernel;
  int status; /* of CKJIT_EVENT_DONE: CKJIT_OK, CKJIT_E_FAILED, CKJIT_E_MISS or CKJIT_E_CANCELLED, … */
  const char *error;              /* its message, NULL if there is none; valid during the callback */
  ckjit_handle *handle;           /* NULL if there is none; retain it to keep it */
  double seconds;                 /* what it took */
  struct ckjit_progress progress; /* with this event in it */
};

/* Called for each start and each end, in order, never two at a time for one batch. What it returns: 0, or
 * something else to cancel. It must not throw, and must not wait for the batch that calls it or free it. */
typedef int (*ckjit_callback)(const struct ckjit_event *event, void *user);

/* Compile COUNT kernels (NULL: 0 … COUNT-1), several at the same time, and return when all have ended.
 * CALLBACK (may be NULL) is called in this thread, PROGRESS (may be NULL) is set in the end. A kernel that
 * fails does not stop the others. Errors: CKJIT_E_FAILED: some failed, the message says how many and has the
 * first one's; CKJIT_E_CANCELLED; and as ckjit_compile, before anything was compiled. */
CKJIT_API int ckjit_compile_many(ckjit_library *library, const uint32_t *kernels, size_t count,
                                 const struct ckjit_options *options, ckjit_callback callback, void *user,
                                 struct ckjit_progress *progress, char **error);

/* The same without waiting: CALLBACK is called in a thread of libckjit's. All signals are blocked in these
 * threads. Errors: CKJIT_E_INVALID, CKJIT_E_NOT_FOUND, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_batch_start(ckjit_library *library, const uint32_t *kernels, size_t count,
                                const struct ckjit_options *options, ckjit_callback callback, void *user,
                                ckjit_batch **batch, char **error);
/* How far it is; does not wait. CKJIT_OK: all have ended, their callbacks too; CKJIT_E_BUSY: not yet. */
CKJIT_API int ckjit_batch_poll(ckjit_batch *batch, struct ckjit_progress *progress);
/* Wait for its end for SECONDS, or without end if that is negative. CKJIT_E_BUSY: not yet; else what
 * ckjit_compile_many returns. CKJIT_E_INVALID: from its own callback, or in a forked child. PROGRESS may be
 * NULL. */
CKJIT_API int ckjit_batch_wait(ckjit_batch *batch, double seconds, struct ckjit_progress *progress,
                               char **error);
/* Begin no more of them. Those that run are ended by nobody: others may wait for them, and what they make
 * goes into the cache. Does not wait. */
CKJIT_API void ckjit_batch_cancel(ckjit_batch *batch);
/* How number INDEX of the kernels asked for ended: its status, *ERROR, and *HANDLE (may be NULL), which is
 * one more owner's. CKJIT_E_BUSY: it has not ended yet. */
CKJIT_API int ckjit_batch_result(ckjit_batch *batch, size_t index, ckjit_handle **handle, char **error);
/* Cancel, wait for those that run, and free it with its handles. Not from its own callback. In a forked child
 * it waits for nothing. NULL is allowed. */
CKJIT_API void ckjit_batch_free(ckjit_batch *batch);

/* ---- lists of kernels, in the form of `ckjit build --blob-list` ---- */

enum ckjit_list_flags { CKJIT_LIST_SKIP_UNKNOWN = 1 /* skip names of other libraries' kernels */ };

/* Read the kernels that FILE ("-": standard input) names, one a line in any form that ckjit_find takes, lines
 * with # are comments, or a file of CK_JIT_CAPTURE: *KERNELS, each once, is the caller's (ckjit_free), COUNT
 * of them. Errors: CKJIT_E_OPEN, also for a capture of another version; CKJIT_E_NOT_FOUND with each unknown
 * name and its line; CKJIT_E_INVALID, CKJIT_E_MEMORY. */
CKJIT_API int ckjit_list_read(ckjit_library *library, const char *file, unsigned flags, uint32_t **kernels,
                              size_t *count, char **error);
/* ckjit_list_read, then ckjit_compile_many. A list with an unknown name compiles nothing. */
CKJIT_API int ckjit_prewarm(ckjit_library *library, const char *file, const struct ckjit_options *options,
                            ckjit_callback callback, void *user, struct ckjit_progress *progress,
                            char **error);

#ifdef __cplusplus
}
#endif

#endif
