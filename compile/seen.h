/* seen.h - records which programs a compile ran and which files it read, as the programs report it.
 *
 * A task that has a list of inputs has such a record (task.h: seen); without a list nothing is
 * recorded. The records of a failed attempt are dropped when the next begins.
 */
#ifndef CKJIT_COMPILE_SEEN_H
#define CKJIT_COMPILE_SEEN_H

#include "task.h"

struct seen {
  /* started by the compile, and bitcode that is linked into the code; paths */
  struct argv programs;
  /* sources and headers, by the names that the compiler prints */
  struct argv reads;
  /* learnt_line() of each that is not as in the list of inputs */
  struct argv files;
  /* what the plain command said that it runs, or its driver that it would */
  struct buf answer;
  /* the plain command that runs next is to say what it reads */
  bool wanted;
  bool says;  /* … and what it runs */
  bool asked; /* the compiler has said what it runs */
  /* T->learnt is what this compile found */
  bool compared;
};

struct seen *seen_new(void);
void seen_free(struct seen *s);
/* Another attempt begins. */
void seen_again(const struct compile_task *t);

/* ---- what runs ---- */

/* Note the program of WORDS and the bitcode among them. */
void seen_step(const struct compile_task *t, const struct argv *words);

/* ---- what is read ---- */

/* Note the prerequisites in FILE: a depfile of one rule; or of several, as gcc appends them. */
void seen_depfile(const struct compile_task *t, const char *file);

/* Have a plain command, whatever its compiler, say what all of its passes read: variables for its
 * environment ENV, and after it the files that they name, in TEMPORARY. */
void seen_variables(const struct compile_task *t, struct argv *env, const char *temporary);
void seen_of_variables(const struct compile_task *t, const char *temporary);
/* Removes from the log FD the lines that -v added after FROM, where a plain command has written. */
void seen_take_answer(const struct compile_task *t, int fd, off_t from);

#endif
