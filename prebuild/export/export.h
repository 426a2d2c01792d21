/* export.h - the parts of `ckjit-prebuild export`: kernels as files that need no ckjit (docs/export.md).
 *
 *     options   what is asked for, and is it sound       options.c
 *     place     where the files go, and which they are   place.c, files.c
 *     names     what the functions will be called        names.c
 *     steps     one ckjit-compile each, in stages        steps.c
 *     run       a stage after the other                  run.c
 *     export    all of it, and the files get their names export.c
 *
 * Functions end the program with a message and status 1 (2 for a wrong command line) if they cannot do what
 * they say. Thread safety: for the main thread; one struct exporting a process.
 */
#ifndef CKJIT_PREBUILD_EXPORT_H
#define CKJIT_PREBUILD_EXPORT_H

#include "prebuild/budget.h"
#include "prebuild/prebuild.h"
#include "core/files/export.h"

/* one file of the user's */
struct output {
  char *path, *made; /* its name in the end, absolute; in the temporary directory */
  const struct manifest_blob *const *blobs;
  size_t nblobs;
  char archs[CKJIT_ARCHS_SIZE];
};

enum { PROBE, PARTS, JOINS, BUNDLES, STAGES };

/* one ckjit-compile */
struct step {
  const struct manifest_blob *blob; /* the first of those in it */
  struct argv command;
  char *what; /* for the user: "blob_1: asm for gfx942" */
  bool again; /* it failed for want of memory */
};

struct stage {
  struct step *steps;
  size_t n;
};

struct exporting {
  const struct request *r;
  enum export_format format;
  char *program, *dir; /* ckjit-compile; the temporary directory */
  char *made_dir;      /* the directory that was made for the output, to be removed if nothing comes of it */
  struct output *outputs;
  size_t n;
  struct stage stages[STAGES];
  int files;
  /* while a stage runs */
  struct budget memory;
  struct job *jobs;
  size_t njobs, failed, again;
  bool alone;
};

/* ---- files.c: which files there are ---- */

/* Add ARCH, of N bytes, to ARCHS, a ';' list, unless it is there, perhaps with its features in another order. */
void archs_add(char archs[CKJIT_ARCHS_SIZE], const char *arch, size_t n);
/* how many architectures the ';' list ARCHS names */
size_t archs_count(const char *archs);
/* ARCH is PTX, of which there is no cubin */
bool arch_is_virtual(const struct request *r, const char *arch);
/* all architectures that the library was built for BLOB, as a ';' list; free() it */
char *archs_built(const struct request *r, const struct manifest_blob *blob);
/* a name for a new file in the temporary directory; free() it */
char *new_file(struct exporting *x);
/* Fill outputs: a file for each blob, and for the device for each architecture, in directory DIR (absolute). */
void plan_directory(struct exporting *x, const char *dir);
/* Fill outputs: all blobs in the one file PATH, which is taken over. */
void plan_file(struct exporting *x, char *path);

/* ---- place.c: where they go ---- */

/* Read --output, plan the files, make the temporary directory (x->dir) and the one for the output if it is
 * not there (x->made_dir). */
void choose_place(struct exporting *x);
/* the output is standard output */
bool is_stdout(const struct request *r);
/* FILE is there, and neither a regular file nor a directory: a pipe, a device */
bool is_special(const char *file);

/* ---- names.c: what the functions are called ---- */

/* One name for two things in one file is one too many: dies. */
void check_names(const struct exporting *x);
/* The --symbol options for O into COMMAND. USED, one for each of the request's, is set for those that O has. */
void add_symbols(const struct exporting *x, const struct output *o, struct argv *command, bool *used);
/* dies if a --symbol is not USED by any output */
void require_used(const struct exporting *x, const bool *used);

/* ---- steps.c: what makes them ---- */

/* fill stages */
void plan_steps(struct exporting *x);

/* ---- run.c ---- */

/* Run the steps of STAGE side by side; false, after saying why, if one failed. The others are ended then. */
bool run_stage(struct exporting *x, const struct stage *stage);

#endif
