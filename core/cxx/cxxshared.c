/* cxxshared.c - see cxxshared.h. A header is walked declaration by declaration, into namespaces and
 * classes. Each declaration becomes a list of the words in it, stored under its name. Code that
 * runs without being named is stored under the name of its class: bases, data members, constructors
 * and operators, because `c()` may be the only mention of a class whose call operator matters.
 * Variables are noted on the way. Finally, names that mention a name that leads to a variable are
 * added until no more are found.
 */
#include "cxxshared.h"
#include "cxxshape.h"
#include "cxxwords.h"

#include "core/base/vec.h"

/* The place of a declaration. */
struct surroundings {
  /* the token of the class's name; 0: in a namespace */
  uint32_t klass;
  bool in_template; /* in a class template */
  /* in an unnamed namespace: each unit has its own */
  bool internal;
  /* of namespaces and classes around it */
  unsigned depth;
};
enum { MAX_DEPTH = 100 };

static size_t word_of(struct cxx_shared *s, const struct cxx_text *t, uint32_t i) {
  return intern_bytes(&s->words, t->text + t->toks[i].at, t->toks[i].len);
}

/* NAME, a token, is declared by tokens BEGIN to END-1. */
static void mention_as(struct cxx_shared *s, const struct cxx_text *t, uint32_t name,
                       uint32_t begin, uint32_t end, enum cxx_mention_kind kind) {
  struct cxx_mention m = {.name = word_of(s, t, name), .first = s->nids, .kind = kind};
  for (uint32_t i = begin; i < end; i++)
    if (cxx_ident(t, i) && i != name)
      vec_push(s->ids, s->nids, word_of(s, t, i));
  m.n = s->nids - m.first;
  vec_push(s->mentions, s->nmentions, m);
}

static void mention(struct cxx_shared *s, const struct cxx_text *t, uint32_t name, uint32_t begin,
                    uint32_t end) {
  mention_as(s, t, name, begin, end, CXX_MENTION);
}

/* Returns what is known of the name at token I. */
static struct cxx_use *use_of(struct cxx_shared *s, const struct cxx_text *t, uint32_t i) {
  size_t k = word_of(s, t, i);
  while (s->nuses <= k)
    vec_push(s->uses, s->nuses, (struct cxx_use){0});
  return &s->uses[k];
}

/* ---- variables ---- */

/* The variable NAME, a token, is reached through the name REACHED, another token. */
static void add_variable(struct cxx_shared *s, const struct cxx_text *t, uint32_t name,
                         uint32_t reached) {
  vec_push(s->seeds, s->nseeds, word_of(s, t, reached));
  argv_add_once(&s->variables, cxx_spelling(t, name));
}

/* Where the declarator that begins at I ends: its initialiser, extent, or the end of the
 * declaration. */
static uint32_t declarator_end(const struct cxx_text *t, uint32_t i, uint32_t end) {
  for (; i < end; i++) {
    if (cxx_takes_group(t, i) && cxx_punct(t, i + 1) == '(') {
      i = cxx_skip_group(t, i + 1, end) - 1;
      continue;
    }
    if (cxx_punct(t, i) == '[' && cxx_punct(t, i + 1) == '[') { /* an attribute */
      i = cxx_skip_group(t, i, end) - 1;
      continue;
    }
    uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, end) : 0;
    if (behind)
      i = behind - 1;
    else if (cxx_punct(t, i) && strchr("={([;,", cxx_punct(t, i)))
      break;
  }
  return i;
}

/* May the variable that is declared by tokens BEGIN to STOP-1 be one that the linker keeps a copy
 * of? */
static bool may_have_copies(const struct cxx_text *t, uint32_t begin, uint32_t stop) {
  static const char *const never[] = {"constexpr",    "extern",     "__device__",
                                      "__constant__", "__shared__", "__managed__"};
  bool may = true;
  for (uint32_t i = begin; i < stop && may; i++)
    may = !CXX_ONE_OF(t, i, never);
  return may;
}

