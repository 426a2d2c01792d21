/* key.c - the key of a unit's kernels: the device's text for each architecture, the words of the device's command, and
 * what the compiler consists of. Nothing of the host's side is in it.
 *
 * The cuid is made from that and from the call as it is written. Two objects of one library have different ones, as
 * with the real compiler, because a symbol of the object is named by it; and a build in another directory has the same
 * if it names its files the same way.
 */
#include "unit.h"
#include "abi/ck_jit_abi.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cache/toolchain.h"
#include "core/cc/ccenv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUID_HEX = 16 };

/* Append the digest of the files that the compiler consists of. It is asked with what a first launch will start it with, and the
 * post-build linker's memo saves the hashing. */
static void put_compiler(struct buf *out, const struct unit *u) {
  struct inputs in = {0};
  struct argv env = {0};
  char *const *before = pool_environment;
  char *name = xstrdup(u->record.compiler);
  for (char *p = name; *p; p++)
    if (*p == '/')
      *p = '-';
  char *memo = xasprintf("%s/.compilers/%s", u->work, name);
  ccenv_toolchain(&in.environment, u->record.compiler_kind);
  ccenv_make(&env, &in.environment, NULL);
  pool_environment = env.args;
  toolchain_read(&in, u->record.compiler, u->record.compiler_kind, u->record.archs.args[0], memo);
  pool_environment = before;
  inputs_key_environment(&in, false);
  buf_printf(out, "compiler %s\n", in.compiler);
  free(memo);
  free(name);
}

static void put_texts(struct buf *out, const struct unit *u) {
  for (size_t i = 0; i < u->record.archs.n; i++) {
    const struct unittext *t = &u->texts[i];
    uint8_t digest[UNITTEXT_DIGEST];
    unittext_digest(digest, t->text, t->len);
    buf_printf(out, "text %s ", t->arch);
    for (size_t k = 0; k < sizeof digest; k++)
      buf_printf(out, "%02x", digest[k]);
    buf_putc(out, '\n');
  }
}

static void put_words(struct buf *out, const char *what, const struct argv *words) {
  char *text = argv_join(words->args);
  buf_printf(out, "%s %s\n", what, text);
  free(text);
}

bool unit_key(struct unit *u) {
  struct buf device = {0}, call = {0};
  struct argv flags = {0};
  char key[DIGEST_HEX];
  unit_device_words(u);
  key_flags(&flags, u->record.compiler_kind->dialect, u->record.device.args);
  buf_printf(&device, "ckjit-unit=1 %d\n", CKJIT_ABI_FORMAT);
  put_texts(&device, u);
  put_words(&device, "device", &flags);
  put_compiler(&device, u);

  buf_add(&call, device.data, device.len);
  put_words(&call, "call", &u->record.args);
  digest_bytes(u->cuid, call.data, call.len);
  u->cuid[CUID_HEX] = 0;
  argv_free(&u->record.device);
  unit_device_words(u);

  buf_printf(&device, "cuid %s\n", u->cuid);
  digest_bytes(key, device.data, device.len);
  u->record.key = xstrdup(key);
  u->record.device_text = xasprintf("%s/" UNITTEXT_DIR "/%s" UNITTEXT_EXT, u->work, key);
  buf_free(&device);
  buf_free(&call);
  argv_free(&flags);
  return true;
}
