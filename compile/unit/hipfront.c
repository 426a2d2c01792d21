/* hipfront.c - see hipfront.h. */
#include "hipfront.h"
#include "front.h"
#include "compile/child.h"
#include "compile/cuid.h"
#include "compile/environment.h"
#include "compile/inputs.h"
#include "compile/memo.h"
#include "compile/place.h"
#include "compile/plan_run.h"
#include "core/base/path.h"
#include "core/cache/lock.h"
#include "core/cc/cc1.h"
#include "core/device/nvvm.h"
#include "abi/ck_jit_clock.h"
#include "abi/ck_jit_jobs.h"

#include <fcntl.h>
#include <unistd.h>

/* The kernel's text has clang's -fms-extensions (unit.c), the whole one has not. */
#define SELECTING "-fms-extensions"

/* ---- the driver's steps ---- */

void hipsteps_ask(struct hipsteps *s, const struct compile_task *t, const struct argv *command,
                  const char *temporary) {
  autofree_argv env = {0};
  *s = (struct hipsteps){0};
  argv_add_all(&env, compile_environment(t));
  cuid_add_variable(&env, t, command);
  autofree char *answer = plan_ask_steps(t->kind->dialect, command, env.args, temporary, NULL);
  steps_read(&s->all, answer);
  if (s->all.n != 2 || !steps_is_cc1(&s->all.list[0]))
    return;
  const struct argv *pass = &s->all.list[0], *link = &s->all.list[1];
  const char *text = command->args[command->n - 1], *code = command->args[command->n - 2];
  s->object = argv_after(pass, "-o");
  const char *made = argv_after(link, "-o");
  if (s->object && made && strcmp(made, code) == 0 && strcmp(pass->args[pass->n - 1], text) == 0 &&
      argv_has(pass, "-emit-obj") && argv_has(pass, "-fcuda-is-device") && argv_has(link, s->object)) {
    s->pass = pass;
    s->link = link;
  }
}

void hipsteps_free(struct hipsteps *s) {
  steps_free(&s->all);
}

/* ---- is it there? ---- */

/* Nothing of it is for a debugger: its information would name kernels that are not there. */
static bool is_possible(const struct compile_task *t) {
  return t->cache && !task_is_whole(t) && !strchr(t->archs, ';') && !argv_has_prefix(&t->flags, "-g");
}

/* Is it to be made now, by us? On a busy machine the processes of small kernels end in any order, so
 * there are TRIES. */
static void claim(struct hipfront *f) {
  enum { TRIES = 3 };
  const struct lock_wait at_once = {.at_once = true};
  bool waited;
  autofree char *said = memo_read(f->t, f->memo), *err = NULL;
  f->lost = said ? (unsigned)strlen(said) : 0;
  if (f->lost < TRIES && ckjit_jobs() > 1 && ckjit_processors() > 1)
    f->wanted = lock_take(&f->lock, f->lock_path, &at_once, &waited, &err) == LOCK_OURS;
}

void hipfront_find(struct hipfront *f, const struct compile_task *t, const char *temporary) {
  struct compile_task front;
  char path[PATH_MAX];
  const char *why;
  *f = (struct hipfront){.t = t, .temporary = temporary, .lock = -1};
  if (!is_possible(t))
    return;
  front_task(&front, t);
  f->memo = xasprintf("unit front %s", front.hex);
  f->lock_path = xasprintf("%s/" CKJIT_LOCKS "/%s", t->dir, front.hex);
  if (ckjit_entry_find(path, t->dir, front.stem, strlen(front.stem), front.id, &why))
    f->file = xstrdup(path);
  else
    claim(f);
  task_free(&front);
}

/* ---- a kernel from it ---- */

bool hipfront_kernel(const struct hipfront *f, const char *code, bool *constants, char **err) {
  struct front front = {.file = f->file};
  struct compile_task t = *f->t;
  autofree char *bitcode = path_join(f->temporary, "kernel.bc"),
                *object = path_join(f->temporary, "kernel.o");
  const char *why = NULL;
  bool done = front_read(&front, &t, err) && front_check_tools(&front, &t, err);
  t.environment = &front.steps.environment;
  if (done && !nvvm_keep_function(front.bitcode, front.len, t.kernel, &why))
    done = task_fail(&t, err, "the bitcode in %s: %s", f->file, why);
  *constants = front.steps.host_writes;
  done = done && task_write(&t, bitcode, front.bitcode, front.len, err) &&
         front_run(&t, &front, &front.steps.clang, bitcode, object, f->temporary, "back end", err) &&
         front_run(&t, &front, &front.steps.lld, object, code, f->temporary, "link", err);
  front_free(&front);
  return done;
}

