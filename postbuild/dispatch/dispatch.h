/* dispatch.h - dispatchers made cheap to compile without changing their behaviour.
 *
 * A dispatcher of CK is a chain of thousands of conditions, and each branch instantiates a helper
 * template with its lambdas. The compiler inlines all of them into one function: 983 s and 4.5 GB
 * for bwd at receipt 600. Two rewrites help.
 *
 * The helper is *erased* (helper.h). If its template parameters are only ever arguments of blobs'
 * functions, its body needs nothing but these functions' addresses. It is then written once, as a
 * function that takes them, and each branch is a call that passes addresses:
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
 * The chain becomes a *table* (table.h), whose rows the compiler reads as data.
 *
 * Code of other forms stays as it is: slower to build, never wrong. Some conditions of a rewrite
 * can only be checked by the compiler, and the written text makes it do so. If a rewritten
 * dispatcher does not compile, the caller takes the next lower level.
 *
 * The steps: text.h answers questions about tokens; helper.c finds and reads helpers, erase.c
 * writes them erased; chain.h finds chains, condition.h (with effects.h) reads their conditions and
 * leaf.h their bodies, table.h makes a table of both, and emit.h writes it, with the search for the
 * row from diagram.h.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_H
#define CKJIT_DISPATCH_H

#include "functions.h"

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
/* Read TEXT, a header of a dispatcher. If it defines helpers, append it to OUT with these erased
 * and return true: the dispatcher must then be compiled with OUT in place of the header. */
bool dispatch_header(struct helpers *headers, struct buf *out, const char *text, size_t len,
                     const struct functions *f);
void dispatch_headers_free(struct helpers *headers);

/* Appends TEXT, rewritten, to OUT. If STATS is {0} afterwards, TEXT was appended unchanged. HEADERS
 * may be NULL. */
void dispatch_rewrite(struct buf *out, const char *text, size_t len, const struct functions *f,
                      struct helpers *headers, enum dispatch_level level, struct dispatch_stats *stats);

#endif
