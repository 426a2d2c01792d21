/* cudasteps.c - see cudasteps.h.
 *
 * nvcc is asked for the steps of an empty source that has the name of the unit's, for the architectures that are wanted. Of the names that it
 * gives to temporary files all are kept; what the preprocessor would write is written from the unit's text.
 */
#include "cudasteps.h"
#include "compile/log.h"
#include "compile/command.h"
#include "compile/environment.h"
#include "compile/failure.h"
#include "compile/plan_run.h"
#include "compile/run.h"
#include "core/base/path.h"
#include "core/cc/cicc.h"
#include "core/cc/compiler.h"
#include "core/files/unitkey.h"
#include "core/files/unittext.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- nvcc's steps ---- */

static void plan_command(const struct cuda *c, const char *source, struct argv *command) {
  argv_add(command, c->t->compiler);
  argv_add_all(command, c->t->flags.args);
  command_add_archs(command, c->t, c->t->archs);
  argv_add_words(command, "-x", "cu", "-c", source, "-o", c->object, NULL);
}

/* Set C's steps, each of which there is one of in its plan. */
static void take_steps(struct cuda *c) {
  struct nvcc_step **const steps[NVCC_KINDS] = {[NVCC_HOST_TEXT] = &c->host_text,
                                                [NVCC_FRONT] = &c->cudafe,
                                                [NVCC_DEVICE_TEXT] = &c->device_text,
                                                [NVCC_CICC] = &c->cicc,
                                                [NVCC_PTXAS] = &c->ptxas,
                                                [NVCC_FATBINARY] = &c->fatbinary,
                                                [NVCC_HOST] = &c->host};
  for (size_t i = 0; i < NVCC_KINDS; i++)
    if (steps[i])
      *steps[i] = nvcc_only(&c->nvcc, i);
}

char *cudasteps_plan(struct cuda *c, const struct argv *command) {
  bool asked = false;
  autofree char *why = NULL;
  char *text = plan_ask_steps(c->t->kind->dialect, command, c->env.args, c->temporary, &asked);
  if (asked && text && nvcc_plan_read(&c->nvcc, text, &why))
    take_steps(c);
  return text;
}

bool cudasteps_run(const struct cuda *c, const char *name, const struct argv *words, const char **why) {
  struct plan p = {0};
  say_command(c->t, words);
  plan_add(&p, name, words, 0);
  bool done = plan_run(&p, &c->env, c->log, why);
  plan_free(&p);
  return done;
}

bool cudasteps_run_front(const struct cuda *c, const struct argv *words, const char **why) {
  /* it ends with 0 after errors as well */
  return cudasteps_run(c, "device front end", words, why) &&
         (file_exists(c->bitcode) || (*why = "the device front end failed", false));
}

static bool make_plan(struct cuda *c, char **err) {
  autofree_argv command = {0};
  autofree char *source = path_join(c->temporary, "unit.cu"), *text = NULL;
  autofree_buf content = {0};
  buf_puts(&content, "");
  if (c->t->program_text)
    buf_printf(&content, "# 1 \"%s\"%s\n", c->t->source, strchr(c->t->program_text, '\n'));
  plan_command(c, source, &command);
  if (file_write(source, content.data, content.len, 0600))
    text = cudasteps_plan(c, &command);
  nvcc_environment(&c->nvcc, &c->env);
  bool done = c->fatbinary && c->host && c->cudafe;
  if (!done)
    task_fail(c->t, err, "%s does not list the steps of its compile: " NVCC_UNKNOWN_STEPS "%s%s",
              c->t->compiler, text ? "\n" : "", text && !c->nvcc.n ? text : "");
  return done;
}

/* ---- texts of programs ---- */

/* Is FILE, in a line marker with FLAGS, a header of the toolchain: of the host compiler's system
 * headers, or in a directory that nvcc itself names? */
