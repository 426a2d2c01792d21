/* link.c - what the parts of a link share: the machine that it is for, and how its records are
 * compiled. */
#include "link.h"

#include "flags.h"

#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/files/stubobj.h"

#include <fcntl.h>
#include <sys/file.h>

const struct ckjit_machine *link_machine(const struct link *l) {
  const struct ckjit_machine *m = NULL;
  for (size_t i = 0; i < l->line.scan.ninputs && !m; i++)
    if (l->line.scan.inputs[i].kind == CC_IN_FILE)
      m = stub_machine(l->line.scan.inputs[i].text);
  for (size_t k = 0; k < l->units.nunits && !m; k++)
    m = stub_machine(l->units.units[k].object);
  return m ? m : &CKJIT_OWN;
}

struct step link_whole_step(const struct record *r, const char *object) {
  struct step s = {0};
  flags_whole(&s.args, r);
  step_source(&s, r, r->source, object);
  return s;
}

struct step link_ahead_step(const struct link *l, const struct blob *b) {
  autofree char *object = xasprintf("%s/objs/aot-%zu-%s.o", l->dir, (size_t)(b - l->blobs), b->record->stem);
  return link_whole_step(b->record, object);
}

struct step link_host_step(const struct link *l, const struct record *r, bool shown) {
  struct step s = {0};
  autofree char *object = xasprintf("%s/objs/%s-%zu-%s.o", l->dir, shown ? "shown" : "host",
                                    (size_t)(r - l->line.records), r->stem);
  flags_host(&s.args, r);
  flags_word(&s.args, r, "-w");
  if (shown)
    flags_word(&s.args, r, "-fvisibility=default");
  step_source(&s, r, r->source, object);
  return s;
}

struct step link_text_step(const struct link *l, const struct record *r, const char *name) {
  struct step s = {0};
  autofree char *file = xasprintf("%s/objs/%s.i", l->dir, name);
  flags_text(&s.args, r, NULL);
  step_source(&s, r, r->source, file);
  return s;
}

const struct record *link_first(const struct link *l) {
  return l->nblobs ? l->blobs[0].record : l->lazy.n ? l->lazy.list[0].record : NULL;
}

/* of the home's own compiler; the wrapper would not have come this far with one that is not
 * known */
static const struct compiler *home_kind(const struct home *h) {
  const struct compiler *kind = compiler_of_home(h->kind.n ? h->kind.args[0] : NULL);
  return compiler_meant(kind ? kind : compiler_of_home(NULL), h->real_compiler);
}

const struct compiler *link_kind(const struct link *l) {
  const struct record *first = link_first(l);
  return first ? first->compiler_kind : home_kind(l->home);
}

void link_own(const struct link *l, const char *p) {
  autofree char *todo = xasprintf("`work` in %s/" HOME_FILE
                                  " or CK_JIT_TMP_DIR names the work directory: let it be one of your own",
                                  l->home->dir);
  trust_own(p, p == l->work ? "the work directory" : "the directory", todo);
}

void link_make_own(const struct link *l, const char *p) {
  if (!dir_make_work(p))
    die(EXIT_FAILED,
        "%s: cannot make the directory: %s; a link of recorded objects writes to the work directory, which is `work` in "
        "%s/" HOME_FILE " or CK_JIT_TMP_DIR",
        p, strerror(errno), l->home->dir);
  link_own(l, p);
}

int link_lock(const char *dir) {
  autofree char *lock = path_join(dir, ".lock");
  int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0 || flock(fd, LOCK_EX))
    die(EXIT_FAILED, "%s: cannot lock: %s", lock, strerror(errno));
  return fd;
}

void link_count_steps(struct link *l, const struct step *steps, size_t n) {
  for (size_t i = 0; i < n; i++)
    *(steps[i].fresh ? &l->kept : &l->compiled) += 1;
}

void link_run_steps(struct link *l, struct step *steps, size_t n) {
  steps_run(&l->runner, steps, n);
  link_count_steps(l, steps, n);
}

void link_run_whole(struct link *l, struct step *steps, size_t n) {
  link_run_steps(l, steps, n);
  for (size_t i = 0; i < n; i++) {
    if (steps[i].status)
      step_fail(&steps[i]);
    step_free(&steps[i]);
  }
}

void link_record_dispatcher(const struct link *l, struct dispatcher *d, char *why) {
  if (why) {
    free(d->why);
    d->why = why;
  }
  free(d->object);
  d->object = xasprintf("%s/objs/whole-%s.o", l->dir, d->record->stem);
  d->stats = (struct dispatch_stats){0};
  d->recorded = true;
}
