/* fragment.h - a device fragment: a translation unit, compiled with -fgpu-rdc, whose external
 * definitions are device functions and nothing else.
 *
 * It adds nothing to the host's code, so only device code linked with it can call it. ckjit
 * compiles it when a kernel that needs it is first called (docs/fragments.md). It is recognised by
 * its text, as a blob is (cxxscan.h):
 *
 *     // an explicit specialisation
 *     template <> __device__ float distance<euclidean>(float a, float b) {…}
 *     // an explicit instantiation
 *     template __device__ float distance<float, euclidean>(float, float);
 *     // a plain function
 *     __device__ float distance_of(point a, point b) {…}
 *     // its tag, if it has one
 *     using ckjit_fragment = euclidean;
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_FRAGMENT_H
#define CKJIT_FRAGMENT_H

#include "core/base/argv.h"
#include "cxxscan.h"

struct fragment_text {
  /* as words_render writes it; NULL if there is none */
  char *tag;
  /* for each function it defines: the last component of its name, then the words of its template
   * arguments */
  struct argv functions;
};

/* Read LEN bytes of TEXT. If they are no fragment, returns false and F is empty. */
bool fragment_read(struct fragment_text *f, const char *text, size_t len);
void fragment_free(struct fragment_text *f);

/* Append to FUNCTIONS, as fragment_text has them, the device functions that the ordinary unit S
 * defines, also those for the host as well, and its constants. */
void fragment_functions(struct argv *functions, const struct cxx_scan *s);
/* May TEXT, LEN bytes of a unit or a header, have memory on the device that can be written: a
 * variable, or a static one of a device function? Kernels that are linked apart would have one
 * each. WORDS: macros that may stand for __device__. */
bool fragment_has_memory(const char *text, size_t len, const struct argv *words);

/* Append the words of tokens BEGIN to END-1 of S, with one space before each and after the last. An
 * alias of the file is followed by the words of its target. */
void words_render(struct buf *out, const struct cxx_scan *s, uint32_t begin, uint32_t end);

/* How well a function of F ("name words…") fits the mangled name SYMBOL: 0 if the symbol is another
 * function, else 1 plus the number of its words in the symbol. */
unsigned fragment_fits(const char *function, const char *symbol);

#endif
