/* kernelcommand.h - compiles one kernel of a CUDA blob ahead of its launch, with the command that
 * makes the entry of its blob without kernels.
 *
 * The library's runtime makes that command when the kernel is launched (runtime/ck_jit_lazy.c):
 * what is made here it finds. It depends on the entry, so it is made when that is there.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_KERNELCOMMAND_H
#define CKJIT_KERNELCOMMAND_H

#include "core/base/argv.h"
#include "abi/ck_jit_artefact.h"

/* Append to COMMAND the words that compile KERNEL (a mangled name) of the entry that ENTRY makes.
 * ENTRY is a command of ckjit-compile with --per-kernel that has printed SAID: it may have stored
 * the entry under another id than the requested one, as after an upgrade of the compiler. False,
 * with nothing appended: there is no such entry, because ENTRY makes something else, or its blob
 * cannot be split. */
bool kernels_command(struct argv *command, const struct argv *entry, const struct buf *said,
                     const char *kernel);
/* The build id under which ENTRY, a command of ckjit-compile that has printed SAID, has its result:
 * the requested one, or another, which is then in SAID. False: neither is one. */
bool kernels_stored(uint8_t id[CKJIT_BUILD_ID_SIZE], const struct argv *entry,
                    const struct buf *said);
/* The word after WORD in COMMAND; NULL: there is none. */
const char *kernels_word(const struct argv *command, const char *word);

#endif
