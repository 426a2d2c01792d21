/* compilewords.c - see compilewords.h. */
#include "compilewords.h"
#include "abi/ck_jit_access.h"
#include "core/base/env.h"
#include "core/base/install.h"
#include "core/base/number.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/cache/cachedir.h"
#include "core/cache/inputs.h"
#include "core/cc/compiler.h"
#include "core/cc/launcher.h"

#include <unistd.h>

/* The root of a manifest in a work directory is a name from the time of the build: another user may
 * have made it since. Returns why it is not trusted; free() it. NULL: it is. */
static char *root_distrust(const struct request *r) {
  bool said = r->root_given || env_get("CK_JIT_ROOT") || !*r->m->root;
  return said || !file_is_dir(r->root) ? NULL : trust_why(r->root);
}

char *compile_program(const struct request *r) {
  autofree char *why = root_distrust(r);
  char *program = path_join(r->root, "ckjit-compile");
  if (!why && ckjit_may(program, X_OK))
    return program;
  free(program);
  return why ? NULL : install_program("ckjit-compile");
}

char *find_compile(const struct request *r) {
  autofree char *why = root_distrust(r);
  if (why)
    die(EXIT_FAILED,
        "%s, the root that %s names, is not used: another user could have put it there\n%s\npass "
        "--root with the ck_jit directory of an install, or with this directory if you trust it",
        r->root, r->m->file, why);
  char *program = compile_program(r);
  if (!program)
    die(EXIT_FAILED,
        "ckjit-compile is neither in %s nor beside this program; install ckjit again, or "
        "pass --root",
        r->root);
  return program;
}

void add_option(struct argv *command, const char *option, char *value) {
  argv_add(command, option);
  argv_add_own(command, value);
}

/* The lists of inputs of GROUP: of a library with a bundle they are in it, and ckjit-compile finds
 * the right one there; free() it. */
static char *lists_of(const struct request *r, const struct manifest_group *group) {
  char *list = manifest_inputs(r->m, group, r->root);
  if (!list || !r->bundle || file_exists(list) || !inputs_in_library(r->bundle))
    return list;
  free(list);
  return xstrdup(r->bundle);
}

void compile_words(struct argv *command, const struct request *r, const struct manifest_blob *blob,
                   const char *program, const char *archs, const uint8_t id[CKJIT_BUILD_ID_SIZE],
                   bool inputs) {
  const struct manifest_group *group = &r->m->groups[blob->group];
  char hex[CKJIT_BUILD_ID_HEX_SIZE], *list = inputs ? lists_of(r, group) : NULL;
  ckjit_build_id_hex(hex, id);
  argv_add(command, program);
  if (r->bundle)
    add_option(command, "--bundle", xstrdup(r->bundle));
  add_option(command, "--blob-source", manifest_expand(blob->source, r->root));
  add_option(command, "--blob-flags", argv_join(group->flags.args));
  add_option(command, "--link-flags", argv_join(group->link.args));
  add_option(command, "--root", xstrdup(r->root));
  if (list)
    add_option(command, "--inputs", list);
  add_option(command, "--arch", xstrdup(archs));
  add_option(command, "--build-id", xstrdup(hex));
  /* The build's compiler, because its version is in the key. Another one only if the user requests
   * it, or if the build's is missing. */
  const struct compiler *kind = manifest_kind(r->m, group);
  const char *compiler = manifest_compiler(r->m, group);
  if (r->m->kind_is_said || group->kind ||
      kind->all_apart) /* ckjit-compile queries no program of unknown origin for its steps */
    add_option(command, "--kind", xstrdup(kind->kind));
  if (!env_get(kind->variable) && compiler)
    add_option(command, "--build-hipcc", xstrdup(compiler));
  if (message_is_colored()) /* its output is a pipe, and this process prints it */
    argv_add(command, "--color=always");
  if (r->verbose)
    argv_add(command, "--verbose");
}

static bool is_seconds(const char *variable, char **err) {
  double seconds;
  const char *text = env_get(variable);
  return !text || number_seconds(variable, text, &seconds, err);
}

void check_settings(void) {
  autofree_argv launcher = {0};
  struct cachedir_limits limits;
  char *err;
  if (!launcher_read(&launcher, &err) || !cachedir_limits(&limits, &err) ||
      !is_seconds("CK_JIT_COMPILE_TIMEOUT", &err) || !is_seconds("CK_JIT_LOCK_PATIENCE", &err))
    die(EXIT_FAILED, "%s", err);
}
