/* cxxstate.c - see cxxstate.h. Types and initialisers are read token by token; what is not listed
 * here has effects.
 *
 *     static std::atomic<int> calls{0};                   a type of the table, a literal
 *     static const row rows[] = {{"a", 1}, {"b", 2}};     if row is defined above, without code
 *     static const auto squares = [] { std::array<int, 4> t{}; … return t; }();
 *                                                         names only its own entities
 *     static bool done = enrol();                         a host source
 *
 * "Its own" are the names that a body declares, constants and functions of the unit, and the
 * standard library's types: a body with no other names can reach nothing else. An unknown name may
 * be a macro, or a variable that the program sets before the first call and after the library was
 * loaded.
 */
#include "cxxstate.h"
#include "cxxdeclarator.h"
#include "cxxjudge.h"
#include "core/base/argv.h"

#include <limits.h>

static bool class_ok(struct judge *j, uint32_t name, uint32_t body, bool statics);
/* May an object of type BEGIN to END-1 be made at any time? FILLED: with an initialiser that is not
 * empty. */
static bool judge_type(struct judge *j, uint32_t begin, uint32_t end, bool filled);
/* May the code BEGIN to END-1 run at any time? STATEMENTS: it is a function's body or parameters,
 * which declare names; else it is an initialiser. */
static bool judge_code(struct judge *j, uint32_t begin, uint32_t end, bool statements);

/* Are the template arguments of NAME harmless, but for the first FREE and those from TYPES on? */
static bool judge_args(struct judge *j, const struct name *name, unsigned free, unsigned types) {
  const struct cxx_text *t = j->t;
  uint32_t end = name->args_end;
  for (uint32_t i = name->args, n = 0; i < end && n < types; n++) {
    uint32_t from = i;
    i = judge_comma(j, i, end);
    bool number = t->toks[from].kind == TOK_NUMBER || t->toks[from].kind == TOK_CHAR ||
                  cxx_is(t, from, "sizeof") || cxx_is(t, from, "true") || cxx_is(t, from, "false");
    if (n >= free && !number && !judge_type(j, from, i, true))
      return false;
    i++;
  }
  return true;
}

/* ---- what the unit defines ---- */

static bool own_type(struct judge *j, const struct cxx_item *it) {
  const struct cxx_text *t = j->t;
  uint32_t body = judge_find(j, it->begin, it->end, '{');
  if (it->kind == ITEM_ALIAS) {
    bool is_using = cxx_is(t, it->begin, "using");
    uint32_t from = is_using ? judge_find(j, it->begin, it->end, '=') : it->begin;
    return judge_type(j, from + 1, is_using ? it->end - 1 : it->name, true);
  }
  if (it->kind == ITEM_TYPE && cxx_is(t, it->begin, "enum"))
    return true;
  if (it->kind == ITEM_TEMPLATE) {
    uint32_t params = j->params, params_end = j->params_end;
    j->params = it->begin + 1;
    j->params_end = cxx_skip_angles(t, it->begin + 1, it->end);
    bool ok = j->params_end && body < it->end && class_ok(j, it->name, body, false);
    j->params = params;
    j->params_end = params_end;
    return ok;
  }
  return it->kind == ITEM_TYPE && class_ok(j, it->name, body, false);
}

/* The names of the namespaces that SCOPE is in, from the outer ones, without unnamed and inline
 * ones: tokens. How many; MAX_DEPTH + 1: too many. */
static unsigned path_of(const struct judge *j, int scope, uint32_t path[MAX_DEPTH]) {
  unsigned n = 0;
  for (; scope > 0; scope = j->s->scopes[scope].parent) {
    const struct cxx_scope *at = &j->s->scopes[scope];
    for (uint32_t i = at->name_end; i-- > at->name && !at->is_inline;)
      if (cxx_ident(j->t, i)) {
        if (n == MAX_DEPTH)
          return MAX_DEPTH + 1;
        path[n++] = i;
      }
  }
  for (unsigned i = 0; i < n / 2; i++) {
    uint32_t other = path[i];
    path[i] = path[n - 1 - i];
    path[n - 1 - i] = other;
  }
  return n;
}

