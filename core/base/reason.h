/* reason.h - why the wrapper classified a unit as it did: the rule that decided, and the place in
 * the source.
 *
 * The rules are one table (reason.c), each with a permanent id, a sentence and advice. The scanner
 * (core/cxx), the wrapper and the profile give them; a record holds the id (core/files/record.h);
 * `ckjit explain` prints the rest. docs/explain.md has a row for each; test/explain.sh tries each.
 *
 * Thread safety: constants only.
 */
#ifndef CKJIT_REASON_H
#define CKJIT_REASON_H

#include "base.h"

enum rule {
  /* not given: a record of an earlier ckjit, or not a unit */
  RULE_NONE,
  /* The content makes it lazy. */
  RULE_SPECIALISATIONS,
  RULE_NAMESAKE,
  RULE_LATE,
  RULE_FRAGMENT,
  RULE_UNIT,
  /* The content makes it a host source. */
  RULE_FUNCTION,
  RULE_VARIABLE,
  RULE_INITIALISER,
  RULE_CLASS_VARIABLE,
  RULE_ASM,
  RULE_OWN_TEMPLATE,
  RULE_FOREIGN_KERNEL,
  RULE_EXPLICIT_CLASS,
  RULE_EXPLICIT_VARIABLE,
  RULE_EXPLICIT_MEMBER,
  RULE_EXPLICIT_KERNEL,
  RULE_EXPLICIT_DEVICE,
  RULE_EXPLICIT_OPERATOR,
  RULE_EXPLICIT_CONSTEXPR,
  RULE_EXPLICIT_INTERNAL,
  /* The content leaves a doubt. */
  RULE_NOTHING,
  RULE_MACRO,
  RULE_DELETED,
  RULE_DECLARATOR,
  RULE_CONDITIONAL,
  RULE_NOT_READ,
  /* The profile decides. */
  RULE_YES,
  RULE_NO,
  RULE_FAMILY,
  RULE_DISPATCHER,
  /* The call decides. */
  RULE_UNREADABLE,
  RULE_LANGUAGE,
  RULE_SOURCES,
  RULE_LINKS,
  RULE_INPUTS,
  RULE_OUTPUTS,
  RULE_ENVIRONMENT,
  RULE_RESPONSE_FILE,
  RULE_NAME,
  RULE_STREAM,
  RULE_REFUSED,
  RULE_OBJECT,
  RULE_TAKES,
  RULE_OPTION_FILE,
  RULE_MACHINE,
  NRULES
};

struct rule_row {
  const char *id; /* a word, as in a record */
  /* with about_text "is …" for the text at the place; otherwise for the unit or the call */
  const char *says;
  bool about_text;
  /* how to make the unit lazy; NULL if it is lazy */
  const char *advice;
};

/* The row of RULE; never NULL. */
const struct rule_row *rule_row(enum rule rule);
/* The rule of that id; RULE_NONE if there is none, as in a record of a later ckjit. */
enum rule rule_by_id(const char *id);

enum { REASON_TEXT = 96 }; /* bytes of a place's text, with its NUL */

struct reason {
  enum rule rule;
  uint32_t line; /* of the source; 0: no line */
  /* the text there, on one line, cut if it is longer; "": nothing to show */
  char text[REASON_TEXT];
};

/* Append R's sentence to OUT: "`int f()` is an external definition". */
void reason_sentence(struct buf *out, const struct reason *r);
/* Make TEXT (LEN bytes) the text of R: white space and control characters become single spaces, and
 * a longer text ends with "...". */
void reason_text(struct reason *r, const char *text, size_t len);

#endif