/* The static variables of a body, BEGIN to END-1. REACHED: the token of the function's name. */
static void add_locals(struct cxx_shared *s, const struct cxx_text *t, uint32_t begin, uint32_t end,
                       uint32_t reached) {
  static const char *const in_front[] = {"const", "constexpr", "inline", "thread_local",
                                         "__shared__"};
  for (uint32_t i = begin; i < end; i++) {
    if (!cxx_is(t, i, "static"))
      continue;
    uint32_t from = i, stop = declarator_end(t, i + 1, end);
    while (from > begin && CXX_ONE_OF(t, from - 1, in_front))
      from--;
    uint32_t behind = cxx_punct(t, stop) == '(' ? cxx_skip_group(t, stop, end) : 0;
    bool function =
        behind && cxx_punct(t, behind) != ';' && cxx_punct(t, behind) != ','; /* of a local class */
    if (!function && cxx_ident(t, stop - 1) && may_have_copies(t, from, stop))
      add_variable(s, t, stop - 1, reached);
    i = stop - (stop > i);
  }
}

/* ---- declarations ---- */

static void walk(struct cxx_shared *s, const struct cxx_text *t, uint32_t i, uint32_t end,
                 struct surroundings at);

/* Handles #define NAME …; other directives are ignored. */
static void add_macro(struct cxx_shared *s, const struct cxx_text *t, uint32_t i) {
  struct cxx_text d;
  const struct cxx_tok *directive = &t->toks[i];
  if (cxx_lex(&d, t->text + directive->at + 1, directive->len - 1) && cxx_is(&d, 0, "define") &&
      cxx_ident(&d, 1))
    mention_as(s, &d, 1, 2, d.n, CXX_MENTION);
  cxx_text_free(&d);
}

/* The class whose head begins at I: its members, and itself. */
static void add_class(struct cxx_shared *s, const struct cxx_text *t, uint32_t begin, uint32_t i,
                      uint32_t end, struct surroundings at) {
  uint32_t name = 0;
  uint32_t head = i;
  bool named = false; /* Set when the name has been passed: arguments and bases follow. */
  for (; i < end && cxx_punct(t, i) != '{'; i++) {
    if (cxx_takes_group(t, i) && cxx_punct(t, i + 1) == '(')
      i = cxx_skip_group(t, i + 1, end) - 1;
    else if (cxx_punct(t, i) == '[')
      i = cxx_skip_group(t, i, end) - 1;
    else if (cxx_punct(t, i) == '<' || cxx_punct(t, i) == ':')
      named = name != 0;
    else if (!named && cxx_ident(t, i) && !cxx_is(t, i, "final"))
      name = i;
  }
  if (i == end || !name || cxx_is(t, name, "enum"))
    return;
  use_of(s, t, name)->klass = true;
  mention(s, t, name, begin, i);
  walk(s, t, i + 1, cxx_skip_group(t, i, end) - 1,
       (struct surroundings){name, at.in_template || begin < head, at.internal, at.depth + 1});
}

static void add_function(struct cxx_shared *s, const struct cxx_text *t, uint32_t begin,
                         bool in_template, const struct cxx_shape *d, struct surroundings at) {
  uint32_t name = !d->op && cxx_ident(t, d->params - 1) ? d->params - 1 : at.klass;
  if (!name) { /* an operator outside of a class: its operands show that it is used */
    for (uint32_t i = d->params; i < d->params_end && d->op; i++)
      if (cxx_ident(t, i))
        mention_as(s, t, i, begin, d->end, CXX_MENTION_OPERATOR);
    return;
  }
  use_of(s, t, name)->bodied = true;
  use_of(s, t, name)->defined |= name != at.klass && in_template;
  mention(s, t, name, begin, d->end);
  if (!at.internal && (at.klass || !d->is_static))
    add_locals(s, t, d->params_end, d->end, name);
}

static bool says_weak(const struct cxx_text *t, uint32_t i, uint32_t end) {
  while (i < end && !cxx_is(t, i, "weak") && !cxx_is(t, i, "__weak__"))
    i++;
  return i < end;
}