/* The scope of the declaration that token I is in. */
static int scope_at(const struct judge *j, uint32_t i) {
  size_t low = 0, high = j->nitems;
  while (low < high) {
    size_t mid = low + (high - low + 1) / 2;
    if (j->s->items[mid].begin <= i)
      low = mid;
    else
      high = mid - 1;
  }
  return j->s->items[low].scope;
}

/* Is token I the name of an inline namespace that SCOPE is in? */
static bool is_inline_namespace(const struct judge *j, int scope, uint32_t i) {
  for (; scope > 0; scope = j->s->scopes[scope].parent)
    if (j->s->scopes[scope].is_inline && judge_same(j, j->s->scopes[scope].name, i))
      return true;
  return false;
}

/* Does N, at its place, mean the entity in SCOPE, whatever headers declare? `lib::row` is not the
 * unit's own row, and within lib a row at global scope may be hidden by a header's. So the
 * namespaces around N and those that it names must be those of SCOPE, except unnamed and inline
 * ones: if these contained two types of one name, N would be ambiguous. */
static bool means(const struct judge *j, const struct name *n, int scope) {
  uint32_t want[MAX_DEPTH], have[MAX_DEPTH];
  unsigned nwant = path_of(j, scope, want), nhave = 0, used = 0;
  if (!cxx_is(j->t, n->begin, "::") && !(n->begin > 0 && cxx_is(j->t, n->begin - 1, "::")))
    nhave = path_of(j, scope_at(j, n->begin), have);
  if (nwant > MAX_DEPTH || nhave > nwant)
    return false;
  for (; used < nhave; used++)
    if (!judge_same(j, have[used], want[used]))
      return false;
  for (uint32_t i = n->begin; i < n->last; i++) {
    if (!cxx_ident(j->t, i))
      continue;
    if (used < nwant && judge_same(j, i, want[used]))
      used++;
    else if (!is_inline_namespace(j, scope, i))
      return false;
  }
  return used == nwant;
}

/* Is the type called NAME defined in the unit, and harmless? */
static bool own_types_ok(struct judge *j, const struct name *n) {
  bool found = false;
  size_t k = 0;
  for (const struct cxx_item *it; (it = judge_own(j, n->last, &k));) {
    if (!means(j, n, it->scope))
      continue;
    if (it->kind != ITEM_TYPE && it->kind != ITEM_ALIAS && it->kind != ITEM_TEMPLATE)
      return false;
    if (it->kind != ITEM_ALIAS && judge_find(j, it->begin, it->end, '{') == it->end)
      continue; /* declared only */
    found = own_type(j, it);
    if (!found)
      return false;
  }
  return found;
}

static bool is_parameter(const struct judge *j, uint32_t name) {
  for (uint32_t i = j->params; i < j->params_end; i++)
    if (judge_same(j, i, name))
      return true;
  return false;
}

static bool profile_type(const struct judge *j, const struct name *n) {
  for (size_t i = 0; j->s->harmless && i < j->s->harmless->n; i++)
    if (judge_name_is(j, n->begin, n->last, j->s->harmless->args[i]))
      return true;
  return false;
}

/* May an object of the type called N be made? FILLED: out of an initialiser that is not empty. */
static bool judge_named_type(struct judge *j, const struct name *n, bool filled) {
  if (n->in_std) {
    const struct cxx_std_type *type = judge_std_type(j, n);
    if (!type)
      return cxx_is_builtin(j->t, n->last) && n->last == n->in_std;
    bool all = type->elements == CXX_ALWAYS || (type->elements == CXX_FILLED && filled);
    return judge_args(j, n, all ? 0 : type->nelements, type->values ? type->nelements : UINT_MAX);
  }
  if (profile_type(j, n) || is_parameter(j, n->last))
    return true;
  return own_types_ok(j, n) && judge_args(j, n, 0, UINT_MAX);
}

