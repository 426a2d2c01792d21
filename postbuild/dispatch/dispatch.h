/* dispatch.h - dispatchers made cheap to compile without changing what they do.
 *
 * A dispatcher of CK is a chain of thousands of conditions, and each branch instantiates a helper template
 * with its lambdas, which the compiler inlines into one function: 983 s and 4.5 GB for bwd at receipt 600.
 * Where every use of a helper's template parameters is an argument of a blob function, its body needs only
 * those functions' addresses. It is then written once, as a function that takes them, and what stays per
 * branch is a call that passes addresses:
 *
 *     template <typename A, typename B> float helper(const stream& s, args a)
 *     { launch(s, [=]{ f<A>(s, a); }, [=]{ g<B>(s, a); }); }
 *
 * becomes
 *
 *     template <typename ckjit_F0, typename ckjit_F1> static __attribute__((noinline))
 *     float ckjit_body_0(ckjit_F0 ckjit_f0, ckjit_F1 ckjit_f1, const stream& s, args &a)
 *     { launch(s, [=]{ ckjit_f0(s, a); }, [=]{ ckjit_f1(s, a); }); }
 *     template <typename A, typename B> __attribute__((noinline))
 *     float helper(const stream& s, args a) { return ckjit_body_0(&f<A>, &g<B>, s, a); }
 *
 * And the chain itself becomes a table (table.h), whose rows the compiler reads as data.
 *
 * What is not of these forms stays as it is: slower to build, never wrong. Some of what must hold only the
 * compiler can tell, and the text makes it check that: a rewritten dispatcher that does not compile is to be
 * taken at the next lower level.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_H
#define CKJIT_DISPATCH_H

#include "core/base/argv.h"

/* The functions that blobs define: name → type, "" where that is not known or differs. Start with {0}. */
struct functions {
  struct argv names, signatures;
};

/* Note one function of one blob. */
void functions_add(struct functions *f, const char *name, const char *signature);
/* its signature, or NULL where no blob defines NAME. Borrowed. */
const char *functions_find(const struct functions *f, const char *name);
/* the same for the N bytes at NAME */
const char *functions_find_n(const struct functions *f, const char *name, size_t n);
void functions_free(struct functions *f);

enum dispatch_level {
  DISPATCH_TEXT,   /* as it is */
  DISPATCH_ERASED, /* helpers erased */
  DISPATCH_TABLES, /* and chains as tables */
};

struct dispatch_stats {
  size_t helpers; /* erased */
  size_t tables;
  size_t rows; /* of all tables */
};

/* Helpers in headers, for dispatch_rewrite. Free with dispatch_headers_free. */
struct helpers;
struct helpers *dispatch_headers(void);
/* Read one header of a dispatcher, TEXT: where it defines helpers append it to OUT with these erased and
 * return true. The dispatcher must then be compiled with OUT in the header's place. */
bool dispatch_header(struct helpers *headers, struct buf *out, const char *text, size_t len,
                     const struct functions *f);
void dispatch_headers_free(struct helpers *headers);

/* Append TEXT, rewritten, to OUT; where STATS stays {0} it is TEXT as it was. HEADERS may be NULL. */
void dispatch_rewrite(struct buf *out, const char *text, size_t len, const struct functions *f,
                      struct helpers *headers, enum dispatch_level level, struct dispatch_stats *stats);

#endif
