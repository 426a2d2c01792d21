#include "intern.h"

#include "abi/ck_jit_abi.h"

#include <stdlib.h>
#include <string.h>

/* where TEXT is, or would be */
static size_t bucket(const struct intern *in, const char *text) {
  size_t h = ckjit_fnv1a(text, strlen(text)) % in->nbuckets;
  while (in->buckets[h] && strcmp(in->texts.args[in->buckets[h] - 1], text) != 0)
    h = (h + 1) % in->nbuckets;
  return h;
}

static void grow(struct intern *in) {
  free(in->buckets);
  in->nbuckets = in->nbuckets ? 2 * in->nbuckets : 64;
  in->buckets = xcalloc(in->nbuckets, sizeof *in->buckets);
  for (size_t i = 0; i < in->texts.n; i++)
    in->buckets[bucket(in, in->texts.args[i])] = (uint32_t)i + 1;
}

size_t intern(struct intern *in, const char *text) {
  if (2 * (in->texts.n + 1) > in->nbuckets)
    grow(in);
  size_t h = bucket(in, text);
  if (!in->buckets[h]) {
    argv_add(&in->texts, text);
    in->buckets[h] = (uint32_t)in->texts.n;
  }
  return in->buckets[h] - 1;
}

size_t intern_find(const struct intern *in, const char *text) {
  uint32_t found = in->nbuckets ? in->buckets[bucket(in, text)] : 0;
  return found ? found - 1 : SIZE_MAX;
}

void intern_free(struct intern *in) {
  argv_free(&in->texts);
  free(in->buckets);
  *in = (struct intern){0};
}
