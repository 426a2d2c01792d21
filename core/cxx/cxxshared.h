/* cxxshared.h - finds the names in headers that lead to variables of which a library has one copy.
 *
 *     inline int& shared() { static int n; return n; }              shared → n
 *     template <class T> struct hits { static int n; };             hits, n → n
 *     namespace settings { inline int level = 0; }                  level → level
 *     template <class T> int run(T x) { return ++shared() + x; }    run → n
 *
 * cxx_shared_lead answers the same question for variables that other units of the library define:
 * which names in headers lead to them.
 *
 * The linker keeps one copy of each such variable, although several objects of a library contain
 * it. Variables that are constexpr or of internal linkage do not count: either each unit has its
 * own anyway, or nobody can tell the copies apart.
 *
 * The headers are read as text, each one alone. A declaration is assumed to use everything that it
 * mentions, and a name is the same in every namespace. So more names are found than really lead to
 * a variable; the caller asks the compiler. What a macro of a header expands to is not seen, but a
 * macro that mentions one of the names leads there.
 *
 * Thread safety: a struct cxx_shared belongs to one thread at a time.
 */
#ifndef CKJIT_CXXSHARED_H
#define CKJIT_CXXSHARED_H

#include "core/base/intern.h"

/* Start with {0}. */
struct cxx_shared {
  struct intern words;
  struct cxx_mention {
    /* The name that the text declares, as the number of a word … */
    size_t name;
    /* … and the position in ids of the words that it mentions. */
    size_t first, n;
    enum cxx_mention_kind {
      CXX_MENTION, /* its text */
      /* the types of a function without a body, a variable, an alias */
      CXX_MENTION_TYPE,
      /* An operator outside of a class; name is a word of its parameters. */
      CXX_MENTION_OPERATOR,
    } kind;
  } * mentions;
  size_t nmentions;
  size_t *ids, nids;
  /* for each word; set by cxx_shared_close */
  bool *leads;
  /* for each variable: the word that leads to it */
  size_t *seeds, nseeds;
  /* names of the variables, in no order */
  struct argv variables;
  /* for each word so far: */
  struct cxx_use {
    /* a template's function without a body; one with a body */
    bool declared, defined;
    bool left; /* to another unit: extern template */
    /* any function without a body, a variable that another unit has; any function with one */
    bool bodiless, bodied;
    /* One without a body outside of a class. */
    bool outside;
    bool klass; /* a class or an enumeration */
  } * uses;
  size_t nuses;
};

/* Add what a header declares. A text that is not understood adds nothing. */
void cxx_shared_add(struct cxx_shared *s, const char *text, size_t len);
/* All headers are added: find the names that lead to variables. False if there are no variables. */
bool cxx_shared_close(struct cxx_shared *s);
/* The same for the names that lead to one of WORDS, which other units define: functions, variables,
 * classes with operators. The names of their types lead there as well, because `auto a = make(); a
 * + 1` names no more than make. Returns false if no header has one of WORDS. */
bool cxx_shared_lead(struct cxx_shared *s, const struct argv *words);
/* Appends the words of TEXT that lead to the targets of the last question, once each. */
void cxx_shared_find(const struct cxx_shared *s, struct argv *out, const char *text);
/* Returns what is known of NAME, or NULL if nothing is. The result is borrowed until the next
 * header is added. */
const struct cxx_use *cxx_shared_use(const struct cxx_shared *s, const char *name);
/* May the body of a template called NAME, or of its members, be in another unit, which instantiates
 * it explicitly? */
bool cxx_shared_elsewhere(const struct cxx_shared *s, const char *name);
void cxx_shared_free(struct cxx_shared *s);

#endif
