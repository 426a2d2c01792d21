/* compile_export.h - one kernel, or several joined, in a form that needs no ckjit (docs/export.md).
 *
 *     make      the steps of each format            compile_export.c
 *     kernels   is there code, and for what         compile_kernels.c
 *     symbol    another name for what is exported   compile_symbol.c
 *
 * Errors as in compile.h: NULL or a message, which is the caller's to free().
 */
#ifndef CKJIT_COMPILE_EXPORT_H
#define CKJIT_COMPILE_EXPORT_H

#include "compile.h"

/* compile_export.c: make FILE as T's export says, with everything in between in TEMPORARY */
char *compile_export(const struct compile_task *t, const char *temporary, const char *file);
/* give FILE the name that T says */
char *compile_export_place(const struct compile_task *t, const char *file);

/* compile_command.c: compile T's source for ARCHS, a ';' list, to FORMAT: an object file, or for the device
 * alone, where several architectures become a bundle */
void compile_export_command(struct argv *command, const struct compile_task *t, enum export_format format,
                            const char *archs, const char *output);
/* link OBJECTS to a shared object */
void compile_link_command(struct argv *command, const struct compile_task *t, const struct argv *objects,
                          const char *output);

/* ---- compile_kernels.c ---- */

/* the kernels of one piece of device code */
struct kernels {
  struct argv names;
  size_t empty; /* how many of them end at once: an #if left their body out */
};

void kernels_free(struct kernels *k);
/* Add what is in a code object (an ELF file for AMD's GPUs), in assembler text, in LLVM's text. False where
 * the bytes are not that. Text must have a NUL behind it. */
bool kernels_of_code_object(struct kernels *k, const char *bytes, size_t size);
bool kernels_of_asm(struct kernels *k, const char *text);
bool kernels_of_ir(struct kernels *k, const char *text);

/* The code object for ARCH (N bytes) in a fat binary, an offload bundle of clang's; NULL where there is none.
 * Points into BYTES. */
const char *bundle_find(const char *bytes, size_t size, const char *arch, size_t n, size_t *length);
bool bundle_is_plain(const char *bytes, size_t size);
bool bundle_is_compressed(const char *bytes, size_t size);

/* ---- compile_symbol.c ---- */

/* Call what the relocatable object FILE defines as OLD (NULL: its only function that a host program can mean)
 * NAME. *FOUND tells whether it defines it. */
char *symbol_rename_object(const char *file, const char *old, const char *name, bool *found);
/* Call kernel OLD NAME everywhere in LLVM's TEXT. NULL where it has no OLD, or has a NAME already: *WHY then
 * says so. The new text is the caller's to free(). */
char *symbol_rename_ir(const char *text, const char *old, const char *name, char **why);

#endif
