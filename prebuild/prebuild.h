/* prebuild.h - the request to ckjit-prebuild, which its modules fill in and answer, and its
 * commands.
 *
 * One request per process; what it owns lives until the end.
 */
#ifndef CKJIT_PREBUILD_H
#define CKJIT_PREBUILD_H

#include "core/base/argv.h"
#include "core/files/manifest.h"
#include "abi/ck_jit_arch.h"
#include "abi/ck_jit_entry.h"

/* The command line and its meaning. */
struct request {
  const char *command;     /* a row of commands.c */
  const char *manifest;    /* as given, or NULL */
  const char *root_given;  /* as given, or NULL */
  const char *arch;        /* as given, or NULL */
  const char *shard_given; /* --shard as given, or NULL */
  const char *times;       /* as given, or NULL */
  /* blobs as given, in order, including those of --blob-list */
  struct argv names;
  /* source of each of names: "list.txt:3", "" for the command line */
  struct argv where;
  /* files of libraries as given; of warm also names in the cache's record */
  struct argv libraries;
  /* the whole command line, for a message that repeats it */
  struct argv typed;
  /* a --blob-list was given; it may be empty without being an error */
  bool lists;
  bool all, verbose;
  bool check; /* of build: the host sides alone, and whether they define what is needed of them */
  bool wait;  /* of warm: until all exist */
  /* of clean: only remains of killed compiles */
  bool stalled;
  /* leave memory for a compile of another process */
  bool beside;
  bool jobs_given; /* jobs is of the command line */
  /* select blobs by it and by name_format, which is then not NULL */
  const char *matrix;
  /* as given, or NULL; also the file names of generated sources */
  const char *name_format;
  bool names_only;                                 /* of list: only the stems */
  const char *template_file, *append, *output_dir; /* of matrix, as given, or NULL */
  /* of matrix, export, pack, report and trace, as given, or NULL */
  const char *output;
  /* of list; json of cache, verify, stats, ready and doctor, too */
  bool json, list_kernels;
  bool repair;              /* of verify */
  bool current;             /* of cache: only entries of the library's present build */
  bool zero, metrics;       /* of stats */
  const char *since;        /* of stats, as given, or NULL */
  const char *blob_list_to; /* of cache, as given, or NULL */
  /* of export and cache, as given, or NULL */
  const char *format;
  const char *key;     /* of sign, as given, or NULL */
  bool upload;         /* of sign */
  struct argv symbols; /* of export: NAME or OLD=NAME */
  /* of export: flags after the blob's own, and the host, as given, or NULL */
  const char *add_flags, *host_target;
  unsigned jobs; /* 0: as many as core/base/jobs.h says */
  /* first estimate of the bytes that a compile needs; 0: ignore memory */
  uint64_t job_memory;

  const char *cache_given; /* --cache-dir, as given, or NULL */
  char *cache;             /* the cache directory, absolute */
  /* its source: "--cache-dir", "CK_JIT_CACHE_DIR"; NULL: the default */
  const char *cache_named;
  struct manifest *m; /* NULL if the command needs none */
  char *root;         /* the meaning of {root} */
  char *bundle; /* the file with the library's bundle, of which root is made; NULL: it has none */
  const struct manifest_blob **blobs; /* the selected blobs, each once */
  size_t nblobs;
  /* for each of names: it means no blob and no kernel */
  bool *unknown;
  /* For each blob of m, its wanted kernels, if it is a lazy unit (lazykernels.h), or for warm a
   * CUDA blob; none, or NULL for all: it is wanted as a whole. */
  struct argv *kernels;
  struct unit_names *unit_names;       /* of lazykernels.c */
  struct group_headers *group_headers; /* of parameters.c */
  /* this task's shard, from 0, and their number; shards is 0 without sharding */
  unsigned shard, shards;
  /* for each group of m: the wanted lists of architectures (archs.h) */
  struct argv *archs;
  /* source of the shard: "--shard", "SLURM_ARRAY_TASK_ID" */
  char *shard_said;
  /* expected time of each of blobs, in an arbitrary unit; NULL: unknown */
  uint64_t *ms;
};

/* ---- the commands; each returns the exit status ---- */

int prebuild_list(struct request *r);
int prebuild_build(struct request *r);
int prebuild_clean(struct request *r);
int prebuild_matrix(struct request *r);
int prebuild_times(struct request *r);
int prebuild_export(struct request *r);
int prebuild_pack(struct request *r);
int prebuild_unpack(struct request *r);
int prebuild_status(struct request *r);
int prebuild_warm(struct request *r);
int prebuild_ready(struct request *r);
/* warm.c: add the kernels of the cache's record of use to the wanted ones: those of the named
 * libraries; without a library and a list, of all libraries in the cache. */
void warm_choose(struct request *r);
int prebuild_cache(struct request *r);
int prebuild_verify(struct request *r);
int prebuild_stats(struct request *r);
int prebuild_doctor(struct request *r);
int prebuild_trace(struct request *r);
int prebuild_log(struct request *r);
int prebuild_report(struct request *r);
int prebuild_keygen(struct request *r);
int prebuild_sign(struct request *r);
/* Check the options of `export`; ends the program if one is missing or wrong. */
void export_check_options(const struct request *r);

#endif
