/* kernelkey.c - the key of a unit's kernels. It covers the device's text for each architecture, the
 * words of the device's command, and the compiler's files, but nothing of the host side.
 *
 * The cuid is made from that and from the call as it is written. Two objects of one library have
 * different ones, as with the real compiler, because a symbol of the object contains it; and a
 * build in another directory gets the same one if it names its files the same way.
 */
#include "unit.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cache/toolchain.h"
#include "core/cc/ccenv.h"
#include "core/files/unitkey.h"

enum { CUID_HEX = 16 };

/* The digest of the compiler's files; free() it. The compiler is queried with the variables that a
 * first launch will start it with, and the post-build linker's memo saves the hashing. */
static char *compiler_digest(const struct unit *u) {
  struct inputs in = {0};
  struct argv env = {0};
  char *const *before = pool_environment;
  autofree char *name = xstrdup(u->record.compiler);
  for (char *p = name; *p; p++)
    if (*p == '/')
      *p = '-';
  autofree char *memo = xasprintf("%s/.compilers/%s", u->work, name),
                *ccbin = record_ccbin(&u->record);
  ccenv_toolchain(&in.environment, u->record.compiler_kind);
  ccenv_make(&env, &in.environment, NULL);
  pool_environment = env.args;
  toolchain_read(&in, u->record.compiler, u->record.compiler_kind, u->record.archs.args[0], ccbin,
                 memo);
  pool_environment = before;
  inputs_key_environment(&in, false);
  return xstrdup(in.compiler);
}

static void put_words(struct buf *out, const char *what, const struct argv *words) {
  autofree char *text = argv_join(words->args);
  buf_printf(out, "%s %s\n", what, text);
}

bool unit_key(struct unit *u) {
  autofree_buf texts = {0}, call = {0};
  enum cc_dialect dialect = u->record.compiler_kind->dialect;
  char key[DIGEST_HEX];
  autofree char *compiler = u->compiler ? xstrdup(u->compiler) : compiler_digest(u);
  unit_device_words(u);
  unitkey_texts(&texts, u->texts, u->ntexts);
  unitkey_make(key, &texts, dialect, u->record.device.args, compiler);

  buf_printf(&call, "device %s\n", key);
  put_words(&call, "call", &u->record.args);
  digest_bytes(u->cuid, call.data, call.len);
  u->cuid[CUID_HEX] = 0;
  argv_free(&u->record.device);
  unit_device_words(u); /* with the cuid: names of static kernels contain it */

  unitkey_make(key, &texts, dialect, u->record.device.args, compiler);
  u->record.key = xstrdup(key);
  u->record.device_text = xasprintf("%s/" UNITTEXT_DIR "/%s" UNITTEXT_EXT, u->work, key);
  return !u->text_of || strcmp(key, u->text_of) == 0 ||
         unit_not_lazy(u, "its source, a header, an option or the compiler has changed");
}
