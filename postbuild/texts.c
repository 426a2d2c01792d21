/* texts.c - the files in the work directory that objects of a link rely on: the device's text of
 * each lazy unit, and with -rdc=true what the unit has for others. They go when the work directory
 * is cleaned, or the fake home made anew, and the build does not know that: its objects are up to
 * date.
 *
 * An object that comes from a compiler cache has its text in it. Any other text is made again, by
 * the unit's recorded command. Its key has the text in it, so if the key is the same, so is the
 * text. If it is another one, or the unit does not compile, the library cannot be made of this
 * object.
 */
#include "link.h"

#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/files/embedded.h"
#include "core/files/linkedunit.h"
#include "core/files/unitcall.h"
#include "core/files/unittext.h"

/* Is all there that the unit R needs? */
static bool is_whole(const struct record *r) {
  autofree_argv kernels = {0};
  struct linkedunit u = {0};
  autofree char *err = NULL;
  bool linked = compiler_links_kernels(r->compiler_kind, &r->device);
  bool whole =
      unittext_kernels(r->device_text, &kernels, &err) && (!linked || linkedunit_read(&u, r->device_text));
  linkedunit_free(&u);
  return whole;
}

/* Look where this work directory has the text of R, a unit of FILE, and in the object. */
static bool find_text(const struct link *l, struct record *r, const char *file) {
  if (is_whole(r))
    return true;
  char *err = NULL;
  free(r->device_text);
  r->device_text = xasprintf("%s/" UNITTEXT_DIR "/%s" UNITTEXT_EXT, l->work, r->key);
  if (!embedded_restore(file, r->key, r->device_text, &err))
    die(EXIT_FAILED, "%s", err);
  return is_whole(r);
}

static _Noreturn void give_up(const struct record *r, const char *file, const char *member, const char *why) {
  die(EXIT_FAILED,
      "%s%s%s%s: the device code of %s was kept in %s, which no longer exists: the fake home was recreated, or its "
      "work directory cleaned; and it cannot be made again: %s; build the object again: remove %s, and start the build",
      file, *member ? "(" : "", member, *member ? ")" : "", r->source, r->device_text, why, r->output);
}

/* ---- made again ---- */

/* How PROGRAM, ckjit-unit, makes the text of R again. */
static void command_of(struct argv *out, const struct link *l, const char *program, const struct record *r) {
  autofree_argv options = {0};
  home_unit_options(l->home, &options);
  argv_add(&options, "--text");
  argv_add(&options, r->key);
  unitcall_words(out, program, &options, l->work, r, &r->args);
}

/* The units that lack it: for each a job, and the number of its record. */
struct lacking {
  struct job *jobs;
  struct argv *commands;
  struct record **records;
  size_t *of, n;
};

static void add_lacking(struct lacking *a, const struct link *l, size_t i, const char *program) {
  const struct record *r = &l->line.records[i];
  const char *file = l->line.files.args[i], *member = l->line.members.args[i];
  /* as the wrapper wrote it: linkline_read() exchanges words of it, and the key is of those that were
   * given; NULL: the file was replaced since */
  struct record *again = unitcall_record(file, r->key);
  if (!program || !again)
    give_up(r, file, member, program ? "its record is gone" : "there is no ckjit-unit beside ckjit-link");
  command_of(&a->commands[a->n], l, program, again);
  a->jobs[a->n] = (struct job){.args = a->commands[a->n].args, .cwd = again->cwd};
  a->records[a->n] = again;
  a->of[a->n++] = i;
}

static void make_again(struct lacking *a, const struct link *l) {
  pool_run(a->jobs, a->n, l->runner.parallel, NULL, NULL);
  for (size_t k = 0; k < a->n; k++) {
    size_t i = a->of[k];
    const struct record *r = &l->line.records[i];
    bool made = a->jobs[k].status == 0 && is_whole(r);
    char *error = made ? NULL : step_first_error(&a->jobs[k].output, a->jobs[k].status);
    if (!made)
      give_up(r, l->line.files.args[i], l->line.members.args[i], error);
    buf_free(&a->jobs[k].output);
    argv_free(&a->commands[k]);
    record_free(a->records[k]);
    free(a->records[k]);
  }
}

void link_find_texts(struct link *l) {
  struct linkline *line = &l->line;
  size_t n = line->nrecords + 1;
  struct lacking a = {.jobs = xcalloc(n, sizeof *a.jobs),
                      .commands = xcalloc(n, sizeof *a.commands),
                      .records = xcalloc(n, sizeof *a.records),
                      .of = xcalloc(n, sizeof *a.of)};
  autofree char *program = install_program("ckjit-unit");
  for (size_t i = 0; i < line->nrecords; i++)
    if (line->records[i].kind == RECORD_UNIT && !find_text(l, &line->records[i], line->files.args[i]))
      add_lacking(&a, l, i, program);
  if (a.n)
    make_again(&a, l);
  free(a.jobs);
  free(a.commands);
  free(a.records);
  free(a.of);
}