/* Is a variable declared with BEGIN to END-1 a pointer? Then no constructor runs, whatever it
 * points to. */
static bool is_pointer(struct judge *j, uint32_t begin, uint32_t end) {
  return end > begin &&
         (cxx_punct(j->t, end - 1) == '*' ||
          (cxx_is(j->t, end - 1, "const") && end > begin + 1 && cxx_punct(j->t, end - 2) == '*'));
}

static bool judge_type(struct judge *j, uint32_t begin, uint32_t end, bool filled) {
  const struct cxx_text *t = j->t;
  if (is_pointer(j, begin, end))
    return true;
  if (++j->depth > MAX_DEPTH)
    return false;
  bool ok = begin < end;
  for (uint32_t i = begin; i < end && ok;) {
    struct name n;
    /* [[maybe_unused]], or the extent of an array as a template argument */
    if (cxx_punct(t, i) == '[') {
      i = cxx_skip_group(t, i, end);
    } else if (cxx_takes_group(t, i) && cxx_punct(t, i + 1) == '(') {
      ok = !cxx_is(t, i, "decltype");
      i = cxx_skip_group(t, i + 1, end);
    } else if (cxx_punct(t, i) == '{') { /* static const struct { int a; } rows[] = … */
      ok = class_ok(j, cxx_ident(t, i - 1) ? i - 1 : 0, i, false);
      i = cxx_skip_group(t, i, end);
    } else if (judge_specifier(j, i) || cxx_is_builtin(t, i)) {
      i++;
    } else if (cxx_punct(t, i) == '(' && i > begin) { /* std::function<int(float)> */
      i = cxx_skip_group(t, i, end);
    } else if (judge_name(j, i, end, &n)) {
      ok = (n.end < end && cxx_punct(t, n.end) == '{') || judge_named_type(j, &n, filled);
      i = n.end;
    } else {
      ok = false;
    }
  }
  j->depth--;
  return ok;
}

/* ---- variables ---- */

/* Are the declarators from the name at I on, of a type BEGIN to TYPE_END-1, harmless? */
static bool variables_ok(struct judge *j, uint32_t begin, uint32_t i, uint32_t end) {
  const struct cxx_text *t = j->t;
  uint32_t type_end = i;
  bool first = true;
  for (;; first = false) {
    uint32_t stop = judge_comma(j, i, end), at = i;
    bool pointer = first && is_pointer(j, begin, type_end);
    while (!first && cxx_punct(t, at) == '*') {
      pointer = true;
      at++;
    }
    if (!cxx_ident(t, at))
      return false;
    if (first && !pointer && (cxx_punct(t, at - 1) == '&' || cxx_is(t, at - 1, "&&")))
      return false; /* a reference: its target is unknown */
    uint32_t value = at + 1;
    while (cxx_punct(t, value) == '[')
      value = cxx_skip_group(t, value, stop);
    bool filled = value < stop && !(cxx_punct(t, value) == '{' && cxx_punct(t, value + 1) == '}');
    if (value < stop && !strchr("={(", cxx_punct(t, value) ? cxx_punct(t, value) : 'x'))
      return false;
    if (!pointer && !judge_type(j, begin, type_end, filled))
      return false;
    if (!judge_code(j, value + (value < stop && cxx_punct(t, value) == '='), stop, false))
      return false;
    if (stop >= end || cxx_punct(t, stop) != ',')
      return true;
    i = stop + 1;
  }
}

/* A variable that the device or the linker also knows does not belong to the unit alone. */
static bool declaration_ok(struct judge *j, uint32_t begin, uint32_t end) {
  static const char *const words[] = {"__device__", "__constant__", "__shared__", "__managed__",
                                      "section",    "__section__",  "device",     "constant",
                                      "shared",     "managed",      "alias",      "extern"};
  uint32_t name = judge_declared(j, begin, end);
  for (uint32_t i = begin; i < name; i++)
    if (CXX_ONE_OF(j->t, i, words))
      return false;
  return name < end ? variables_ok(j, begin, name, end) : false;
}

