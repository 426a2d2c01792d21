/* definitions.c - see definitions.h. */
#include "definitions.h"

#include "cxxdeclarator.h"

#include "core/base/vec.h"

/* ---- the text ---- */

static void add_word(struct argv *names, const struct cxx_text *t, uint32_t i) {
  argv_add_own(names, cxx_spelling(t, i));
}

static void add_scopes(struct argv *names, const struct cxx_scan *s, int scope) {
  const struct cxx_scope *sc = &s->scopes[scope];
  if (sc->parent < 0)
    return;
  add_scopes(names, s, sc->parent);
  for (uint32_t i = sc->name; i < sc->name_end; i++)
    if (cxx_ident(&s->code, i))
      add_word(names, &s->code, i);
}

/* Where the qualifiers of the name at I begin, `a<T>::b<U>::` before it, at FIRST or later. */
static uint32_t qualifiers(const struct cxx_text *t, uint32_t i, uint32_t first) {
  while (i > first + 1 && cxx_is(t, i - 1, "::")) {
    uint32_t name = i - 2;
    while (name > first && !cxx_ident(t, i - 2) &&
           (cxx_punct(t, name + 1) != '<' || cxx_skip_angles(t, name + 1, i) != i - 1))
      name--;
    if (!cxx_ident(t, name) || cxx_is_builtin(t, name))
      break;
    i = name;
  }
  return i;
}

/* The name of IT from *BEGIN to the result; 0 if there is none. */
static uint32_t name_of(const struct cxx_scan *s, const struct cxx_item *it, uint32_t *begin) {
  const struct cxx_text *t = &s->code;
  if (it->name_end > it->name) {
    *begin = qualifiers(t, it->name, it->begin);
    return it->name_end;
  }
  /* template class a::b<…>; and template void a<…>::f(…); and template<> a<…>::a(…) {…} */
  uint32_t i = it->begin, first = 0, end = 0;
  while (cxx_is(t, i, "template") || cxx_punct(t, i) == '<')
    i = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, it->end) : i + 1;
  for (; i && i < it->end && cxx_punct(t, i) != '(' && cxx_punct(t, i) != ';' &&
         cxx_punct(t, i) != '{';) {
    uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, it->end) : 0;
    if (cxx_ident(t, i) && !cxx_is(t, i - 1, "::"))
      first = i;
    end = cxx_ident(t, i) ? i + 1 : end;
    i = behind ? behind : cxx_takes_group(t, i) ? cxx_skip_group(t, i + 1, it->end) : i + 1;
  }
  *begin = first;
  return end > first ? end : 0;
}

/* Note the parameters of DEF, which is IT with its name before END. */
static void add_parameters(struct definition *def, const struct cxx_scan *s,
                           const struct cxx_item *it, uint32_t end) {
  const struct cxx_text *t = &s->code;
  def->parameters = -1;
  def->templated = it->kind == ITEM_SPECIALISATION || it->kind == ITEM_INSTANTIATION ||
                   cxx_is(t, it->begin, "template");
  if (def->templated || (def->kind != DEFINES_FUNCTION && def->kind != DEFINES_KERNEL) ||
      cxx_punct(t, end) != '(')
    return;
  uint32_t behind = cxx_skip_group(t, end, it->end), last = behind - 1;
  struct buf head = {0};
  if (behind <= end + 1 || behind >= it->end)
    return;
  bool none = last == end + 1 || (last == end + 2 && cxx_is(t, end + 1, "void"));
  def->parameters = !none;
  for (uint32_t i = end + 1; i < last && def->parameters >= 0;) {
    char c = cxx_punct(t, i);
    uint32_t next = c == '<'                           ? cxx_skip_angles(t, i, last)
                    : c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, last)
                                                       : i + 1;
    bool clear = next > i && t->toks[i].kind != TOK_DIRECTIVE && !cxx_is(t, i, "...");
    def->parameters = clear ? def->parameters + (c == ',') : -1;
    i = next;
  }
  if (def->parameters < 0 || def->kind == DEFINES_KERNEL)
    return;
  cxx_render(t, end, behind, &head);
  def->head = head.data;
}

