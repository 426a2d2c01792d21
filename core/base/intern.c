#include "intern.h"
#include "vec.h"

#include "abi/ck_jit_abi.h"

/* The bucket of the N bytes, or the free one for them. */
static size_t bucket(const struct intern *in, const void *bytes, size_t n) {
  size_t h = (size_t)ckjit_fnv1a(bytes, n) & (in->nbuckets - 1);
  for (uint32_t number; (number = in->buckets[h]); h = (h + 1) & (in->nbuckets - 1))
    if (in->lengths[number - 1] == n && memcmp(in->texts.args[number - 1], bytes, n) == 0)
      break;
  return h;
}

static void grow(struct intern *in) {
  free(in->buckets);
  in->nbuckets = in->nbuckets ? 2 * in->nbuckets : 64;
  in->buckets = xcalloc(in->nbuckets, sizeof *in->buckets);
  for (size_t i = 0; i < in->texts.n; i++)
    in->buckets[bucket(in, in->texts.args[i], in->lengths[i])] = (uint32_t)i + 1;
}

size_t intern_bytes(struct intern *in, const void *bytes, size_t n) {
  if (2 * (in->texts.n + 1) > in->nbuckets)
    grow(in);
  size_t h = bucket(in, bytes, n);
  if (!in->buckets[h]) {
    char *copy = xmalloc(n + 1);
    if (n)
      memcpy(copy, bytes, n);
    copy[n] = 0;
    size_t lengths = in->texts.n;
    vec_push(in->lengths, lengths, n);
    argv_add_own(&in->texts, copy);
    in->buckets[h] = (uint32_t)in->texts.n;
  }
  return in->buckets[h] - 1;
}

size_t intern(struct intern *in, const char *text) {
  return intern_bytes(in, text, strlen(text));
}

bool intern_new(struct intern *in, const char *text) {
  size_t known = in->texts.n;
  return intern(in, text) == known;
}

size_t intern_find_bytes(const struct intern *in, const void *bytes, size_t n) {
  uint32_t found = in->nbuckets ? in->buckets[bucket(in, bytes, n)] : 0;
  return found ? found - 1 : SIZE_MAX;
}

size_t intern_find(const struct intern *in, const char *text) {
  return intern_find_bytes(in, text, strlen(text));
}

void intern_free(struct intern *in) {
  argv_free(&in->texts);
  free(in->lengths);
  free(in->buckets);
  *in = (struct intern){0};
}