/* ---- classes ---- */

/* A constructor or destructor of shape M. */
static bool constructor_ok(struct judge *j, const struct cxx_shape *m, bool destructor) {
  const struct cxx_text *t = j->t;
  if (m->assign || (m->is_constexpr && !destructor)) /* = default, = delete */
    return true;
  if (!m->body)
    return false;
  uint32_t body = m->body; /* in `: a{1}, b(2) {}` the last braces */
  for (uint32_t k = body; k < m->end;
       k = cxx_punct(t, k) == '{' ? cxx_skip_group(t, k, m->end) : k + 1)
    if (cxx_punct(t, k) == '{')
      body = k;
  unsigned locals = j->nlocals;
  bool ok = cxx_punct(t, body + 1) == '}' && judge_code(j, m->params + 1, m->params_end - 1, true);
  for (uint32_t i = m->params_end; i < body && ok; i++)
    if (cxx_punct(t, i) == '(' || cxx_punct(t, i) == '{') {
      uint32_t behind = cxx_skip_group(t, i, body);
      ok = cxx_ident(t, i - 1) && judge_code(j, i + 1, behind - 1, false);
      i = behind - 1;
    }
  j->nlocals = locals;
  return ok;
}

/* One member, or the members of one declaration. */
static bool member_ok(struct judge *j, uint32_t klass, uint32_t i, const struct cxx_shape *m,
                      bool statics) {
  const struct cxx_text *t = j->t;
  static const char *const others[] = {"using",  "typedef",  "static_assert",
                                       "friend", "template", "enum"};
  bool tilde = m->params > i + 1 && cxx_punct(t, m->params - 2) == '~';
  if (m->params && !m->op && cxx_ident(t, m->params - 1)) {
    bool constructor = klass && judge_same(j, m->params - 1, klass);
    if (constructor || tilde)
      return statics || constructor_ok(j, m, tilde);
  }
  if (CXX_ONE_OF(t, i, others) || m->op || m->is_constexpr)
    return true;
  if (m->params) /* int f() = delete; int (*f)(int) = nullptr; */
    return statics || !m->assign || judge_code(j, m->assign + 1, m->end - 1, false) ||
           cxx_is(t, m->assign + 1, "default") || cxx_is(t, m->assign + 1, "delete");
  if (m->klass && m->klass_body && !m->after_klass)
    return true;
  if (m->is_static ? !m->is_inline : statics)
    return true;
  return declaration_ok(j, i, m->end);
}

/* The class called NAME (0: unnamed) whose body begins at BODY. STATICS: only its static members,
 * which are made when the unit is loaded; else also what runs when an object is made. */
static bool class_ok(struct judge *j, uint32_t name, uint32_t body, bool statics) {
  const struct cxx_text *t = j->t;
  uint32_t end = cxx_skip_group(t, body, t->n);
  if (cxx_punct(t, body) != '{' || ++j->depth > MAX_DEPTH)
    return false;
  bool ok = true;
  if (!statics && name)
    for (uint32_t i = name + 1, from; i < body && ok; i++) { /* final : public base, … */
      static const char *const access[] = {"public", "private", "protected", "virtual", "final"};
      if (cxx_punct(t, i) == ':' || cxx_punct(t, i) == ',' || CXX_ONE_OF(t, i, access))
        continue;
      from = i;
      i = judge_comma(j, i, body);
      ok = judge_type(j, from, i, true);
    }
  for (uint32_t i = body + 1; i + 1 < end && ok;) {
    static const char *const access[] = {"public", "private", "protected"};
    struct cxx_shape m;
    if (cxx_punct(t, i) == ';') {
      i++;
      continue;
    }
    if (CXX_ONE_OF(t, i, access) && cxx_punct(t, i + 1) == ':') {
      i += 2;
      continue;
    }
    uint32_t from = i;
    if (cxx_is(t, i, "template") && cxx_punct(t, i + 1) == '<')
      from = cxx_skip_angles(t, i + 1, end - 1);
    ok = from && cxx_shape_read(t, from, end - 1, &m) &&
         (from == i ? member_ok(j, name, i, &m, statics)
                    : !m.params || !name || !judge_same(j, m.params - 1, name) || m.is_constexpr);
    if (ok)
      i = m.end;
  }
  j->depth--;
  return ok;
}