/* A variable, an alias, a declaration. */
static void add_other(struct cxx_shared *s, const struct cxx_text *t, uint32_t begin, uint32_t i,
                      const struct cxx_shape *d, struct surroundings at) {
  static const char *const none[] = {"friend", "static_assert", "concept", "namespace",
                                     "struct", "class",         "union",   "enum"};
  if (cxx_is(t, i, "typedef") && d->end > i + 1 && cxx_ident(t, d->end - 2))
    mention_as(s, t, d->end - 2, begin, d->end, CXX_MENTION_TYPE);
  if (CXX_ONE_OF(t, i, none) || cxx_is(t, i, "typedef"))
    return;
  if (cxx_is(t, i, "using")) {
    if (cxx_ident(t, i + 1))
      mention(s, t, i + 1, begin, d->end);
    return;
  }
  uint32_t stop = declarator_end(t, i, d->end), name = stop - 1;
  if (stop <= i || !cxx_ident(t, name) || d->op) /* operator int() */
    return;
  bool literal = t->toks[stop + 1].kind == TOK_NUMBER || t->toks[stop + 1].kind == TOK_STRING;
  if (cxx_punct(t, stop) == '(' && !literal) { /* the declaration of a function */
    struct cxx_use *u = use_of(s, t, name);
    u->declared |= (begin < i || at.in_template) && !d->assign;
    u->bodiless |= !d->assign;
    u->outside |= !d->assign && !at.klass;
    mention_as(s, t, name, begin, d->end, CXX_MENTION_TYPE);
    return;
  }
  bool of_class = at.klass && d->is_static && !d->is_inline;
  if ((d->is_extern || of_class) && !d->is_constexpr && !d->assign) {
    use_of(s, t, name)->bodiless = true;
    use_of(s, t, name)->outside |= d->is_extern;
  }
  if (!at.klass)
    mention_as(s, t, name, begin, stop, CXX_MENTION_TYPE);
  if (at.klass) /* making an object makes its members */
    mention(s, t, at.klass, begin, d->end);
  /* Its type does not count: half of a program's names are also names of members and parameters. */
  else if (stop < d->end - 1)
    mention(s, t, name, stop, d->end);
  bool member = name > i && cxx_is(t, name - 1, "::"), in_template = begin < i;
  bool shared = at.klass ? d->is_static
                         : !d->is_static &&
                               (d->is_inline || in_template || member || says_weak(t, begin, stop));
  if (shared && !at.internal && may_have_copies(t, i, stop))
    add_variable(s, t, name, name);
}

/* Returns the index at which to go on after something at I that was not understood. */
static uint32_t resume(const struct cxx_text *t, uint32_t i, uint32_t end) {
  while (i < end && cxx_punct(t, i) != ';' && cxx_punct(t, i) != '{' && cxx_punct(t, i) != '}' &&
         t->toks[i].kind != TOK_DIRECTIVE)
    i++;
  if (cxx_punct(t, i) == '{')
    return cxx_skip_group(t, i, end);
  return i < end && t->toks[i].kind == TOK_DIRECTIVE ? i : i + 1;
}

/* Walks into the braces of a namespace or an extern "C" at I. Returns the index after it, or 0 if I
 * begins neither. */
static uint32_t walk_into(struct cxx_shared *s, const struct cxx_text *t, uint32_t i, uint32_t end,
                          struct surroundings at) {
  struct cxx_opening o;
  uint32_t k = i + cxx_is(t, i, "inline");
  if (!cxx_opens(t, i, &o))
    return cxx_is(t, k, "namespace") ? resume(t, k, end) : 0;
  uint32_t behind = cxx_skip_group(t, o.body - 1, end);
  walk(s, t, o.body, behind - 1,
       (struct surroundings){0, false, at.internal || (!o.group && o.name == o.name_end),
                             at.depth + 1});
  return behind;
}

/* extern template …: the name in front of its arguments, from I on. */
static void leave(struct cxx_shared *s, const struct cxx_text *t, uint32_t i, uint32_t end) {
  for (; i + 1 < end && cxx_punct(t, i) != ';' && cxx_punct(t, i) != '('; i++)
    if (cxx_ident(t, i) && strchr("<(", cxx_punct(t, i + 1) ? cxx_punct(t, i + 1) : 'x'))
      use_of(s, t, i)->left = true;
}

