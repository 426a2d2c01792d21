/* export.h - one kernel, or several joined, in a form that needs no ckjit (docs/export.md).
 *
 *     make      the steps of each format, HIP's     export.c
 *     cuda      CUDA's steps                        cuda.c
 *     kernels   is there code, and for what         compile/kernels.c
 *     symbol    another name for what is exported   symbol.c
 *
 * Errors as in compile.h: NULL or a message, which is the caller's to free().
 */
#ifndef CKJIT_COMPILE_EXPORT_H
#define CKJIT_COMPILE_EXPORT_H

#include "compile/compile.h"

/* export.c: make FILE as T's export says, with everything in between in TEMPORARY */
char *compile_export(const struct compile_task *t, const char *temporary, const char *file);
/* give FILE the name that T says */
char *compile_export_place(const struct compile_task *t, const char *file);

/* ---- between the modules of an export ---- */

struct kernels;
struct export_way;

/* one export */
struct export {
  const struct compile_task *t;
  const struct export_way *way; /* as the compiler's kind has it */
  const char *temporary;
  int logs, files; /* how many there are in temporary */
  /* what clang's driver lists when it is asked */
  struct argv pass, link; /* for the device */
  struct argv bundler;
  char *tools;  /* the directory of the compiler proper */
  bool refused; /* it said what is wrong instead */
};

/* What one kind of compiler does otherwise than another. ARCH is one architecture. */
struct export_way {
  /* whether the compiler knows ARCH */
  char *(*probe)(struct export *x, const char *arch);
  /* a file of the device's for ARCH alone; a piece of one for several, as bundle takes it */
  char *(*device)(struct export *x, const char *arch, const char *output);
  char *(*piece)(struct export *x, const char *arch, const char *output);
  /* FILES, one for each of the task's architectures in their order, as one file that the loader takes */
  char *(*bundle)(struct export *x, const struct argv *files, const char *output);
  /* The host's object file, which must have code for every architecture. */
  char *(*object)(struct export *x, const char *output);
  /* OBJECTS as one object file */
  char *(*join)(struct export *x, const struct argv *objects, const char *output);
  /* Compile for ARCH and look what is in it; false where that failed. */
  bool (*look)(struct export *x, struct kernels *k, const char *arch);
};

/* cuda.c */
extern const struct export_way export_cuda;

/* export.c */
/* a name in the temporary directory that nothing has; free() it */
char *export_new_file(struct export *x, const char *extension);
char *export_run(struct export *x, const struct argv *command);
/* run COMMAND, behind the launcher where there is one */
char *export_run_compiler(struct export *x, const struct argv *command);
/* what is wrong with K, the kernels found for ARCH (N bytes), or NULL */
char *export_judge(struct export *x, const struct kernels *k, const char *arch, size_t n);
/* the old name of the one kernel of K that --symbol SYMBOL means, in *OLD, which is the caller's */
char *export_choose_kernel(const struct export *x, const char *symbol, const struct kernels *k, char **old);

/* compile/command.c: compile T's source for ARCHS, a ';' list, to FORMAT: an object file, or for the device
 * alone, where several architectures become a bundle */
void compile_export_command(struct argv *command, const struct compile_task *t, enum export_format format,
                            const char *archs, const char *output);
/* link OBJECTS to a shared object */
void compile_link_command(struct argv *command, const struct compile_task *t, const struct argv *objects,
                          const char *output);

/* ---- compile/kernels.c ---- */

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
/* the same of CUDA's: a cubin, which is an ELF file for NVIDIA's GPUs, and PTX */
bool kernels_of_cubin(struct kernels *k, const char *bytes, size_t size);
bool kernels_of_ptx(struct kernels *k, const char *text);

/* The code object for ARCH (N bytes) in a fat binary, an offload bundle of clang's; NULL where there is none.
 * Points into BYTES. */
const char *bundle_find(const char *bytes, size_t size, const char *arch, size_t n, size_t *length);
bool bundle_is_plain(const char *bytes, size_t size);
bool bundle_is_compressed(const char *bytes, size_t size);

/* ---- symbol.c ---- */

/* Call what the relocatable object FILE defines as OLD (NULL: its only function that a host program can mean)
 * NAME. *FOUND tells whether it defines it. */
char *symbol_rename_object(const char *file, const char *old, const char *name, bool *found);
/* Call kernel OLD NAME everywhere in LLVM's TEXT. NULL where it has no OLD, or has a NAME already: *WHY then
 * says so. The new text is the caller's to free(). */
char *symbol_rename_ir(const char *text, const char *old, const char *name, char **why);
/* the same in PTX */
char *symbol_rename_ptx(const char *text, const char *old, const char *name, char **why);

#endif