static bool add_definition(struct definitions *d, const struct cxx_scan *s,
                           const struct cxx_item *it, enum definition_kind kind) {
  const struct cxx_text *t = &s->code;
  struct definition *def = vec_add(d->list, d->n);
  def->kind = kind;
  def->parameters = -1;
  def->at = it->begin;
  def->line = t->toks[it->begin].line;
  add_scopes(&def->names, s, it->scope);
  uint32_t begin = 0, end = name_of(s, it, &begin);
  if (kind == DEFINES_OPERATOR) {
    argv_add(&def->names, "operator");
    return true;
  }
  /* a::b::~b */
  if (begin > it->begin + 2 && cxx_punct(t, begin - 1) == '~')
    for (begin -= 3; begin > it->begin + 1 && cxx_is(t, begin - 1, "::");)
      begin -= 2;
  for (uint32_t i = begin; i < end;) {
    uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, it->end) : 0;
    if (cxx_ident(t, i))
      add_word(&def->names, t, i);
    i = behind ? behind : i + 1;
  }
  add_parameters(def, s, it, end);
  return end > begin;
}

static void definition_free(struct definition *def) {
  argv_free(&def->names);
  free(def->head);
}

static void add_device_function(struct definitions *d, const struct cxx_scan *s,
                                const struct cxx_item *it) {
  bool named = add_definition(d, s, it, DEFINES_FUNCTION);
  struct definition *def = &d->list[--d->n];
  autofree char *names = named && def->head ? argv_join(def->names.args) : NULL;
  if (names)
    argv_addf(&d->device, "%s(%s", names, def->head);
  definition_free(def);
}

bool definitions_in_doubt(const struct definitions *d, const struct macros *macros) {
  return words_among(&macros->all, &d->names) || words_among(&macros->odd, &d->heads);
}

const char *definitions_extern(const struct definitions *d, const struct argv *externs) {
  const char *own = words_among(&d->externs, &d->constants);
  return own ? own : words_among(externs, &d->constants);
}

/* Does another item than IT define a kernel of its name? */
static bool is_defined_here(const struct cxx_scan *s, const struct cxx_item *it) {
  const struct cxx_tok *last = &s->code.toks[it->name_end - 1];
  for (size_t i = 0; i < s->nitems; i++) {
    const struct cxx_item *other = &s->items[i];
    uint32_t begin,
        end = other == it || other->rule == RULE_FOREIGN_KERNEL ? 0 : name_of(s, other, &begin);
    if (end && cxx_is_n(&s->code, end - 1, s->code.text + last->at, last->len))
      return true;
  }
  return false;
}

/* Does the variable IT have others beside it, `int a = 1, b = 2;`? */
static bool declares_more(const struct cxx_scan *s, const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  uint32_t i = it->name_end;
  while (i < it->end && cxx_punct(t, i) != ',')
    i = cxx_punct(t, i) && strchr("([{", cxx_punct(t, i)) ? cxx_skip_group(t, i, it->end) : i + 1;
  return i < it->end;
}

/* Returns why IT keeps its unit with the library. RULE_NONE: it does not, and its functions are
 * added. */
