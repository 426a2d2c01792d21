/* cxxstate.c - see cxxstate.h. A type or an initialiser is read token by token:
 *
 *     static std::atomic<int> calls{0};                   a type of the standard library, a literal
 *     static const row rows[] = {{"a", A}, {"b", 2}};     if row and A are defined above
 *     static auto twice = [](int x) { return 2 * x; };    nobody calls it
 *     static bool done = enrol();                         a host source
 *
 * A word must be a literal, or the name of something that the unit defines itself and does not
 * call here. Any other name may be a macro, or a variable that the program sets before the first
 * call and after the library was loaded.
 */
#include "cxxstate.h"
#include "cxxdeclarator.h"
#include "core/base/argv.h"
#include "core/base/words.h"

#include <limits.h>

/* A generated file may have a table of 100,000 names, or as many declarations, each of which would
 * be compared with each item: such a file is a host source. */
enum { MAX_DEPTH = 24, MAX_LOOKUPS = 3000000, MAX_BEFORE = 5000 };

struct judge {
  const struct cxx_scan *s;
  const struct cxx_text *t;
  size_t nitems; /* The items before the declaration. */
  size_t lookups;
  unsigned depth;
  /* A '<' without a closing '>' was seen; no other is tried. */
  bool comparison;
  /* <…> of the class template that is read */
  uint32_t params, params_end;
};

/* A name with its qualifiers and template arguments. */
struct name {
  uint32_t begin, last;    /* first identifier, last one */
  uint32_t args, args_end; /* inside of <…>; equal if there is none */
  uint32_t end;
  uint32_t in_std; /* the word after std::; 0: the name is not in std */
};

static bool class_ok(struct judge *j, uint32_t name, uint32_t body, bool statics);
/* May an object of type BEGIN to END-1 be made at any time? FILLED: with an initialiser that is not
 * empty. */
static bool judge_type(struct judge *j, uint32_t begin, uint32_t end, bool filled);
/* May the initialiser of tokens BEGIN to END-1 run at any time? */
static bool judge_value(struct judge *j, uint32_t begin, uint32_t end);

/* ---- the standard library ----
 *
 * The types that touch only the objects that they are given: no streams, threads, files, locales,
 * clocks, random_device. The comparisons and hashes of a user's own elements are assumed to have
 * no effects. Types of which a build knows the same are in `harmless_types` of its profile. */

/* Which template arguments are constructed with the object. */
enum elements {
  NONE,   /* std::unique_ptr<T>, and types without arguments */
  FILLED, /* those of std::vector<T>, if it is not empty */
  ALL,    /* std::pair<T, U> */
};

static const struct {
  enum elements elements;
  /* the first N arguments are elements; all others do count: comparators, allocators */
  unsigned n;
  const char *names; /* separated by blanks, without std:: */
} std_types[] = {
    {NONE, 0,
     "any atomic_bool atomic_flag atomic_int atomic_llong atomic_long atomic_size_t atomic_uint"
     " byte chrono::hours chrono::microseconds chrono::milliseconds chrono::minutes"
     " chrono::nanoseconds chrono::seconds chrono::steady_clock::time_point"
     " chrono::system_clock::time_point condition_variable condition_variable_any monostate"
     " mt19937 mt19937_64 mutex once_flag recursive_mutex shared_mutex shared_timed_mutex string"
     " string_view thread::id timed_mutex u16string wstring"},
    {NONE, 1, "allocator equal_to function greater hash less shared_ptr unique_ptr weak_ptr"},
    {NONE, 2, "chrono::duration"},
    {FILLED, 1,
     "atomic deque forward_list list multiset optional priority_queue queue set stack"
     " unordered_multiset unordered_set vector"},
    {FILLED, 2, "map multimap unordered_map unordered_multimap"},
    {ALL, 1, "array complex initializer_list"}, /* the second of array is a number */
    {ALL, 0, "bitset"},                         /* its argument is a number */
    {ALL, 16, "pair tuple variant"},
};

