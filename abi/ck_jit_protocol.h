/* ck_jit_protocol.h - words by which the runtime in a library and ckjit's programs understand each other.
 *
 * Lines of output, the head of a file, and how the value of a variable is read; entries of the cache are in
 * ck_jit_entry.h. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_PROTOCOL_H
#define CK_JIT_PROTOCOL_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* ---- lines of ckjit-compile's output, for the runtime that started it ---- */

/* under which build id it stored what it made, if that is not the one asked for */
#define CKJIT_STORED "ckjit-compile: build id "
/* another process made the entry, and this one compiled nothing */
#define CKJIT_MADE_BY_OTHERS "ckjit-compile: made by another process"

/* With --progress, who compiles; a line each time that the answer is another. Behind it, with tabs between: for how many
 * milliseconds already (-1: unknown), who (words), how long it took last time (words, may be empty). */
#define CKJIT_COMPILES "ckjit-compile: being compiled\t"
/* the function that is called does not do without the kernels, which are being compiled (--function); of CUDA, the entry of a blob is being
 * compiled that its kernels are compiled of (--per-kernel, with --progress) */
#define CKJIT_LAUNCHES "ckjit-compile: kernels\n"
/* what was called could not be recorded (core/cache/used.h): why */
#define CKJIT_UNRECORDED "ckjit-compile: unrecorded: "

/* ---- the list of ckjit-compile --ahead: words behind a command that are not its own ---- */

/* in front of a mangled name: when the command has made the entry of a CUDA blob without kernels, this kernel is to be compiled */
#define CKJIT_THEN_KERNEL "--then-kernel="
/* the call itself compiles this: it is waited for */
#define CKJIT_OWN_COMPILE "--own-compile"

/* ---- the file of CK_JIT_CAPTURE ---- */

/* Its first line: the mark, the number of its format, and the names of its columns. */
#define CKJIT_CAPTURE_MARK "# ckjit-capture "
enum { CKJIT_CAPTURE_FORMAT = 1 };

/* ---- variables ---- */

/* Whether VALUE, that of a variable which switches something, says yes: set, and not 0, no, off or false. */
static inline bool ckjit_is_on(const char *value) {
  return value && *value && strcmp(value, "0") != 0 && strcasecmp(value, "no") != 0 &&
         strcasecmp(value, "off") != 0 && strcasecmp(value, "false") != 0;
}

/* Whether VALUE, that of CK_JIT_ON_MISS (may be NULL), says that a kernel which no cache holds fails instead of being
 * compiled. */
static inline bool ckjit_miss_is_error(const char *value) {
  return value && strcmp(value, "error") == 0;
}

#endif
