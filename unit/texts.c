/* texts.c - the texts of a unit: the host's, without the bodies of its kernels, and the device's
 * for each architecture.
 *
 * The host's comes first. If it has no kernel, nothing of the unit is lazy, and the rest is not
 * needed.
 *
 * A header that is edited between two runs of the preprocessor would give a kernel other parameters
 * than its caller has. So no input may be newer than the start; otherwise the compiler gets the
 * call, and reads everything once more. The clock of a file system is coarse: the start waits for
 * its next tick, so that a source that was generated just before is older.
 */
#include "unit.h"
#include "cuda.h"
#include "core/cxx/devicetext.h"
#include "core/base/childenv.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cc/deps.h"

#include <sys/stat.h>
#include <time.h>

/* The end of a clang's warning about options that a command does not use. */
#define UNUSED_WORDS "unused-command-line-argument]"

/* Ask the driver for its steps, which make the texts, unless the caller did (u->answer). Of what it
 * says beside them, keep its warnings about unused words: there are fewer of the call as given than
 * of one of its passes. If they are errors, the real compiler gets the call. */
static bool ask_steps(struct unit *u) {
  autofree_argv command = {0}, question = {0};
  argv_add(&command, u->record.compiler);
  argv_add_all(&command, u->record.args.args);
  if (message_is_colored())
    argv_add(&command, "-fcolor-diagnostics");
  steps_question(&question, u->record.compiler_kind->dialect, &command);
  struct job job = {.args = question.args};
  bool refused = false;
  size_t n;
  autofree char *given = u->answer ? file_read(u->answer, &n) : NULL;
  if (!given)
    pool_run(&job, 1, 1, NULL, NULL);
  const char *answer = given ? given : job.output.len ? job.output.data : "";
  if (given || job.status == 0)
    steps_read(&u->steps, answer);
  for (const char *line = answer; *line; line += n) {
    n = strcspn(line, "\n");
    n += line[n] == '\n';
    if (*line != ' ' && memmem(line, n, UNUSED_WORDS, strlen(UNUSED_WORDS))) {
      buf_add(&u->said, line, n);
      refused |= memmem(line, n, "-Werror", strlen("-Werror")) != NULL;
    }
  }
  buf_free(&job.output);
  return !refused || unit_not_lazy(u, "the compiler does not take its options");
}