static enum rule add_item(struct definitions *d, const struct cxx_scan *s,
                          const struct cxx_item *it) {
  if (cxx_renames(s, it))
    return RULE_ASM;
  switch (it->kind) {
  case ITEM_SPECIALISATION:
  case ITEM_INSTANTIATION:
  case ITEM_NAMESAKE:
    return add_definition(d, s, it, DEFINES_FUNCTION) ? RULE_NONE : RULE_DECLARATOR;
  case ITEM_UNKNOWN:
    return it->rule;
  case ITEM_EXTERNAL:
    break;
  case ITEM_CONSTANT: /* of a class: `const long ns::count = 4;` */
    return it->name_end > it->name + 1 || cxx_is(&s->code, it->name_end - 2, "::") ? RULE_VARIABLE
                                                                                   : RULE_NONE;
  default:
    return it->rule == RULE_FOREIGN_KERNEL && it->name_end > it->name && !is_defined_here(s, it)
               ? it->rule
               : RULE_NONE;
  }
  bool kernel = cxx_head_says(s, it, "__global__");
  switch (it->rule) {
  case RULE_FUNCTION:
    if (it->name_end > it->name && cxx_is(&s->code, it->name_end - 1, "main") && !it->scope)
      return it->rule;
    if (cxx_head_says(s, it, "__device__") && !cxx_head_says(s, it, "__host__")) {
      add_device_function(d, s, it);
      return RULE_NONE;
    }
    return add_definition(d, s, it,
                          kernel                             ? DEFINES_KERNEL
                          : cxx_head_says(s, it, "operator") ? DEFINES_OPERATOR
                                                             : DEFINES_FUNCTION)
               ? RULE_NONE
               : RULE_DECLARATOR;
  case RULE_VARIABLE:
  case RULE_INITIALISER:
    if (it->quiet && it->name_end > it->name && !cxx_is_of_device(s, it) && !declares_more(s, it))
      return add_definition(d, s, it, DEFINES_VARIABLE) ? RULE_NONE : RULE_DECLARATOR;
    /* nvcc gives the host's shadow of a device variable internal linkage, and runs nothing for
     * it */
    if (!cxx_is_of_device(s, it) || cxx_head_says(s, it, "__managed__") ||
        cxx_head_says(s, it, "extern"))
      return it->rule;
    if (it->name_end > it->name)
      add_word(&d->device, &s->code, it->name_end - 1);
    return RULE_NONE;
  case RULE_EXPLICIT_CLASS:
    return add_definition(d, s, it, DEFINES_CLASS) ? RULE_NONE : RULE_DECLARATOR;
  case RULE_EXPLICIT_MEMBER:
  case RULE_EXPLICIT_CONSTEXPR:
    return add_definition(d, s, it, DEFINES_FUNCTION) ? RULE_NONE : RULE_DECLARATOR;
  case RULE_EXPLICIT_OPERATOR:
    return add_definition(d, s, it, DEFINES_OPERATOR) ? RULE_NONE : RULE_DECLARATOR;
  case RULE_EXPLICIT_KERNEL:
    return add_definition(d, s, it, DEFINES_KERNEL) ? RULE_NONE : RULE_DECLARATOR;
  case RULE_EXPLICIT_INTERNAL:
    return RULE_NONE;
  case RULE_EXPLICIT_DEVICE:
    return cxx_head_says(s, it, "__host__") && !add_definition(d, s, it, DEFINES_FUNCTION)
               ? RULE_DECLARATOR
               : RULE_NONE;
  default:
    return it->rule;
  }
}

/* Note what a macro in the declaration IT could change. */
static void note_words(struct definitions *d, const struct cxx_scan *s, const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  if (it->kind == ITEM_INCLUDE || it->kind == ITEM_DEFINE || it->kind == ITEM_DIRECTIVE)
    return;
  for (uint32_t i = it->begin; i < it->end && cxx_punct(t, i) != '{' && cxx_punct(t, i) != '='; i++)
    if (cxx_ident(t, i) && !cxx_is_builtin(t, i))
      add_word(&d->heads, t, i);
}

/* Note the names in IT, if it is a constant: the host has a shadow of one of the device. */
static void note_constant(struct definitions *d, const struct cxx_scan *s,
                          const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  if (it->kind != ITEM_CONSTANT || cxx_is_of_device(s, it))
    return;
  for (uint32_t i = it->begin; i < it->end && cxx_punct(t, i) != '=' && cxx_punct(t, i) != '{'; i++)
    if (cxx_ident(t, i) && !cxx_is_builtin(t, i))
      add_word(&d->constants, t, i);
}

void definitions_add_extern(struct argv *externs, const struct cxx_scan *s,
                            const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  uint32_t last = 0;
  if (it->kind != ITEM_FUNCTION || !cxx_head_says(s, it, "extern"))
    return;
  for (uint32_t i = it->begin; i < it->end && cxx_punct(t, i) != '('; i++)
    if (cxx_ident(t, i) && (cxx_punct(t, i + 1) == ';' || cxx_punct(t, i + 1) == '['))
      last = i;
  if (last)
    add_word(externs, t, last);
}

