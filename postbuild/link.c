/* link.c - what the parts of a link share: the machine that it is for, and how its records are
 * compiled. */
#include "link.h"

#include "flags.h"

#include "core/files/stubobj.h"

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

struct step link_host_step(const struct link *l, const struct record *r) {
  struct step s = {0};
  autofree char *object = xasprintf("%s/objs/host-%zu-%s.o", l->dir, (size_t)(r - l->line.records), r->stem);
  flags_host(&s.args, r);
  flags_word(&s.args, r, "-w");
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
