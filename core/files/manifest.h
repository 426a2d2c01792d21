/* manifest.h - ck_jit_manifest.json (docs/formats.md) read, merged and written back. The post-build linker
 * writes the one of each library (postbuild/embed.c); an installation has one for both.
 *
 * Errors: every function that can fail returns NULL or false and sets *ERR to a message that names the file;
 * free() it.
 */
#ifndef CKJIT_MANIFEST_H
#define CKJIT_MANIFEST_H

#include "core/cc/compiler.h"

struct manifest_group {
  struct argv flags, link, archs;
  char *inputs; /* name of its list in INPUTS_DIR beside the manifest (core/cache/inputs.h) */
};

struct manifest_blob {
  char *stem, *source; /* source may start with "{root}/" */
  unsigned group;
  unsigned char key[16];
  struct argv functions;
  bool linked; /* its library has it compiled (--aot-list) and never looks for it in a cache */
  struct argv
      symbols; /* mangled names of all its functions, in order of its text; none if they are not known */
};

struct manifest {
  char *file;     /* where it was read from */
  char *root;     /* build-time root, "" if there is none */
  char *compiler; /* the real compiler at build time */
  const struct compiler *compiler_kind;
  struct argv libraries;
  struct manifest_group *groups;
  size_t ngroups;
  struct manifest_blob *blobs; /* sorted by stem */
  size_t nblobs;
  bool unkeyed; /* from manifest.json.ndjson: no blob has a key, nothing can be compiled from it */
};

/* Read a ck_jit_manifest.json, or a wrapper's manifest.json.ndjson, told apart by their first bytes. */
struct manifest *manifest_read(const char *file, char **err);
/* manifest_open.c: the same, of a FILE that the user names: it may be mistyped, or be the directory */
struct manifest *manifest_open(const char *file, char **err);
/* that M has no blob NAME, where its blobs are listed and, if SUGGESTS, the one that may be meant; free() it */
char *manifest_unknown(const struct manifest *m, const char *name, bool suggests);
/* manifest_records.c: whether TEXT begins as an NDJSON of records does, and the manifest that it makes */
bool manifest_is_records(const char *text, size_t len);
struct manifest *manifest_from_records(const char *file, const char *text, size_t len, char **err);
void manifest_free(struct manifest *m);
/* put M's blobs in the order that the look-ups need */
void manifest_sort(struct manifest *m);
/* by exact stem; NULL if there is none. Borrowed. */
const struct manifest_blob *manifest_find(const struct manifest *m, const char *stem);
/* The blob that NAME means in any of the forms in which users meet blobs: stem, base name, path of the
 * source, path of a cached <stem>.so or <stem>.<48 hexadecimal digits>.so. NULL if there is none.
 * Borrowed. */
const struct manifest_blob *manifest_find_any(const struct manifest *m, const char *name);
/* Take FROM's libraries, groups and blobs over into M and free FROM. A blob that both have must have the same
 * key, and is then M's. False with *ERR set: FROM is untouched and the caller's. */
bool manifest_merge(struct manifest *m, struct manifest *from, char **err);
/* write M to FILE at once; false with *ERR set */
bool manifest_write(const struct manifest *m, const char *file, char **err);
/* The list of inputs of GROUP: in the directory of M, else below ROOT; free() it. NULL if the group has
 * none. */
char *manifest_inputs(const struct manifest *m, const struct manifest_group *group, const char *root);
/* TEXT with each "{root}" at the start of a path replaced by ROOT; free() it */
char *manifest_expand(const char *text, const char *root);

#endif
