/* prebuild.h - ckjit-prebuild's request, which its parts fill in and answer, and its commands.
 *
 * One request a process; what it owns lives until the end.
 */
#ifndef CKJIT_PREBUILD_H
#define CKJIT_PREBUILD_H

#include "core/base/argv.h"
#include "core/files/manifest.h"
#include "abi/ck_jit_arch.h"
#include "abi/ck_jit_entry.h"

/* the command line and what it means */
struct request {
  const char *command;     /* list, build, clean, times, matrix or export */
  const char *manifest;    /* as given, or NULL */
  const char *root_given;  /* as given, or NULL */
  const char *arch;        /* as given, or NULL */
  const char *shard_given; /* --shard as given, or NULL */
  const char *times;       /* as given, or NULL */
  struct argv names;       /* blobs as given, in order, those of --blob-list included */
  struct argv where;       /* for each of names where it was given: "list.txt:3", "" for the command line */
  bool lists;              /* a --blob-list was given: no blobs in it are no mistake */
  bool all, verbose;
  const char *matrix;      /* select blobs by it and NAME_FORMAT, which then is not NULL */
  const char *name_format; /* as given, or NULL; also the names of sources that are generated */
  bool names_only;         /* list: stems alone */
  const char *template_file, *output_dir; /* generation, as given, or NULL */
  const char *output;                     /* of it and of export, as given, or NULL */
  bool json;                              /* of list */
  const char *format;                     /* of export, as given, or NULL */
  struct argv symbols;                    /* of export: NAME or OLD=NAME */
  unsigned jobs;                          /* 0: one a processor */
  uint64_t job_memory; /* bytes that a compile is first taken to need; 0: memory does not count */

  char *cache;             /* the cache directory, absolute */
  const char *cache_named; /* what names it: "--cache-dir", "CK_JIT_CACHE_DIR"; NULL: it is the default */
  struct manifest *m;      /* NULL if the command needs none */
  char *root;              /* what {root} stands for */
  const struct manifest_blob **blobs; /* those meant, each once */
  size_t nblobs;
  unsigned shard, shards; /* ours, from 0, and how many; shards is 0 if all blobs are ours */
  char *shard_said;       /* by what: "--shard", "SLURM_ARRAY_TASK_ID" */
  uint64_t *ms; /* how long each of blobs is expected to take, in a measure of its own; NULL: not known */
};

/* ---- the commands; each returns the exit status ---- */

int prebuild_list(struct request *r);
int prebuild_build(struct request *r);
int prebuild_clean(struct request *r);
int prebuild_matrix(struct request *r);
int prebuild_times(struct request *r);
int prebuild_export(struct request *r);
/* Whether the options fit the command; ends the program if they do not. */
void export_check_options(const struct request *r);

#endif
