/* fragment.h - a device fragment: a translation unit, compiled with -fgpu-rdc, whose external definitions are
 * device functions and nothing else.
 *
 * Nothing of it is in the host's code, so nothing can call it but device code that is linked with it. ckjit
 * compiles it when a kernel that needs it is called first (docs/fragments.md). It is told by its text, as a
 * blob is (cxxscan.h):
 *
 *     template <> __device__ float distance<euclidean>(float a, float b) {…}     explicit specialisation
 *     template __device__ float distance<float, euclidean>(float, float);        explicit instantiation
 *     __device__ float distance_of(point a, point b) {…}                         plain function
 *     using ckjit_fragment = euclidean;                                          its tag, if it has one
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_FRAGMENT_H
#define CKJIT_FRAGMENT_H

#include "core/base/argv.h"
#include "cxxscan.h"

struct fragment_text {
  char *tag; /* as words_render says it; NULL if there is none */
  /* of each that it defines: its last name, then the words of its template arguments */
  struct argv functions;
};

/* Read LEN bytes of TEXT; false, and F empty, if they are no fragment. */
bool fragment_read(struct fragment_text *f, const char *text, size_t len);
void fragment_free(struct fragment_text *f);

/* The words of tokens BEGIN to END-1 of S, one space before each and after the last; aliases of the file are
 * followed by what they stand for. */
void words_render(struct buf *out, const struct cxx_scan *s, uint32_t begin, uint32_t end);

/* How well a function of F ("name words…") fits the mangled name SYMBOL: 0 if it is another function's,
 * else 1 and how many of its words are in it. */
unsigned fragment_fits(const char *function, const char *symbol);

#endif
