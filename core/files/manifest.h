/* manifest.h - reads, merges and writes ck_jit_manifest.json (docs/formats.md). The post-build
 * linker writes one for each library (postbuild/embed.c); an installation has one for both
 * libraries.
 *
 * Errors: every function that can fail returns NULL or false and sets *ERR to a message that names
 * the file; free() it.
 */
#ifndef CKJIT_MANIFEST_H
#define CKJIT_MANIFEST_H

#include "core/cc/compiler.h"

/* beside the lists of inputs, and in an install's root */
#define MANIFEST_NAME "ck_jit_manifest.json"

struct manifest_group {
  struct argv flags, link, archs;
  /* name of its list in INPUTS_DIR, beside the manifest (core/cache/inputs.h) */
  char *inputs;
  /* Set if it differs from the manifest's, which then has several libraries; else NULL. Use
   * manifest_compiler() and manifest_kind(). */
  char *compiler;
  const struct compiler *kind;
};

struct manifest_blob {
  char *stem, *source; /* source may start with "{root}/" */
  unsigned group;
  unsigned char key[16];
  struct argv functions;
  /* a lazy unit: SOURCE is the text of its device side, and it has no functions */
  bool unit;
  /* compiled into its library (--aot-list), which never looks for it in a cache */
  bool linked;
  /* a unit whose host side is made at its first call (docs/units.md, "Late units") */
  bool late;
  /* mangled names of all its functions, in source order; none if unknown */
  struct argv symbols;
};

struct manifest {
  char *file;     /* the file that was read */
  char *root;     /* build-time root, "" if there is none */
  char *compiler; /* the real compiler at build time */
  const struct compiler *compiler_kind;
  /* false: guessed from the compiler's name, in a manifest of an earlier ckjit */
  bool kind_is_said;
  struct argv libraries;
  struct manifest_group *groups;
  size_t ngroups;
  struct manifest_blob *blobs; /* sorted by stem */
  size_t nblobs;
  /* from manifest.json.ndjson: the blobs have no keys, and cannot be compiled */
  bool unkeyed;
};

/* Read a ck_jit_manifest.json or a wrapper's manifest.json.ndjson; the first bytes decide. */
struct manifest *manifest_read(const char *file, char **err);
/* manifest_open.c: the same for a FILE named by the user, which may be mistyped or the directory of
 * the file. */
struct manifest *manifest_open(const char *file, char **err);
/* The message that M has no blob NAME, with the command that lists M's blobs and, if SUGGESTS, a
 * similar name; free() it. */
char *manifest_unknown(const struct manifest *m, const char *name, bool suggests);
/* Does TEXT begin like an NDJSON of records? */
bool manifest_is_records(const char *text, size_t len);
struct manifest *manifest_from_records(const char *file, const char *text, size_t len, char **err);
void manifest_free(struct manifest *m);
/* Sort M's blobs for the look-ups. */
void manifest_sort(struct manifest *m);
/* Find a blob by its exact stem; NULL if there is none. Borrowed. */
const struct manifest_blob *manifest_find(const struct manifest *m, const char *stem);
/* Find the blob that NAME means in any form that users see: stem, base name, path of the source,
 * path of a cached <stem>.so or <stem>.<48 hexadecimal digits>.so. NULL if there is none.
 * Borrowed. */
const struct manifest_blob *manifest_find_any(const struct manifest *m, const char *name);
/* The real compiler of GROUP's blobs at build time, and its kind. Borrowed. */
const char *manifest_compiler(const struct manifest *m, const struct manifest_group *group);
const struct compiler *manifest_kind(const struct manifest *m, const struct manifest_group *group);
/* Move FROM's libraries, groups and blobs into M and free FROM. A blob in both must have the same
 * key; M's is kept. Each keeps its own compiler. False with *ERR set: then FROM is unchanged and
 * still the caller's. */
bool manifest_merge(struct manifest *m, struct manifest *from, char **err);
/* Write M to FILE atomically; false with *ERR set. */
bool manifest_write(const struct manifest *m, const char *file, char **err);
/* The path of GROUP's list of inputs: in the directory of M, else below ROOT; free() it. NULL if
 * the group has none. */
char *manifest_inputs(const struct manifest *m, const struct manifest_group *group,
                      const char *root);
/* TEXT with "{root}" at the start of each path replaced by ROOT; free() it. */
char *manifest_expand(const char *text, const char *root);

#endif