/* Note which definitions of D have C linkage: by themselves, or in a block. */
static void note_c(struct definitions *d, const struct cxx_scan *s) {
  const struct cxx_text *t = &s->code;
  for (uint32_t i = 0; i + 2 < t->n; i++) {
    if (!cxx_is(t, i, "extern") || t->toks[i + 1].kind != TOK_STRING)
      continue;
    uint32_t end = cxx_punct(t, i + 2) == '{' ? cxx_skip_group(t, i + 2, t->n) : i + 1;
    for (size_t k = 0; k < d->n; k++)
      d->list[k].c |= d->list[k].at >= i && d->list[k].at < end;
  }
}

/* Could the preprocessor's output tell more than RULE, which item IT of S has? */
static bool rule_is_in_doubt(const struct cxx_item *it, enum rule rule) {
  return rule == RULE_NOT_READ || rule == RULE_MACRO || rule == RULE_DECLARATOR ||
         rule == RULE_CONDITIONAL || it->arm != 0;
}

bool definitions_read(struct definitions *d, const struct cxx_scan *s, struct reason *why) {
  *d = (struct definitions){0};
  if (s->odd) {
    *why = (struct reason){.rule = RULE_NOT_READ, .line = s->odd_line};
    reason_text(why, s->odd, strlen(s->odd));
    d->doubt = true;
    return false;
  }
  macros_add_code(&d->macros, &s->code);
  macros_settle(&d->macros);
  for (size_t i = 0; i < s->nitems; i++) {
    enum rule rule = add_item(d, s, &s->items[i]);
    if (rule != RULE_NONE) {
      cxx_scan_show(s, &s->items[i], why);
      why->rule = rule;
      d->doubt = rule_is_in_doubt(&s->items[i], rule);
      return false;
    }
    note_words(d, s, &s->items[i]);
    note_constant(d, s, &s->items[i]);
    definitions_add_extern(&d->externs, s, &s->items[i]);
  }
  note_c(d, s);
  if (!d->n && !d->device.n)
    *why = (struct reason){.rule = RULE_NOTHING};
  for (size_t i = 0; i < d->n; i++)
    if (d->list[i].names.n)
      argv_add_all(&d->names, d->list[i].names.args);
  argv_unique(&d->names);
  argv_unique(&d->heads);
  argv_unique(&d->externs);
  d->doubt = definitions_in_doubt(d, &d->macros);
  return d->n > 0 || d->device.n > 0;
}

char *definitions_device_variable(const struct cxx_scan *s) {
  for (size_t i = 0; i < s->nitems; i++) {
    const struct cxx_item *it = &s->items[i];
    bool variable = it->rule == RULE_VARIABLE || it->rule == RULE_INITIALISER;
    if (it->kind == ITEM_EXTERNAL && variable && it->name_end > it->name &&
        cxx_is_of_device(s, it) && !cxx_head_says(s, it, "extern") &&
        !cxx_head_says(s, it, "static"))
      return cxx_spelling(&s->code, it->name_end - 1);
  }
  return NULL;
}

void definitions_free(struct definitions *d) {
  for (size_t i = 0; i < d->n; i++)
    definition_free(&d->list[i]);
  free(d->list);
  argv_free(&d->device);
  argv_free(&d->names);
  argv_free(&d->heads);
  argv_free(&d->constants);
  argv_free(&d->externs);
  macros_free(&d->macros);
  *d = (struct definitions){0};
}

/* Are the first N words of A those of B? */
static bool same_words(const struct argv *a, const struct argv *b, size_t n) {
  bool same = a->n >= n && b->n >= n;
  for (size_t i = 0; i < n && same; i++)
    same = strcmp(a->args[i], b->args[i]) == 0;
  return same;
}

unsigned definition_fits(const struct definition *d, const struct argv *names) {
  size_t n = d->names.n;
  if (!n || !names->n)
    return 0;
  const char *last = definition_last(d);
  if (d->kind == DEFINES_CLASS ? same_words(&d->names, names, n) && names->n > n
                               : n == names->n && same_words(&d->names, names, n))
    return 2;
  return d->kind == DEFINES_CLASS ? argv_has(names, last)
                                  : strcmp(names->args[names->n - 1], last) == 0;
}

bool definitions_member(const struct definitions *d, const struct argv *names) {
  const char *last = names->n ? names->args[names->n - 1] : "";
  bool any = false;
  for (size_t i = 0; i < d->n && !any; i++)
    any = argv_has(&d->list[i].names, last);
  return any;
}
