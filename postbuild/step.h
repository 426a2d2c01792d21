/* step.h - the compile steps of one link, side by side on all processors, and only those that something
 * changed for.
 *
 * A step is fresh when its object is there and its stamp file says the same command and, for every file that
 * the compiler's depfile named, the same size and time stamp. Stamps also keep the digest of the headers'
 * content, which goes into the cache keys, and a file beside them that of each, so that a relink reads no
 * header.
 */
#ifndef CKJIT_STEP_H
#define CKJIT_STEP_H

#include "core/base/argv.h"
#include "core/cache/inputs.h"
#include "core/files/record.h"

struct step {
  struct argv args;  /* the whole command but for -MD -MF and -o, which are added */
  char *cwd;         /* where it runs */
  char *source;      /* what it compiles, for messages */
  char *object;      /* what it makes; stamp and depfile stand beside it */
  bool fresh;        /* nothing had to be done */
  int status;        /* of the compiler; 0 where fresh */
  struct buf output; /* what the compiler said */
  double seconds;
  char *headers; /* digest of the headers' content, hex; "" where the step failed */
};

/* Have S compile SOURCE, which has the text of R's source or some of it, to OBJECT, where R was compiled: append
 * to its words, which begin with the flags. */
void step_source(struct step *s, const struct record *r, const char *source, const char *object);
/* Run the steps that are not fresh, PARALLEL at once. Returns how many failed. */
size_t steps_run(struct step *steps, size_t n, unsigned parallel);
/* The headers that OBJECT was made from, with the digest of each as it was then, appended to LIST; false
 * where that is not known. Paths are absolute. */
bool step_inputs(const char *object, struct input **list, size_t *n);
/* the files that OBJECT's depfile names but for the first (the source), appended to OUT; false where there is
 * none */
bool step_headers(const char *object, struct argv *out);
/* S has failed: end the program with the end of what the compiler said, and the command. */
_Noreturn void step_fail(const struct step *s);
void step_free(struct step *s);

#endif
