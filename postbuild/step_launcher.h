/* step_launcher.h - the compile steps of a link behind CK_JIT_COMPILER_LAUNCHER (core/cc/launcher.h).
 *
 * A launcher that does not work costs time and nothing else: a step that fails behind it runs again without
 * it (step.c), and the first of them is reported.
 *
 * Thread safety: a struct step_launcher belongs to one thread at a time.
 */
#ifndef CKJIT_STEP_LAUNCHER_H
#define CKJIT_STEP_LAUNCHER_H

#include "core/base/argv.h"

struct step;

/* What identifies a compiler to the launcher. A link has two or three compilers. */
struct compiler_seed {
  char *compiler, *arch; /* arch: what it compiles HIP for; NULL: it does not compile HIP */
  char *word;            /* for the command line: launcher_seed of its toolchain */
};

struct step_launcher {
  struct argv words; /* the launcher and its own arguments; none if there is no launcher */
  char *memos;       /* the directory where the files that a compiler consists of are remembered */
  struct compiler_seed *seeds;
  size_t nseeds;
  bool warned; /* that a step failed behind it */
};

/* Read the variable. Ends the program if its value cannot be used. WORK is the work directory. */
void step_launcher_open(struct step_launcher *l, const char *work);
/* Does S go through the launcher? Not if there is none, and not if no launcher has a use for S: text that is
 * only preprocessed, and assembler, whose .incbin none of them looks into. */
bool step_launcher_takes(const struct step_launcher *l, const struct step *s);
/* Append the command of S behind the launcher, for which step_launcher_takes has said yes. */
void step_launcher_command(struct step_launcher *l, struct argv *command, const struct step *s);
/* S failed behind the launcher, which said OUTPUT, and compiles without it: warn, the first time. */
void step_launcher_failed(struct step_launcher *l, const struct step *s, const char *output);
void step_launcher_close(struct step_launcher *l);

#endif
