/* absent.c - headers that __has_include looks for and does not find.
 *
 * Code that says `#if __has_include(<x.h>)` is compiled otherwise as soon as there is an x.h. clang names what it has found in
 * that way among what a compile has read, and so a later compile is compared with the link's (compile/reads.c). gcc, which makes
 * the text of all of nvcc's passes, does not. So the headers and sources of its blobs are searched for such names, and those
 * that no directory has become names that must not come to be, as a header that would be found in front of another.
 *
 * A name that is made by a macro is not seen, nor that a header is gone which was found and not included.
 */
#include "absent.h"

#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cc/ccenv.h"
#include "core/cc/nvcc.h"

#include <stdlib.h>
#include <string.h>

/* ---- where nvcc's passes look for headers ---- */

/* the directories of the options in TEXT, -I and -isystem */
static void add_options(struct argv *dirs, const char *text) {
  struct argv words = {0};
  argv_split(&words, text, strlen(text));
  for (size_t i = 0; i < words.n; i++) {
    const char *dir = str_starts(words.args[i], "-I") ? words.args[i] + 2 : words.args[i];
    if (dir[0] == '/')
      argv_add(dirs, dir);
  }
  argv_free(&words);
}

/* those of HOST itself, a gcc or clang, as it says them */
static void add_implicit(struct argv *dirs, const char *host) {
  char *args[] = {(char *)host,  (char *)"-v",        (char *)"-E", (char *)"-x",
                  (char *)"c++", (char *)"/dev/null", NULL};
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  const char *line = job.output.len ? strstr(job.output.data, "#include <...>") : NULL;
  while (line && (line = strchr(line, '\n')) && str_starts(line, "\n /")) {
    line += 2;
    argv_add_own(dirs, xstrndup(line, strcspn(line, "\n")));
  }
  buf_free(&job.output);
}

/* the directories behind those of the command line; asked once */
static const struct argv *directories_of(const char *nvcc, const struct inputs *compiler) {
  static struct argv dirs;
  static bool asked;
  struct nvcc_plan plan;
  struct argv env = {0};
  if (asked)
    return &dirs;
  asked = true;
  ccenv_make(&env, &compiler->environment, NULL);
  pool_environment = env.args; /* it is asked as it will be started */
  nvcc_ask(&plan, nvcc, NULL, NULL);
  const char *own = nvcc_variable(&plan, "INCLUDES"), *system = nvcc_variable(&plan, "SYSTEM_INCLUDES");
  size_t host = nvcc_plan_find(&plan, NVCC_HOST_TEXT, 0);
  if (own)
    add_options(&dirs, own);
  if (system)
    add_options(&dirs, system);
  if (host < plan.n)
    add_implicit(&dirs, plan.steps[host].words.args[0]);
  pool_environment = NULL;
  nvcc_plan_free(&plan);
  argv_free(&env);
  return &dirs;
}

/* ---- which names ---- */

/* The name behind __has_include at AT, with its '<' or '"' in front; NULL if it is none that is written out. free() it. */
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

/* Append to MISSING what FILE looks for and DIRS lack. */
static void add_missing(struct argv *missing, const struct argv *dirs, const char *file) {
  static const char word[] = "__has_include";
  size_t len;
  char *text = file_read(file, &len);
  for (const char *at = text; at && (at = strstr(at, word));) {
    at += strlen(word);
    char *name = name_at(at);
    struct argv places = {0};
    if (name && *name == '"')
      argv_add_own(&places, path_dir(file));
    argv_add_all(&places, dirs->args);
    if (name)
      inputs_absent(missing, &places, name + 1);
    argv_free(&places);
    free(name);
  }
  free(text);
}

void absent_headers(struct argv *missing, const struct group *g, const struct units *u,
                    const struct argv *dirs, const struct inputs *compiler) {
  struct argv all = {0};
  if (g->sample->cc.dialect != CC_NVCC)
    return;
  if (dirs->n)
    argv_add_all(&all, dirs->args);
  const struct argv *own = directories_of(compiler->program, compiler);
  if (own->n)
    argv_add_all(&all, own->args);
  if (all.n) {
    for (size_t i = 0; i < g->ninputs; i++)
      add_missing(missing, &all, g->inputs[i].path);
    for (unsigned k = g->first_unit; k < g->first_unit + g->nunits; k++)
      for (size_t i = 0; i < u->units[k].nblobs; i++)
        add_missing(missing, &all, record_place(u->units[k].blobs[i]->record));
  }
  argv_free(&all);
}
