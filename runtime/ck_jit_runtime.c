/* ck_jit_runtime.c - the part of ckjit that lives in the user's library.
 *
 * A library that ckjit linked has a forwarding stub in place of each kernel: a jump through a slot.
 * While the slot is empty the stub goes to ckjit_trampoline and from there to ckjit_resolve, which
 *
 *     finds the blob that defines the function           the embedded manifest
 *     looks the compiled blob up in the cache            by content, ck_jit_entry.h
 *     on a miss compiles it                              ckjit-compile, a separate process
 *     loads it and finds the function in it
 *     fills the slot                                     so that no further call comes here.
 *
 * The hot path is the stub alone: one load, one test, one jump. Everything below is the cold path.
 * It may take time but must not have side effects on the process, because that process is somebody
 * else's: no constructor, no thread, no signal handler, no thread-local variable, no library but
 * libc. Nothing happens before the first call of a kernel, which also reads the environment. Every
 * failure reaches the caller as a message, running out of memory included.
 *
 * All of it is one translation unit of the library, compiled with -I for the generated header, so
 * that all of it can be static: a library linked by ckjit exports nothing of it. This file is the
 * list of its parts. Each part compiles alone as well. A part declares the functions that others
 * may call in its header with CKJIT_LOCAL (ck_jit_abi.h), which is static here; the definitions
 * need not repeat it. test/runtime-parts.sh compiles both ways.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CKJIT_LOCAL static

#include "ck_jit_machine.h"
CKJIT_CODE_BEGIN

/* The first call of a function, from its stub to the end. */
#include "ck_jit_trampoline.c" /* saves the arguments */
#include "ck_jit_resolve.c"    /* the address of the function, or an error */
#include "ck_jit_stack.c"      /* on a stack that is large enough */
#include "ck_jit_fail.c"       /* throws or prints an error */
#include "ck_jit_blob.c"       /* a blob: the table, the cache, or a compile; its functions */
#include "ck_jit_wanted.c"     /* the wanted entry: computed once, before anything is done */
#include "ck_jit_lookup.c"     /* finds the entry and loads it */
#include "ck_jit_flight.c"     /* one compile of a blob at a time */
#include "ck_jit_compile.c"    /* ckjit-compile's command and result */
#include "ck_jit_waiting.c"    /* messages while a call waits for it */
#include "ck_jit_together.c"   /* the blobs that a dispatcher needs together */
#include "ck_jit_record.c"     /* the kernels of earlier calls */
#include "ck_jit_ahead.c"      /* and those to be compiled meanwhile */
#include "ck_jit_miss.c"       /* the message if nothing may be compiled */
#include "ck_jit_alone.c"      /* functions of a HIP blob that launch no kernel */
/* the kernels of CUDA blobs and of ordinary units, each found like a blob */
#include "ck_jit_lazy.c"

/* The first launch of a kernel of an ordinary unit. */
#include "ck_jit_hip_kernels.c"  /* registrations and calls of its host code: HIP */
#include "ck_jit_cuda_kernels.c" /* of CUDA; it is compiled into entries as well */

/* The foundations of that. */
#include "ck_jit_manifest.c"    /* the tables of this library */
#include "ck_jit_table.c"       /* the loaded blobs and the slots that lead to them */
#include "ck_jit_lock.c"        /* the mutex, and forks */
#include "ck_jit_place.c"       /* root, sources, caches */
#include "ck_jit_unpack.c"      /* the bundle of a library that was given away */
#include "ck_jit_self.c"        /* the library's own file */
#include "ck_jit_settings.c"    /* environment variables */
#include "ck_jit_load.c"        /* dlopen, and the check of the mapped object */
#include "ck_jit_threadlocal.c" /* where thread-local variables are */
#include "ck_jit_imports.c"     /* what a loaded object needs of the library */
#include "ck_jit_symbols.c"     /* the functions of a loaded object */
#include "ck_jit_unlinked.c"    /* files without a name, when there is no cache */
#include "ck_jit_spawn.c"       /* starts a process from within somebody else's */
#include "ck_jit_cuda.c"        /* the NVIDIA GPUs that are present */
#include "ck_jit_say.c"         /* messages on standard error */
#include "ck_jit_text.c"        /* growing text */

/* Other services than calls. */
#include "ck_jit_ops.c"          /* the functions that libckjit.so finds */
#include "ck_jit_states.c"       /* the results of first calls, without calling */
#include "ck_jit_capture.c"      /* CK_JIT_CAPTURE: counts calls */
#include "ck_jit_capture_file.c" /* and its file */
#include "ck_jit_span.c"         /* CK_JIT_TRACE: spans of time */
#include "ck_jit_count.c"        /* counts first calls */

CKJIT_CODE_END
