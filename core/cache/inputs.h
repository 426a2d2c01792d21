/* inputs.h - what the keys of a library's blobs were made from: a list of files and what was in them.
 *
 * A key is made when the library is linked; a blob is compiled days later, perhaps on another machine. Code
 * must not be stored under a key that it was not made for. So the post-build linker leaves this list beside
 * the manifest, and ckjit-compile holds it against what it finds. docs/formats.md has the format.
 *
 * Thread safety: none of it is shared.
 */
#ifndef CKJIT_INPUTS_H
#define CKJIT_INPUTS_H

#include "core/base/argv.h"
#include "key.h"

#define INPUTS_DIR "ck_jit_inputs" /* in the directory of a library's manifest, and in an install's root */

struct input {
  char digest[DIGEST_HEX];
  char *path; /* absolute, or "{root}/…" */
  /* DIGEST_NONE: a name that must not be there */
};

/* A device fragment that a blob may be linked with (docs/fragments.md). */
struct input_fragment {
  char key[DIGEST_HEX], list[DIGEST_HEX]; /* the key of its object, and the list of what that was made from */
  char *stem, *source, *flags;            /* flags: one text, quoted, as in a manifest's group */
  char *tag;                              /* NULL if it has none */
  struct argv functions;                  /* core/cxx/fragment.h */
};

struct inputs {
  char entry[DIGEST_HEX]; /* of a blob with fragments: the list of its own headers; "" for all others */
  struct input_fragment *fragments; /* in order of the link */
  size_t nfragments;
  char headers[DIGEST_HEX];  /* of all headers, as it is in the keys */
  char compiler[DIGEST_HEX]; /* of all tools, likewise */
  char *program;             /* the compiler, absolute */
  char *comment;             /* what it writes into section .comment; "" if it is not known */
  struct input *tools;       /* the compiler's files; the first is the program itself */
  size_t ntools;
  struct input *header;
  size_t nheaders;
};

/* Section .comment of FILE, texts with a NUL after each, N bytes and one more NUL; NULL if there is none.
 * free() it.
 */
char *inputs_comment(const char *file, size_t *n);

/* append a file to one of the lists; takes PATH over */
void inputs_add(struct input **list, size_t *n, const char digest[DIGEST_HEX], char *path);
/* Headers that are not there, and would be found in place of one that is: DIRS, the directories that the
 * FLAGS of a compile by gcc, clang or clang -cc1 have headers looked for in; to MISSING what there is of
 * FILE's name in each of DIRS, down to the first directory that is missing. */
void inputs_directories(struct argv *dirs, char *const *flags);
void inputs_missing(struct argv *missing, const struct argv *dirs, const char *file);
/* The list NAME that the list in FILE refers to: beside it, or in the same library. NULL with *ERR as below.
 */
struct inputs *inputs_read_named(const char *file, const char *name, char **err);
/* a new fragment at the end of IN's, empty */
struct input_fragment *inputs_add_fragment(struct inputs *in);
void inputs_free_fragments(struct inputs *in);
/* "headers" of a list with fragments: of the entry's own, DIGEST, and of the fragments' keys */
void inputs_combine(struct inputs *in, const char *digest);
/* Write IN to DIR/NAME, which is made of what is in it. False if that fails, errno says why. */
bool inputs_write(const struct inputs *in, const char *dir, char name[DIGEST_HEX]);
/* NULL with *ERR naming FILE if it cannot be read; free() that */
struct inputs *inputs_read(const char *file, char **err);
/* FILE is a library that has lists in its section INPUTS_SECTION, each with its NUL after it: list INDEX of
 * them. NULL with *ERR as above, or NULL if there are no more. */
#define INPUTS_SECTION ".ckjit.inputs"
struct inputs *inputs_read_library(const char *file, size_t index, char **err);
void inputs_free(struct inputs *in);

#endif
