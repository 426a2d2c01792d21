#include "steps.h"
#include "nvcc.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <ctype.h>

/* The length of the random part of a temporary file's name at TEXT: clang's -1b2c3d, nvcc's
 * tmpxft_000012ab. */
static size_t random_part(const char *text) {
  size_t n = 0, from = str_starts(text, "tmpxft_") ? strlen("tmpxft_") : *text == '-' ? 1 : 0;
  while (from && isxdigit((unsigned char)text[from + n]))
    n++;
  return n == (from == 1 ? 6 : 8) ? from + n : 0;
}

static bool is_step(enum cc_dialect dialect, const char *line) {
  return dialect == CC_NVCC ? str_starts(line, "#$ ") : *line == ' ';
}

char *steps_plain(enum cc_dialect dialect, const char *answer) {
  struct buf b = {0};
  buf_puts(&b, "");
  for (const char *line = answer; *line;) {
    size_t n = strcspn(line, "\n"), skip;
    for (const char *s = line; is_step(dialect, line) && s < line + n; s += skip ? skip : 1)
      if (!(skip = random_part(s)))
        buf_putc(&b, *s);
    line += n + (line[n] == '\n');
  }
  return b.data;
}

/* Does WORD depend on a place, on the GPU that was asked for, or on the call? */
static bool is_of_call(const char *word) {
  static const char *const parts[] = {"/",         "tmpxft_", "sm_",      "sm=",    "compute_",
                                      "CUDA_ARCH", "gfx",     "COLLECT_", "-cuid=", "wavefrontsize"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(word, parts[i]))
      return true;
  return false;
}

bool steps_is_binutils(const char *program) {
  static const char *const names[] = {"ld", "ld.bfd", "ld.gold", "as", "collect2", "objcopy"};
  const char *name = path_base(program), *dash = strrchr(name, '-'); /* x86_64-linux-gnu-ld.bfd */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(dash ? dash + 1 : name, names[i]) == 0)
      return true;
  return false;
}

/* Binutils make no code, and their words name the machine's libraries. */
static void add_words(struct argv *out, const struct argv *step) {
  for (size_t i = 1; step->n && !steps_is_binutils(step->args[0]) && i < step->n; i++)
    if (!is_of_call(step->args[i]))
      argv_add_once(out, xstrdup(step->args[i]));
}

static void words_of_nvcc(struct argv *out, const char *answer) {
  struct nvcc_plan plan;
  autofree char *why = NULL;
  if (nvcc_plan_read(&plan, answer, &why))
    for (size_t i = 0; i < plan.n; i++)
      if (plan.steps[i].kind != NVCC_REMOVE)
        add_words(out, &plan.steps[i].words);
  nvcc_plan_free(&plan);
}

void steps_words(struct argv *out, enum cc_dialect dialect, const char *answer) {
  struct steps s;
  if (dialect == CC_NVCC) {
    words_of_nvcc(out, answer);
    return;
  }
  steps_read(&s, answer);
  for (size_t i = 0; i < s.n; i++)
    add_words(out, &s.list[i]);
  steps_free(&s);
}

/* ---- the question ---- */

/* ---- the answer to -### ---- */

/* The file on LINE, by which a driver says that it has read its settings from it; NULL: it says no
 * such thing. */
static char *config_on(const char *line, size_t n) {
  static const char *const heads[] = {"Configuration file: /", "Reading specs from /"};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    size_t head = strlen(heads[i]) - 1;
    if (str_starts(line, heads[i]))
      return xstrndup(line + head, n - head);
  }
  return NULL;
}

/* The line of a command begins with a blank; so does clang's " (in-process)". */
void steps_read(struct steps *s, const char *answer) {
  *s = (struct steps){0};
  for (const char *line = answer; line && *line;) {
    size_t n = strcspn(line, "\n");
    char *config = config_on(line, n);
    if (config)
      argv_add_own(&s->configs, config);
    struct argv words = {0};
    if (is_step(CC_GNU, line) && line[1] != '(')
      argv_split(&words, line, n);
    if (words.n)
      vec_push(s->list, s->n, words);
    else
      argv_free(&words);
    line += n + (line[n] == '\n');
  }
}

void steps_free(struct steps *s) {
  for (size_t i = 0; i < s->n; i++)
    argv_free(&s->list[i]);
  free(s->list);
  argv_free(&s->configs);
}

bool steps_is_cc1(const struct argv *step) {
  return step->n > 1 && strcmp(step->args[1], "-cc1") == 0;
}

const struct argv *steps_cc1(const struct steps *s) {
  for (size_t i = 0; i < s->n; i++)
    if (steps_is_cc1(&s->list[i]))
      return &s->list[i];
  return NULL;
}

const struct argv *steps_pass(const struct steps *s, const char *arch) {
  const struct argv *pass = NULL;
  size_t found = 0, cpu = arch ? strcspn(arch, ":") : 0;
  for (size_t i = 0; i < s->n; i++) {
    bool device = argv_has(&s->list[i], "-fcuda-is-device");
    const char *its = device ? argv_after(&s->list[i], "-target-cpu") : NULL;
    bool is = arch ? its && strlen(its) == cpu && strncmp(its, arch, cpu) == 0 : !device;
    if (is && steps_is_cc1(&s->list[i])) {
      found++;
      pass = &s->list[i];
    }
  }
  return found == 1 ? pass : NULL;
}
