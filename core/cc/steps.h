/* steps.h - what a driver says that it runs, -### or --dryrun, in a form that can be compared.
 *
 * A driver may be a script that takes words from files which nobody knows (hipcc's .hipInfo, a
 * vendor's wrapper and its settings). They show in its answer.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_STEPS_H
#define CKJIT_STEPS_H

#include "compiler.h"

/* The answer of a gcc or a clang to -###. */
struct steps {
  /* the words of each command, in order */
  struct argv *list;
  size_t n;
  /* files that the driver has read its settings from */
  struct argv configs;
};
/* Read ANSWER. steps_free() S. */
void steps_read(struct steps *s, const char *answer);
void steps_free(struct steps *s);
/* Is it clang's front end, for the host or a device? */
bool steps_is_cc1(const struct argv *step);
/* The first such step of S; NULL: there is none. */
const struct argv *steps_cc1(const struct steps *s);
/* The one for the device ARCH; NULL: for the host. NULL: there is none, or several. */
const struct argv *steps_pass(const struct steps *s, const char *arch);

/* ANSWER, of a driver of DIALECT, without the random parts of temporary files' names; free() it.
 * Two answers to one question in one place are the same text. */
char *steps_plain(enum cc_dialect dialect, const char *answer);
/* Append to OUT the words of ANSWER, each once: those of the compiler's own programs that name
 * no file, directory or GPU. They are the same wherever the compiler and the caller stand, and
 * whatever GPU is asked for. */
void steps_words(struct argv *out, enum cc_dialect dialect, const char *answer);

/* Is PROGRAM, with symbolic links resolved, a linker or assembler that does not belong to a
 * compiler? */
bool steps_is_binutils(const char *program);

#endif
