/* command.h - the compiler's arguments for what is exported.
 *
 * COMMAND starts as {0} and is the caller's to argv_free().
 */
#ifndef CKJIT_COMPILE_EXPORT_COMMAND_H
#define CKJIT_COMPILE_EXPORT_COMMAND_H

#include "compile/task.h"

/* Compile SOURCE, which is T's or made of it, for ARCHS, a ';' list, to FORMAT: an object file; or
 * for the device alone, and several architectures become a bundle. */
void export_command_compile(struct argv *command, const struct compile_task *t, const char *source,
                            enum export_format format, const char *archs, const char *output);
/* link OBJECTS to a shared object */
void export_command_link(struct argv *command, const struct compile_task *t, const struct argv *objects,
                         const char *output);

#endif
