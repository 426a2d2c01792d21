/* nvcc.c - see nvcc.h. The output of `nvcc --dryrun` is meant for a shell: variables are assigned
 * and used, words are quoted, and with --threads output is redirected. So each line is expanded,
 * split as a shell would, and stripped of redirections. A step is recognised by its program and a
 * few of its words, never by its position: the order differs between releases.
 */
#include "nvcc.h"
#include "core/base/childenv.h"
#include "compiler.h"
#include "steps.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/vec.h"

#include <ctype.h>
#include <unistd.h>

#define MARK "#$ "

static bool is_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* The length of NAME if LINE is NAME=VALUE; a command has a blank before its first '='. */
static size_t assigned(const char *line) {
  size_t n = 0;
  while (is_name(line[n]))
    n++;
  return n && line[n] == '=' ? n : 0;
}

static const char *variable(const struct nvcc_plan *p, const char *name, size_t n) {
  for (size_t i = p->env.n; i-- > 0;)
    if (strncmp(p->env.args[i], name, n) == 0 && p->env.args[i][n] == '=')
      return p->env.args[i] + n + 1;
  return NULL;
}

/* TEXT with $NAME replaced for the plan's own variables, which nvcc leaves to the shell. free()
 * it. */
static char *expand(const struct nvcc_plan *p, const char *text, size_t len) {
  struct buf out = {0};
  buf_puts(&out, "");
  for (const char *s = text, *end = text + len; s < end; s++) {
    size_t n = 0;
    while (*s == '$' && s + 1 + n < end && is_name(s[1 + n]))
      n++;
    const char *value = n ? variable(p, s + 1, n) : NULL;
    if (value)
      buf_puts(&out, value);
    else
      buf_putc(&out, *s);
    s += value ? n : 0;
  }
  return out.data;
}

/* NAME resolved in the plan's PATH; NAME itself if it is not found. free() it. */
static char *program(const struct nvcc_plan *p, const char *name) {
  const char *path = strchr(name, '/') ? NULL : variable(p, "PATH", 4);
  char *file = path ? path_which_in(path, name) : NULL;
  return file ? file : xstrdup(name);
}

/* The word that holds the value of OPTION, which starts at byte *AT of it; words->n if there is
 * none. */
static size_t find_value(const struct argv *words, const char *option, size_t *at) {
  size_t n = strlen(option);
  for (size_t i = 0; i < words->n; i++) {
    const char *word = words->args[i];
    if (strncmp(word, option, n) != 0)
      continue;
    *at = word[n] == '=' ? n + 1 : 0;
    if (word[n] == '=')
      return i;
    if (!word[n] && i + 1 < words->n)
      return i + 1;
  }
  return words->n;
}

const char *nvcc_value(const struct nvcc_step *s, const char *option) {
  size_t at = 0, i = find_value(&s->words, option, &at);
  return i < s->words.n ? s->words.args[i] + at : NULL;
}

char *nvcc_exchange_value(struct argv *words, const char *option, const char *value) {
  size_t at = 0, i = find_value(words, option, &at);
  if (i == words->n)
    return NULL;
  autofree char *word = words->args[i];
  char *old = xstrdup(word + at);
  words->args[i] = xasprintf("%.*s%s", (int)at, word, value);
  return old;
}

static enum nvcc_kind kind_of(const struct argv *words) {
  static const struct {
    const char *name;
    enum nvcc_kind kind;
  } programs[] = {{"cudafe++", NVCC_FRONT},
                  {"cicc", NVCC_CICC},
                  {"ptxas", NVCC_PTXAS},
                  {"fatbinary", NVCC_FATBINARY},
                  {"rm", NVCC_REMOVE}};
  const char *base = path_base(words->args[0]);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (strcmp(base, programs[i].name) == 0)
      return programs[i].kind;
  if (argv_has(words, "-E"))
    return argv_has_prefix(words, "-D__CUDA_ARCH__=") ? NVCC_DEVICE_TEXT : NVCC_HOST_TEXT;
  return argv_has(words, "-c") && argv_has(words, "-x") ? NVCC_HOST : NVCC_OTHER;
}