static bool is_of_toolchain(const struct cuda *c, const char *file, const char *flags) {
  const struct argv *words = &c->device_text->words;
  if (*file == '<' || strchr(flags, '3'))
    return true;
  for (size_t i = 0; i < words->n; i++) {
    const char *dir = words->args[i] + (str_starts(words->args[i], "-I") ? 2 : 0);
    if (*dir == '/' && str_starts(file, dir))
      return true;
  }
  return false;
}

/* The key of a program's text covers no header: TEXT, preprocessed, may include only the
 * toolchain's. */
static bool check_headers(const struct cuda *c, const char *text, char **err) {
  autofree char *own = path_join(c->temporary, "unit.cu");
  bool good = true;
  for (const char *p = text; p && good; p = strchr(p, '\n'), p += p != NULL) {
    const char *quote = str_starts(p, "# ") ? strchr(p, '"') : NULL,
               *end = quote ? strchr(quote + 1, '"') : NULL;
    if (!end || end > p + strcspn(p, "\n"))
      continue;
    autofree char *file = xstrndup(quote + 1, (size_t)(end - quote) - 1),
                  *flags = xstrndup(end + 1, strcspn(end + 1, "\n"));
    good = strcmp(file, own) == 0 || strcmp(file, c->t->source) == 0 || is_of_toolchain(c, file, flags) ||
           task_fail(c->t, err,
                     "%s includes %s, whose changes ckjit would not see; put the header into the text",
                     c->t->source, file);
  }
  return good;
}

/* Preprocess the program's text: the files that cicc reads. */
static bool preprocess(const struct cuda *c, char **err) {
  const char *why = NVCC_UNKNOWN_STEPS;
  return (c->device_text && cudasteps_run(c, "preprocessor", &c->device_text->words, &why)) ||
         cudasteps_fail(c, why, err);
}

/* ---- what the steps read ---- */

/* The name in the first line marker of TEXT, the unit's source as its compile named it: `# 0 "x.cu"`. free() it. */
static char *source_of(const char *text) {
  const char *quote = text[0] == '#' ? strchr(text, '"') : NULL;
  size_t n = quote ? strcspn(quote + 1, "\"\\\n") : 0;
  return n && quote[1 + n] == '"' ? xstrndup(quote + 1, n) : xstrdup("unit.cu");
}

/* The text for STEP, one of cicc's, in the file that it reads. That of a program is there. */
static bool write_text(struct cuda *c, struct nvcc_step *step, const char *file, char **err) {
  const char *arch = nvcc_value(step, "-arch");
  char *why = NULL;
  size_t len;
  bool there = c->t->program_text;
  autofree char *text = there  ? file_read_text(file, &len)
                        : arch ? unittext_read(c->t->source, arch, &len, &why)
                               : NULL;
  if (!text) {
    task_fail(c->t, err, "%s", why ? why : "nvcc has a step that names no architecture");
    free(why);
    return false;
  }
  autofree char *source = there ? xstrdup(c->t->source) : source_of(text);
  if (!c->device_only.n)
    unittext_device_only(text, len, &c->device_only);
  bool done = there ? check_headers(c, text, err) : task_write(c->t, file, text, len, err);
  free(nvcc_exchange_value(&step->words, "--orig_src_file_name", source));
  free(nvcc_exchange_value(&step->words, "--orig_src_path_name", source));
  return done;
}

/* The file that STEP, one of cicc's, reads: what one of the steps of the preprocessor would write. */
static const char *input_of(const struct cuda *c, const struct nvcc_step *step) {
  for (size_t i = 0; i < c->nvcc.n; i++)
    if (c->nvcc.steps[i].kind == NVCC_DEVICE_TEXT && c->nvcc.steps[i].output &&
        argv_has(&step->words, c->nvcc.steps[i].output))
      return c->nvcc.steps[i].output;
  return NULL;
}

static bool write_texts(struct cuda *c, char **err) {
  if (c->t->program_text && !preprocess(c, err))
    return false;
  for (size_t i = 0; i < c->nvcc.n; i++) {
    struct nvcc_step *s = &c->nvcc.steps[i];
    const char *file = s->kind == NVCC_CICC ? input_of(c, s) : NULL;
    if (s->kind == NVCC_CICC && !file)
      return task_fail(c->t, err, "%s: " NVCC_UNKNOWN_STEPS, c->t->compiler);
    if (file && !write_text(c, s, file, err))
      return false;
  }
  return true;
}

