/* ck_jit_runtime.c - the part of ckjit that lives in the user's library.
 *
 * A library that ckjit linked has a forwarding stub in place of each kernel: a jump through a slot. While the
 * slot is empty the stub goes to ckjit_trampoline and from there to ckjit_resolve, which
 *
 *     finds out which blob defines the function          the embedded manifest
 *     looks the compiled blob up in the cache            by content, ck_jit_entry.h
 *     on a miss has it compiled                          ckjit-compile, a process of its own
 *     loads it and finds the function in it
 *     fills the slot                                     and is never called for this function again.
 *
 * The hot path is the stub alone: one load, one test, one jump. Everything below is the cold path. It may
 * take its time but must not take liberties, for it runs in somebody else's process: no constructor, no
 * thread, no signal handler, no thread-local variable, no library but libc. Nothing happens before the first
 * call of a kernel, and the environment is read then. Every failure reaches the caller as a message, running
 * out of memory included.
 *
 * All of it is one translation unit of the library, compiled with -I for the generated header, so that all of
 * it can be static: a library linked by ckjit exports nothing of it. This file is the list of its parts. Each
 * part compiles alone as well. What a part has for the others is declared in its header with CKJIT_LOCAL
 * (ck_jit_abi.h), which is static here; the definitions need not say so again. test/runtime-parts.sh compiles
 * both ways.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CKJIT_LOCAL static

#include "ck_jit_machine.h"
CKJIT_CODE_BEGIN

/* the first call of a function, from its stub to the end */
#include "ck_jit_trampoline.c" /* keeps the arguments safe */
#include "ck_jit_resolve.c"    /* the address of the function, or an error */
#include "ck_jit_stack.c"      /* on a stack that is large enough */
#include "ck_jit_fail.c"       /* an error is thrown, or printed */
#include "ck_jit_blob.c"       /* a blob: the table, the cache, or a compile; its functions */
#include "ck_jit_wanted.c"     /* what is wanted: worked out once, before anything is done */
#include "ck_jit_lookup.c"     /* is there an entry? Load it */
#include "ck_jit_flight.c"     /* one compile of a blob at a time */
#include "ck_jit_compile.c"    /* ckjit-compile's command, and what came of it */
#include "ck_jit_waiting.c"    /* what is said while a call waits for it */
#include "ck_jit_together.c"   /* what a dispatcher needs together */
#include "ck_jit_record.c"     /* what was called before */
#include "ck_jit_ahead.c"      /* and what is compiled meanwhile */
#include "ck_jit_miss.c"       /* what is said if nothing may be compiled */
#include "ck_jit_alone.c"      /* the functions of a HIP blob that launch nothing, without its kernels */
#include "ck_jit_lazy.c"       /* the kernels of CUDA blobs and of ordinary units, each found like a blob */

/* the first launch of a kernel of an ordinary unit */
#include "ck_jit_hip_kernels.c"  /* what its host code registers and calls: of HIP */
#include "ck_jit_cuda_kernels.c" /* of CUDA; it is compiled into entries as well */

/* what that stands on */
#include "ck_jit_manifest.c" /* the tables of this library */
#include "ck_jit_table.c"    /* the blobs that are loaded, and slots that lead to them */
#include "ck_jit_lock.c"     /* the mutex, and forks */
#include "ck_jit_place.c"    /* root, sources, caches */
#include "ck_jit_self.c"     /* the library's own file */
#include "ck_jit_settings.c" /* environment variables */
#include "ck_jit_load.c"     /* dlopen, and a look at what was mapped */
#include "ck_jit_symbols.c"  /* the functions of a loaded object */
#include "ck_jit_unlinked.c" /* files without a name, when there is no cache */
#include "ck_jit_spawn.c"    /* starting a process from within somebody else's */
#include "ck_jit_cuda.c"     /* which NVIDIA GPUs are present */
#include "ck_jit_say.c"      /* messages on standard error */
#include "ck_jit_text.c"     /* growing text */

/* what is asked for besides calls */
#include "ck_jit_ops.c"          /* the functions that libckjit.so finds */
#include "ck_jit_states.c"       /* what first calls would find */
#include "ck_jit_capture.c"      /* CK_JIT_CAPTURE: which kernels were called */
#include "ck_jit_capture_file.c" /* and its file */
#include "ck_jit_span.c"         /* CK_JIT_TRACE: what took how long */
#include "ck_jit_count.c"        /* first calls are counted */

CKJIT_CODE_END
