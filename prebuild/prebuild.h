/* prebuild.h - the parts of ckjit-prebuild: which blobs are meant, and what is done with them.
 *
 * Functions end the program with a clear message where they cannot do what they say. One request a process;
 * what it owns lives until the end.
 */
#ifndef CKJIT_PREBUILD_H
#define CKJIT_PREBUILD_H

#include "core/base/argv.h"
#include "core/files/manifest.h"
#include "core/base/pool.h"
#include "subst.h"
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

  char *cache;                        /* the cache directory, absolute */
  struct manifest *m;                 /* NULL where the command needs none */
  char *root;                         /* what {root} stands for */
  const struct manifest_blob **blobs; /* those meant, each once */
  size_t nblobs;
  unsigned shard, shards; /* ours, from 0, and how many; shards is 0 where all blobs are ours */
  char *shard_said;       /* by what: "--shard", "SLURM_ARRAY_TASK_ID" */
  uint64_t *ms; /* how long each of blobs is expected to take, in a measure of its own; NULL: not known */
};

/* --- inputs.c --- */

/* append the blobs that FILE names, one a line, to names; "-" is standard input */
void inputs_read_list(struct request *r, const char *file);
/* Look all names up in the manifest: blobs and nblobs. False where one is unknown, after naming each that is.
 */
bool inputs_resolve(struct request *r);

/* --- select.c --- */

/* FILE read, its warnings printed */
struct matrix *matrix_open(const char *file);
/* bind S to M; die where M has not got one of its variables. HAS_LINES: the message says where in S. */
void matrix_bind(struct subst *s, const struct matrix *m, bool has_lines);
/* warn of variables that neither A nor B uses; each may be NULL */
void matrix_warn_unused(const struct matrix *m, const struct subst *a, const struct subst *b);
/* what a message calls a combination; free() it */
char *matrix_describe(const struct combination *c, const struct matrix *m);
/* Add to blobs those that --matrix and --name-format mean and that WANTED, by number of the manifest, does
 * not yet say. False where a combination means none, after naming each that does not. */
bool matrix_select(struct request *r, bool *wanted);

/* --- generate.c --- */

/* write what --template, --output-dir, --output and --name-format ask for */
void matrix_generate(struct request *r, const struct matrix *m);

/* --- cache.c --- */

/* the cache directory by the runtime's rule (ck_jit_place.h), GIVEN or CK_JIT_CACHE_DIR first; free() it */
char *cache_dir(const char *given);
/* The architectures that BLOB is compiled for here, as a ';' list, and the build id that the runtime will
 * look for. */
void cache_key(const struct request *r, const struct manifest_blob *blob, char archs[CKJIT_ARCHS_SIZE],
               uint8_t id[CKJIT_BUILD_ID_SIZE]);
/* whether the entry that the runtime will look for is there */
bool cache_has(const struct request *r, const struct manifest_blob *blob);
/* The build id of the entry without kernels (runtime/ck_jit_kernels.h) for ARCHS; false where BLOB's compiler
 * makes none. */
bool cache_key_apart(const struct request *r, const struct manifest_blob *blob, const char *archs,
                     uint8_t id[CKJIT_BUILD_ID_SIZE]);
/* the entry with build id ID: its name in PATH */
bool cache_find_id(const struct request *r, const struct manifest_blob *blob,
                   const uint8_t id[CKJIT_BUILD_ID_SIZE], char path[PATH_MAX]);
/* as cache_has, and its name in PATH */
bool cache_find(const struct request *r, const struct manifest_blob *blob, char path[PATH_MAX]);

/* --- symbol.c --- */

/* A mangled name as c++filt prints it, the qualified name of the template that it is of; the name itself
 * where it is none of C++. free() them */
char *symbol_signature(const char *mangled);
char *symbol_template(const char *mangled);
/* whether NAME is the mangled name itself, its signature or its template, qualified or not */
bool symbol_is_called(const char *mangled, const char *name);

/* --- json.c --- */

/* print a line for each of N blobs; for a name that means none */
void json_list_blobs(const struct request *r, const struct manifest_blob *const *blobs, size_t n);
void json_list_unknown(const char *name);

/* --- build.c, for export.c --- */

/* the program that compiles: the root's own, which belongs to the same version, else ours; free() it */
char *find_compile(const struct request *r);
/* what PROGRAM is told of BLOB, whatever is made of it; without INPUTS nothing is held against what the key
 * was made from */
void compile_words(struct argv *command, const struct request *r, const struct manifest_blob *blob,
                   const char *program, const char *archs, const uint8_t id[CKJIT_BUILD_ID_SIZE],
                   bool inputs);
void add_option(struct argv *command, const char *option, char *value);

/* --- budget.c --- */

/* what is known of the memory that compiles take */
struct memory {
  uint64_t guess;   /* bytes of one, until enough have ended */
  uint64_t largest; /* of those that have ended */
  size_t ended;
  const struct job *jobs; /* borrowed */
  size_t n;
  uint64_t *now, *peak; /* bytes, for each of jobs that runs */
  uint64_t kills;       /* by the system, for want of memory, so far */
  uint64_t watched;     /* when, in milliseconds */
};

void memory_start(struct memory *m, uint64_t guess, const struct job *jobs, size_t n);
void memory_end(struct memory *m);
/* one more compile can be started now */
bool memory_admits(struct memory *m);
/* Learn from a JOB of M's that has ended; whether it failed for want of memory. */
bool memory_failed(struct memory *m, const struct job *job);

/* --- progress.c --- */

/* How far a run of jobs is. The caller fills in what stands before `done`, the rest being 0, and calls
 * progress_start before the pool runs them, progress_tick as its tick, progress_done where a job has ended
 * for good, and progress_end. One who writes to standard output or error meanwhile calls progress_clear
 * before. */
struct progress {
  const struct job *jobs; /* borrowed; all of the run */
  size_t n;
  const char *verb;                        /* what was done with one that has ended well: "compiled" */
  const char *(*name)(const struct job *); /* a job's stem; borrowed */
  double (*weight)(const struct job *);    /* how long one takes, in any unit; NULL: all alike */

  size_t done, failed;
  uint64_t started;           /* nanoseconds of CLOCK_MONOTONIC */
  double spent, spent_weight; /* seconds and weights of those that have ended */
  bool terminal, drawn;       /* a line that changes; it is there now */
};

void progress_start(struct progress *p);
void progress_tick(struct progress *p);
void progress_done(struct progress *p, const struct job *job);
/* take the line away, if there is one; the next tick brings it back */
void progress_clear(struct progress *p);
/* print a line of its own */
void progress_say(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* leave the line as it is; the seconds since the start */
double progress_end(struct progress *p);

/* --- shard.c --- */

/* Which shard is ours, where several tasks share the work, by --shard, CK_JIT_SHARD or the variables of a
 * scheduler: shard, shards and shard_said. To be called before names are looked up. */
void shard_options(struct request *r);
/* Leave in blobs those of our shard, and put those that take longest first: ms. Tells the share. */
void shard_blobs(struct request *r);

/* --- the commands; each returns the exit status --- */

int prebuild_list(struct request *r);
int prebuild_build(struct request *r);
int prebuild_clean(struct request *r);
int prebuild_matrix(struct request *r);
int prebuild_times(struct request *r);
int prebuild_export(struct request *r);
/* Whether the options fit the command; ends the program where they do not. */
void export_check_options(const struct request *r);

#endif