/* The row of std_types for the name N, which is in std; -1: none. */
static int std_row(const struct judge *j, const struct name *n) {
  autofree_buf name = {0};
  int row = -1;
  for (uint32_t i = n->in_std; i <= n->last; i++)
    buf_add(&name, j->t->text + j->t->toks[i].at, j->t->toks[i].len);
  for (size_t i = 0; i < sizeof std_types / sizeof *std_types; i++)
    if (words_have(std_types[i].names, name.data, name.len))
      row = (int)i;
  return row;
}

/* ---- names ---- */

/* Read the name at token I, an identifier or the :: before one. False if there is none. */
static bool read_name(struct judge *j, uint32_t i, uint32_t end, struct name *n) {
  const struct cxx_text *t = j->t;
  if (cxx_is(t, i, "::"))
    i++;
  if (!cxx_ident(t, i) || i >= end)
    return false;
  *n = (struct name){.begin = i, .last = i, .end = i + 1};
  for (;;) {
    if (cxx_punct(t, n->end) == '<' && n->end < end && !j->comparison) {
      uint32_t behind = cxx_skip_angles(t, n->end, end);
      j->comparison = !behind;
      if (behind) {
        n->args = n->end + 1;
        n->args_end = behind - 1;
        n->end = behind;
      }
    }
    if (!cxx_is(t, n->end, "::") || !cxx_ident(t, n->end + 1) || n->end + 1 >= end)
      break;
    n->last = n->end + 1;
    n->end += 2;
  }
  if (n->last > n->begin && cxx_is(t, n->begin, "std"))
    n->in_std = n->begin + 2;
  return true;
}

/* The end of the declarator, initialiser or argument that begins at I: the , or ; after it. */
static uint32_t find_comma(struct judge *j, uint32_t i, uint32_t end) {
  while (i < end && cxx_punct(j->t, i) != ',' && cxx_punct(j->t, i) != ';') {
    char c = cxx_punct(j->t, i);
    uint32_t behind = c == '(' || c == '[' || c == '{' ? cxx_skip_group(j->t, i, end) : 0;
    if (c == '<' && !j->comparison) {
      behind = cxx_skip_angles(j->t, i, end);
      j->comparison = !behind;
    }
    i = behind ? behind : i + 1;
  }
  return i;
}

static uint32_t find_punct(const struct judge *j, uint32_t i, uint32_t end, char c) {
  while (i < end && cxx_punct(j->t, i) != c)
    i++;
  return i;
}

static bool same_word(const struct judge *j, uint32_t a, uint32_t b) {
  const struct cxx_tok *x = &j->t->toks[a];
  return cxx_is_n(j->t, b, j->t->text + x->at, x->len);
}

/* Is token I static, const, struct or a similar word, which does not describe a type? */
static bool is_specifier(const struct judge *j, uint32_t i) {
  static const char *const words[] = {
      "static", "thread_local", "const", "volatile", "constexpr", "constinit", "inline",
      "struct", "class",        "union", "enum",     "typename",  "mutable",   "auto"};
  return CXX_ONE_OF(j->t, i, words);
}

/* Returns the token after the attribute, or decltype, at I; I if there is none. */
static uint32_t behind_attribute(const struct judge *j, uint32_t i, uint32_t end) {
  if (cxx_punct(j->t, i) == '[')
    return cxx_skip_group(j->t, i, end);
  return cxx_takes_group(j->t, i) && cxx_punct(j->t, i + 1) == '('
             ? cxx_skip_group(j->t, i + 1, end)
             : i;
}

/* The name that BEGIN to END-1 declare: the first identifier that cannot be part of the type. END
 * if there is none. */
