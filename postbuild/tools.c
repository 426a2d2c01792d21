/* tools.c - see tools.h. The digests of the files are kept from one link to the next, below the
 * work directory (core/cache/toolchain.c). */
#include "tools.h"

#include "core/base/pool.h"
#include "core/base/vec.h"
#include "core/cache/toolchain.h"
#include "core/cc/ccenv.h"

struct known_tools {
  char *compiler, *arch, *ccbin, *linker;
  const struct compiler *kind;
  bool linked; /* with what links LTO-IR */
  struct inputs *in;
};

/* The file that keeps the digests; free() it. */
static char *memo_of(const struct tools *t, const char *compiler, const char *what) {
  autofree char *name = xstrdup(compiler);
  for (char *p = name; *p; p++)
    if (*p == '/')
      *p = '-';
  return xasprintf("%s/.compilers/%s%s", t->work, name, what);
}

/* Set IN of K, of which the rest is known. */
static void ask(struct known_tools *k, const struct tools *t) {
  autofree char *memo = memo_of(t, k->compiler, k->arch ? "" : ".host");
  ccenv_toolchain(&k->in->environment, k->kind);
  toolchain_read(k->in, k->compiler, k->kind, k->arch, k->ccbin, memo);
  toolchain_settle(k->in);
}

/* Set IN and linker of K: FILES, which are those of the compiler, and the linker's. */
static void ask_linker(struct known_tools *k, const struct tools *t, const struct inputs *files) {
  autofree char *memo = memo_of(t, k->compiler, ".lto");
  *k->in = *files;
  k->in->tools = NULL;
  k->in->ntools = 0;
  k->in->question = k->in->directories = (struct argv){0};
  if (files->question.n)
    argv_add_all(&k->in->question, files->question.args);
  for (size_t i = 0; i < files->ntools; i++)
    inputs_add(&k->in->tools, &k->in->ntools, files->tools[i].digest, xstrdup(files->tools[i].path));
  k->linker = toolchain_lto_linker(k->in, k->compiler, k->arch, memo);
}

static const struct known_tools *find(struct tools *t, const char *compiler, const struct compiler *kind,
                                      const char *arch, const char *ccbin, bool linked) {
  for (size_t i = 0; i < t->n; i++) {
    const struct known_tools *k = &t->list[i];
    if (k->linked == linked && k->kind == kind && str_same(arch, k->arch) && str_same(ccbin, k->ccbin) &&
        strcmp(k->compiler, compiler) == 0)
      return k;
  }
  const struct inputs *files = linked ? tools_of(t, compiler, kind, arch, ccbin) : NULL;
  struct known_tools *k = vec_add(t->list, t->n);
  autofree_argv vars = {0}, env = {0};
  *k = (struct known_tools){.compiler = xstrdup(compiler),
                            .arch = arch ? xstrdup(arch) : NULL,
                            .ccbin = ccbin ? xstrdup(ccbin) : NULL,
                            .kind = kind,
                            .linked = linked,
                            .in = xcalloc(1, sizeof *k->in)};
  ccenv_toolchain(&vars, kind);
  ccenv_make(&env, &vars, NULL);
  pool_environment = env.args; /* it is asked as it will be started */
  if (linked)
    ask_linker(k, t, files);
  else
    ask(k, t);
  pool_environment = NULL;
  return k;
}

const struct inputs *tools_of(struct tools *t, const char *compiler, const struct compiler *kind,
                              const char *arch, const char *ccbin) {
  return find(t, compiler, kind, arch, ccbin, false)->in;
}

const struct inputs *tools_with_linker(struct tools *t, const char *compiler, const struct compiler *kind,
                                       const char *arch, const char *ccbin, const char **linker) {
  if (kind->runtime == RUNTIME_HIP) { /* lld, which is one of the compiler's own files */
    *linker = NULL;
    return tools_of(t, compiler, kind, arch, ccbin);
  }
  const struct known_tools *k = find(t, compiler, kind, arch, ccbin, true);
  *linker = k->linker;
  return k->in;
}

void tools_free(struct tools *t) {
  for (size_t i = 0; i < t->n; i++) {
    struct known_tools *k = &t->list[i];
    if (k->linked) { /* its tools are its own, the rest is the compiler's */
      k->in->program = k->in->comment = NULL;
      k->in->environment = (struct argv){0};
    }
    inputs_free(k->in);
    free(k->compiler);
    free(k->arch);
    free(k->ccbin);
    free(k->linker);
  }
  free(t->list);
}
