/* cxxjudge.h - the internals of cxxstate.h: decides what an initialiser may use without a visible
 * effect. cxxnames.c reads names and looks them up in the unit's items, its macros and its
 * using-declarations for std; cxxstate.c judges types, variables, expressions and the bodies of
 * functions.
 *
 * All places are tokens of the text, ends exclusive. Thread safety: a struct judge belongs to one
 * thread.
 */
#ifndef CKJIT_CXXJUDGE_H
#define CKJIT_CXXJUDGE_H

#include "cxxscan.h"
#include "cxxshape.h"
#include "cxxstd.h"

/* A generated file may have a table of 100,000 names, or as many declarations, each of which would
 * be compared with each item: such a file is a host source. LOCALS: of one initialiser. */
enum { MAX_DEPTH = 24, MAX_LOOKUPS = 3000000, MAX_BEFORE = 5000, MAX_LOCALS = 64 };

struct judge {
  const struct cxx_scan *s;
  const struct cxx_text *t;
  size_t nitems; /* The items before the declaration. */
  size_t lookups;
  /* Tokens that declare names in the judged code. */
  uint32_t locals[MAX_LOCALS];
  unsigned nlocals, depth;
  /* has the unit using std::… or using namespace std;? -1: no, 0: not known yet */
  signed char opens;
  /* A '<' without a closing '>' was seen; no other is tried. */
  bool comparison;
  /* <…> of the class template that is read */
  uint32_t params, params_end;
};

/* A name with its qualifiers and template arguments. */
struct name {
  uint32_t begin, last; /* first identifier, last one */
  /* inside of <…>; equal if there is none */
  uint32_t args, args_end;
  uint32_t end;
  /* The first word in std: the one after std::, or BEGIN if the unit opens std for it. 0 if the
   * name is not in std. */
  uint32_t in_std;
};

/* ---- cxxnames.c ---- */

/* Read the name at token I, an identifier or the :: before one. False if there is none. */
bool judge_name(struct judge *j, uint32_t i, uint32_t end, struct name *n);
/* Are the tokens BEGIN to LAST, that included, TEXT? */
bool judge_name_is(const struct judge *j, uint32_t begin, uint32_t last, const char *text);
/* The row of cxxstd.h for a name of std; NULL if there is none. */
const struct cxx_std_type *judge_std_type(const struct judge *j, const struct name *n);
/* Is token I one of WORDS, which end with NULL? */
bool judge_in(const struct judge *j, uint32_t i, const char *const *words);
/* Are tokens A and B the same word? */
bool judge_same(const struct judge *j, uint32_t a, uint32_t b);
/* The end of the declarator, initialiser or argument that begins at I: the , or ; after it. */
uint32_t judge_comma(struct judge *j, uint32_t i, uint32_t end);
/* The first C from I on; END if there is none. */
uint32_t judge_find(const struct judge *j, uint32_t i, uint32_t end, char c);
/* The next item of the unit, from *K on, whose name ends with the word NAME; NULL if there is
 * none. */
const struct cxx_item *judge_own(struct judge *j, uint32_t name, size_t *k);
/* Is token I static, const, struct or a similar word, which does not describe a type? */
bool judge_specifier(const struct judge *j, uint32_t i);
/* The first name that BEGIN to END-1 declare: the first identifier that cannot be part of the type.
 * END if there is none. */
uint32_t judge_declared(struct judge *j, uint32_t begin, uint32_t end);

/* Is WORD a macro of the unit that stands for literals and its arguments, which are judged where
 * they stand? */
bool judge_macro(struct judge *j, uint32_t word);

#endif