static void walk(struct cxx_shared *s, const struct cxx_text *t, uint32_t i, uint32_t end,
                 struct surroundings at) {
  static const char *const access[] = {"public", "private", "protected"};
  while (i < end && at.depth < MAX_DEPTH) {
    if (t->toks[i].kind == TOK_DIRECTIVE)
      add_macro(s, t, i);
    if (t->toks[i].kind == TOK_DIRECTIVE || cxx_punct(t, i) == ';' || cxx_punct(t, i) == '}' ||
        (CXX_ONE_OF(t, i, access) && cxx_punct(t, i + 1) == ':')) {
      i += CXX_ONE_OF(t, i, access) ? 2 : 1;
      continue;
    }
    uint32_t behind = walk_into(s, t, i, end, at), begin = i;
    if (behind) {
      i = behind;
      continue;
    }
    struct cxx_shape d;
    if (cxx_is(t, i, "extern") && cxx_is(t, i + 1, "template"))
      leave(s, t, i + 2, end);
    while (cxx_is(t, i, "template") && cxx_punct(t, i + 1) == '<' &&
           (behind = cxx_skip_angles(t, i + 1, end)))
      i = behind;
    if (i >= end || !cxx_shape_read(t, i, end, &d)) {
      i = resume(t, i, end);
      continue;
    }
    if (d.klass_body)
      add_class(s, t, begin, i, d.end, at);
    else if (d.params && d.body)
      add_function(s, t, begin, begin < i || at.in_template, &d, at);
    else
      add_other(s, t, begin, i, &d, at);
    i = d.end;
  }
}

/* ---- answers ---- */

void cxx_shared_add(struct cxx_shared *s, const char *text, size_t len) {
  struct cxx_text t;
  if (cxx_lex(&t, text, len))
    walk(s, &t, 0, t.n, (struct surroundings){0});
  cxx_text_free(&t);
}

/* Does M mention a word that leads there? */
static bool mentions_one(const struct cxx_shared *s, const struct cxx_mention *m) {
  for (size_t i = 0; i < m->n; i++)
    if (s->leads[s->ids[m->first + i]])
      return true;
  return false;
}

/* Marks every name that mentions a marked word, with TYPES those of types too. */
static void spread(struct cxx_shared *s, bool types) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < s->nmentions; i++) {
      const struct cxx_mention *m = &s->mentions[i];
      if (s->leads[m->name] || (m->kind == CXX_MENTION_TYPE && !types) ||
          (m->kind == CXX_MENTION_OPERATOR && !(m->name < s->nuses && s->uses[m->name].klass)))
        continue;
      if (mentions_one(s, m))
        more = s->leads[m->name] = true;
    }
  }
}

static void begin_leads(struct cxx_shared *s) {
  free(s->leads);
  s->leads = xcalloc(s->words.texts.n + 1, sizeof *s->leads);
}

bool cxx_shared_close(struct cxx_shared *s) {
  bool any = false;
  begin_leads(s);
  for (size_t i = 0; i < s->nseeds; i++)
    any = s->leads[s->seeds[i]] = true;
  if (any)
    spread(s, false);
  return any;
}

bool cxx_shared_lead(struct cxx_shared *s, const struct argv *words) {
  bool any = false;
  begin_leads(s);
  for (size_t i = 0; i < words->n; i++) {
    size_t k = intern_find(&s->words, words->args[i]);
    if (k != SIZE_MAX)
      any = s->leads[k] = true;
  }
  if (any)
    spread(s, true);
  return any;
}

void cxx_shared_find(const struct cxx_shared *s, struct argv *out, const char *text) {
  for (struct cxx_word w = cxx_word(text); w.n; w = cxx_word(w.p + w.n)) {
    size_t k = intern_find_bytes(&s->words, w.p, w.n);
    if (k != SIZE_MAX && s->leads[k])
      argv_add_once(out, xstrndup(w.p, w.n));
  }
}

const struct cxx_use *cxx_shared_use(const struct cxx_shared *s, const char *name) {
  size_t k = intern_find(&s->words, name);
  return k < s->nuses ? &s->uses[k] : NULL;
}

bool cxx_shared_elsewhere(const struct cxx_shared *s, const char *name) {
  const struct cxx_use *u = cxx_shared_use(s, name);
  return u && (u->left || (u->declared && !u->defined));
}

void cxx_shared_free(struct cxx_shared *s) {
  intern_free(&s->words);
  free(s->mentions);
  free(s->ids);
  free(s->leads);
  free(s->seeds);
  free(s->uses);
  argv_free(&s->variables);
  *s = (struct cxx_shared){0};
}
