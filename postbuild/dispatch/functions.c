#include "functions.h"

/* Names are few (a dozen for all of CK's FMHA) however many blobs define them, and come in runs. */
static size_t find(const struct functions *f, const char *name, size_t n) {
  for (size_t i = f->names.n; i-- > 0;)
    if (strncmp(f->names.args[i], name, n) == 0 && !f->names.args[i][n])
      return i;
  return f->names.n;
}

void functions_add(struct functions *f, const char *name, const char *signature) {
  size_t i = find(f, name, strlen(name));
  if (i == f->names.n) {
    argv_add(&f->names, name);
    argv_add(&f->signatures, signature);
  } else if (strcmp(f->signatures.args[i], signature) != 0) {
    f->signatures.args[i][0] = 0;
  }
}

const char *functions_find_n(const struct functions *f, const char *name, size_t n) {
  size_t i = find(f, name, n);
  return i < f->names.n ? f->signatures.args[i] : NULL;
}

const char *functions_find(const struct functions *f, const char *name) {
  return functions_find_n(f, name, strlen(name));
}

void functions_free(struct functions *f) {
  argv_free(&f->names);
  argv_free(&f->signatures);
}
