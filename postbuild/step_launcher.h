/* step_launcher.h - the compile steps of a link through CK_JIT_COMPILER_LAUNCHER
 * (core/cc/launcher.h).
 *
 * A launcher that does not work only costs time: a step that fails with it runs again without it
 * (step.c), and the first such step is reported.
 *
 * Thread safety: a struct step_launcher belongs to one thread at a time.
 */
#ifndef CKJIT_STEP_LAUNCHER_H
#define CKJIT_STEP_LAUNCHER_H

#include "core/base/argv.h"

struct step;

/* The seed that identifies a compiler to the launcher. A link has two or three compilers. */
struct compiler_seed {
  /* arch: what it compiles HIP for; NULL: it does not compile HIP */
  char *compiler, *arch;
  /* for the command line: launcher_seed of its toolchain */
  char *word;
};

struct step_launcher {
  /* the launcher and its own arguments; none if there is no launcher */
  struct argv words;
  /* the directory where the files that a compiler consists of are remembered */
  char *memos;
  struct compiler_seed *seeds;
  size_t nseeds;
  bool warned; /* A failed step was reported. */
};

/* Read the variable. Ends the program if its value cannot be used. WORK is the work directory. */
void step_launcher_open(struct step_launcher *l, const char *work);
/* Does S go through the launcher? Not if there is none, and not if no launcher has a use for S:
 * text that is only preprocessed, and assembler, whose .incbin none of them looks into. */
bool step_launcher_takes(const struct step_launcher *l, const struct step *s);
/* Appends the command of S after the launcher, for which step_launcher_takes has returned true. */
void step_launcher_command(struct step_launcher *l, struct argv *command, const struct step *s);
/* S failed with the launcher, which printed OUTPUT, and compiles without it: warns the first
 * time. */
void step_launcher_failed(struct step_launcher *l, const struct step *s, const char *output);
void step_launcher_close(struct step_launcher *l);

#endif
