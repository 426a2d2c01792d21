#include "step_launcher.h"

#include "step.h"

#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/toolchain.h"
#include "core/cc/launcher.h"

void step_launcher_open(struct step_launcher *l, const char *work) {
  *l = (struct step_launcher){.memos = path_join(work, ".compilers")};
  char *err;
  if (!launcher_read(&l->words, &err))
    die(EXIT_FAILED, "%s", err);
}

bool step_launcher_takes(const struct step_launcher *l, const struct step *s) {
  return l->words.n && !s->plain && !argv_has(&s->args, "-E") && !str_ends(s->source, ".S") &&
         !str_ends(s->source, ".s");
}

static bool has_language(const struct step *s) {
  for (size_t i = 1; i < s->args.n; i++)
    if (str_starts(s->args.args[i], "-x"))
      return true;
  return false;
}

/* the word for COMPILER, by the content of all files that it consists of */
static char *make_seed(const struct step_launcher *l, const struct step *s) {
  const char *compiler = s->args.args[0], *arch = s->hip_arch;
  const struct compiler *kind = s->kind ? s->kind : compiler_of_kind("c++");
  struct inputs *in = xcalloc(1, sizeof *in);
  autofree char *name = xasprintf("%s%s%s", compiler, arch ? "." : ".host", arch ? arch : "");
  for (char *p = name; *p; p++)
    if (*p == '/' || *p == ':')
      *p = '-';
  autofree char *memo = xasprintf("%s/launched.%s", l->memos, name), *program = path_which(compiler);
  toolchain_read(in, program ? program : compiler, kind, arch, NULL, memo);
  char *word = launcher_seed(in->compiler);
  inputs_free(in);
  return word;
}

static const char *seed_of(struct step_launcher *l, const struct step *s) {
  const char *compiler = s->args.args[0], *arch = s->hip_arch;
  for (size_t i = 0; i < l->nseeds; i++)
    if (strcmp(l->seeds[i].compiler, compiler) == 0 && str_same(l->seeds[i].arch, arch))
      return l->seeds[i].word;
  char *word = make_seed(l, s);
  vec_push(l->seeds, l->nseeds, (struct compiler_seed){xstrdup(compiler), arch ? xstrdup(arch) : NULL, word});
  return word;
}

void step_launcher_command(struct step_launcher *l, struct argv *command, const struct step *s) {
  argv_add_all(command, l->words.args);
  argv_add(command, s->args.args[0]);
  argv_add(command, seed_of(l, s));
  /* hipcc takes a .cpp for HIP. sccache and distcc do not know that: they would have it compiled as
   * C++. */
  if (s->hip_arch && !has_language(s)) {
    argv_add(command, "-x");
    argv_add(command, "hip");
  }
  argv_add_all(command, s->args.args + 1);
}

void step_launcher_failed(struct step_launcher *l, const struct step *s, const char *output) {
  if (!l->warned)
    warn(
        "%s: compiled again without the launcher %s, and so is what else fails with it; it said: %.*s [ckjit help launcher-failed]",
        s->source, l->words.args[0], (int)strcspn(output, "\n"), output);
  l->warned = true;
}

void step_launcher_close(struct step_launcher *l) {
  for (size_t i = 0; i < l->nseeds; i++) {
    free(l->seeds[i].compiler);
    free(l->seeds[i].arch);
    free(l->seeds[i].word);
  }
  free(l->seeds);
  free(l->memos);
  argv_free(&l->words);
  *l = (struct step_launcher){0};
}
