/* sourcebundle.h - a bundle: what the kernels of libraries are compiled from, given away with them.
 *
 * A bundle is the tree that {root} stands for, compressed into one piece of data: sources, texts of
 * units, the headers that they read, a manifest and two programs. Files of the compiler, its
 * toolkit and the system are not in it; they are those of the machine where it is used. The same
 * files give the same bytes. docs/formats.md describes the format, abi/ck_jit_bundle.h the head.
 *
 * Errors: false or NULL with *ERR, which names the file; free() it. Thread safety: no shared state.
 */
#ifndef CKJIT_SOURCEBUNDLE_H
#define CKJIT_SOURCEBUNDLE_H

#include "core/cache/key.h"

/* The directory of archives that entries are linked with, in the root of a bundle. */
#define SOURCEBUNDLE_LIBS "+libs"

/* ---- writing ---- */

struct sourcebundle_file {
  char *name; /* relative to the root */
  char *bytes;
  size_t size;
  bool program;
};

struct sourcebundle_files {
  struct sourcebundle_file *list;
  size_t n;
};

/* Add a file; takes ownership of BYTES. One of the same name is replaced. */
void sourcebundle_add(struct sourcebundle_files *files, const char *name, char *bytes, size_t size);
/* Remove the file NAME, if there is one. */
void sourcebundle_drop(struct sourcebundle_files *files, const char *name);
/* Add all files in and below DIR, by their names below it. */
bool sourcebundle_add_tree(struct sourcebundle_files *files, const char *dir, char **err);
/* Add ckjit-prebuild, the program in the file PREBUILD. */
bool sourcebundle_add_program(struct sourcebundle_files *files, const char *prebuild, char **err);
/* Append a bundle of FILES, for compilers of KIND of release RELEASE ("13.0"; "": unknown), and the
 * program in the file COMPILE. Frees FILES. */
bool sourcebundle_write(struct buf *out, struct sourcebundle_files *files, const char *compile,
                        const char *kind, const char *release, char **err);

/* ---- reading ---- */

struct sourcebundle_entry {
  char *digest, *name;
  uint64_t size;
  bool program;
};

struct sourcebundle {
  char digest[DIGEST_HEX];
  char *kind, *release; /* of the compiler that the libraries were linked with */
  struct sourcebundle_entry *entries;
  size_t n;
  char *file, *bytes; /* where it was read, and all of that */
  const char *files;  /* the compressed files, in BYTES */
  size_t files_size;
};

/* Does FILE have a bundle: is it one, or a library with one? */
bool sourcebundle_is_in(const char *file);
/* The file with LIBRARY's bundle: itself, or the one beside it; free() it. NULL: there is none. */
char *sourcebundle_of(const char *library);
/* Read and verify the bundle in FILE, a library or a bundle. sourcebundle_free it. */
struct sourcebundle *sourcebundle_open(const char *file, char **err);
void sourcebundle_free(struct sourcebundle *b);
/* Make ROOT, a directory of the user alone, have all files of B. Each is verified by its digest;
 * one that is missing or different is written again. *WRITTEN: how many were. */
bool sourcebundle_unpack(const struct sourcebundle *b, const char *root, size_t *written,
                         char **err);

#endif
