#include "closure.h"
#include "core/base/vec.h"

struct closure_name {
  size_t definer, who; /* a unit + 1; 0: none */
};

static struct closure_name *find(struct closure *c, const char *name, size_t *at) {
  *at = intern(&c->names, name);
  if (*at == c->n)
    vec_add(c->list, c->n);
  return &c->list[*at];
}

void closure_define(struct closure *c, size_t unit, const struct argv *names) {
  size_t at;
  for (size_t i = 0; i < names->n; i++) {
    struct closure_name *n = find(c, names->args[i], &at);
    if (!n->definer)
      n->definer = unit + 1;
  }
}

size_t closure_definer(const struct closure *c, const char *name) {
  size_t at = intern_find(&c->names, name);
  return at < c->n ? c->list[at].definer - 1 : CLOSURE_NONE; /* 0 - 1 is CLOSURE_NONE */
}

void closure_need(struct closure *c, size_t unit, const char *name) {
  size_t at;
  struct closure_name *n = find(c, name, &at);
  if (n->who)
    return;
  n->who = unit + 1;
  vec_push(c->open, c->nopen, at);
}

void closure_need_all(struct closure *c, size_t unit, const struct argv *names) {
  for (size_t i = 0; i < names->n; i++)
    closure_need(c, unit, names->args[i]);
}

bool closure_next(struct closure *c, size_t *who, const char **name) {
  if (c->next == c->nopen)
    return false;
  size_t at = c->open[c->next++];
  *who = c->list[at].who - 1;
  *name = c->names.texts.args[at];
  return true;
}

void closure_free(struct closure *c) {
  intern_free(&c->names);
  free(c->list);
  free(c->open);
  *c = (struct closure){0};
}
