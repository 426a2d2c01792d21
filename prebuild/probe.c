/* probe.c - does the compiler know the architectures?
 *
 * An unknown architecture makes every compile fail, thousands of them in minutes. So each is tried
 * once, before anything is compiled: with the command line of a blob, for which the compiler only
 * prints its steps. Other errors of the compiler are ignored here: each compile will report them,
 * and some may succeed.
 */
#include "probe.h"
#include "abi/ck_jit_access.h"
#include "compilewords.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/vec.h"
#include "core/files/exportformat.h"

#include <unistd.h>

/* An architecture, and the compiler's answer. */
struct known {
  char *arch;
  bool refused;
  struct buf said;
};

/* A requested blob of GROUP whose source can be read; NULL: none. */
static const struct manifest_blob *blob_of(const struct request *r, size_t group) {
  for (size_t i = 0; i < r->nblobs; i++) {
    autofree char *source = r->blobs[i]->group == group && !r->blobs[i]->unit
                                ? manifest_expand(r->blobs[i]->source, r->root)
                                : NULL;
    bool readable = source && ckjit_may(source, R_OK);
    if (readable)
      return r->blobs[i];
  }
  return NULL;
}

/* Is the compiler's message about ARCH? Its words follow the first line of ckjit-compile's message.
 * nvcc names compute_999 if it was given sm_999. */
static bool is_about(const struct buf *said, const char *arch) {
  const char *words = said->len ? strchr(said->data, '\n') : NULL;
  autofree char *name = xstrndup(arch, ckjit_arch_base(arch, strlen(arch)));
  const char *digits = strchr(name, '_');
  return words && strstr(words, digits ? digits : name);
}

static void ask(const struct request *r, const char *program, const struct manifest_blob *blob,
                struct known *k) {
  autofree_argv command = {0};
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  ckjit_artefact_id(id, CKJIT_KIND_BLOB, blob->key, k->arch);
  compile_words(&command, r, blob, program, k->arch, id, false);
  add_option(&command, "--format", xstrdup(export_format_name(EXPORT_CODE_OBJECT)));
  argv_add(&command, "--probe");
  add_option(&command, "--output", path_join(r->cache, "probe")); /* is not written */
  struct job job = {.args = command.args};
  pool_run(&job, 1, 1, NULL, NULL);
  k->refused = job.status && is_about(&job.output, k->arch);
  k->said = k->refused ? job.output : (struct buf){0};
  if (!k->refused)
    buf_free(&job.output);
}

static bool is_known(const struct known *list, size_t n, const char *arch, size_t len) {
  for (size_t i = 0; i < n; i++)
    if (strlen(list[i].arch) == len && memcmp(list[i].arch, arch, len) == 0)
      return true;
  return false;
}

/* The library's own architectures are known to its compiler. */
static bool is_needed(const struct request *r) {
  return r->arch || env_get("CK_JIT_ARCH");
}

bool probe_archs(const struct request *r, const char *program) {
  if (!is_needed(r))
    return true;
  autofree struct known *list = NULL;
  size_t n = 0;
  for (size_t group = 0; group < r->m->ngroups; group++) {
    const struct manifest_blob *blob = blob_of(r, group);
    for (size_t i = 0; blob && i < r->archs[group].n; i++) {
      const char *at = r->archs[group].args[i], *word;
      for (size_t len; (word = ckjit_arch_next(&at, &len));) {
        if (is_known(list, n, word, len))
          continue;
        vec_push(list, n, (struct known){.arch = xstrndup(word, len)});
        ask(r, program, blob, &list[n - 1]);
      }
    }
  }
  bool all = true;
  for (size_t i = 0; i < n; i++) {
    if (list[i].refused) {
      fwrite(list[i].said.data, 1, list[i].said.len, stderr);
      all = false;
    }
    buf_free(&list[i].said);
    free(list[i].arch);
  }
  return all;
}
