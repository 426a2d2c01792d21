/* inputs.h - the inputs of the keys of a library's blobs: a list of files and their digests.
 *
 * A key is computed when the library is linked; a blob is compiled days later, perhaps on another
 * machine. Code must not be stored under a key that it was not made for. So the post-build linker
 * writes this list beside the manifest, and ckjit-compile compares it with the present files.
 * docs/formats.md describes the format.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_INPUTS_H
#define CKJIT_INPUTS_H

#include "core/base/argv.h"
#include "key.h"

#define INPUTS_DIR "ck_jit_inputs" /* beside a library's manifest, and in an install's root */

struct input {
  char digest[DIGEST_HEX];
  char *path; /* absolute, or "{root}/…" */
  /* DIGEST_NONE: a file of this name must not exist. */
};

/* A device fragment that may be linked to a blob (docs/fragments.md). */
struct input_fragment {
  /* the key of its object, and the list of that key's inputs */
  char key[DIGEST_HEX], list[DIGEST_HEX];
  /* flags: one text, quoted, as in a manifest's group */
  char *stem, *source, *flags;
  char *tag;             /* NULL if it has none */
  struct argv functions; /* core/cxx/fragment.h */
};

struct inputs {
  /* For a blob with fragments, the list of its headers; else "". */
  char entry[DIGEST_HEX];
  struct input_fragment *fragments; /* in link order */
  size_t nfragments;
  char headers[DIGEST_HEX];  /* of all headers, as in the keys */
  char compiler[DIGEST_HEX]; /* of all tools, as in the keys */
  char *program;             /* absolute */
  /* its text in section .comment; "" if unknown */
  char *comment;
  /* NAME=VALUE of ccenv_toolchain(), with which it was queried and is started */
  struct argv environment;
  /* the compiler's files; the first is the program itself */
  struct input *tools;
  size_t ntools;
  /* the words of the query for its steps for an empty source; none: no query */
  struct argv question;
  /* the digest of the answer (core/cc/steps.h), which is part of "compiler" */
  char plan[DIGEST_HEX];
  /* toolchain_settle() */
  bool settled;
  /* Where a clang's host pass looks for headers by itself, as the answer says; of toolchain_read()
   * alone, no list has it. */
  struct argv directories;
  struct input *header;
  size_t nheaders;
  /* Directories of the compiler's own headers, if the list is of a text that no compiler has read:
   * one that only a macro names may be missing. The digest of the compiler stands for these. */
  struct argv own;
};

/* Section .comment of FILE: NUL-terminated texts, N bytes and one more NUL. NULL if there is none.
 * free() it. */
char *inputs_comment(const char *file, size_t *n);

/* Make the variables of IN's environment that change the code part of its "compiler". DATED: the
 * code contains the date. */
void inputs_key_environment(struct inputs *in, bool dated);
/* Append a file to one of the lists; takes ownership of PATH. */
void inputs_add(struct input **list, size_t *n, const char digest[DIGEST_HEX], char *path);
/* Find headers that do not exist but would, if they did, be found instead of an existing one. DIRS:
 * the directories that the FLAGS of a compile by gcc, clang or clang -cc1 search for headers. */
void inputs_directories(struct argv *dirs, char *const *flags);
void inputs_missing(struct argv *missing, const struct argv *dirs, const char *file);
/* The part of FILE below the longest of DIRS that contains it; NULL if none does. */
const char *inputs_name(const struct argv *dirs, const char *file);
/* Append to MISSING the header NAME in each of DIRS that lacks it, up to the first missing
 * component. */
void inputs_lacking(struct argv *missing, const struct argv *dirs, const char *name);
/* Append to MISSING the header NAME in each of DIRS, up to the first missing component; nothing if
 * one of DIRS has it. */
void inputs_absent(struct argv *missing, const struct argv *dirs, const char *name);
/* Is FILE, which holds lists of inputs, a library? A library holds many, each with its name. */
bool inputs_in_library(const char *file);
/* Read the list NAME to which the list in FILE refers: beside it, or in the same library. NULL with
 * *ERR as below. */
struct inputs *inputs_read_named(const char *file, const char *name, char **err);
/* Append a new, empty fragment to IN. */
struct input_fragment *inputs_add_fragment(struct inputs *in);
void inputs_free_fragments(struct inputs *in);
/* Set "headers" of a list with fragments from DIGEST, of the entry's own headers, and the
 * fragments' keys. */
void inputs_combine(struct inputs *in, const char *digest);
/* Write IN to DIR/NAME; NAME is derived from the contents. False with errno. */
bool inputs_write(const struct inputs *in, const char *dir, char name[DIGEST_HEX]);
/* Read FILE. NULL with *ERR naming FILE if it cannot be read; free() that. */
struct inputs *inputs_read(const char *file, char **err);
/* Read list INDEX of the library FILE, which has NUL-terminated lists in its section
 * INPUTS_SECTION. NULL with *ERR as above, or NULL without it if there are no more. */
#define INPUTS_SECTION ".ckjit.inputs"
struct inputs *inputs_read_library(const char *file, size_t index, char **err);
void inputs_free(struct inputs *in);

#endif
