/* export.h - the modules of `ckjit export`: kernels as files that do not need ckjit
 * (docs/export.md).
 *
 *     outputplace.c       the places of the files
 *     files.c             which files there are
 *     renames.c           the names of the functions
 *     stages.c            the calls of ckjit-compile, in stages
 *     runstage.c          runs one stage after the other
 *     export.c            calls the others; renames the files at the end
 *
 * Functions end the program with a message and status 1 (2 for a wrong command line) if they cannot
 * do their task. Thread safety: main thread only; one struct exporting per process.
 */
#ifndef CKJIT_PREBUILD_EXPORT_H
#define CKJIT_PREBUILD_EXPORT_H

#include "core/base/budget.h"
#include "prebuild/prebuild.h"
#include "core/files/exportformat.h"

/* an output file */
struct output {
  /* its final name, absolute; its name in the temporary directory */
  char *path, *made;
  const struct manifest_blob *const *blobs;
  size_t nblobs;
  char archs[CKJIT_ARCHS_SIZE];
};

enum { PROBE, PARTS, JOINS, BUNDLES, STAGES };

/* a call of ckjit-compile */
struct export_step {
  const struct manifest_blob *blob; /* the first of its blobs */
  struct argv command;
  /* for the user: "blob_1: asm for gfx942" */
  char *what;
  /* it ran out of memory and is retried */
  bool again;
};

struct stage {
  struct export_step *steps;
  size_t n;
};

struct exporting {
  const struct request *r;
  enum export_format format;
  /* ckjit-compile; the temporary directory */
  char *program, *dir;
  /* directory created for the output, removed again if the export fails */
  char *made_dir;
  struct output *outputs;
  size_t n;
  struct stage stages[STAGES];
  int files;
  /* While a stage runs. */
  struct budget memory;
  struct job *jobs;
  size_t njobs, failed, again;
  bool alone;
};

/* ---- files.c: which files there are ---- */

/* Add ARCH, of N bytes, to the ';' list ARCHS unless the list has it, perhaps with its features in
 * another order. */
void archs_add(char archs[CKJIT_ARCHS_SIZE], const char *arch, size_t n);
/* The number of architectures in the ';' list ARCHS. */
size_t archs_count(const char *archs);
/* Is ARCH PTX, for which there is no cubin? */
bool arch_is_virtual(const struct request *r, const char *arch);
/* All architectures that the library was built for BLOB, as a ';' list; free() it. */
char *archs_built(const struct request *r, const struct manifest_blob *blob);
/* A name for a new file in the temporary directory; free() it. */
char *new_file(struct exporting *x);
/* Fill outputs: a file for each blob, or in a device format for each blob and architecture, in the
 * directory DIR (absolute). */
void plan_directory(struct exporting *x, const char *dir);
/* Fill outputs: all blobs in the one file PATH. Takes ownership of PATH. */
void plan_file(struct exporting *x, char *path);

/* ---- outputplace.c: the places of the files ---- */

/* Read --output, plan the files, and make the temporary directory (x->dir) and, if it does not
 * exist, the output directory (x->made_dir). */
void choose_place(struct exporting *x);
/* Is the output standard output? */
bool is_stdout(const struct request *r);

/* ---- renames.c: the names of the functions ---- */

/* Die if two functions in one file get the same name. */
void check_names(const struct exporting *x);
/* Append the --symbol options for O to COMMAND. USED has an element for each --symbol of the
 * request; those that O has are set. */
void add_symbols(const struct exporting *x, const struct output *o, struct argv *command,
                 bool *used);
/* Die if a --symbol is not USED by any output. */
void require_used(const struct exporting *x, const bool *used);

/* files.c: the triple of --host-target, "" for an unknown one; free() it. NULL: none was given. */
char *host_triple(const struct request *r);

/* ---- stages.c: the commands ---- */

/* Fill stages. */
void plan_steps(struct exporting *x);

/* ---- runstage.c ---- */

/* Run the steps of STAGE in parallel. False if one failed, which is reported; then the others are
 * ended. */
bool run_stage(struct exporting *x, const struct stage *stage);

#endif
