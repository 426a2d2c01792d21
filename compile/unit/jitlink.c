/* jitlink.c - see jitlink.h. Each link is a plan of two steps or one, and none is of this process. */
#include "jitlink.h"
#include "latelink.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "core/base/embed.h"
#include "core/base/path.h"

#include <unistd.h>

EMBED(jitlink, "runtime/ck_jit_cuda_link.c");

static void compile_words(const struct cuda *c, struct argv *words) {
  argv_add_words(words, c->host->words.args[0], "-x", "c", "-std=gnu11", "-w", NULL);
  argv_addf(words, "%s/jitlink.c", c->temporary);
  argv_add(words, "-o");
  argv_addf(words, "%s/jitlink", c->temporary);
  argv_add(words, "-ldl");
}

/* ---- nvJitLink ---- */

static void link_words(const struct cuda *c, const char *library, const struct argv *options,
                       const struct argv *files, const char *output, struct argv *words) {
  argv_addf(words, "%s/jitlink", c->temporary);
  argv_add_words(words, library, output, NULL);
  argv_add_all(words, options->args);
  argv_add(words, "--");
  argv_add_all(words, files->args);
}

/* Its two steps; WORDS[0] and WORDS[1] are their commands. */
static bool plan_jitlink(struct cuda *c, struct plan *p, const struct lto_linker *linker,
                         const struct argv *options, const struct argv *files, bool runtime,
                         const char *output, struct argv words[2], const char **why) {
  autofree_argv all = {0};
  if (!late_write(c->temporary, "jitlink.c", jitlink_begin, (size_t)(jitlink_end - jitlink_begin))) {
    *why = "a temporary file cannot be written";
    return false;
  }
  argv_add_all(&all, files->args);
  if (runtime)
    argv_add(&all, linker->runtime);
  compile_words(c, &words[0]);
  link_words(c, linker->jitlink, options, &all, output, &words[1]);
  plan_add(p, "nvJitLink's program", &words[0], 0);
  plan_add(p, "device link", &words[1], 1);
  return true;
}

/* ---- nvlink ---- */

/* OPTION of nvJitLink's in nvlink's words. Precise square roots and line numbers are what the LTO-IR says: nvlink has no word for these. */
static void put_option(struct argv *words, const char *option) {
  static const char *const of_libnvvm[] = {"-ftz=", "-prec-div=", "-fma="};
  for (size_t i = 0; i < sizeof of_libnvvm / sizeof *of_libnvvm; i++)
    if (str_starts(option, of_libnvvm[i])) {
      argv_addf(words, "-Xnvvm=%s", option);
      return;
    }
  if (strcmp(option, "-ptx") == 0)
    argv_add(words, "-emit-ptx");
  else if (!str_starts(option, "-prec-sqrt=") && strcmp(option, "-lineinfo") != 0)
    argv_add(words, option);
}

/* The directory that nvlink finds LIBRARY, libnvvm.so, in. pip's toolkits have it elsewhere than nvcc says. free() it; NULL with errno. */
static char *nvvm_directory(const struct cuda *c, const char *library) {
  char *dir = path_join(c->temporary, "nvvm");
  autofree char *lib = path_join(dir, "lib64"), *file = path_join(lib, "libnvvm.so");
  bool done = dir_make(lib) && (symlink(library, file) == 0 || errno == EEXIST);
  if (done)
    return dir;
  free(dir);
  return NULL;
}

/* Its step or two. If all that it is given is LTO-IR, it takes nothing of an archive: so the runtime comes in a second link, of code that was left open. */
static bool plan_nvlink(struct cuda *c, struct plan *p, const struct lto_linker *linker,
                        const struct argv *options, const struct argv *files, bool runtime,
                        const char *output, struct argv words[2], const char **why) {
  autofree char *nvvm = nvvm_directory(c, linker->nvvm);
  if (!nvvm) {
    *why = "a temporary file cannot be written";
    return false;
  }
  argv_add(&words[0], linker->nvlink);
  argv_addf(&words[0], "-nvvmpath=%s", nvvm);
  for (size_t i = 0; i < options->n; i++)
    put_option(&words[0], options->args[i]);
  if (runtime)
    argv_add(&words[0], "-Xptxas=-c");
  argv_add_all(&words[0], files->args);
  argv_add(&words[0], "-o");
  argv_addf(&words[0], "%s%s", output, runtime ? ".open.cubin" : "");
  plan_add(p, "device link", &words[0], 0);
  if (runtime) {
    argv_add(&words[1], linker->nvlink);
    argv_add(&words[1], options->args[0]); /* -arch= */
    argv_addf(&words[1], "%s.open.cubin", output);
    argv_add_words(&words[1], linker->runtime, "-o", output, NULL);
    plan_add(p, "device link with the runtime", &words[1], 1);
  }
  return true;
}

bool jitlink(struct cuda *c, const struct lto_linker *linker, const struct argv *options,
             const struct argv *files, bool runtime, const char *output, const char **why) {
  struct plan p = {0};
  struct argv words[2] = {0};
  bool done = linker->jitlink ? plan_jitlink(c, &p, linker, options, files, runtime, output, words, why)
                              : plan_nvlink(c, &p, linker, options, files, runtime, output, words, why);
  if (done) {
    say_command(c->t, &words[linker->jitlink ? 1 : 0]);
    done = plan_run(&p, &c->env, c->log, why);
  }
  plan_free(&p);
  argv_free(&words[0]);
  argv_free(&words[1]);
  return done;
}