/* ---- the kernel by itself, and the front end beside it ---- */

/* The kernel is there. The front end has an eighth of its time more: of a small unit it takes as long. */
static bool is_enough(void *data, bool left) {
  enum { SHARE = 8 };
  const struct hipfront *f = data;
  (void)left;
  deadline_set((ckjit_seconds() - f->began) / SHARE);
  return false;
}

static void front_ended(void *data, bool succeeded) {
  ((struct hipfront *)data)->made = succeeded;
}

/* The last step of P: the front end of the N bytes WHOLE. */
static void add_front(struct hipfront *f, struct plan *p, const struct hipsteps *s, const char *text,
                      const char *whole, size_t n) {
  autofree_argv front = {0};
  autofree char *dir = path_join(f->temporary, "front");
  f->text = path_join(dir, path_base(text)); /* which is a symbol's name */
  f->bitcode = path_join(dir, "front.bc");
  const char *without = argv_has(&f->t->flags, SELECTING) ? "" : SELECTING;
  if (dir_make(dir) && file_write(f->text, whole, n, 0600) &&
      cc1_divide(s->pass, f->text, f->bitcode, without, &front, &f->back)) {
    struct step *step = plan_add(p, "device front end", &front, 0);
    step->optional = true;
    step->ended = front_ended;
    step->data = f;
    p->last = p->side = p->n - 2;
    p->suffices = is_enough;
    p->data = f;
  }
}

static void add_kernel(struct plan *p, const struct hipsteps *s, const char *object, const char *header) {
  autofree_argv pass = {0}, link = {0};
  for (size_t i = 0; i < s->pass->n; i++) {
    argv_add(&pass, strcmp(s->pass->args[i], s->object) == 0 ? object : s->pass->args[i]);
    if (i == 1 && header)
      argv_add_words(&pass, "-include-pch", header, NULL);
  }
  for (size_t i = 0; i < s->link->n; i++)
    argv_add(&link, strcmp(s->link->args[i], s->object) == 0 ? object : s->link->args[i]);
  plan_add(p, NULL, &pass, 0)->role = STEP_DEVICE;
  plan_add(p, NULL, &link, 1);
}

bool hipfront_compile(struct hipfront *f, const struct hipsteps *s, const char *text, const char *header,
                      const char *whole, size_t n) {
  struct plan p = {0};
  autofree_argv env = {0};
  autofree char *object = path_join(f->temporary, "pass.o"), *log = path_join(f->temporary, "passes");
  const char *why;
  autoclose fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  argv_add_all(&env, compile_environment(f->t));
  add_kernel(&p, s, object, header);
  if (f->wanted && whole)
    add_front(f, &p, s, text, whole, n);
  f->began = ckjit_seconds();
  bool done = fd >= 0 && plan_run(&p, &env, fd, &why);
  if (p.side && done)
    deadline_set(f->t->timeout);
  plan_free(&p);
  return done;
}

/* ---- its entry ---- */

static bool place(const struct hipfront *f, const struct hipsteps *s, const char *code, bool constants,
                  char **err) {
  struct compile_task front;
  autofree_buf steps = {0};
  autofree char *file = path_join(f->temporary, "front.so");
  front_task(&front, f->t);
  frontsteps_write_clang(f->t, &f->back, s->link, s->object, code, constants, &steps);
  bool done = front_write(&front, file, f->bitcode, &steps, err) && compile_inputs_again(f->t, err) &&
              place_result(&front, file, err);
  task_free(&front);
  return done;
}

void hipfront_keep(struct hipfront *f, const struct hipsteps *s, const char *code, bool constants) {
  autofree char *err = NULL;
  bool done = f->made && place(f, s, code, constants, &err);
  if (!done) {
    autofree char *said = xasprintf("%.*s", (int)f->lost + 1, "lost");
    memo_write(f->t, f->memo, said);
  }
  if (f->t->verbose)
    note("%s: front end of its unit: %s", f->t->stem,
         done  ? "made"
         : err ? err
               : "not made: it takes too long");
}

void hipfront_free(struct hipfront *f) {
  if (f->lock >= 0)
    lock_release(f->lock, f->lock_path);
  free(f->file);
  free(f->text);
  free(f->bitcode);
  free(f->memo);
  free(f->lock_path);
  argv_free(&f->back);
}
