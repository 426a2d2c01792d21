/* prebuild.h - the parts of ckjit-prebuild: which blobs are meant, and what is done with them.
 *
 * Functions end the program with a clear message where they cannot do what they say. One request a process;
 * what it owns lives until the end.
 */
#ifndef CKJIT_PREBUILD_H
#define CKJIT_PREBUILD_H

#include "core/argv.h"
#include "core/manifest.h"
#include "ck_jit_arch.h"
#include "ck_jit_entry.h"

/* the command line and what it means */
struct request {
  const char *command;    /* list, build or clean */
  const char *manifest;   /* as given, or NULL */
  const char *root_given; /* as given, or NULL */
  const char *arch;       /* as given, or NULL */
  struct argv names;      /* blobs as given, in order, those of --blob-list included */
  struct argv where;      /* for each of names where it was given: "list.txt:3", "" for the command line */
  bool lists;             /* a --blob-list was given: no blobs in it are no mistake */
  bool all, verbose;
  unsigned jobs; /* 0: by processors and memory */

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

/* --- the commands; each returns the exit status --- */

int prebuild_list(struct request *r);
int prebuild_build(struct request *r);
int prebuild_clean(struct request *r);

#endif
