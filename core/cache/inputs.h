/* inputs.h - the inputs that the keys of a library's blobs were made from: a list of files and their contents.
 *
 * A key is made when the library is linked; a blob is compiled days later, perhaps on another machine. Code
 * must not be stored under a key that it was not made for. So the post-build linker writes this list beside
 * the manifest, and ckjit-compile compares it with the files it finds. docs/formats.md describes the format.
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
  /* DIGEST_NONE: a file of this name must not exist */
};

/* A device fragment that a blob may be linked with (docs/fragments.md). */
struct input_fragment {
  char key[DIGEST_HEX], list[DIGEST_HEX]; /* the key of its object, and the list of that key's inputs */
  char *stem, *source, *flags;            /* flags: one text, quoted, as in a manifest's group */
  char *tag;                              /* NULL if it has none */
  struct argv functions;                  /* core/cxx/fragment.h */
};

struct inputs {
  char entry[DIGEST_HEX];           /* for a blob with fragments, the list of its own headers; else "" */
  struct input_fragment *fragments; /* in link order */
  size_t nfragments;
  char headers[DIGEST_HEX];  /* of all headers, as in the keys */
  char compiler[DIGEST_HEX]; /* of all tools, as in the keys */
  char *program;             /* the compiler, absolute */
  char *comment;             /* its text in section .comment; "" if unknown */
  struct argv environment; /* NAME=VALUE of ccenv_toolchain(), which it was asked with and is started with */
  struct input *tools;     /* the compiler's files; the first is the program itself */
  size_t ntools;
  struct argv
      question; /* the words that the program was asked with, what it runs for an empty source; none: it was not */
  char plan[DIGEST_HEX]; /* … and the digest of its answer (core/cc/steps.h), which "compiler" has in it */
  struct input *header;
  size_t nheaders;
};

/* Section .comment of FILE: NUL-terminated texts, N bytes and one more NUL. NULL if there is none. free()
 * it. */
char *inputs_comment(const char *file, size_t *n);

/* Make the variables of IN's environment that change the code part of its "compiler". DATED: what is compiled
 * has the date in it. */
void inputs_key_environment(struct inputs *in, bool dated);
/* Append a file to one of the lists; takes ownership of PATH. */
void inputs_add(struct input **list, size_t *n, const char digest[DIGEST_HEX], char *path);
/* Headers that do not exist but would, if they did, be found instead of one that does. DIRS: the directories
 * that the FLAGS of a compile by gcc, clang or clang -cc1 search for headers. Appended to MISSING: FILE's
 * name in each of DIRS, up to the first missing component. */
void inputs_directories(struct argv *dirs, char *const *flags);
void inputs_missing(struct argv *missing, const struct argv *dirs, const char *file);
/* The name of FILE below the longest of DIRS that it is in, a part of FILE; NULL if it is in none. */
const char *inputs_name(const struct argv *dirs, const char *file);
/* Append to MISSING the header NAME in each of DIRS that has it not, up to the first missing component. */
void inputs_lacking(struct argv *missing, const struct argv *dirs, const char *name);
/* Append to MISSING the name of a header, NAME, in each of DIRS, up to the first missing component; nothing if one of DIRS has it. */
void inputs_absent(struct argv *missing, const struct argv *dirs, const char *name);
/* Is FILE, which holds lists of inputs, a library? Then it holds many, each by its name. */
bool inputs_in_library(const char *file);
/* Read the list NAME to which the list in FILE refers: beside it, or in the same library. NULL with *ERR as
 * below. */
struct inputs *inputs_read_named(const char *file, const char *name, char **err);
/* Append a new, empty fragment to IN. */
struct input_fragment *inputs_add_fragment(struct inputs *in);
void inputs_free_fragments(struct inputs *in);
/* Set "headers" of a list with fragments: from DIGEST, of the entry's own headers, and the fragments' keys. */
void inputs_combine(struct inputs *in, const char *digest);
/* Write IN to DIR/NAME; NAME is derived from the contents. False with errno. */
bool inputs_write(const struct inputs *in, const char *dir, char name[DIGEST_HEX]);
/* Read FILE. NULL with *ERR naming FILE if it cannot be read; free() that. */
struct inputs *inputs_read(const char *file, char **err);
/* Read list INDEX of the library FILE, which has lists in its section INPUTS_SECTION, each NUL-terminated.
 * NULL with *ERR as above, or NULL without it if there are no more. */
#define INPUTS_SECTION ".ckjit.inputs"
struct inputs *inputs_read_library(const char *file, size_t index, char **err);
void inputs_free(struct inputs *in);

#endif
