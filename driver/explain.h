/* explain.h - the parts of `ckjit explain`: the recorded units (explain_units.c), the verdict on a
 * command line without running it (explain_judge.c), the outcome of the units in links
 * (explain_links.c), the kernels that nothing calls (explain_calls.c), and printing
 * (explain_print.c).
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_EXPLAIN_H
#define CKJIT_EXPLAIN_H

#include "core/files/outcome.h"
#include "core/files/record.h"

/* A call of the wrapper that compiles or links. */
struct explained {
  /* scanned, except for a link, whose response files may be gone */
  struct record record;
  /* absolute; NULL: it compiles no file */
  char *source;
  char *output; /* absolute */
  /* the verdict is a new one, not that of the build */
  bool judged;
};

/* The outcome of a unit in a link. */
struct linked {
  const struct outcomes *library;
  const struct outcome *outcome;
};

struct explanation {
  /* each source and object once, ordered by their last calls */
  struct explained *units;
  size_t n;
  struct outcomes *libraries;
  size_t nlibraries;
  /* of the libraries, in the work directory */
  struct argv dirs;
  /* sorted by source, object and library */
  struct linked *linked;
  size_t nlinked;
};

/* The manifest.json.ndjson of NAME: a work directory, a fake home, or the file itself; free() it.
 * COMMAND_TOO: errors mention that a command can be given instead. */
char *explain_log(const char *name, bool command_too);
/* Read FILE, a manifest.json.ndjson: the compiles and links in it. */
void explain_read(struct explanation *e, const char *file);
/* The same for FILE, an object or an archive; false: no record is in it. */
bool explain_read_object(struct explanation *e, const char *file);
/* Add R, and take it over. */
void explain_add(struct explanation *e, struct record *r);
/* Keep the last call for each source and object. */
void explain_sort(struct explanation *e);
/* Keep only the units that match one of NAMES, or all without any: a stem, a base name or a path. A
 * name without a match ends the program; the message names WHERE. */
void explain_select(struct explanation *e, char *const *names, const char *where);

/* Judge all units again, or if MISSING only those whose record gives no rule. The profile PROFILE
 * (NULL: that of the fake home HOME; if that is NULL as well: of the compiler's kind) has the names
 * that count. Units whose source is gone keep the recorded verdict, with a warning. */
void explain_judge(struct explanation *e, const char *profile, const char *home, bool missing);
/* The verdict on COMMAND, if it were called here and now: the only unit of E. It may name a
 * compiler of a fake home. */
void explain_command(struct explanation *e, const char *profile, char **command);

/* Read the outcomes of the links of the work directory WORK. */
void explain_links(struct explanation *e, const char *work);
/* The outcomes of X: *N of them, borrowed. */
const struct linked *explain_linked(const struct explanation *e, const struct explained *x,
                                    size_t *n);
/* The directory of the library that ckjit linked for X, a link; NULL if there is none. */
const char *explain_library(const struct explanation *e, const struct explained *x);

/* Print the kernels of the library in DIR that nothing in it calls, and those that are missing. */
void explain_calls(const char *dir);

/* The form of the output. */
enum explain_form { EXPLAIN_TEXT, EXPLAIN_JSON, EXPLAIN_STOCK };
struct explain_view {
  enum explain_form form;
  bool summary;     /* of the text only the summary */
  bool all;         /* every unit, however many there are */
  struct argv only; /* the verdicts to show; none: all */
};
/* Is WORD a verdict: lazy, ahead, a kind of record or the id of a rule? If not, *EXPECTED lists the
 * verdicts; free() it. */
bool explain_is_verdict(const char *word, char **expected);
void explain_print(const struct explanation *e, const struct explain_view *view);

#endif