static uint32_t declared_name(struct judge *j, uint32_t begin, uint32_t end) {
  const struct cxx_text *t = j->t;
  bool typed = false; /* a type was read */
  for (uint32_t i = begin, behind; i < end;) {
    char c = cxx_punct(t, i);
    struct name n;
    if ((c != '[' || !typed) && (behind = behind_attribute(j, i, end)) != i) {
      typed |= cxx_is(t, i, "decltype");
      i = behind;
    } else if (c == '{' && i > begin && !cxx_is(t, i - 1, ")")) {
      typed = true;
      i = cxx_skip_group(t, i, end);
    } else if (is_specifier(j, i) || cxx_is_builtin(t, i)) {
      typed |= cxx_is_builtin(t, i) || cxx_is(t, i, "auto");
      i++;
    } else if (c == '*' || c == '&' || cxx_is(t, i, "&&")) {
      i++;
    } else if (typed && cxx_ident(t, i)) {
      return i;
    } else if (read_name(j, i, end, &n)) {
      typed = true;
      i = n.end;
    } else {
      return end;
    }
  }
  return end;
}

/* ---- what the unit defines ---- */

/* The next item of the unit, from *K on, whose name ends with the word NAME; NULL if there is
 * none. */
static const struct cxx_item *next_item(struct judge *j, uint32_t name, size_t *k) {
  while (*k < j->nitems) {
    const struct cxx_item *it = &j->s->items[(*k)++];
    if (++j->lookups > MAX_LOOKUPS)
      return NULL;
    if (it->name_end > it->name && same_word(j, it->name_end - 1, name))
      return it;
  }
  return NULL;
}

/* The nearest namespace of SCOPE that is neither unnamed nor inline. */
static int named_scope(const struct judge *j, int scope) {
  const struct cxx_scope *all = j->s->scopes;
  while (scope > 0 && (all[scope].is_inline || all[scope].name == all[scope].name_end))
    scope = all[scope].parent;
  return scope;
}

static bool same_namespace(const struct judge *j, int a, int b) {
  for (a = named_scope(j, a), b = named_scope(j, b); a > 0 && b > 0 && a != b;) {
    const struct cxx_scope *x = &j->s->scopes[a], *y = &j->s->scopes[b];
    if (x->name_end - x->name != y->name_end - y->name || !same_word(j, x->name, y->name))
      return false;
    a = named_scope(j, x->parent);
    b = named_scope(j, y->parent);
  }
  return a == b;
}

/* Is the type of IT, which the unit defines, harmless? */
static bool own_type_ok(struct judge *j, const struct cxx_item *it) {
  const struct cxx_text *t = j->t;
  uint32_t body = find_punct(j, it->begin, it->end, '{');
  if (it->kind == ITEM_ALIAS) {
    bool is_using = cxx_is(t, it->begin, "using");
    uint32_t from = is_using ? find_punct(j, it->begin, it->end, '=') : it->begin;
    return judge_type(j, from + 1, is_using ? it->end - 1 : it->name, true);
  }
  if (it->kind != ITEM_TEMPLATE)
    return it->kind == ITEM_TYPE &&
           (cxx_is(t, it->begin, "enum") || class_ok(j, it->name, body, false));
  uint32_t params = j->params, params_end = j->params_end;
  j->params = it->begin + 1;
  j->params_end = cxx_skip_angles(t, it->begin + 1, it->end);
  bool ok = j->params_end && body < it->end && class_ok(j, it->name, body, false);
  j->params = params;
  j->params_end = params_end;
  return ok;
}

/* Is the type called N defined in the unit, in the namespace of the declaration, and harmless?
 * Another namespace may have a type of that name in a header. */
static bool own_types_ok(struct judge *j, const struct name *n) {
  bool found = false;
  size_t k = 0;
  for (const struct cxx_item *it; (it = next_item(j, n->last, &k));) {
    bool declared = it->kind != ITEM_ALIAS && find_punct(j, it->begin, it->end, '{') == it->end;
    if (declared || !same_namespace(j, it->scope, j->s->items[j->nitems].scope))
      continue;
    found = own_type_ok(j, it);
    if (!found)
      return false;
  }
  return found && n->begin == n->last && !(n->begin && cxx_is(j->t, n->begin - 1, "::"));
}

/* ---- types ---- */

