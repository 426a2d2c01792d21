/* passes.h - takes the plain command apart: its passes run side by side, each with a precompiled
 * header.
 *
 * `hipcc -shared` compiles for the device, then for the host, then links; and most of the seconds
 * that a pass takes go to headers that are the same for thousands of blobs. Here the two passes run
 * at the same time, and the leading #include block of the source is parsed once for all blobs that
 * begin alike (docs/performance.md has the gain).
 *
 *     passes     the attempt as a whole                     passes.c
 *     plan       the steps of the plain command             plan.c, by asking the compiler (-###)
 *     head       the leading #include block                 head.c
 *     pch        a precompiled header for each pass         pch.c
 *     plan_run   all steps, side by side                    plan_run.c
 *     fatbin     the code object into the host's object     fatbin.c
 *
 * All of it is an attempt. Commands that are not understood, and everything that fails, are left to
 * the plain command, which then decides and prints the error message.
 */
#ifndef CKJIT_COMPILE_PASSES_H
#define CKJIT_COMPILE_PASSES_H

#include "task.h"

/* Make OUTPUT as COMMAND would, with TEMPORARY for the files in between. False if COMMAND has to be
 * run; SUSPECTS are then files of the cache to remove if it succeeds. */
bool passes_make(const struct compile_task *t, const struct argv *command, const char *temporary,
                 const char *output, struct argv *suspects);

#endif
