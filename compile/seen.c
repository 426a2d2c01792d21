/* seen.c - what a compile ran and read, in its programs' own words.
 *
 * What runs is what the driver answers to -### or --dryrun; or what it says of itself, with -v, while it compiles
 * (verbose.h). What is read has to be had of every pass, those for the
 * device included, and a driver's -MD is about the host's alone:
 *
 *     passes of our own      each gets a depfile (passes.c, unit/late.c)
 *     a plain command        variables. clang's driver hands CC_PRINT_HEADERS on to each of its passes; gcc, which
 *                            makes the text of every pass of nvcc's, appends to $SUNPRO_DEPENDENCIES
 *
 * A compiler that knows neither leaves no file, and there is nothing to be compared then.
 */
#include "seen.h"
#include "abi/ck_jit_access.h"
#include "verbose.h"
#include "core/base/childenv.h"
#include "core/base/path.h"
#include "core/cc/deps.h"

#include <sys/stat.h>
#include <unistd.h>

struct seen *seen_new(void) {
  return xcalloc(1, sizeof(struct seen));
}

static void clear(struct seen *s) {
  argv_free(&s->programs);
  argv_free(&s->reads);
  argv_free(&s->files);
  buf_free(&s->answer);
  *s = (struct seen){0};
}

void seen_free(struct seen *s) {
  if (s)
    clear(s);
  free(s);
}

void seen_again(const struct compile_task *t) {
  if (t->seen)
    clear(t->seen);
}

/* ---- what runs ---- */

/* What a pass made and the next one takes is not there yet. */
static bool is_given(const char *file) {
  return file[0] == '/' && ckjit_may(file, R_OK) && !file_is_dir(file);
}

void seen_step(const struct compile_task *t, const struct argv *words) {
  if (!t->seen || !words->n)
    return;
  if (is_given(words->args[0]))
    argv_add(&t->seen->programs, words->args[0]);
  for (size_t i = 1; i < words->n; i++)
    if (str_ends(words->args[i], ".bc") && is_given(words->args[i]))
      argv_add(&t->seen->programs, words->args[i]);
}

enum { LOG_MOST = 16 << 20 }; /* of a compiler in a loop no answer is needed */

void seen_take_answer(const struct compile_task *t, int fd, off_t from) {
  struct stat st;
  autofree_buf rest = {0};
  if (!t->seen || !t->seen->says || fstat(fd, &st) || st.st_size <= from || st.st_size - from > LOG_MOST)
    return;
  size_t n = (size_t)(st.st_size - from);
  autofree char *text = xmalloc(n + 1);
  if (ckjit_pread_all(fd, text, n, (uint64_t)from)) {
    text[n] = 0;
    buf_puts(&rest, "");
    verbose_split(text, &t->seen->answer, &rest);
    /* what cannot be written again has cost the log, and no more: the disk is full */
    if (strlen(text) == n && ftruncate(fd, from) == 0 && write(fd, rest.data, rest.len) < 0)
      warn("%s: the compiler's output is lost: %s", t->stem, strerror(errno));
  }
}

/* ---- what is read ---- */

/* The steps behind nvcc's front ends read its own output (tmpxft_00003a1c_00000000-6_k.cudafe1.stub.c), and with it a
 * few headers of the toolkit's. */
static bool is_of_nvcc(const char *file) {
  return str_starts(path_base(file), "tmpxft_") || strstr(path_base(file), ".cudafe1.");
}

static void take_rule(const struct compile_task *t, const char *rule, size_t n) {
  autofree char *text = xstrndup(rule, n);
  autofree_argv names = {0};
  bool ours = true;
  deps_read(&names, text);
  for (size_t i = 0; i < names.n; i++)
    ours &= !is_of_nvcc(names.args[i]);
  if (ours && names.n)
    argv_add_all(&t->seen->reads, names.args);
}

/* A rule ends at the first line that does not end with a backslash. */
static size_t rule_length(const char *text) {
  size_t n = 0;
  do
    n += strcspn(text + n, "\n") + (text[n + strcspn(text + n, "\n")] == '\n');
  while (n > 1 && text[n - 1] == '\n' && text[n - 2] == '\\');
  return n;
}

void seen_depfile(const struct compile_task *t, const char *file) {
  size_t len;
  autofree char *text = t->seen ? file_read(file, &len) : NULL;
  for (const char *rule = text; rule && *rule;) {
    size_t n = rule_length(rule);
    take_rule(t, rule, n);
    rule += n;
  }
}

/* Note the names in FILE, one a line, as clang prints them to CC_PRINT_HEADERS_FILE. */
static void seen_headers(const struct compile_task *t, const char *file) {
  size_t len;
  autofree char *text = t->seen ? file_read(file, &len) : NULL;
  for (const char *line = text; line && *line;) {
    size_t n = strcspn(line, "\n");
    if (n)
      argv_add_own(&t->seen->reads, xstrndup(line, n));
    line += n + (line[n] == '\n');
  }
}

#define CLANG_SAYS "clang-reads"
#define GCC_SAYS "gcc-reads"

void seen_variables(const struct compile_task *t, struct argv *env, const char *temporary) {
  if (!t->seen)
    return;
  autofree char *clang = path_abs_in(temporary, CLANG_SAYS), *gcc = path_abs_in(temporary, GCC_SAYS);
  childenv_set(env, "CC_PRINT_HEADERS", "1");
  childenv_set(env, "CC_PRINT_HEADERS_FILE", clang);
  if (!strchr(gcc, ' ')) /* what is behind a space would be the name of the target */
    childenv_set(env, "SUNPRO_DEPENDENCIES", gcc);
}

void seen_of_variables(const struct compile_task *t, const char *temporary) {
  autofree char *clang = path_abs_in(temporary, CLANG_SAYS), *gcc = path_abs_in(temporary, GCC_SAYS);
  seen_headers(t, clang);
  seen_depfile(t, gcc);
}
