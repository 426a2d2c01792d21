/* definitions.c - see definitions.h. */
#include "definitions.h"

#include "cxxdeclarator.h"
#include "visibility.h"

#include "core/base/vec.h"

/* ---- the text ---- */

static void add_word(struct argv *names, const struct cxx_text *t, uint32_t i) {
  argv_add_own(names, xstrndup(t->text + t->toks[i].at, t->toks[i].len));
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

/* Is WORD among the tokens of IT before its body? */
static bool head_says(const struct cxx_scan *s, const struct cxx_item *it, const char *word) {
  for (uint32_t i = it->begin; i < it->end && cxx_punct(&s->code, i) != '{'; i++)
    if (cxx_is(&s->code, i, word))
      return true;
  return false;
}

static bool is_of_device(const struct cxx_scan *s, const struct cxx_item *it) {
  return head_says(s, it, "__device__") || head_says(s, it, "__constant__");
}

/* The name of IT from *BEGIN to the result; 0 if there is none. */
static uint32_t name_of(const struct cxx_scan *s, const struct cxx_item *it, uint32_t *begin) {
  const struct cxx_text *t = &s->code;
  if (it->name_end > it->name) {
    *begin = it->name;
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
  if (def->templated || def->kind != DEFINES_FUNCTION || cxx_punct(t, end) != '(')
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
  if (def->parameters < 0)
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

/* Is token I, of any kind, one of the N WORDS? */
static bool is_any(const struct cxx_text *t, uint32_t i, const char *const *words, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (cxx_is(t, i, words[k]))
      return true;
  return false;
}
#define IS_ANY(t, i, words) is_any(t, i, words, sizeof(words) / sizeof *(words))

/* ---- macros ---- */

static const char *const odd_words[] = {
    ";",        "=",          "{",          "}",          "namespace",
    "extern",   "static",     "inline",     "__inline__", "__forceinline__",
    "template", "class",      "struct",     "hidden",     "weak",
    "alias",    "asm",        "__asm__",    "operator",   "ifunc",
    "internal", "\"hidden\"", "constructor"};

static void add_macros(struct macros *m, const struct cxx_text *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->toks[i].kind != TOK_DIRECTIVE)
      continue;
    struct cxx_text line;
    cxx_lex(&line, t->text + t->toks[i].at + 1, t->toks[i].len - 1);
    if (line.n > 1 && cxx_is(&line, 0, "define") && cxx_ident(&line, 1)) {
      bool odd = false, shown = false, device = false;
      for (uint32_t k = 2; k < line.n; k++) {
        m->runs |= cxx_says_runs(&line, k);
        odd |= IS_ANY(&line, k, odd_words);
        shown |= cxx_is(&line, k, SHOWN_WORD);
        device |= cxx_is(&line, k, "__device__");
      }
      add_word(&m->all, &line, 1);
      if (line.n == 3 && cxx_ident(&line, 2))
        argv_addf(&m->aliases, "%.*s %.*s", (int)line.toks[1].len, line.text + line.toks[1].at,
                  (int)line.toks[2].len, line.text + line.toks[2].at);
      if (odd)
        add_word(&m->odd, &line, 1);
      if (shown)
        add_word(&m->shown, &line, 1);
      if (device)
        add_word(&m->device, &line, 1);
      argv_addf(&m->bodies, "%.*s %.*s", (int)line.toks[1].len, line.text + line.toks[1].at,
                (int)(t->toks[i].len - 1), t->text + t->toks[i].at + 1);
    }
    cxx_text_free(&line);
  }
}

void macros_add(struct macros *m, const char *text, size_t len) {
  struct cxx_text t;
  cxx_lex(&t, text, len);
  add_macros(m, &t);
  cxx_text_free(&t);
}

void macros_settle(struct macros *m) {
  argv_unique(&m->all);
  argv_unique(&m->odd);
  argv_unique(&m->shown);
  argv_unique(&m->device);
  argv_unique(&m->aliases);
  argv_unique(&m->bodies);
}

const char *macros_meant(const struct macros *const *m, size_t count, const char *word) {
  /* a macro may stand for itself */
  enum { MOST = 16 };
  for (int step = 0; step < MOST; step++) {
    const char *next = NULL;
    size_t n = strlen(word);
    for (size_t i = 0; i < count && !next; i++)
      for (size_t k = 0; k < m[i]->aliases.n && !next; k++)
        if (strncmp(m[i]->aliases.args[k], word, n) == 0 && m[i]->aliases.args[k][n] == ' ')
          next = m[i]->aliases.args[k] + n + 1;
    if (!next)
      break;
    word = next;
  }
  return word;
}

void macros_free(struct macros *m) {
  argv_free(&m->all);
  argv_free(&m->odd);
  argv_free(&m->shown);
  argv_free(&m->device);
  argv_free(&m->aliases);
  argv_free(&m->bodies);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *words_among(const struct argv *sorted, const struct argv *words) {
  for (size_t i = 0; i < words->n && sorted->n; i++)
    if (bsearch(&words->args[i], sorted->args, sorted->n, sizeof *sorted->args, by_text))
      return words->args[i];
  return NULL;
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

/* Does IT give a function another name than its own, or a second one? */
static bool renames(const struct cxx_scan *s, const struct cxx_item *it) {
  static const char *const words[] = {"asm", "__asm__", "alias", "__alias__", "ifunc", "weakref"};
  bool renamed = false;
  for (size_t i = 0; i < sizeof words / sizeof *words && it->kind == ITEM_FUNCTION && !renamed; i++)
    renamed = head_says(s, it, words[i]);
  return renamed;
}

/* Returns why IT keeps its unit with the library. RULE_NONE: it does not, and its functions are
 * added. */
static enum rule add_item(struct definitions *d, const struct cxx_scan *s,
                          const struct cxx_item *it) {
  if (renames(s, it))
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
  bool kernel = head_says(s, it, "__global__");
  switch (it->rule) {
  case RULE_FUNCTION:
    if (it->name_end > it->name && cxx_is(&s->code, it->name_end - 1, "main") && !it->scope)
      return it->rule;
    if (head_says(s, it, "__device__") && !head_says(s, it, "__host__")) {
      add_device_function(d, s, it);
      return RULE_NONE;
    }
    return add_definition(d, s, it,
                          kernel                         ? DEFINES_KERNEL
                          : head_says(s, it, "operator") ? DEFINES_OPERATOR
                                                         : DEFINES_FUNCTION)
               ? RULE_NONE
               : RULE_DECLARATOR;
  case RULE_VARIABLE:
  case RULE_INITIALISER:
    /* nvcc gives the host's shadow of a device variable internal linkage, and runs nothing for
     * it */
    if (!is_of_device(s, it) || head_says(s, it, "__managed__") || head_says(s, it, "extern"))
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
    return head_says(s, it, "__host__") && !add_definition(d, s, it, DEFINES_FUNCTION)
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

/* Has variable IT, in S, external linkage if a declaration says extern? */
static void note_variable(struct argv *constants, struct argv *externs, const struct cxx_scan *s,
                          const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  if (it->kind == ITEM_CONSTANT && constants && !is_of_device(s, it)) /* the host has a shadow */
    for (uint32_t i = it->begin; i < it->end && cxx_punct(t, i) != '=' && cxx_punct(t, i) != '{';
         i++)
      if (cxx_ident(t, i) && !cxx_is_builtin(t, i))
        add_word(constants, t, i);
  if (it->kind != ITEM_FUNCTION || !head_says(s, it, "extern"))
    return;
  uint32_t last = 0;
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
  add_macros(&d->macros, &s->code);
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
    note_variable(&d->constants, &d->externs, s, &s->items[i]);
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

/* Does the head of IT contain a word that a macro may replace, such as `inline` or `extern`? */
static bool head_has_macro(const struct cxx_scan *s, const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  bool macro = false;
  for (uint32_t i = it->begin;
       i < it->end && cxx_punct(t, i) != '{' && cxx_punct(t, i) != '=' && !macro; i++) {
    const char *word = t->text + t->toks[i].at;
    macro = cxx_ident(t, i) && t->toks[i].len > 1 && i + 1 < it->end && cxx_ident(t, i + 1);
    for (uint32_t k = 0; k < t->toks[i].len && macro; k++)
      macro = word[k] == '_' || (word[k] >= 'A' && word[k] <= 'Z') ||
              (word[k] >= '0' && word[k] <= '9');
  }
  return macro;
}

/* Is token I of T a number or a null pointer? No address of a function is equal to it. */
static bool is_no_address(const struct cxx_text *t, uint32_t i) {
  return i < t->n &&
         (t->toks[i].kind == TOK_NUMBER || cxx_is(t, i, "nullptr") || cxx_is(t, i, "NULL"));
}

/* Does T declare a variable or a parameter with the word of token I, `float distance = …`? */
static bool is_variable(const struct cxx_text *t, uint32_t i) {
  static const char *const behind[] = {"=", ";", "{", ",", ")", "["};
  for (uint32_t k = 1; k + 1 < t->n; k++)
    if (cxx_is_n(t, k, t->text + t->toks[i].at, t->toks[i].len) && IS_ANY(t, k + 1, behind) &&
        ((cxx_ident(t, k - 1) && !cxx_is(t, k - 1, "return")) || cxx_punct(t, k - 1) == '>' ||
         cxx_punct(t, k - 1) == '*'))
      return true;
  return false;
}

/* Is token I of T a word that is used as a value? */
static bool is_value(const struct cxx_text *t, uint32_t i, bool compared) {
  static const char *const before[] = {"==", "!=", "&", "(",  ",",  "{", "return",
                                       "?",  ":",  "=", "&&", "||", "!"};
  static const char *const behind[] = {"==", "!=", ")", ",", ";", "}", "?", ":", "&&", "||"};
  bool first = i == 0, last = i + 1 == t->n;
  if (!cxx_ident(t, i) || cxx_is_builtin(t, i) || is_no_address(t, i))
    return false;
  uint32_t b = i;
  while (b > 1 && cxx_is(t, b - 1, "::"))
    b -= cxx_ident(t, b - 2) ? 2 : 1;
  b -= b > 1 && cxx_punct(t, b - 1) == '&' && !cxx_ident(t, b - 2);
  if (compared) {
    bool left = cxx_is(t, i + 1, "==") || cxx_is(t, i + 1, "!="),
         right = b && (cxx_is(t, b - 1, "==") || cxx_is(t, b - 1, "!="));
    return ((left && !is_no_address(t, i + 2)) || (right && !(b > 1 && is_no_address(t, b - 2)))) &&
           !is_variable(t, i);
  }
  return (first || (b && IS_ANY(t, b - 1, before))) && (last || IS_ANY(t, i + 1, behind));
}

static void add_named(struct argv *named, const struct cxx_text *t, bool compared) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->toks[i].kind == TOK_DIRECTIVE) {
      struct cxx_text line;
      cxx_lex(&line, t->text + t->toks[i].at + 1, t->toks[i].len - 1);
      if (cxx_is(&line, 0, "define"))
        add_named(named, &line, compared);
      cxx_text_free(&line);
    } else if (is_value(t, i, compared)) {
      add_word(named, t, i);
    }
}

void definitions_named(struct argv *named, const char *text, size_t len, bool compared) {
  struct cxx_text t;
  cxx_lex(&t, text, len);
  add_named(named, &t, compared);
  cxx_text_free(&t);
}

void header_names_free(struct header_names *h) {
  argv_free(&h->functions);
  argv_free(&h->copied);
  argv_free(&h->externs);
  argv_free(&h->named);
  argv_free(&h->marked);
  argv_free(&h->unclear);
}

/* ---- headers ---- */

/* Is IT, which is not understood, a variable with arguments for its constructor, such as `static
 * registrar r("name", f);`? One of them begins with what begins no type. */
static bool is_constructed(const struct cxx_scan *s, const struct cxx_item *it) {
  static const char *const words[] = {"nullptr", "true", "false", "this", "new", "sizeof"};
  const struct cxx_text *t = &s->code;
  uint32_t open = it->begin;
  while (open < it->end && cxx_punct(t, open) != '(' && cxx_punct(t, open) != '{')
    open++;
  if (it->kind != ITEM_UNKNOWN || it->rule != RULE_DECLARATOR || open <= it->begin + 1 ||
      open >= it->end || cxx_punct(t, open) != '(' || !cxx_ident(t, open - 1) ||
      cxx_punct(t, it->end - 1) != ';')
    return false;
  /* FORMAT(3, 4) void f(…); is a macro and a declaration. */
  uint32_t behind = cxx_skip_group(t, open, it->end);
  if (cxx_punct(t, behind) != ';' && cxx_punct(t, behind) != ',')
    return false;
  for (uint32_t i = open + 1; i < it->end; i++) {
    const struct cxx_tok *tok = &t->toks[i];
    char before = cxx_punct(t, i - 1);
    if (before != '(' && before != ',')
      continue;
    if (tok->kind == TOK_STRING || tok->kind == TOK_NUMBER || tok->kind == TOK_CHAR ||
        cxx_punct(t, i) == '&' || cxx_punct(t, i) == '-' || cxx_punct(t, i) == '!' ||
        cxx_punct(t, i) == '{' || IS_ANY(t, i, words))
      return true;
  }
  return false;
}

static void add_text(struct argv *texts, const struct cxx_text *t, const struct cxx_item *it) {
  struct buf text = {0};
  cxx_render(t, it->begin, it->end, &text);
  buf_putc(&text, '\n');
  argv_add_own(texts, text.data);
}

/* Why does IT, in a header, keep its units with the library? RULE_NONE: it does not. */
static enum rule keeps_in_header(const struct cxx_scan *s, const struct cxx_item *it) {
  if (renames(s, it))
    return RULE_ASM;
  if (is_constructed(s, it))
    return RULE_INITIALISER;
  bool with_effects = it->rule == RULE_INITIALISER || it->rule == RULE_CLASS_VARIABLE ||
                      it->rule == RULE_ASM ||
                      (it->rule == RULE_VARIABLE && !head_says(s, it, "typedef"));
  return it->kind == ITEM_EXTERNAL && with_effects && !is_of_device(s, it) ? it->rule : RULE_NONE;
}

/* Is what makes S odd its last declaration, in which a macro may hide the end? */
static bool is_unclear_to_end(const struct cxx_scan *s) {
  const struct cxx_item *last = s->nitems ? &s->items[s->nitems - 1] : NULL;
  return last && last->kind == ITEM_UNKNOWN && last->end == s->code.n;
}

bool definitions_in_header(struct header_names *h, const char *text, size_t len, bool expanded,
                           struct reason *why) {
  struct cxx_scan s;
  enum rule kept = RULE_NONE;
  cxx_scan(&s, text, len);
  add_named(&h->named, &s.code, false);
  visibility_marks(&h->marked, &s.code);
  h->doubt |= s.odd && !expanded && !is_unclear_to_end(&s);
  if (s.odd && expanded) {
    *why = (struct reason){.rule = RULE_NOT_READ, .line = s.odd_line};
    reason_text(why, s.odd, strlen(s.odd));
    kept = RULE_NOT_READ;
  }
  for (size_t i = 0; i < s.nitems && kept == RULE_NONE; i++) {
    const struct cxx_item *it = &s.items[i];
    bool named = it->name_end > it->name;
    note_variable(NULL, &h->externs, &s, it);
    if (named && (it->kind == ITEM_FUNCTION || it->kind == ITEM_TEMPLATE) &&
        cxx_punct(&s.code, it->end - 1) == '}')
      add_word(&h->copied, &s.code, it->name_end - 1);
    if (it->kind == ITEM_SPECIALISATION || it->kind == ITEM_INSTANTIATION ||
        (it->kind == ITEM_EXTERNAL && it->rule == RULE_FUNCTION && named)) {
      add_word(&h->functions, &s.code, it->name_end - 1);
      continue;
    }
    enum rule rule = keeps_in_header(&s, it);
    bool clear = expanded || (!s.odd && !it->arm && !head_has_macro(&s, it));
    if (rule == RULE_NONE && it->kind == ITEM_UNKNOWN && expanded)
      rule = it->rule;
    else if (rule == RULE_NONE && it->kind == ITEM_UNKNOWN)
      add_text(&h->unclear, &s.code, it);
    h->doubt |= rule != RULE_NONE && !clear;
    if (rule == RULE_NONE || !clear)
      continue;
    cxx_scan_show(&s, it, why);
    why->rule = kept = rule;
  }
  cxx_scan_free(&s);
  return kept != RULE_NONE;
}

char *definitions_device_variable(const struct cxx_scan *s) {
  for (size_t i = 0; i < s->nitems; i++) {
    const struct cxx_item *it = &s->items[i];
    bool variable = it->rule == RULE_VARIABLE || it->rule == RULE_INITIALISER;
    if (it->kind == ITEM_EXTERNAL && variable && it->name_end > it->name && is_of_device(s, it) &&
        !head_says(s, it, "extern") && !head_says(s, it, "static"))
      return xstrndup(s->code.text + s->code.toks[it->name_end - 1].at,
                      s->code.toks[it->name_end - 1].len);
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
