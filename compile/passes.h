/* passes.h - the plain command taken apart: its passes side by side, each with a precompiled header.
 *
 * `hipcc -shared` compiles for the device, then for the host, then links; and of the seconds that a pass
 * takes, most go to headers that are the same for thousands of blobs. Here the two passes run at the same
 * time, and what the leading #include block of the source says is parsed once for all blobs that begin alike
 * (docs/performance.md has what it brings).
 *
 *     plan     which steps the plain command has     plan.c, by asking the compiler (-###)
 *     head     the leading #include block            head.c
 *     pch      a precompiled header for each pass    pch.c
 *     passes   all steps, side by side               passes.c
 *     fatbin   the code object into the host object  fatbin.c
 *
 * All of it is an attempt. What is not understood, and whatever fails, is left to the plain command, which
 * then has the last word and the error message.
 */
#ifndef CKJIT_COMPILE_PASSES_H
#define CKJIT_COMPILE_PASSES_H

#include "compile.h"

/* passes.c: make OUTPUT as COMMAND would, with TEMPORARY for what comes in between. False where the
 * command has to be run; SUSPECTS are then the files to remove if the command succeeds. */
bool compile_passes(const struct compile_task *t, const struct argv *command, const char *temporary,
                    const char *output, struct argv *suspects);

/* ---- plan.c ---- */

enum step_kind {
  STEP_DEVICE, /* clang -cc1 for one architecture */
  STEP_HOST,   /* clang -cc1 for the host */
  STEP_PCH,    /* a precompiled header for one of them; made by us */
  STEP_OTHER,  /* linkers, bundlers: run as they are */
};

enum step_state { STEP_WAITING, STEP_RUNNING, STEP_DONE, STEP_FAILED };

struct step {
  enum step_kind kind;
  const char *name; /* in a trace; NULL: by its kind */
  enum step_state state;
  struct argv words;
  char *output;
  uint64_t after;  /* bit I: step I must have ended */
  struct pch *pch; /* of a pass and of the step that makes it; NULL where there is none */
  pid_t pid;
  bool optional;              /* its failure does not end the attempt */
  int (*prepare)(void *data); /* what its process does first, see struct child; with data */
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
};

/* The steps in TEXT, what COMMAND says to -###. NULL, or why they are not understood; static. */
const char *plan_read(struct plan *p, const struct compile_task *t, const char *text, const char *output);
void plan_free(struct plan *p);
/* the index of WORD, words->n where it is not there */
size_t words_find(const struct argv *words, const char *word);
/* replace words->args[I] */
void words_set(struct argv *words, size_t i, const char *word);

/* Run the steps of PLAN, as many at a time as there are processors, with ENV and their output into LOG. NULL,
 * or why not all ended well; static. */
const char *plan_run(const struct compile_task *t, struct plan *plan, const struct argv *env, int log);
/* Run WORDS alone, its output in the new file LOG; whether it ended with status 0. */
bool plan_ask(const struct argv *words, const struct argv *env, const char *log);

/* ---- head.c ---- */

/* The leading #include block of a source: what stands before the first line that is neither empty, a comment
 * nor a plain #include. */
struct head {
  struct buf text; /* its #include lines */
  size_t bytes;    /* where it ends in the source */
};

/* False where SOURCE has none. A quoted name that lies beside the source becomes an absolute one. */
bool head_read(struct head *h, const char *source);

/* ---- pch.c ---- */

enum pch_state {
  PCH_NONE,  /* cannot be had */
  PCH_READY, /* there and current: file is its name */
  PCH_OURS,  /* to be made, by us: the lock is held */
};

struct pch {
  enum pch_state state;
  char *dir, *file;                  /* <cache>/.pch; the precompiled header */
  char *header, *list, *lock_path;   /* what it is made of; what it depends on */
  char *made, *depfile;              /* in the temporary directory, where it is ours */
  char hex[CKJIT_BUILD_ID_HEX_SIZE]; /* its key */
  struct argv include_dirs;
  struct timespec started;
  double patience; /* of the task */
  int lock;
};

/* Work out the name of the precompiled header of PASS and HEAD in the cache of T, and look whether it is
 * there. PCH_OURS is not among the answers. */
void pch_find(struct pch *p, const struct compile_task *t, const struct step *pass, const struct head *head);
/* Where it is not there: get the lock and with it PCH_OURS, or wait for whoever has it. */
void pch_claim(struct pch *p);
/* the command that makes it, from that of PASS, into TEMPORARY; false where it cannot be made */
bool pch_command(struct pch *p, struct argv *command, const struct step *pass, const struct head *head,
                 const char *temporary);
/* The command has ended: give the precompiled header its name, where it SUCCEEDED, and release the lock. */
void pch_keep(struct pch *p, bool succeeded);
void pch_free(struct pch *p);

/* ---- fatbin.c ---- */

/* Replace the content of section .hip_fatbin in OBJECT, which is that of the file STAND_IN, by that of the
 * file FATBIN. False where it cannot be done. */
bool fatbin_replace(const char *object, const char *stand_in, const char *fatbin);

#endif
