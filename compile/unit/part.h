/* part.h - the LTO-IR of one unit of a device link, which kernels of others may have linked to them
 * (linked.h).
 *
 *     <stem>.<hash of "+part">.so   section .ckjit.ltoir: the input of nvJitLink; .ckjit.nvvm: the front end's bitcode, whose symbols
 *                                   say what the unit defines and needs; .ckjit.link: the words for nvJitLink that its compile
 *                                   asks for; .ckjit.deviceonly: variables that the unit's host code does not name
 *
 * It is an entry of the cache like that of a front end (cuda.h): made once for each unit and
 * architecture, under a separate lock.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_PART_H
#define CKJIT_COMPILE_UNIT_PART_H

#include "compile/turn.h"
#include "core/device/nvvmgraph.h"
#include "core/files/linkedunit.h"

/* what a link needs of it */
struct part_code {
  char *ltoir;
  size_t len;
  /* device functions, mangled; what is weak is not needed. strong: of defines, those that no other
   * unit may define */
  struct argv defines, strong, needs;
  struct argv options; /* nvJitLink's */
  /* which function needs what; n 0: its bodies are not understood */
  struct nvvm_graph graph;
  /* that may be written, of which all kernels must have the same copy */
  struct argv variables;
};

/* Make OUTPUT, the entry of T, in TEMPORARY. */
bool part_make(const struct compile_task *t, const char *temporary, const char *output, char **err);

/* Have the part of U, for ARCH, which a kernel T needs: in the cache, by NEED; with TEMPORARY it is
 * made in that directory if it is not there. part_code_free it in any case. */
bool part_get(const struct compile_task *t, const struct linkedunit *u, const char *arch, need_fn *need,
              const char *temporary, struct part_code *code, char **err);
void part_code_free(struct part_code *code);

#endif
