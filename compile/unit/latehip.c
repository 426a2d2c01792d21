/* latehip.c - the entry of a HIP unit that is late, without its kernels; see late.h.
 *
 *     verify    what would the plain command run?             compile/verify.h
 *     host      ckjit-unit makes the object of the host side, and the device's text, as in a build
 *               that compiles the host side of every unit     unit/unit.h
 *     link      with the registry, that text, and the libraries of its library's link
 *
 * The host's text goes through the compiler without the bodies of kernels. A kernel is then
 * compiled from the text (unit.c).
 */
#include "late.h"
#include "frontsteps.h"
#include "latelink.h"
#include "compile/log.h"
#include "compile/command.h"
#include "compile/environment.h"
#include "compile/plan_run.h"
#include "compile/seen.h"
#include "compile/verify.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/cc/steps.h"
#include "core/files/stubobj.h"
#include "core/files/unitcall.h"

#include <fcntl.h>
#include <unistd.h>

/* one attempt */
struct late_hip {
  const struct compile_task *t;
  const char *temporary;
  char *object, *allowed, *steps;
  /* as ckjit-unit has recorded it in the object */
  struct record *unit;
  struct late_shim shim;
  struct argv env;
  int log;
};

/* ---- the host side ---- */

static bool make_host(struct late_hip *l, const char *program, const char **why) {
  struct plan p = {0};
  autofree_argv call = {0}, words = {0}, options = {0};
  command_object(&call, l->t, NULL, NULL, l->object);
  verify_ask(l->t, &call, &l->env);
  const struct buf *answer = l->t->seen ? &l->t->seen->answer : NULL;
  autofree char *file = path_join(l->temporary, "answer");
  struct argv given = {.args = call.args + 1, .n = call.n - 1};
  struct record made = {.stem = l->t->stem,
                        .source = l->t->source,
                        .output = l->object,
                        .cwd = (char *)l->temporary,
                        .compiler = l->t->compiler,
                        .compiler_kind = l->t->kind,
                        .args = given};
  argv_add_words(&options, "--at-link", "--any-price", NULL);
  if (l->t->inputs)
    argv_add_words(&options, "--compiler", l->t->inputs->compiler, NULL);
  if (answer && answer->len && file_write(file, answer->data, answer->len, 0600))
    argv_add_words(&options, "--answer", file, NULL);
  unitcall_words(&words, program, &options, l->temporary, &made, &given);
  plan_add(&p, "host side", &words, 0);
  bool done = plan_run(&p, &l->env, l->log, why);
  plan_free(&p);
  l->unit = done ? unitcall_record(l->object, NULL) : NULL;
  if (done && !(l->unit && l->unit->kind == RECORD_UNIT))
    done = give_up(why, "ckjit-unit has not made the object of a unit");
  return done;
}

/* ---- the link ---- */

/* What compiles C for the host: the driver proper, as it said of the host side; hipcc, which starts
 * it, takes ten times as long for a small source. free() it. */
static char *c_compiler(const struct compile_task *t) {
  struct steps s;
  steps_read(&s, t->seen && t->seen->answer.len ? t->seen->answer.data : NULL);
  const struct argv *pass = steps_cc1(&s);
  char *program = xstrdup(pass ? pass->args[0] : t->compiler);
  steps_free(&s);
  return program;
}

/* Have the registry's object hold the unit's text, and the words that compile it. */
static bool put_sections(struct late_hip *l) {
  autofree_buf steps = {0};
  frontsteps_write_words(l->t, &l->unit->device, &steps);
  return file_write(l->steps, steps.data, steps.len, 0600) &&
         late_shim_section(&l->shim, FRONT_TEXT, (const char *const[]){l->unit->device_text, NULL}) &&
         late_shim_section(&l->shim, FRONT_STEPS, (const char *const[]){l->steps, NULL}) &&
         stub_write_allowed(l->allowed, stub_machine(l->object));
}

static void link_command(const struct late_hip *l, struct argv *link, const char *output) {
  autofree_argv objects = {0};
  argv_addf(&objects, "%s", l->object);
  argv_addf(&objects, "%s/" LATE_SHIM, l->temporary);
  argv_add(&objects, l->allowed);
  argv_add_all(&objects, l->shim.wraps.args);
  command_link_parts(link, l->t, output, &objects);
}

static bool make_entry(struct late_hip *l, const char *output, const char **why) {
  autofree_argv link = {0};
  bool done = late_shim_look(&l->shim, why) && (put_sections(l) || give_up(why, LATE_UNWRITTEN));
  if (done) {
    link_command(l, &link, output);
    autofree char *compiler = c_compiler(l->t);
    done = late_shim_link(&l->shim, compiler, &link, &l->env, l->log, why);
  }
  return done;
}

/* ---- the attempt ---- */

bool late_hip_make(const struct compile_task *t, const char *temporary, const char *output,
                   const char **why) {
  autofree char *program = install_program("ckjit-unit"), *log = path_join(temporary, LOG_OF_STEPS);
  struct late_hip l = {.t = t,
                       .temporary = temporary,
                       .object = path_join(temporary, "host.o"),
                       .allowed = path_join(temporary, "allowed.o"),
                       .steps = path_join(temporary, "steps"),
                       .log = open(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600)};
  l.shim = (struct late_shim){.t = t, .temporary = temporary, .object = l.object};
  argv_add_all(&l.env, compile_environment(t));
  seen_variables(t, &l.env, temporary);
  bool done = (program && l.log >= 0) || give_up(why, program ? LATE_UNWRITTEN : "there is no ckjit-unit");
  done = done && make_host(&l, program, why) && make_entry(&l, output, why);
  if (done)
    seen_of_variables(t, temporary);
  if (l.log >= 0)
    close(l.log);
  if (l.unit)
    record_free(l.unit);
  free(l.unit);
  late_shim_free(&l.shim);
  argv_free(&l.env);
  free(l.object);
  free(l.allowed);
  free(l.steps);
  return done;
}
