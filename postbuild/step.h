/* step.h - the compile steps of one link, side by side on all processors, and only those that
 * something has changed for.
 *
 * A step is fresh if its object is there and its stamp file says the same command and, for every
 * file that the compiler's depfile named, the same size, modification time and content. The stamp
 * also keeps the digest of the headers' content, which goes into the cache keys, and a file beside
 * it that of each header, so that a relink reads no header but those that were written since.
 * docs/formats.md has both.
 *
 * Thread safety: none; one steps_run at a time in a process (core/base/pool.h).
 */
#ifndef CKJIT_STEP_H
#define CKJIT_STEP_H

#include "step_launcher.h"

#include "core/cache/inputs.h"
#include "core/files/record.h"

struct step {
  /* the whole command but for -MD -MF and -o, which are added */
  struct argv args;
  char *cwd;    /* where it runs */
  char *source; /* what it compiles, for messages */
  /* what it makes; stamp and depfile stand beside it */
  char *object;
  /* flags_hip_arch of what it compiles, for a launcher … */
  char *hip_arch;
  /* … and the kind of its compiler; NULL: not known, and no HIP */
  const struct compiler *kind;
  /* absolute: files that its options have the compiler read, as ccargs_reads() says */
  struct argv reads;
  /* absolute: where its options have the compiler look for headers */
  struct argv dirs;
  /* Clang's passes over one text with the same options have the same number here, 0: it has none of
   * its own; and the architecture of a device, which is only preprocessed for, NULL: the host. */
  unsigned text;
  char *arch;
  /* what the driver starts for it, if that is known (step.c) */
  struct argv direct;
  /* what in its text takes in a file that no depfile names (core/cc/takes.h); NULL: nothing */
  const char *takes;
  /* it compiles a text of the build's, not one of ours */
  bool recorded;
  /* No launcher comes before it: it is not a command of a compiler. */
  bool plain;
  bool fresh;        /* nothing had to be done */
  int status;        /* of the compiler; 0 if fresh */
  struct buf output; /* what the compiler said */
  /* digest of the headers' content, hex; NULL if the step failed */
  char *headers;
  void *user; /* the caller's */
};

/* The programs and limits with which steps are run. */
struct runner {
  /* steps at a time; 0: one a processor */
  unsigned parallel;
  struct step_launcher launcher;
};

/* Make S, which has the flags of record R in its words, compile SOURCE to OBJECT where R was
 * compiled. */
void step_source(struct step *s, const struct record *r, const char *source, const char *object);
/* Append the whole command of S as it is run, but for a launcher. */
void step_command(struct argv *out, const struct step *s);
/* Run those of the N steps that are not fresh. Each has its status then. */
void steps_run(struct runner *with, struct step *steps, size_t n);
/* The same of one step. */
void step_run(struct runner *with, struct step *s);
/* The first error in OUTPUT, what a compiler or linker that ended with STATUS has printed, in one
 * line; free() it. */
char *step_first_error(const struct buf *output, int status);
/* S has failed: end the program with the end of what the compiler said, and the command. */
_Noreturn void step_fail(const struct step *s);
/* Append the headers that OBJECT was made from to LIST, with the digest of each as it was then.
 * Paths are absolute. False if they are not known. */
bool step_inputs(const char *object, struct input **list, size_t *n);
void step_free(struct step *s);

#endif