/* ---- answers ---- */

bool cxx_state_is_harmless(const struct cxx_scan *s, uint32_t begin, uint32_t end) {
  struct judge j = {.s = s, .t = &s->code, .nitems = s->nitems - 1};
  return j.nitems <= MAX_BEFORE && declaration_ok(&j, begin, end);
}

bool cxx_class_runs_code(const struct cxx_scan *s, uint32_t body) {
  struct judge j = {.s = s, .t = &s->code, .nitems = s->nitems - 1};
  return !class_ok(&j, 0, body, true);
}

/* ---- code ----
 *
 * Code has no visible effects if each of its words is its own: a literal, a name that it declares,
 * a constant, variable or function of the unit that has no effects either, or a name of the
 * standard library (cxxstd.h). An unknown name may be a macro, or a variable that the program sets
 * after the library was loaded and before the first call.
 *
 * A lambda has no effects until it is called: at once, by the function that it is given to, or in a
 * body that is judged.
 */

static bool is_local(const struct judge *j, uint32_t name) {
  for (unsigned i = 0; i < j->nlocals; i++)
    if (judge_same(j, j->locals[i], name))
      return true;
  return false;
}

static bool is_enumerator(struct judge *j, uint32_t name) {
  for (size_t k = 0; k < j->nitems; k++) {
    const struct cxx_item *it = &j->s->items[k];
    if (++j->lookups > MAX_LOOKUPS)
      return false;
    if (it->kind == ITEM_TYPE && cxx_is(j->t, it->begin, "enum"))
      for (uint32_t i = judge_find(j, it->begin, it->end, '{'); i < it->end; i++)
        if (cxx_ident(j->t, i) && judge_same(j, i, name))
          return true;
  }
  return false;
}

/* Is the name a function of the unit itself? If it is CALLED, it must have no effects either. */
static bool own_function_ok(struct judge *j, const struct cxx_item *it, bool called) {
  const struct cxx_text *t = j->t;
  uint32_t params = it->name_end;
  if (cxx_punct(t, params) == '<')
    params = cxx_skip_angles(t, params, it->end);
  if (!params || cxx_punct(t, params) != '(')
    return false;
  if (!called)
    return true;
  for (uint32_t i = it->begin; i < it->name; i++)
    if (cxx_is(t, i, "constexpr") || cxx_is(t, i, "consteval"))
      return true;
  uint32_t body = judge_find(j, cxx_skip_group(t, params, it->end), it->end, '{');
  if (body >= it->end || ++j->depth > MAX_DEPTH)
    return false;
  unsigned locals = j->nlocals;
  bool ok = judge_code(j, params + 1, cxx_skip_group(t, params, it->end) - 1, true) &&
            judge_code(j, body + 1, it->end - 1, true);
  j->nlocals = locals;
  j->depth--;
  return ok;
}

/* A name in code that does not name a type: a constant, a variable, a function. */
static bool own_value_ok(struct judge *j, const struct name *n, bool called) {
  bool found = false;
  size_t k = 0;
  for (const struct cxx_item *it; (it = judge_own(j, n->last, &k));) {
    char next = cxx_punct(j->t, n->end);
    bool value = it->kind == ITEM_CONSTANT || it->kind == ITEM_VARIABLE;
    bool function = it->kind == ITEM_FUNCTION || it->kind == ITEM_TEMPLATE;
    found = value ? next != '(' && next != '{' : function && own_function_ok(j, it, called);
    if (!found)
      return false;
  }
  return found || (!called && is_enumerator(j, n->last));
}

