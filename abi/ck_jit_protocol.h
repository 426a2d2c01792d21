/* ck_jit_protocol.h - the words of the protocol between the runtime in a library and ckjit's
 * programs.
 *
 * Lines of output, the head of a file, and how the value of a variable is read. Entries of the
 * cache are in ck_jit_entry.h. libc only, no state, thread-safe.
 */
#ifndef CK_JIT_PROTOCOL_H
#define CK_JIT_PROTOCOL_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* ---- lines of ckjit-compile's output, for the runtime that started it ---- */

/* The build id under which it stored its result, if that is not the requested one. */
#define CKJIT_STORED "ckjit-compile: build id "
/* Another process made the entry, and this one compiled nothing. */
#define CKJIT_MADE_BY_OTHERS "ckjit-compile: made by another process"

/* With --progress: who compiles. A line for each change of the answer. After it, separated by tabs:
 * for how many milliseconds already (-1: unknown), who (words), how long it took last time (words,
 * may be empty). */
#define CKJIT_COMPILES "ckjit-compile: being compiled\t"
/* The function that is called needs the kernels, which are being compiled (--function). For CUDA:
 * the entry from which a blob's kernels are compiled is being compiled (--per-kernel, with
 * --progress). */
#define CKJIT_LAUNCHES "ckjit-compile: kernels\n"
/* The call could not be recorded (core/cache/used.h): the reason. */
#define CKJIT_UNRECORDED "ckjit-compile: unrecorded: "

/* ---- the list of ckjit-compile --ahead: words after a command ---- */

/* Before a mangled name: when the command has made the entry of a CUDA blob without kernels,
 * compile this kernel. */
#define CKJIT_THEN_KERNEL "--then-kernel="
/* The call itself compiles this: wait for it. */
#define CKJIT_OWN_COMPILE "--own-compile"

/* ---- the file of CK_JIT_CAPTURE ---- */

/* Its first line: the mark, the number of its format, and the names of its columns. */
#define CKJIT_CAPTURE_MARK "# ckjit-capture "
enum { CKJIT_CAPTURE_FORMAT = 1 };

/* ---- names of kernels that a program requests ---- */

/* The name of a combination (runtime/ck_jit_combination.h) is the kernel's, followed by the choices
 * of the program, each after a '+':
 *
 *     TAG              units with this tag are linked to it
 *     -OPTION          the device linker gets this option
 *     =NAME\nTEXT\036   this text is compiled and linked to it; NAME is for messages
 *
 * Texts are last and may contain a '+'. */
#define CKJIT_CHOICE "+"
#define CKJIT_CHOICE_OPTION '-'
#define CKJIT_CHOICE_TEXT '='
#define CKJIT_CHOICE_TEXT_END "\036"

/* The length of the combination NAME without its texts, as messages have it. */
static inline size_t ckjit_choices_len(const char *name) {
  const char *text = strstr(name, "+=");
  return text ? (size_t)(text - name) : strlen(name);
}

/* ---- variables ---- */

/* Whether VALUE, that of a variable which switches something, means yes: set, and not 0, no, off or
 * false. */
static inline bool ckjit_is_on(const char *value) {
  return value && *value && strcmp(value, "0") != 0 && strcasecmp(value, "no") != 0 &&
         strcasecmp(value, "off") != 0 && strcasecmp(value, "false") != 0;
}

/* Whether VALUE, that of CK_JIT_ON_MISS (may be NULL), means that a kernel fails if no cache has
 * it, instead of being compiled. */
static inline bool ckjit_miss_is_error(const char *value) {
  return value && strcmp(value, "error") == 0;
}

#endif
