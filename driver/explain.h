/* explain.h - the parts of `ckjit explain`: the units that were recorded (explain_units.c), the verdict on a
 * command line without running it (explain_judge.c), what the links made of the units (explain_links.c), and how all
 * of it is printed (explain_print.c).
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main thread.
 */
#ifndef CKJIT_EXPLAIN_H
#define CKJIT_EXPLAIN_H

#include "core/files/outcome.h"
#include "core/files/record.h"

/* One call of the wrapper that compiles or links. */
struct explained {
  struct record record; /* scanned, but for a link, whose response files may be gone */
  char *source;         /* absolute; NULL: it compiles no file */
  char *output;         /* absolute */
  bool judged;          /* the verdict is of now, not that of the build */
};

/* What a link made of a unit. */
struct linked {
  const struct outcomes *library;
  const struct outcome *outcome;
};

struct explanation {
  struct explained *units; /* each source and object once, in order of their last calls */
  size_t n;
  struct outcomes *libraries;
  size_t nlibraries;
  struct argv dirs;      /* of the libraries, in the work directory */
  struct linked *linked; /* sorted by source, object and library */
  size_t nlinked;
};

/* The manifest.json.ndjson of NAME: a work directory, a fake home, or the file itself; free() it. COMMAND_TOO: errors say that a command can
 * be given in its place. */
char *explain_log(const char *name, bool command_too);
/* Read FILE, a manifest.json.ndjson: the compiles and links in it. */
void explain_read(struct explanation *e, const char *file);
/* Add one record, which is taken over. */
void explain_add(struct explanation *e, struct record *r);
/* Keep the last call for each source and object. */
void explain_sort(struct explanation *e);
/* Leave only the units that one of NAMES means, or all without any: a stem, a base name or a path. A name that means none ends the
 * program; WHERE is named then. */
void explain_select(struct explanation *e, char *const *names, const char *where);
void explain_free(struct explanation *e);

/* Judge all units again, or if MISSING those alone whose record gives no rule. The profile PROFILE (NULL: that of
 * the fake home HOME; that NULL as well: of the compiler's kind) has the names that count. Units whose source is gone
 * keep the verdict that was recorded, with a warning. */
void explain_judge(struct explanation *e, const char *profile, const char *home, bool missing);
/* What would become of COMMAND, called here and now: the only unit of E. It may name a compiler of a fake home. */
void explain_command(struct explanation *e, const char *profile, char **command);

/* Read what the links of the work directory WORK made of their units. */
void explain_links(struct explanation *e, const char *work);
/* What they made of X: *N of them, borrowed. */
const struct linked *explain_linked(const struct explanation *e, const struct explained *x, size_t *n);
/* The directory of the library that ckjit linked for X, a link; NULL if there is none. */
const char *explain_library(const struct explanation *e, const struct explained *x);

/* What is printed. */
enum explain_form { EXPLAIN_TEXT, EXPLAIN_JSON, EXPLAIN_STOCK };
struct explain_view {
  enum explain_form form;
  bool summary;     /* of the text the summary alone */
  bool all;         /* every unit, however many there are */
  struct argv only; /* the verdicts to show; none: all */
};
/* Is WORD a verdict: lazy, ahead, a kind of record or the id of a rule? If not, *EXPECTED says what is; free() it. */
bool explain_is_verdict(const char *word, char **expected);
void explain_print(const struct explanation *e, const struct explain_view *view);

#endif