/* Are the template arguments of NAME harmless, but for the first FREE? */
static bool args_ok(struct judge *j, const struct name *name, unsigned free) {
  const struct cxx_text *t = j->t;
  uint32_t end = name->args_end;
  for (uint32_t i = name->args, n = 0; i < end; n++, i++) {
    uint32_t from = i;
    i = find_comma(j, i, end);
    if (n >= free && t->toks[from].kind == TOK_IDENT && !cxx_is(t, from, "sizeof") &&
        !cxx_is(t, from, "true") && !cxx_is(t, from, "false") && !judge_type(j, from, i, true))
      return false;
  }
  return true;
}

static bool is_parameter(const struct judge *j, uint32_t name) {
  for (uint32_t i = j->params; i < j->params_end; i++)
    if (same_word(j, i, name))
      return true;
  return false;
}

static bool is_of_profile(const struct judge *j, const struct name *n) {
  autofree_buf name = {0};
  cxx_render(j->t, n->begin, n->last + 1, &name);
  return j->s->harmless && argv_has(j->s->harmless, name.data);
}

/* May an object of the type called N be made? FILLED: with an initialiser that is not empty. */
static bool named_type_ok(struct judge *j, const struct name *n, bool filled) {
  if (!n->in_std)
    return is_of_profile(j, n) || is_parameter(j, n->last) ||
           (own_types_ok(j, n) && args_ok(j, n, 0));
  int row = std_row(j, n);
  if (row < 0)
    return cxx_is_builtin(j->t, n->last) && n->last == n->in_std;
  if (cxx_is(j->t, n->last, "array") || cxx_is(j->t, n->last, "bitset")) { /* <T, a number> */
    struct name element = *n;
    element.args_end =
        cxx_is(j->t, n->last, "array") ? find_comma(j, n->args, n->args_end) : element.args;
    return args_ok(j, &element, 0);
  }
  bool all = std_types[row].elements == ALL || (std_types[row].elements == FILLED && filled);
  return args_ok(j, n, all ? 0 : std_types[row].n);
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
  for (uint32_t i = begin, behind; i < end && ok;) {
    struct name n;
    if ((behind = behind_attribute(j, i, end)) != i) {
      ok = !cxx_is(t, i, "decltype");
      i = behind;
    } else if (cxx_punct(t, i) == '{') { /* static const struct { int a; } rows[] = … */
      ok = class_ok(j, cxx_ident(t, i - 1) ? i - 1 : 0, i, false);
      i = cxx_skip_group(t, i, end);
    } else if (is_specifier(j, i) || cxx_is_builtin(t, i)) {
      i++;
    } else if (cxx_punct(t, i) == '(' && i > begin) { /* std::function<int(float)> */
      i = cxx_skip_group(t, i, end);
    } else if (read_name(j, i, end, &n)) {
      ok = (n.end < end && cxx_punct(t, n.end) == '{') || named_type_ok(j, &n, filled);
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
    uint32_t stop = find_comma(j, i, end), at = i;
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
    if (!judge_value(j, value + (value < stop && cxx_punct(t, value) == '='), stop))
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
  uint32_t name = declared_name(j, begin, end);
  for (uint32_t i = begin; i < name; i++)
    if (CXX_ONE_OF(j->t, i, words))
      return false;
  return name < end && variables_ok(j, begin, name, end);
}

/* ---- classes ---- */

/* One member, or the members of one declaration, of shape M. */
static bool member_ok(struct judge *j, uint32_t klass, uint32_t i, const struct cxx_shape *m,
                      bool statics) {
  const struct cxx_text *t = j->t;
  static const char *const others[] = {"using",  "typedef",  "static_assert",
                                       "friend", "template", "enum"};
  bool tilde = m->params > i + 1 && cxx_punct(t, m->params - 2) == '~';
  bool constructor = m->params && !m->op && klass && same_word(j, m->params - 1, klass);
  if (constructor || tilde) /* = default, = delete; an empty body without initialisers */
    return statics || m->assign || (m->is_constexpr && !tilde) ||
           (m->body && m->body <= m->params_end + 1 && cxx_punct(t, m->body + 1) == '}');
  if (CXX_ONE_OF(t, i, others) || m->op || m->is_constexpr)
    return true;
  if (m->params) /* int f() = delete; int (*f)(int) = nullptr; */
    return statics || !m->assign || judge_value(j, m->assign + 1, m->end - 1) ||
           cxx_is(t, m->assign + 1, "default") || cxx_is(t, m->assign + 1, "delete");
  if (m->klass && m->klass_body && !m->after_klass)
    return true;
  if (m->is_static ? !m->is_inline : statics)
    return true;
  return declaration_ok(j, i, m->end);
}

/* The bases of the class called NAME whose body begins at BODY: `final : public base, …`. */
static bool bases_ok(struct judge *j, uint32_t name, uint32_t body) {
  static const char *const words[] = {"public", "private", "protected", "virtual", "final"};
  for (uint32_t i = name + 1, from; i < body; i++) {
    if (cxx_punct(j->t, i) == ':' || cxx_punct(j->t, i) == ',' || CXX_ONE_OF(j->t, i, words))
      continue;
    from = i;
    i = find_comma(j, i, body);
    if (!judge_type(j, from, i, true))
      return false;
  }
  return true;
}

/* The class called NAME (0: unnamed) whose body begins at BODY. STATICS: only its static members,
 * which are made when the unit is loaded; else also what runs when an object is made. */
static bool class_ok(struct judge *j, uint32_t name, uint32_t body, bool statics) {
  static const char *const access[] = {"public", "private", "protected"};
  const struct cxx_text *t = j->t;
  uint32_t end = cxx_skip_group(t, body, t->n);
  if (cxx_punct(t, body) != '{' || ++j->depth > MAX_DEPTH)
    return false;
  bool ok = statics || !name || bases_ok(j, name, body);
  for (uint32_t i = body + 1; i + 1 < end && ok;) {
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
                    : !m.params || !name || !same_word(j, m.params - 1, name) || m.is_constexpr);
    if (ok)
      i = m.end;
  }
  j->depth--;
  return ok;
}

/* ---- initialisers ---- */

static bool is_enumerator(struct judge *j, uint32_t name) {
  for (size_t k = 0; k < j->nitems; k++) {
    const struct cxx_item *it = &j->s->items[k];
    if (++j->lookups > MAX_LOOKUPS)
      return false;
    if (it->kind == ITEM_TYPE && cxx_is(j->t, it->begin, "enum"))
      for (uint32_t i = find_punct(j, it->begin, it->end, '{'); i < it->end; i++)
        if (cxx_ident(j->t, i) && same_word(j, i, name))
          return true;
  }
  return false;
}

/* Is N, which is not called, a constant, variable, enumerator or function of the unit? A function
 * in PARENS is the argument of a constructor, which may call it. */
static bool own_value_ok(struct judge *j, const struct name *n, bool parens) {
  bool found = false;
  size_t k = 0;
  for (const struct cxx_item *it; (it = next_item(j, n->last, &k));) {
    bool function = it->kind == ITEM_FUNCTION || it->kind == ITEM_TEMPLATE;
    found = it->kind == ITEM_CONSTANT || it->kind == ITEM_VARIABLE || (function && !parens);
    if (!found)
      return false;
  }
  return found || is_enumerator(j, n->last);
}

/* Macros of <limits.h> and the like, which are constants. */
static const char limits[] =
    "DBL_MAX DBL_MIN FLT_EPSILON FLT_MAX FLT_MIN INFINITY INT64_MAX INT64_MIN INT_MAX INT_MIN"
    " LLONG_MAX LONG_MAX NAN NULL SIZE_MAX UINT32_MAX UINT64_MAX UINT_MAX";

/* The name N, in an initialiser: a type that is constructed, or a value. */
static bool use_ok(struct judge *j, const struct name *n, bool parens) {
  char next = cxx_punct(j->t, n->end);
  bool called = next == '(' || next == '{' || (n->begin && cxx_is(j->t, n->begin - 1, "new"));
  if (n->in_std && cxx_is(j->t, n->in_std, "numeric_limits"))
    return true;
  if (called)
    return named_type_ok(j, n, true);
  if (n->in_std)
    return cxx_is(j->t, n->last, "nullopt");
  const struct cxx_tok *word = &j->t->toks[n->begin];
  size_t type = 0; /* a qualified name must begin with a type of the unit */
  return words_have(limits, j->t->text + word->at, word->len) ||
         ((n->begin == n->last || next_item(j, n->begin, &type)) && own_value_ok(j, n, parens));
}

/* Does the initialiser BEGIN to END-1 consist of one lambda without captures, which nobody
 * calls? */
static bool is_lambda(const struct judge *j, uint32_t begin, uint32_t end) {
  uint32_t body = find_punct(j, begin, end, '{');
  return cxx_punct(j->t, begin) == '[' && cxx_punct(j->t, begin + 1) == ']' && body < end &&
         cxx_skip_group(j->t, body, end) == end;
}

/* A number, a string or a character without a suffix of the program's own: 10_ms. */
static bool literal_ok(const struct judge *j, uint32_t i) {
  const struct cxx_tok *k = &j->t->toks[i], *next = k + 1;
  if (k->kind == TOK_NUMBER)
    return !memchr(j->t->text + k->at, '_', k->len);
  return !(cxx_ident(j->t, i + 1) && !next->space && j->t->text[next->at] == '_');
}

/* One word or more of an initialiser at I. Returns the index after it, or 0 if it may have
 * effects. */
static uint32_t word_ok(struct judge *j, uint32_t i, uint32_t begin, uint32_t end, bool parens) {
  static const char *const words[] = {"true", "false", "nullptr", "const", "new",
                                      "not",  "and",   "or",      "auto"};
  const struct cxx_text *t = j->t;
  struct name n;
  uint32_t kind = t->toks[i].kind;
  char c = cxx_punct(t, i), before = i > begin ? cxx_punct(t, i - 1) : 0;
  if (kind == TOK_NUMBER || kind == TOK_STRING || kind == TOK_CHAR)
    return literal_ok(j, i) ? i + 1 : 0;
  /* It is unknown what is called here; a lambda. */
  if (kind == TOK_DIRECTIVE || (c == '(' && (before == ')' || before == ']')) ||
      (c == '[' && !(i > begin && (cxx_ident(t, i - 1) || before == ')' || before == ']'))))
    return 0;
  if ((cxx_is(t, i, "sizeof") || cxx_is(t, i, "alignof")) && cxx_punct(t, i + 1) == '(')
    return cxx_skip_group(t, i + 1, end);
  if ((cxx_is(t, i, "static_cast") || cxx_is(t, i, "const_cast")) && cxx_punct(t, i + 1) == '<') {
    uint32_t behind = cxx_skip_angles(t, i + 1, end);
    return behind && judge_type(j, i + 2, behind - 1, true) ? behind : 0;
  }
  if (kind != TOK_IDENT && !cxx_is(t, i, "::"))
    return i + 1;
  if (before == '.' || (i > begin && cxx_is(t, i - 1, "->"))) /* .name = 1, or a member */
    return cxx_punct(t, i + 1) != '(' ? i + 1 : 0;
  if (CXX_ONE_OF(t, i, words) || cxx_is_builtin(t, i))
    return i + 1;
  return read_name(j, i, end, &n) && use_ok(j, &n, parens) ? n.end : 0;
}

static bool judge_value(struct judge *j, uint32_t begin, uint32_t end) {
  int parens = 0;
  if (begin < end && is_lambda(j, begin, end))
    return true;
  if (++j->depth > MAX_DEPTH)
    return false;
  for (uint32_t i = begin, next; i < end; i = next) {
    parens += (cxx_punct(j->t, i) == '(') - (cxx_punct(j->t, i) == ')');
    next = word_ok(j, i, begin, end, parens > 0);
    if (!next || next > end)
      return false;
  }
  j->depth--;
  return true;
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