static bool is_later(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Is each file that DEPFILE names older than START? */
static bool is_of_one_moment(struct unit *u, const char *depfile, const struct timespec *start) {
  autofree_argv files = {0};
  size_t len;
  autofree char *text = file_read(depfile, &len);
  if (!text)
    return unit_not_lazy(u, "%s: %s", depfile, strerror(errno));
  deps_read(&files, text);
  for (size_t i = 0; i < files.n && !u->why; i++) {
    struct stat st;
    if (stat(files.args[i], &st))
      unit_not_lazy(u, "%s: %s", files.args[i], strerror(errno));
    else if (!is_later(start, &st.st_ctim))
      unit_not_lazy(u, "%s has changed just now", files.args[i]);
  }
  if (!files.n)
    unit_not_lazy(u, "%s names no file", depfile);
  return !u->why;
}

/* clang leaves directories in TMPDIR (core/base/scratch.h). */
static void set_temporary(const struct unit *u) {
  static struct argv env;
  childenv_copy(&env);
  childenv_set(&env, "TMPDIR", u->dir);
  pool_environment = env.args;
}

static char *read_text(struct unit *u, const char *file, size_t *len) {
  char *text = file_read(file, len);
  if (!text)
    unit_not_lazy(u, "%s: %s", file, strerror(errno));
  return text && !unit_text_is_whole(u, text, *len) ? NULL : text;
}

/* The words of __managed__ variables in preprocessed text. The host registers and moves them. */
static bool has_managed(const char *text) {
  return strstr(text, "((managed))") || strstr(text, "((__managed__))");
}

static bool make_host_text(struct unit *u) {
  autofree char *file = path_join(u->dir, "host.hipi");
  struct argv command = {0};
  struct buf out = {0};
  size_t len;
  u->depfile = path_join(u->dir, "host.d");
  unit_preprocess_words(&command, u, NULL, file, u->depfile);
  bool done = unit_run(u, "preprocessing it for the host", &command, 1);
  autofree char *text = done ? read_text(u, file, &len) : NULL;
  if (!text)
    return false;
  if (has_managed(text))
    return unit_not_lazy(u, "it has managed variables");
  u->kernels = devicetext_without_bodies(text, len, &out);
  /* a unit that is linked may have functions for the kernels of others, and no kernel */
  if (!u->kernels && unit_is_linked(u) && !strstr(text, "((global))") &&
      !strstr(text, "((__global__))")) {
    buf_free(&out);
    buf_add(&out, text, len);
  } else if (!u->kernels) {
    return unit_not_lazy(u, "it has no kernels, or none that is understood");
  }
  u->host = out.data;
  u->host_len = out.len;
  return true;
}

char *unit_device_file(const struct unit *u, size_t i, const char *extension) {
  return xasprintf("%s/device-%zu.%s", u->dir, i, extension);
}

/* Does a unit that is linked use no device variable of another one? Each of its kernels would have
 * a copy, where the device link has one for all. */
static bool uses_own_variables(struct unit *u) {
  autofree char *foreign =
      unit_is_linked(u) ? devicetext_foreign(u->texts[0].text, u->texts[0].len) : NULL;
  return !foreign || unit_not_lazy(u,
                                   "it uses the device variable %s of another unit, which all "
                                   "kernels of a device link share",
                                   foreign);
}

static bool make_device_texts(struct unit *u) {
  const struct argv *archs = &u->record.archs;
  autofree struct argv *commands = xcalloc(archs->n, sizeof *commands);
  u->texts = xcalloc(archs->n, sizeof *u->texts);
  u->ntexts = archs->n;
  for (size_t i = 0; i < archs->n; i++)
    unit_preprocess_words(&commands[i], u, archs->args[i], unit_device_file(u, i, "hipi"),
                          unit_device_file(u, i, "d"));
  bool made = unit_run(u, "preprocessing it for a device", commands, archs->n);
  for (size_t i = 0; i < archs->n && made; i++) {
    u->texts[i].arch = archs->args[i];
    u->texts[i].text = read_text(u, unit_device_file(u, i, "hipi"), &u->texts[i].len);
    made = u->texts[i].text;
  }
  return made && uses_own_variables(u);
}

/* START is a time that is not after any later change, and after all earlier ones. It does not wait
 * for a file system with ticks of a second: then a file as new as the start counts as changed. */
static bool read_clock(struct unit *u, struct timespec *start) {
  enum { TRIES = 50 };
  static const struct timespec millisecond = {.tv_nsec = 1000000};
  struct timespec before;
  bool read = file_clock(u->dir, &before) && file_clock(u->dir, start);
  for (int i = 0; read && i < TRIES && !is_later(start, &before); i++) {
    nanosleep(&millisecond, NULL);
    read = file_clock(u->dir, start);
  }
  return read;
}

bool unit_make_texts(struct unit *u) {
  struct timespec start;
  if (!unit_is_cuda(u))
    set_temporary(u);
  if (!read_clock(u, &start))
    return unit_not_lazy(u, "%s: %s", u->dir, strerror(errno));
  if (unit_is_cuda(u) ? !unit_cuda_texts(u)
                      : !ask_steps(u) || !make_host_text(u) || !make_device_texts(u) ||
                            !is_of_one_moment(u, u->depfile, &start))
    return false;
  bool same = true;
  for (size_t i = 0; same && i < u->ntexts + unit_is_cuda(u); i++) {
    autofree char *depfile =
        unit_is_cuda(u) ? unit_cuda_depfile(u, i) : unit_device_file(u, i, "d");
    same = is_of_one_moment(u, depfile, &start);
  }
  return same;
}
