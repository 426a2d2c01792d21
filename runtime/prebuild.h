/* prebuild.h - the parts of ckjit-prebuild: which blobs are meant, and what is done with them.
 *
 * Functions end the program with a clear message where they cannot do what they say. One request a process;
 * what it owns lives until the end.
 */
#ifndef CKJIT_PREBUILD_H
#define CKJIT_PREBUILD_H

#include "core/argv.h"
#include "core/manifest.h"
#include "core/pool.h"
#include "ck_jit_arch.h"
#include "ck_jit_entry.h"

/* the command line and what it means */
struct request {
  const char *command;    /* list, build, clean or export */
  const char *manifest;   /* as given, or NULL */
  const char *root_given; /* as given, or NULL */
  const char *arch;       /* as given, or NULL */
  struct argv names;      /* blobs as given, in order, those of --blob-list included */
  struct argv where;      /* for each of names where it was given: "list.txt:3", "" for the command line */
  bool lists;             /* a --blob-list was given: no blobs in it are no mistake */
  bool all, verbose;
  bool json;          /* of list */
  const char *format; /* of export, as given, or NULL; so is output */
  const char *output;
  struct argv symbols; /* NAME or OLD=NAME */
  unsigned jobs;       /* 0: one a processor */
  uint64_t job_memory; /* bytes that a compile is first taken to need; 0: memory does not count */

  char *cache;                        /* the cache directory, absolute */
  struct manifest *m;                 /* NULL where the command needs none */
  char *root;                         /* what {root} stands for */
  const struct manifest_blob **blobs; /* those meant, each once */
  size_t nblobs;
};

/* --- prebuild_inputs.c --- */

/* append the blobs that FILE names, one a line, to names; "-" is standard input */
void inputs_read_list(struct request *r, const char *file);
/* Look all names up in the manifest: blobs and nblobs. False where one is unknown, after naming each that is.
 */
bool inputs_resolve(struct request *r);

/* --- prebuild_cache.c --- */

/* the cache directory by the runtime's rule (ck_jit_place.h), GIVEN or CK_JIT_CACHE_DIR first; free() it */
char *cache_dir(const char *given);
/* The architectures that BLOB is compiled for here, as a ';' list, and the build id that the runtime will
 * look for. */
void cache_key(const struct request *r, const struct manifest_blob *blob, char archs[CKJIT_ARCHS_SIZE],
               uint8_t id[CKJIT_BUILD_ID_SIZE]);
/* whether the entry that the runtime will look for is there */
bool cache_has(const struct request *r, const struct manifest_blob *blob);
/* the same, and its name in PATH */
bool cache_find(const struct request *r, const struct manifest_blob *blob, char path[PATH_MAX]);

/* --- prebuild_symbol.c --- */

/* A mangled name as c++filt prints it, the qualified name of the template that it is of; the name itself
 * where it is none of C++. free() them */
char *symbol_signature(const char *mangled);
char *symbol_template(const char *mangled);
/* whether NAME is the mangled name itself, its signature or its template, qualified or not */
bool symbol_is_called(const char *mangled, const char *name);

/* --- prebuild_json.c --- */

/* print a line for each of N blobs; for a name that means none */
void json_list_blobs(const struct request *r, const struct manifest_blob *const *blobs, size_t n);
void json_list_unknown(const char *name);

/* --- prebuild_build.c, for prebuild_export.c --- */

/* the program that compiles: the root's own, which belongs to the same version, else ours; free() it */
char *find_compile(const struct request *r);
/* what PROGRAM is told of BLOB, whatever is made of it; without INPUTS nothing is held against what the key
 * was made from */
void compile_words(struct argv *command, const struct request *r, const struct manifest_blob *blob,
                   const char *program, const char *archs, const uint8_t id[CKJIT_BUILD_ID_SIZE],
                   bool inputs);
void add_option(struct argv *command, const char *option, char *value);

/* --- prebuild_memory.c --- */

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

/* --- the commands; each returns the exit status --- */

int prebuild_list(struct request *r);
int prebuild_build(struct request *r);
int prebuild_clean(struct request *r);
int prebuild_export(struct request *r);
/* Whether the options fit the command; ends the program where they do not. */
void export_check_options(const struct request *r);

#endif