/* The name that the unit's build gave to what is internal to it: kernels may have it in theirs. */
static bool write_module_id(struct cuda *c, char **err) {
  const char *id = NULL;
  for (size_t i = 0; i < c->t->flags.n; i++)
    if (str_starts(c->t->flags.args[i], UNITKEY_MODULE))
      id = c->t->flags.args[i] + strlen(UNITKEY_MODULE);
  for (size_t i = 0; id && i < c->nvcc.n; i++)
    if (c->nvcc.steps[i].kind == NVCC_CICC && !cicc_module_id(c->cudafe, &c->nvcc.steps[i], id))
      return task_fail(c->t, err, "cannot write the name of the unit: %s", strerror(errno));
  return id || task_fail(c->t, err, "its flags do not name the unit (" UNITKEY_MODULE "…): build it again");
}

bool cudasteps_begin(struct cuda *c, const struct compile_task *t, const char *temporary) {
  autofree char *log = path_join(temporary, LOG_OF_STEPS);
  *c = (struct cuda){.t = t,
                     .temporary = temporary,
                     .bitcode = path_join(temporary, "front.bc"),
                     .object = path_join(temporary, "host.o"),
                     .log = open(log, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600)};
  argv_add_all(&c->env, compile_environment(t));
  environment_toolchain(t, &c->toolchain);
  return c->log >= 0;
}

bool cudasteps_open(struct cuda *c, const struct compile_task *t, const char *temporary, char **err) {
  bool begun = cudasteps_begin(c, t, temporary);
  c->host_writes = true;
  return (begun || task_fail(t, err, "cannot write a log in %s: %s", temporary, strerror(errno))) &&
         make_plan(c, err) && write_texts(c, err) && write_module_id(c, err);
}

void cudasteps_free(struct cuda *c) {
  if (c->log >= 0)
    close(c->log);
  nvcc_plan_free(&c->nvcc);
  argv_free(&c->env);
  argv_free(&c->toolchain);
  argv_free(&c->device_only);
  argv_free(&c->back);
  free(c->bitcode);
  free(c->object);
}

bool cudasteps_fail(const struct cuda *c, const char *why, char **err) {
  enum { MOST = 4096 };
  char said[MOST + 1] = "";
  off_t size = lseek(c->log, 0, SEEK_END);
  ssize_t n = pread(c->log, said, MOST, size > MOST ? size - MOST : 0);
  said[n > 0 ? n : 0] = 0;
  failure_note(n > 0);
  return task_fail(c->t, err, "%s cannot compile it: %s%s%s", c->t->compiler, why, n > 0 ? "\n" : "", said);
}

/* ---- entries ---- */

void cudasteps_ask_for_binary(struct cuda *c, const char *fatbin) {
  struct argv kept = {0};
  for (size_t i = 0; i < c->fatbinary->words.n; i++)
    if (!str_starts(c->fatbinary->words.args[i], "--embedded-fatbin="))
      argv_add(&kept, c->fatbinary->words.args[i]);
  argv_addf(&kept, "--create=%s", fatbin);
  argv_free(&c->fatbinary->words);
  c->fatbinary->words = kept;
}

char *cudasteps_entry(const struct compile_task *f, const char *temporary, make_fn *make, char **err) {
  char path[PATH_MAX];
  const char *why;
  if (f->cache && ckjit_entry_find(path, f->dir, f->stem, strlen(f->stem), f->id, &why))
    return xstrdup(path);
  autofree char *dir = path_join(temporary, f->stem);
  char *file = xasprintf("%s.so", dir);
  bool done = (dir_make(dir) || task_fail(f, err, "cannot make %s: %s", dir, strerror(errno))) &&
              make(f, dir, file, err);
  if (done)
    return file;
  free(file);
  return NULL;
}
