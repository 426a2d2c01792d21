/* launch.h - the compile steps of a link behind CK_JIT_COMPILER_LAUNCHER.
 *
 * Not thread-safe; one link a process.
 */
#ifndef CKJIT_LAUNCH_H
#define CKJIT_LAUNCH_H

#include "step.h"

/* Read the variable; ends the program where it cannot be used. WORK is where what is known of compilers is
 * kept. */
void launch_open(const char *work);
/* Does S go through the launcher? No where there is none, and no for what no launcher has a use for: text
 * that is only preprocessed, and assembler, whose .incbin none of them looks into. */
bool launch_takes(const struct step *s);
/* the command of S behind the launcher, for which launch_takes has said yes */
void launch_command(struct argv *command, const struct step *s);
/* S has failed, saying OUTPUT: say once that it is tried without the launcher. */
void launch_failed(const struct step *s, const char *output);
/* give back what launch_open and launch_command have taken */
void launch_close(void);

#endif
