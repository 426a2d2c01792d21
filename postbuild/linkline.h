/* linkline.h - the link command of the user's build: which stub objects are in it, and the same
 * command with real objects in their place.
 *
 * A link is ours if its inputs hold records, whatever its output is called. Records are found in
 * objects on the command line, in response files and in archives (core/files/stubobj.h). All other
 * words of the command stay what and where they are.
 */
#ifndef CKJIT_LINKLINE_H
#define CKJIT_LINKLINE_H

#include "core/files/home.h"
#include "core/files/record.h"

/* Where a record was found. */
struct link_place {
  bool named;     /* in an object of the command line … */
  bool contained; /* … and in a container */
  size_t word;    /* the word that names the object or the container; SIZE_MAX: none alone does */
};

/* An input of the link with records and more, an archive or what `ld -r` made of stubs and code; or
 * a stub object that is linked as a member of an archive is. */
struct container {
  bool archive;
  /* as a word names it; for -l the file that it finds */
  char *text;
  bool searched; /* by -l */
  /* the response file or script of the linker's own that names it; "": the command does */
  char *list;
  bool script;        /* it is a script … */
  bool list_searched; /* … which -l finds */
  /* what is linked in its place; NULL: itself */
  char *copy;
  /* the list with the copies of all its containers */
  char *list_copy;
};

struct linkline {
  const struct home *home; /* borrowed */
  char *cwd;
  char *compiler; /* the real one */
  const struct compiler *kind;
  /* without argv[0], response files expanded */
  struct argv args;
  struct ccargs scan; /* of args */
  char *output;       /* absolute */
  /* each stub once, in order of the command; all are scanned */
  struct record *records;
  size_t nrecords;
  /* of each record: linkline_logged, until link_judge_records */
  struct argv lines;
  /* of each record: the file that it was found in; the archive's member, or "" */
  struct argv files, members;
  struct link_place *places; /* of each record */
  struct container *containers;
  size_t ncontainers;
  /* A response file or options file is not read as the compiler reads it: args and records are what
   * can be told of it. */
  bool unclear;
  /* the words as they were given, without the fake home */
  struct argv given;
  /* for each word: an object of stub records and nothing else */
  bool *is_stub;
  /* for each word: an object file, outside of --start-lib and --end-lib */
  bool *is_object;
  bool *in_lib; /* for each word: between these */
  /* some stay among the inputs: in an archive, in an object that holds code as well, or after
   * -Wl, */
  bool stubs_stay;
  /* the directory with the copies of containers that -l finds; NULL: there are none */
  char *searched;
};

/* The work directory was moved since the stub objects were made. */
struct moved {
  const char *from, *to;
};

/* Read the command of COMPILER, which is of KIND. A damaged record, or one of another kind, ends
 * the program, naming the file. Words that name a place in the fake HOME are changed to the same
 * place in the real one, in the command and in the records: the library must build and run when the
 * fake home is gone. The same goes for words of the records that name a place in the directory that
 * was MOVED (NULL: none was). */
void linkline_read(struct linkline *l, const struct home *home, const char *compiler,
                   const struct compiler *kind, char *const *args, const struct moved *moved);
/* The same of a command that is no link, but names objects, such as one of nm: each word that is a
 * file is searched. */
void linkline_read_files(struct linkline *l, const struct home *home, const char *compiler,
                         const struct compiler *kind, char *const *args, const struct moved *moved);
/* LINE, LEN bytes of a stub object or of the log of records, without what only one of the two
 * has: the object the source's text, the log more of a lazy unit. free() it. */
char *linkline_logged(const char *line, size_t len);
/* Returns the number of the record in LINE, LEN bytes of an object in the same link; nrecords: it
 * is not one of these. */
size_t linkline_find_record(const struct linkline *l, const struct moved *moved, const char *line,
                            size_t len);
/* Append the words of the command after its program to OUT, with output OUTPUT. STATE_OBJS, or
 * STATE_OBJS_NVCC, is in place of all objects: where the first one was, or at the beginning if none
 * has a word. The objects are appended to OBJS, in their order: initialisers run in that. STAND_INS has
 * for each record what stands for it, or NULL. A container with a copy is named by that. */
void linkline_write(const struct linkline *l, const char *output, char *const *stand_ins, struct argv *out,
                    struct argv *objs);
/* The output's name as the build gave it; free() it. */
char *linkline_output(const struct linkline *l);
/* Append the arguments of the command, response files expanded, without those that run the program:
 * it is linked once more by them. */
void linkline_step(const struct linkline *l, struct argv *out);
/* If the command is to run the program as well (nvcc's -run): the words that do that, program
 * first. Else OUT is left empty. */
void linkline_run(const struct linkline *l, struct argv *out);
void linkline_free(struct linkline *l);

/* Does the object in FILE hold nothing but records? `ld -r` of stub objects and real ones makes one
 * that holds code as well. False also if it cannot be read. */
bool linkline_only_records(const char *file);
/* The same of the LEN BYTES of an object. */
bool linkline_is_only_records(const void *bytes, size_t len);

#endif
