#include "launch.h"

#include "core/cc/ccargs.h"
#include "core/cc/launcher.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/toolchain.h"

#include <stdlib.h>
#include <string.h>

/* what a compiler is made of, as a word for the launcher; a link has two or three compilers */
struct seed {
  char *compiler, *arch; /* arch: NULL where it is not compiling HIP */
  char *word;
};

static struct argv words; /* the launcher */
static char *memos;       /* directory */
static struct seed *seeds;
static size_t nseeds;
static bool warned;

void launch_open(const char *work) {
  char *err;
  if (!launcher_read(&words, &err))
    die(EXIT_FAILED, "%s", err);
  memos = path_join(work, ".compilers");
}

static bool has_word(const struct step *s, const char *word) {
  for (size_t i = 0; i < s->args.n; i++)
    if (strcmp(s->args.args[i], word) == 0)
      return true;
  return false;
}

bool launch_takes(const struct step *s) {
  return words.n && !has_word(s, "-E") && !str_ends(s->source, ".S") && !str_ends(s->source, ".s");
}

/* the architecture that S compiles HIP for, "" where it names none, NULL where it is not HIP; points into S
 */
static const char *arch_of(const struct step *s) {
  static const char option[] = "--offload-arch";
  struct ccargs a;
  ccargs_scan(&a, CC_GNU, s->args.args + 1);
  bool hip = (a.source && a.source->lang == CC_LANG_HIP) || str_starts(path_base(s->args.args[0]), "hipcc");
  ccargs_free(&a);
  for (size_t i = 1; hip && i < s->args.n; i++) {
    if (str_starts(s->args.args[i], option) && s->args.args[i][sizeof option - 1] == '=')
      return s->args.args[i] + sizeof option;
    if (strcmp(s->args.args[i], option) == 0 && i + 1 < s->args.n)
      return s->args.args[i + 1];
  }
  return hip ? "" : NULL;
}

static bool has_language(const struct step *s) {
  for (size_t i = 1; i < s->args.n; i++)
    if (str_starts(s->args.args[i], "-x"))
      return true;
  return false;
}

static char *work_out(const char *compiler, const char *arch) {
  struct inputs in = {0};
  char *name = xasprintf("%s%s%s", compiler, arch ? "." : ".host", arch ? arch : "");
  for (char *p = name; *p; p++)
    if (*p == '/' || *p == ':')
      *p = '-';
  char *memo = xasprintf("%s/launched.%s", memos, name), *program = path_which(compiler);
  toolchain_read(&in, program ? program : compiler, arch, memo);
  char *word = launcher_seed(in.compiler);
  for (size_t i = 0; i < in.ntools; i++)
    free(in.tools[i].path);
  free(in.tools);
  free(in.program);
  free(program);
  free(memo);
  free(name);
  return word;
}

static bool same(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *seed_of(const struct step *s) {
  const char *compiler = s->args.args[0], *arch = arch_of(s);
  for (size_t i = 0; i < nseeds; i++)
    if (strcmp(seeds[i].compiler, compiler) == 0 && same(seeds[i].arch, arch))
      return seeds[i].word;
  vec_push(seeds, nseeds,
           (struct seed){xstrdup(compiler), arch ? xstrdup(arch) : NULL, work_out(compiler, arch)});
  return seeds[nseeds - 1].word;
}

void launch_command(struct argv *command, const struct step *s) {
  argv_add_all(command, words.args);
  argv_add(command, s->args.args[0]);
  argv_add(command, seed_of(s));
  /* hipcc takes a .cpp for HIP, which sccache and distcc do not know: they would have it compiled as C++. */
  if (arch_of(s) && !has_language(s)) {
    argv_add(command, "-x");
    argv_add(command, "hip");
  }
  argv_add_all(command, s->args.args + 1);
}

void launch_failed(const struct step *s, const char *output) {
  if (!warned)
    warn("%s: compiled again without the launcher %s, and so is what else fails with it; it said: %.*s",
         s->source, words.args[0], (int)strcspn(output, "\n"), output);
  warned = true;
}

void launch_close(void) {
  for (size_t i = 0; i < nseeds; i++) {
    free(seeds[i].compiler);
    free(seeds[i].arch);
    free(seeds[i].word);
  }
  free(seeds);
  free(memos);
  argv_free(&words);
  seeds = NULL;
  memos = NULL;
  nseeds = 0;
}
