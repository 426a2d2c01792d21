/* linkline.h - the link command of the user's build: which stubs are in it, and the same command with real
 * objects.
 *
 * Any link whose inputs hold stub records is ours, whatever its output is called: records are found in
 * objects on the command line, in response files and in archives (core/files/stubobj.h). The command itself is
 * kept: words stay as they were and where they were, but for stub objects, which make room for what was
 * compiled in their place.
 */
#ifndef CKJIT_LINKLINE_H
#define CKJIT_LINKLINE_H

#include "core/cc/ccargs.h"
#include "core/files/home.h"
#include "core/files/record.h"

struct linkline {
  const struct home *home; /* borrowed */
  char *cwd;
  char *compiler;          /* the real one */
  enum cc_dialect dialect; /* its */
  struct argv args;        /* without argv[0], response files expanded */
  struct ccargs scan;      /* of args */
  char *output;            /* absolute */
  struct record *records;  /* each stub once, in order of the command */
  size_t nrecords;
  bool *is_stub;   /* for each word: an object of stub records and nothing else */
  bool *is_object; /* for each word: an object file */
};

/* Read the command. A torn or foreign record ends the program, naming the file. Words that name a place in
 * the fake HOME come to name the same place in the real one, in the command and in the records: the library
 * must build and run where the fake home is gone. */
void linkline_read(struct linkline *l, const struct home *home, const char *compiler, char *const *args);
/* Append the command to OUT, program first: the words "{objs}" where the first object was, output OUTPUT; the
 * objects that stay are appended to OBJS instead. */
void linkline_write(const struct linkline *l, const char *output, struct argv *out, struct argv *objs);
void linkline_free(struct linkline *l);

#endif
