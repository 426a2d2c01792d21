/* hostbodies.c - see hostbodies.h.
 *
 * Declarations are read one after another from the outline that cxxshape.h gives; namespaces and
 * extern "C" { are entered, classes are not. If a declaration has no outline, the rest of the text
 * is left alone.
 *
 * clang takes more functions for a device's than those that say so: constexpr ones, and all between
 * `#pragma clang force_cuda_host_device begin` and `end`, which its own wrappers of <complex> and
 * <algorithm> have. `#pragma clang attribute` may do the same to whatever it names.
 */
#include "hostbodies.h"
#include "cxxshape.h"
#include "core/base/vec.h"

/* where functions are the device's, too: bytes of the text */
struct region {
  size_t from, to;
};

struct finder {
  const struct cxx_text *t;
  struct region *shared;
  size_t nshared;
  struct host_body *found;
  size_t n;
};

/* ---- directives ---- */

static bool has(const char *s, size_t n, const char *word) {
  return memmem(s, n, word, strlen(word)) != NULL;
}

/* False if a directive may make any function a device's. */
static bool read_regions(struct finder *f, const struct cxx_tok *directives, size_t n) {
  size_t depth = 0;
  f->shared = xcalloc(n + 1, sizeof *f->shared);
  for (size_t i = 0; i < n; i++) {
    const char *s = f->t->text + directives[i].at;
    size_t len = directives[i].len;
    if (has(s, len, "attribute") && has(s, len, "clang"))
      return false;
    if (!has(s, len, "force_cuda_host_device"))
      continue;
    if (has(s, len, "begin") && depth++ == 0)
      f->shared[f->nshared++] = (struct region){directives[i].at, f->t->len};
    else if (has(s, len, "end") && depth && --depth == 0)
      f->shared[f->nshared - 1].to = directives[i].at;
  }
  return true;
}

static bool is_shared(const struct finder *f, uint32_t i) {
  for (size_t k = 0; k < f->nshared; k++)
    if (f->t->toks[i].at >= f->shared[k].from && f->t->toks[i].at < f->shared[k].to)
      return true;
  return false;
}

/* ---- one definition ---- */

/* Is one of the tokens from I to END-1 a word that says what is the device's, or that a function's
 * head has if its body is more than what the function does? */
static bool says_more(const struct cxx_text *t, uint32_t i, uint32_t end) {
  static const char *const words[] = {
      "template",   "constexpr",   "consteval", "auto",   "decltype", "requires",   "concept",
      "friend",     "typedef",     "using",     "asm",    "__asm__",  "__declspec", "try",
      "operator",   "device",      "host",      "global", "__host__", "__device__", "__global__",
      "__decltype", "__auto_type", "typeof",    "typeid", "__typeof", "__typeof__", "__constexpr",
  };
  for (; i < end; i++)
    if (CXX_ONE_OF(t, i, words))
      return true;
  return false;
}

/* Is something of a device declared between the tokens I and END? */
static bool has_device(const struct cxx_text *t, uint32_t i, uint32_t end) {
  static const char *const words[] = {"device",     "constant",     "managed",     "global",
                                      "__device__", "__constant__", "__managed__", "__global__"};
  for (; i < end; i++) {
    if (!cxx_is(t, i, "__attribute__") && !cxx_is(t, i, "__attribute"))
      continue;
    for (uint32_t k = i, behind = cxx_skip_group(t, i + 1, end); k < behind; k++)
      if (CXX_ONE_OF(t, k, words))
        return true;
  }
  return false;
}

/* Is there a list of a constructor's initialisers from I to END? */
static bool has_initialisers(const struct cxx_text *t, uint32_t i, uint32_t end) {
  for (; i < end; i++)
    if (cxx_punct(t, i) == ':')
      return true;
  return false;
}

/* The definition that begins at I has the shape D. */
static void look_at(struct finder *f, uint32_t i, const struct cxx_shape *d) {
  const struct cxx_text *t = f->t;
  if (!d->body || d->assign || d->op || d->klass_body || says_more(t, i, d->body) ||
      has_initialisers(t, d->params_end, d->body))
    return;
  uint32_t behind = cxx_skip_group(t, d->body, t->n);
  if (!cxx_ident(t, i) || behind > d->end || d->end - behind > 1 || !cxx_is(t, behind - 1, "}") ||
      has_device(t, d->body, behind) || is_shared(f, d->body))
    return;
  vec_push(f->found, f->n, (struct host_body){d->body, behind - 1});
}

/* ---- all of them ---- */

/* Returns the token after the template<…> at I, of which several may follow each other; I itself if
 * there is none. */
static uint32_t behind_templates(const struct cxx_text *t, uint32_t i) {
  for (uint32_t behind; cxx_is(t, i, "template") && cxx_punct(t, i + 1) == '<'; i = behind)
    if (!(behind = cxx_skip_angles(t, i + 1, t->n)))
      break;
  return i;
}

struct host_body *hostbodies_find(const struct cxx_text *t, const struct cxx_tok *directives,
                                  size_t n, size_t *count) {
  struct finder f = {.t = t};
  struct cxx_shape d;
  struct cxx_opening opening;
  for (uint32_t i = read_regions(&f, directives, n) ? 0 : t->n, behind; i < t->n;) {
    char c = cxx_punct(t, i);
    if (c == ';' || c == '}' || cxx_is(t, i, "__extension__")) {
      i++;
      /* the body after a constraint, `f() requires requires { … } {`, whose braces the outline took
     * for the body */
    } else if (c == '{') {
      i = cxx_skip_group(t, i, t->n);
    } else if (cxx_opens(t, i, &opening)) {
      i = opening.body;
    } else if (cxx_shape_read(t, (behind = behind_templates(t, i)), t->n, &d)) {
      if (behind == i)
        look_at(&f, i, &d);
      i = d.end;
    } else {
      break;
    }
  }
  free(f.shared);
  *count = f.n;
  return f.found;
}