/* Does the unit define the first part of the name, as a namespace or a type? */
static bool own_qualifier(struct judge *j, const struct name *n) {
  size_t k = 0;
  if (n->begin == n->last || judge_own(j, n->begin, &k))
    return true;
  for (size_t i = 1; i < j->s->nscopes; i++)
    for (uint32_t w = j->s->scopes[i].name; w < j->s->scopes[i].name_end; w++)
      if (judge_same(j, w, n->begin))
        return true;
  return false;
}

/* The name N, in code: a type that is constructed, a function, or a value. RUNS: the function that
 * receives it may call it. */
static bool use_ok(struct judge *j, const struct name *n, bool runs) {
  char next = cxx_punct(j->t, n->end);
  bool called = next == '(' || next == '{' || (n->begin && cxx_is(j->t, n->begin - 1, "new"));
  if (n->in_std) {
    if (called && judge_std_type(j, n))
      return judge_named_type(j, n, true);
    /* a function that is not called std:: may be one of the unit's headers: overload resolution
     * decides */
    if (n->in_std > n->begin ? judge_in(j, n->in_std, cxx_std_functions)
                             : cxx_is(j->t, n->begin, "numeric_limits"))
      return judge_args(j, n, 0, UINT_MAX);
    return called ? cxx_is_builtin(j->t, n->last) : judge_in(j, n->last, cxx_std_values);
  }
  if (n->begin == n->last && !called && judge_in(j, n->last, cxx_std_macros))
    return true;
  return (own_qualifier(j, n) && own_value_ok(j, n, called || runs)) ||
         (called && judge_named_type(j, n, true)) ||
         (n->begin == n->last && judge_macro(j, n->last));
}

/* If a declaration begins at I, note what it declares and return the name's token; else 0. */
static uint32_t note_local(struct judge *j, uint32_t i, uint32_t end) {
  uint32_t name = judge_declared(j, i, end);
  char next = name < end ? cxx_punct(j->t, name + 1) : 0;
  if (name >= end || name == i || j->nlocals == MAX_LOCALS || !next || !strchr("={;([:,)", next))
    return 0;
  bool is_auto = false;
  uint32_t type_end = name;
  for (uint32_t k = i; k < name; k++)
    is_auto |= cxx_is(j->t, k, "auto");
  while (type_end > i && (cxx_punct(j->t, type_end - 1) == '&' || cxx_is(j->t, type_end - 1, "&&")))
    type_end--;
  if (!is_auto && !judge_type(j, i, type_end, true))
    return 0;
  j->locals[j->nlocals++] = name;
  return name;
}

/* A lambda, whose [ is at I. It has no effects unless it is called at once, or RUNS is set: the
 * function that receives it may call it. Returns the index after it, or 0 if it has effects or is
 * not understood. */
static uint32_t lambda_ok(struct judge *j, uint32_t i, uint32_t end, bool runs) {
  const struct cxx_text *t = j->t;
  uint32_t captures = i + 1, behind = cxx_skip_group(t, i, end), params = 0, params_end = 0;
  for (uint32_t k = captures; k + 1 < behind; k++)
    if (!strchr("=&", cxx_punct(t, k) ? cxx_punct(t, k) : 'x') && !is_local(j, k))
      return 0;
  if (cxx_punct(t, behind) == '(') {
    params = behind + 1;
    behind = cxx_skip_group(t, behind, end);
    params_end = behind - 1;
  }
  uint32_t body = judge_find(j, behind, end, '{');
  if (body >= end)
    return 0;
  behind = cxx_skip_group(t, body, end);
  if (!runs && cxx_punct(t, behind) != '(')
    return behind;
  return (!params || judge_code(j, params, params_end, true)) &&
                 judge_code(j, body + 1, behind - 1, true)
             ? behind
             : 0;
}

