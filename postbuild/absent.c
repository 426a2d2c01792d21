/* absent.c - headers that __has_include looks for.
 *
 * Code that says `#if __has_include(<x.h>)` is compiled otherwise as soon as there is an x.h,
 * though nothing includes it and no depfile has it. So the headers and sources of a group's
 * blobs are searched for such names. Which of them there are is part of the key. One that no
 * directory has must not come to be, as a header that would be found in front of another.
 *
 * A name that is made by a macro is not seen, nor that a header comes to be, or goes, in a
 * directory of clang's own.
 */
#include "absent.h"

#include "flags.h"

#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cc/ccenv.h"
#include "core/cache/toolchain.h"
#include "core/cc/nvcc.h"

/* ---- where nvcc's passes look for headers ---- */

/* the directories of the options in TEXT, -I and -isystem */
static void add_options(struct argv *dirs, const char *text) {
  autofree_argv words = {0};
  argv_split(&words, text, strlen(text));
  for (size_t i = 0; i < words.n; i++) {
    const char *dir = str_starts(words.args[i], "-I") ? words.args[i] + 2 : words.args[i];
    if (dir[0] == '/')
      argv_add(dirs, dir);
  }
}

/* Those of COMPILER itself, a gcc or clang, as it says them: for LANGUAGE, and with WORDS. */
static void add_implicit(struct argv *dirs, const char *compiler, const char *language, const char *words) {
  autofree_argv args = {0};
  argv_add(&args, compiler);
  argv_split(&args, words, strlen(words));
  argv_split(&args, "-v -E -x", strlen("-v -E -x"));
  argv_add(&args, language);
  argv_add(&args, "/dev/null");
  struct job job = {.args = args.args};
  pool_run(&job, 1, 1, NULL, NULL);
  const char *line = job.output.len ? strstr(job.output.data, "#include <...>") : NULL;
  while (line && (line = strchr(line, '\n')) && str_starts(line, "\n /")) {
    line += 2;
    argv_add_own(dirs, xstrndup(line, strcspn(line, "\n")));
  }
  buf_free(&job.output);
}

/* Appends the directories after those of the command line of an nvcc, whose steps are PLAN. */
static void add_of_nvcc(struct argv *dirs, const struct nvcc_plan *plan) {
  const char *own = nvcc_variable(plan, "INCLUDES"), *system = nvcc_variable(plan, "SYSTEM_INCLUDES");
  if (own)
    add_options(dirs, own);
  if (system)
    add_options(dirs, system);
  if (plan->first[NVCC_HOST_TEXT])
    add_implicit(dirs, plan->first[NVCC_HOST_TEXT]->words.args[0], "c++", "");
}

const struct argv *compiler_directories(struct tools *t, const struct record *r) {
  static struct argv asked, dirs;
  autofree char *ccbin = record_ccbin(r);
  const char *host = ccbin ? ccbin : "";
  if (asked.n && strcmp(asked.args[0], r->compiler) == 0 && strcmp(asked.args[1], host) == 0)
    return &dirs;
  argv_free(&asked);
  argv_free(&dirs);
  argv_add(&asked, r->compiler);
  argv_add(&asked, host);
  autofree_argv archs = {0};
  if (flags_has_device(r))
    flags_archs(&archs, r);
  const struct inputs *known =
      archs.n ? tools_of(t, r->compiler, r->compiler_kind, archs.args[0], ccbin) : NULL;
  if (known && known->directories.n) {
    argv_add_all(&dirs, known->directories.args);
    return &dirs;
  }
  const struct nvcc_plan *plan = known ? toolchain_nvcc_plan(r->compiler, ccbin) : NULL;
  autofree_argv vars = {0}, env = {0};
  ccenv_toolchain(&vars, r->compiler_kind);
  ccenv_make(&env, &vars, NULL);
  pool_environment = env.args; /* it is asked as it will be started */
  struct nvcc_plan own = {0};
  if (r->compiler_kind->dryrun && !plan)
    nvcc_ask(&own, r->compiler, NULL, ccbin);
  if (r->compiler_kind->dryrun)
    add_of_nvcc(&dirs, plan ? plan : &own);
  else if (r->compiler_kind->clang)
    add_implicit(&dirs, r->compiler, "hip", "--offload-host-only -nogpulib");
  else
    add_implicit(&dirs, r->compiler, "c++", "");
  nvcc_plan_free(&own);
  pool_environment = NULL;
  return &dirs;
}

/* ---- which names ---- */

/* Returns the name after __has_include at AT, including its '<' or '"'; NULL if it is not written
 * out. free() it. */
static char *name_at(const char *at) {
  at += str_starts(at, "_next") ? strlen("_next") : 0;
  at += strspn(at, " \t");
  if (*at != '(')
    return NULL;
  at += 1 + strspn(at + 1, " \t");
  if (*at != '<' && *at != '"')
    return NULL;
  size_t n = 1 + strcspn(at + 1, *at == '<' ? ">\n" : "\"\n");
  return n > 1 && at[n] && at[n] != '\n' ? xstrndup(at, n) : NULL;
}

/* Add to the ABSENT names of a group what FILE looks for and DIRS lack, and to ANSWERS each name
 * and whether it is there. */
static void add_asked(struct argv *absent, struct argv *answers, const struct argv *dirs, const char *file) {
  static const char word[] = "__has_include";
  size_t len;
  autofree char *text = file_read(file, &len);
  for (const char *at = text; at && (at = strstr(at, word));) {
    at += strlen(word);
    autofree char *name = name_at(at);
    autofree_argv places = {0};
    if (!name)
      continue;
    if (*name == '"')
      argv_add_own(&places, path_dir(file));
    if (dirs->n)
      argv_add_all(&places, dirs->args);
    size_t before = absent->n;
    inputs_absent(absent, &places, name + 1);
    argv_addf(answers, "%s %d", name, absent->n == before);
  }
}

char *absent_headers(struct tools *t, struct group *g, const struct units *u) {
  autofree_argv all = {0}, answers = {0};
  for (size_t i = 0; i < g->sample->cc.ndirs; i++)
    if (*g->sample->cc.dirs[i].dir != '=') /* below a sysroot */
      argv_add_own(&all, path_abs_in(g->sample->cwd, g->sample->cc.dirs[i].dir));
  /* A clang is not asked: it takes longer than the rest of a relink, and its compile reports what it
   * has found. */
  if (!g->sample->compiler_kind->clang)
    argv_add_all(&all, compiler_directories(t, g->sample)->args);
  for (size_t i = 0; i < g->ninputs; i++)
    add_asked(&g->absent, &answers, &all, g->inputs[i].path);
  for (unsigned k = g->first_unit; k < g->first_unit + g->nunits; k++)
    for (size_t i = 0; i < u->units[k].nblobs; i++)
      add_asked(&g->absent, &answers, &all, record_place(u->units[k].blobs[i]->record));
  argv_unique(&answers);
  return answers.n ? argv_join(answers.args) : NULL;
}
