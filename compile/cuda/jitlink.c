#include "jitlink.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "core/base/embed.h"

#include <unistd.h>

EMBED(jitlink, "runtime/ck_jit_cuda_link.c");

static void compile_words(const struct cuda *c, struct argv *words) {
  argv_add(words, c->host->words.args[0]);
  argv_add(words, "-x");
  argv_add(words, "c");
  argv_add(words, "-std=gnu11");
  argv_add(words, "-w");
  argv_addf(words, "%s/jitlink.c", c->temporary);
  argv_add(words, "-o");
  argv_addf(words, "%s/jitlink", c->temporary);
  argv_add(words, "-ldl");
}

static void link_words(const struct cuda *c, const char *library, const struct argv *options,
                       const struct argv *files, const char *output, struct argv *words) {
  argv_addf(words, "%s/jitlink", c->temporary);
  argv_add(words, library);
  argv_add(words, output);
  argv_add_all(words, options->args);
  argv_add(words, "--");
  argv_add_all(words, files->args);
}

bool jitlink(struct cuda *c, const char *library, const struct argv *options, const struct argv *files,
             const char *output, const char **why) {
  struct plan p = {0};
  struct argv compile = {0}, link = {0};
  if (!cuda_write(c, "jitlink.c", jitlink_begin, (size_t)(jitlink_end - jitlink_begin))) {
    *why = "a temporary file cannot be written";
    return false;
  }
  compile_words(c, &compile);
  link_words(c, library, options, files, output, &link);
  say_command(c->t, &link);
  cuda_step(&p, "nvJitLink's program", &compile, 0);
  cuda_step(&p, "device link", &link, 1);
  bool done = plan_run(&p, &c->env, c->log, why);
  plan_free(&p);
  argv_free(&compile);
  argv_free(&link);
  return done;
}
