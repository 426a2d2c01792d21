/* sign.c - `keygen` and `sign`: the keys of those who make entries, and their signatures. */
#include "prebuild.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/cachedir.h"
#include "core/cache/signature.h"

#include <stdio.h>
#include <stdlib.h>

int prebuild_keygen(struct request *r) {
  char *err;
  if (r->names.n != 1)
    die(EXIT_USAGE, "keygen: expected one FILE, which will be the secret key");
  const char *file = r->names.args[0];
  if (!signature_keygen(file, &err))
    die(EXIT_FAILED, "%s", err);
  printf("%s: the secret key, for `ckjit sign`; keep it where only those who make entries can read "
         "it\n%s.pub: the public key, a line for the file that CK_JIT_TRUST_KEYS names\n",
         file, file);
  return EXIT_OK;
}

int prebuild_sign(struct request *r) {
  struct cachedir_items items;
  size_t done = 0, failed = 0;
  if (!r->key)
    die(EXIT_USAGE, "sign: expected --key FILE, a secret key that `ckjit keygen` made");
  cachedir_list(&items, r->cache);
  for (size_t i = 0; i < items.n; i++) {
    char *err;
    if (!items.list[i].entry)
      continue;
    if (signature_add(items.list[i].path, r->key, &err)) {
      done++;
      continue;
    }
    complain("%s", err);
    free(err);
    failed++;
  }
  cachedir_list_free(&items);
  printf("%zu %s signed, %zu failed, %s\n", done, noun(done, "entry", "entries"), failed, r->cache);
  return failed ? EXIT_FAILED : EXIT_OK;
}
