/* condition.c - see condition.h. A condition is cut at its &&s into atoms; each new one must be
 * without effects (effects.h), and is sorted by what it asks about: `x == 1` and `x != 2` are tests
 * of the variable `x ==`.
 */
#include "condition.h"

#include "effects.h"

#include "core/base/vec.h"

enum { MAX_ATOMS = 1024 };

/* ---- variables ---- */

/* Is [BEGIN, END) a constant by its looks: 3, true, some_enum::value? */
static bool is_constant(const struct cxx_text *t, uint32_t begin, uint32_t end) {
  static const char *const words[] = {"true", "false", "nullptr"};
  if (end == begin + 1)
    return TEXT_WORD(t, begin, words) || t->toks[begin].kind == TOK_NUMBER || t->toks[begin].kind == TOK_CHAR;
  for (uint32_t i = begin; i < end; i++)
    if ((i - begin) % 2 ? !cxx_is(t, i, "::") : !ident(t, i))
      return false;
  return end > begin && (end - begin) % 2;
}

/* the one == or != of R that binds loosest; R.end if there is none */
static uint32_t find_equality(const struct cxx_text *t, struct range r) {
  static const char *const looser[] = {"&&", "||", "?", ",", "&", "|", "^", "and", "or", "not", "!"};
  uint32_t found = r.end;
  for (uint32_t i = r.begin; i < r.end; i++) {
    if (punct(t, i, '('))
      i = cxx_skip_group(t, i, r.end) - 1;
    else if (TEXT_WORD(t, i, looser) || (text_equality(t, i) && found != r.end))
      return r.end;
    else if (text_equality(t, i))
      found = i;
  }
  return found;
}

static uint16_t variable_of(struct atoms *a, char *name) {
  size_t i = intern(&a->variable_names, name);
  free(name);
  if (i == a->nvariables)
    vec_add(a->variables, a->nvariables);
  return (uint16_t)i;
}

/* the number of the test E == CONSTANT, which is added if it is new; takes CONSTANT over */
static size_t test_of(struct atom_variable *v, const char *e, char *constant) {
  size_t k = 0;
  while (k < v->constants.n && strcmp(v->constants.args[k], constant) != 0)
    k++;
  if (k == v->constants.n) {
    argv_add(&v->constants, constant);
    argv_addf(&v->tests, "(%s) == (%s)", e, constant);
  }
  free(constant);
  return k;
}

static void set_variable(struct atoms *a, struct atom *atom, struct range r) {
  const struct cxx_text *t = &a->s->code;
  uint32_t op = find_equality(t, r);
  struct range e = {r.begin, op}, c = {op + 1, r.end};
  if (op != r.end && is_constant(t, e.begin, e.end) && !is_constant(t, c.begin, c.end)) {
    struct range x = e;
    e = c;
    c = x;
  }
  if (op != r.end && is_constant(t, c.begin, c.end)) {
    autofree char *name = text_copy(t, e.begin, e.end);
    atom->variable = variable_of(a, xasprintf("%s ==", name));
    struct atom_variable *v = &a->variables[atom->variable];
    if (v->tests.n < ATOM_OTHER - 1) {
      size_t k = test_of(v, name, text_copy(t, c.begin, c.end));
      atom->allowed = cxx_is(t, op, "!=") ? ~(UINT64_C(1) << k) : UINT64_C(1) << k;
      return;
    }
  }
  bool negated =
      punct(t, r.begin, '!') && punct(t, r.begin + 1, '(') && cxx_skip_group(t, r.begin + 1, r.end) == r.end;
  autofree char *text = text_copy(t, r.begin + negated, r.end);
  atom->variable = variable_of(a, xstrdup(text));
  struct atom_variable *v = &a->variables[atom->variable];
  if (!v->tests.n)
    argv_add(&v->tests, text);
  atom->allowed = negated ? UINT64_C(1) << ATOM_OTHER : 1;
}

/* ---- atoms ---- */

static bool read_atom(struct atoms *a, struct range r, uint16_t **list, size_t *n) {
  const struct cxx_text *t = &a->s->code;
  if (r.end == r.begin + 1 && cxx_is(t, r.begin, "true"))
    return true;
  autofree char *text = text_copy(t, r.begin, r.end);
  size_t i = intern(&a->names, text);
  if (i == a->n) {
    bool guarded = false;
    if (a->n == MAX_ATOMS || !effects_none(a, r, &guarded))
      return false;
    vec_push(a->all, a->n, (struct atom){.text = a->names.texts.args[i], .guarded = guarded});
    set_variable(a, &a->all[a->n - 1], r);
  }
  vec_push(*list, *n, (uint16_t)i);
  return true;
}

static bool is_and(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "&&") || cxx_is(t, i, "and");
}

bool atoms_read(struct atoms *a, struct range r, uint16_t **list, size_t *n) {
  const struct cxx_text *t = &a->s->code;
  while (punct(t, r.begin, '(') && cxx_skip_group(t, r.begin, r.end) == r.end && r.end > r.begin + 2)
    r = (struct range){r.begin + 1, r.end - 1};
  if (r.begin >= r.end)
    return false;
  bool list_of_terms = false;
  for (uint32_t i = r.begin; i < r.end; i++) {
    static const char *const looser[] = {"||", "?", ",", ":", "=", "or"};
    if (punct(t, i, '(') || punct(t, i, '{') || punct(t, i, '['))
      i = cxx_skip_group(t, i, r.end) - 1;
    else if (TEXT_WORD(t, i, looser))
      return read_atom(a, r, list, n);
    else if (is_and(t, i))
      list_of_terms = true;
  }
  if (!list_of_terms)
    return read_atom(a, r, list, n);
  uint32_t from = r.begin;
  for (uint32_t i = r.begin; i <= r.end; i++) {
    if (i < r.end && punct(t, i, '('))
      i = cxx_skip_group(t, i, r.end) - 1;
    else if (i == r.end || is_and(t, i)) {
      if (!atoms_read(a, (struct range){from, i}, list, n))
        return false;
      from = i + 1;
    }
  }
  return true;
}

void atoms_free(struct atoms *a) {
  for (size_t i = 0; i < a->nvariables; i++) {
    argv_free(&a->variables[i].tests);
    argv_free(&a->variables[i].constants);
  }
  free(a->all);
  free(a->variables);
  intern_free(&a->names);
  intern_free(&a->variable_names);
  intern_free(&a->scalars);
  intern_free(&a->strings);
  intern_free(&a->pointers);
  intern_free(&a->types);
  intern_free(&a->words);
  *a = (struct atoms){0};
}
