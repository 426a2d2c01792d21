/* command.h - the arguments of the compiler: for a blob in one command, for an object of it, for a link.
 *
 * COMMAND starts as {0} and is the caller's to argv_free(). What is exported has commands of its own
 * (compile/export/command.h).
 */
#ifndef CKJIT_COMPILE_COMMAND_H
#define CKJIT_COMPILE_COMMAND_H

#include "task.h"

/* the plain command: it compiles T into OUTPUT, a shared object */
void compile_command(struct argv *command, const struct compile_task *t, const char *output);
/* The command that compiles T into OBJECT, behind the words of LAUNCHER (NULL: none) and with SEED
 * (core/cc/launcher.h; may be NULL). */
void compile_command_object(struct argv *command, const struct compile_task *t, const struct argv *launcher,
                            const char *seed, const char *object);
/* the command that links OBJECT, which is all of T, into OUTPUT */
void compile_command_link_object(struct argv *command, const struct compile_task *t, const char *object,
                                 const char *output);
/* the command that links OBJECTS (NULL: none), the parts of T, into OUTPUT */
void compile_command_link(struct argv *command, const struct compile_task *t, const char *output,
                          const struct argv *objects);

/* ---- what commands are made of ---- */

/* whether the compiler of T is nvcc */
bool compile_is_cuda(const struct compile_task *t);
/* whether T is compiled as HIP */
bool compile_is_hip(const struct compile_task *t);
/* whether WORD is among FLAGS */
bool compile_has_word(const struct argv *flags, const char *word);
/* whether FLAG, of a command for an object file, may be in one for a loadable blob */
bool compile_keeps_flag(const char *flag);
/* Append the source, as HIP if that has to be said. True if a language is in force behind it. */
bool compile_add_source(struct argv *command, const struct compile_task *t);
/* append -o OUTPUT */
void compile_add_output(struct argv *command, const char *output);
/* append T's link flags, as nvcc takes them */
void compile_add_cuda_link(struct argv *command, const struct compile_task *t);

#endif
