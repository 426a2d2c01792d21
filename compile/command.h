/* command.h - builds the compiler's arguments: for a blob in one command, for an object of it, and
 * for a link.
 *
 * COMMAND starts as {0}; the caller frees it with argv_free(). Exports have their own commands
 * (compile/export/command.h).
 */
#ifndef CKJIT_COMPILE_COMMAND_H
#define CKJIT_COMPILE_COMMAND_H

#include "task.h"

/* the plain command: it compiles T into OUTPUT, a shared object */
void command_plain(struct argv *command, const struct compile_task *t, const char *output);
/* The command that compiles T into OBJECT, after the words of LAUNCHER (NULL: none) and with SEED
 * (core/cc/launcher.h; may be NULL). */
void command_object(struct argv *command, const struct compile_task *t, const struct argv *launcher,
                    const char *seed, const char *object);
/* the command that links OBJECT, which is all of T, into OUTPUT */
void command_link_object(struct argv *command, const struct compile_task *t, const char *object,
                         const char *output);
/* the command that links OBJECTS (NULL: none), the parts of T, into OUTPUT */
void command_link_parts(struct argv *command, const struct compile_task *t, const char *output,
                        const struct argv *objects);

/* ---- what commands are made of ---- */

/* whether the compiler of T is nvcc */
bool command_is_cuda(const struct compile_task *t);
/* whether T is compiled as HIP */
bool command_is_hip(const struct compile_task *t);
/* whether FLAG, of a command for an object file, may be in one for a loadable blob */
bool command_keeps_flag(const char *flag);
/* Appends SOURCE, and -x hip before it if its name does not imply HIP. Returns true if a language
 * option is in force after it. */
bool command_add_source(struct argv *command, const struct compile_task *t, const char *source);
/* append what asks for ARCHS, a ';' list */
void command_add_archs(struct argv *command, const struct compile_task *t, const char *archs);
/* append -o OUTPUT, so that the compiler makes that very file */
void command_add_output(struct argv *command, const struct compile_task *t, const char *output);
/* append T's link flags, as nvcc takes them */
void command_add_cuda_link(struct argv *command, const struct compile_task *t);

#endif