static bool is_suffixed(const struct judge *j, uint32_t i) {
  const struct cxx_tok *k = &j->t->toks[i];
  if (k->kind == TOK_NUMBER)
    return memchr(j->t->text + k->at, '_', k->len) != NULL;
  const struct cxx_tok *next = &j->t->toks[i + 1];
  return cxx_ident(j->t, i + 1) && !next->space && j->t->text[next->at] == '_';
}

/* static_cast<T>, sizeof(T) and alignof(T) at I. Returns the index after it; I if it is none of
 * these, 0 if it has effects. */
static uint32_t cast_ok(struct judge *j, uint32_t i, uint32_t end) {
  const struct cxx_text *t = j->t;
  if ((cxx_is(t, i, "sizeof") || cxx_is(t, i, "alignof")) && cxx_punct(t, i + 1) == '(')
    return cxx_skip_group(t, i + 1, end);
  if (!cxx_is(t, i, "static_cast") && !cxx_is(t, i, "const_cast"))
    return i;
  uint32_t behind = cxx_punct(t, i + 1) == '<' ? cxx_skip_angles(t, i + 1, end) : 0;
  return behind && judge_type(j, i + 2, behind - 1, true) ? behind : 0;
}

/* One word or more of code at I. Returns the index after it, or 0 if it may have effects. */
static uint32_t word_ok(struct judge *j, uint32_t i, uint32_t begin, uint32_t end, bool runs) {
  static const char *const words[] = {
      "true",     "false",  "nullptr", "return",  "if",    "else", "for", "while", "do",  "break",
      "continue", "switch", "case",    "default", "const", "auto", "new", "not",   "and", "or"};
  const struct cxx_text *t = j->t;
  struct name n;
  uint32_t kind = t->toks[i].kind, cast = cast_ok(j, i, end);
  char c = cxx_punct(t, i), before = i > begin ? cxx_punct(t, i - 1) : 0;
  if (kind == TOK_DIRECTIVE ||
      ((kind == TOK_NUMBER || kind == TOK_STRING || kind == TOK_CHAR) && is_suffixed(j, i)))
    return 0;
  if (c == '[' && (i == begin || !(cxx_ident(t, i - 1) || before == ')' || before == ']')))
    return lambda_ok(j, i, end, runs);
  /* It is unknown what is called here. After a } it is a lambda that was judged. */
  if (c == '(' && (before == ')' || before == ']'))
    return 0;
  if (cast != i)
    return cast;
  if (kind != TOK_IDENT && !cxx_is(t, i, "::"))
    return i + 1;
  if (before == '.' ||
      (i > begin && cxx_is(t, i - 1, "->"))) /* of what was judged, or .name = of an aggregate */
    return cxx_punct(t, i + 1) != '(' || judge_in(j, i, cxx_std_members) ? i + 1 : 0;
  if (CXX_ONE_OF(t, i, words) || cxx_is_builtin(t, i) || is_local(j, i))
    return i + 1;
  return judge_name(j, i, end, &n) && use_ok(j, &n, runs) ? n.end : 0;
}

/* Is the code from BEGIN to END-1 without effects except on the names that it declares? STATEMENTS:
 * a function's body or parameters, in which names may be declared; else an initialiser. */
static bool judge_code(struct judge *j, uint32_t begin, uint32_t end, bool statements) {
  const struct cxx_text *t = j->t;
  bool start = statements; /* of a statement, or of a parameter */
  int parens = 0;
  if (++j->depth > MAX_DEPTH)
    return false;
  for (uint32_t i = begin, next; i < end; i = next) {
    parens += (cxx_punct(t, i) == '(') - (cxx_punct(t, i) == ')');
    uint32_t local = start && cxx_ident(t, i) ? note_local(j, i, end) : 0;
    next = local ? local + 1 : word_ok(j, i, begin, end, statements || parens > 0);
    if (!next || next > end)
      return false;
    start = statements && strchr(";{}(,", cxx_punct(t, next - 1) ? cxx_punct(t, next - 1) : 'x');
  }
  j->depth--;
  return true;
}