/* The length of LINE without redirections. With --threads nvcc redirects the output of its steps;
 * that is the shell's job, and here ours. */
static size_t without_redirections(const char *line) {
  const char *to = strstr(line, " > ");
  return to && strstr(to, " 2>") ? (size_t)(to - line) : strlen(line);
}

static void add_step(struct nvcc_plan *p, const char *line) {
  struct nvcc_step s = {0};
  argv_split(&s.words, line, without_redirections(line));
  if (!s.words.n) {
    argv_free(&s.words);
    return;
  }
  char *found = program(p, s.words.args[0]);
  free(s.words.args[0]);
  s.words.args[0] = found;
  s.kind = kind_of(&s.words);
  const char *output = nvcc_value(&s, s.kind == NVCC_FRONT       ? "--gen_c_file_name"
                                      : s.kind == NVCC_FATBINARY ? "--embedded-fatbin"
                                                                 : "-o");
  s.output = output ? xstrdup(output) : NULL;
  vec_push(p->steps, p->n, s);
}

bool nvcc_plan_read(struct nvcc_plan *p, const char *text, char **err) {
  enum { MOST = 16 << 20 }; /* repeated A=$A$A would grow without end */
  size_t total = 0;
  *p = (struct nvcc_plan){0};
  for (const char *line = text; *line;) {
    size_t n = strcspn(line, "\n");
    if (str_starts(line, MARK)) {
      autofree char *whole = expand(p, line + strlen(MARK), n - strlen(MARK));
      total += strlen(whole);
      if (total > MOST) {
        *err = xstrdup("it is longer than any commands are");
        return false;
      }
      if (assigned(whole))
        argv_add(&p->env, whole);
      else
        add_step(p, whole);
    }
    line += n + (line[n] == '\n');
  }
  for (size_t i = p->n; i-- > 0;) {
    p->first[p->steps[i].kind] = &p->steps[i];
    p->count[p->steps[i].kind]++;
  }
  if (!p->n)
    *err = xstrdup("it lists no steps");
  return p->n;
}

void nvcc_plan_free(struct nvcc_plan *p) {
  for (size_t i = 0; i < p->n; i++) {
    argv_free(&p->steps[i].words);
    free(p->steps[i].output);
  }
  free(p->steps);
  argv_free(&p->env);
  *p = (struct nvcc_plan){0};
}

int nvcc_plan_ask(struct nvcc_plan *p, const struct argv *command, char *const *env, char **said) {
  autofree_argv question = {0};
  *p = (struct nvcc_plan){0};
  *said = NULL;
  steps_question(&question, CC_NVCC, command);
  struct job job = {.args = question.args, .env = env};
  pool_run(&job, 1, 1, NULL, NULL);
  const char *text = job.output.len ? job.output.data : "";
  if (job.status)
    *said = xstrdup(text);
  else
    nvcc_plan_read(p, text, said);
  buf_free(&job.output);
  return job.status;
}

void nvcc_ask(struct nvcc_plan *p, const char *nvcc, const char *arch, const char *ccbin) {
  autofree_argv command = {0};
  autofree char *said = NULL;
  argv_add(&command, nvcc);
  steps_question_of_nothing(&command, compiler_of_kind("cuda"), arch ? arch : "", ccbin);
  nvcc_plan_ask(p, &command, NULL, &said);
}

const char *nvcc_variable(const struct nvcc_plan *p, const char *name) {
  return variable(p, name, strlen(name));
}

void nvcc_environment(const struct nvcc_plan *p, struct argv *env) {
  for (size_t i = 0; i < p->env.n; i++) {
    autofree char *name = xstrndup(p->env.args[i], strcspn(p->env.args[i], "="));
    childenv_set(env, name, p->env.args[i] + strlen(name) + 1);
  }
}
