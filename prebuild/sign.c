/* sign.c - `keygen` and `sign`: the keys of those who make entries, and their signatures. */
#include "prebuild.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/cachedir.h"
#include "core/cache/signature.h"
#include "core/cache/storage.h"

#include <fcntl.h>
#include <unistd.h>

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

/* Store the entry FILE. */
static bool upload(struct storage *s, const char *file, char **err) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  enum ckjit_kind kind;
  struct stat st;
  int fd = ckjit_open_cached(file, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  const char *why = fd < 0 ? ckjit_open_failed(errno) : ckjit_entry_read(fd, id, &kind);
  bool done = !why && storage_put(s, id, fd, (uint64_t)st.st_size, err);
  if (why)
    *err = xasprintf("%s: %s", file, why);
  if (fd >= 0)
    close(fd);
  return done;
}

int prebuild_sign(struct request *r) {
  struct cachedir_items items;
  struct storage storage = {.fd = -1};
  size_t done = 0, failed = 0;
  char *none;
  if (!r->key)
    die(EXIT_USAGE, "sign: expected --key FILE, a secret key that `ckjit keygen` made");
  if (r->upload && !storage_open(&storage, 30, &none))
    die(EXIT_FAILED, "%s",
        none ? none
             : "sign: --upload needs CK_JIT_REMOTE_STORAGE, and a server that has answered within "
               "the last minute");
  cachedir_list(&items, r->cache);
  for (size_t i = 0; i < items.n; i++) {
    autofree char *err = NULL;
    if (!items.list[i].entry)
      continue;
    if (signature_add(items.list[i].path, r->key, &err) &&
        (!r->upload || upload(&storage, items.list[i].path, &err))) {
      done++;
      continue;
    }
    complain("%s", err);
    failed++;
  }
  cachedir_list_free(&items);
  storage_close(&storage);
  printf("%zu %s signed%s, %zu failed, %s\n", done, noun(done, "entry", "entries"),
         r->upload ? " and stored" : "", failed, r->cache);
  return failed ? EXIT_FAILED : EXIT_OK;
}
