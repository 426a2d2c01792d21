#include "cuid.h"
#include "core/base/childenv.h"
#include "core/cache/artefact.h"
#include "core/cache/key.h"

/* what clang's driver edits its command line by; '#': silently, '^': in front */
#define VARIABLE "CCC_OVERRIDE_OPTIONS"

bool cuid_is_given(const struct compile_task *t) {
  return argv_has_prefix(&t->flags, "-cuid=") || argv_has_prefix(&t->flags, "-fuse-cuid=");
}

/* "-cuid=ID"; free() it. NULL: COMMAND compiles no HIP, or the user has chosen one. */
static char *word(const struct compile_task *t, const struct argv *command) {
  char digest[DIGEST_HEX];
  autofree char *text = NULL;
  bool hip = argv_has(command, "-xhip");
  for (size_t i = 0; i + 1 < command->n; i++)
    hip |= strcmp(command->args[i], "-x") == 0 && strcmp(command->args[i + 1], "hip") == 0;
  if (!hip || !t->kind->clang || cuid_is_given(t))
    return NULL;
  struct artefact_name name = {.stem = strlen(t->stem)};
  if (t->kernel) /* its unit's: a front end's result serves all kernels of one */
    artefact_stem_read(&name, t->stem);
  text = xasprintf("%.*s %.*s", (int)name.stem, t->stem, t->fragment ? 2 * CKJIT_KEY_SIZE : 0, t->hex);
  digest_bytes(digest, text, strlen(text));
  return xasprintf("-cuid=%.16s", digest);
}

void cuid_add_word(struct argv *command, const struct compile_task *t) {
  autofree char *cuid = t->kind_is_known ? word(t, command) : NULL;
  if (cuid)
    argv_add(command, cuid);
}

/* whether CK_JIT_COMPILE_ENV lets one through */
static bool has_variable(const struct argv *env) {
  return argv_has_prefix(env, VARIABLE "=");
}

void cuid_add_variable(struct argv *env, const struct compile_task *t, const struct argv *command) {
  autofree char *cuid =
      strcmp(command->args[0], t->compiler) == 0 && !has_variable(env) ? word(t, command) : NULL;
  if (cuid) {
    autofree char *value = xasprintf("#^%s", cuid);
    childenv_set(env, VARIABLE, value);
  }
}
