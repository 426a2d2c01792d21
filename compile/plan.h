/* plan.h - the steps that a compile consists of, and in which order.
 *
 * plan_read gives those of the plain command. compile/unit makes plans of its own. A plan is an attempt:
 * what goes wrong with it, *WHY, is static text for --verbose (task.h).
 */
#ifndef CKJIT_COMPILE_PLAN_H
#define CKJIT_COMPILE_PLAN_H

#include "task.h"

#include <sys/types.h>

enum step_role {
  STEP_DEVICE, /* clang -cc1 for one architecture */
  STEP_HOST,   /* clang -cc1 for the host */
  STEP_PCH,    /* a precompiled header for one of them; made by us */
  STEP_OTHER,  /* linkers, bundlers: run as they are */
};

enum step_state { STEP_WAITING, STEP_RUNNING, STEP_DONE, STEP_FAILED };

struct step {
  enum step_role role;
  const char *name; /* in a trace; NULL: by its role */
  enum step_state state;
  struct argv words;
  char *output;
  char *depfile;   /* of a pass: where it says what it reads; NULL: nowhere */
  uint64_t after;  /* bit I: step I must have ended */
  struct pch *pch; /* of a pass, and of the step that makes it; NULL: none. Borrowed */
  pid_t pid;
  bool optional;                             /* its failure does not end the attempt */
  int (*prepare)(void *data);                /* what its process does first (struct child); with data */
  void (*ended)(void *data, bool succeeded); /* called when it has ended; may be NULL */
  void *data;
};

enum { PLAN_STEPS = 64 };

struct plan {
  struct step steps[PLAN_STEPS];
  size_t n, last; /* last: the link */
  size_t host;
  int hosts;      /* host passes of an object */
  char *fatbin;   /* what the bundler makes, for the host pass; NULL for an object */
  char *stand_in; /* the file that the host pass is given in its place */
  size_t side;    /* a step that makes something of use by itself (hostonly/alone.h); 0: none */
  /* Asked with DATA when that has ended, and whether a device pass has not (LEFT): is it all that is wanted? */
  bool (*suffices)(void *data, bool left);
  void *data;
  bool cut; /* it was; the steps that were left were not run */
};

/* The steps in TEXT, what the driver says to -### for the command that makes OUTPUT. False: they are not
 * understood. plan_free in either case. */
bool plan_read(struct plan *p, const struct compile_task *t, const char *text, const char *output,
               const char **why);
void plan_free(struct plan *p);

/* One more step of P: NAME is for a trace, AFTER has a bit for each step that must have ended. */
struct step *plan_add(struct plan *p, const char *name, const struct argv *words, uint64_t after);

/* set *WHY to TEXT; returns false */
bool give_up(const char **why, const char *text);

/* the index of WORD; words->n: it is not there */
size_t words_find(const struct argv *words, const char *word);
/* replace words->args[I] */
void words_set(struct argv *words, size_t i, const char *word);

#endif
