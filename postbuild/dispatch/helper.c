/* helper.c - reads a helper, and finds all helpers of a translation unit. erase.c writes them.
 *
 * A template is a helper if one function can stand for all its instantiations, given the addresses
 * of the blobs' functions that it uses. So each mention of a template parameter must be an argument
 * of such a function, or be in the condition of an `if constexpr`; nothing else in the body may
 * differ from one instantiation to the next (a static variable, a local class); and nothing else
 * may declare the template or look at it (an explicit specialisation, a second declaration, its
 * address). A form that is not recognised is "no".
 */
#include "helper.h"
#include "core/base/vec.h"

/* ---- the head ---- */

/* template <typename A, class B, int N>: no packs, no templates, no default values, whose text
 * would have to be repeated. A default type is allowed: a call that leaves it out is not made a
 * hole (leaf.c). */
static bool read_tparams(struct helper *h, uint32_t i, uint32_t end) {
  const struct cxx_text *t = h->t;
  while (i < end) {
    uint32_t from = i, name = end;
    for (; i < end && !punct(t, i, ','); i++) {
      if (punct(t, i, '.') || cxx_is(t, i, "template") || cxx_is(t, i, "auto"))
        return false;
      if (punct(t, i, '='))
        name = i - 1;
      if (punct(t, i, '<') && !(i = cxx_skip_angles(t, i, end)))
        return false;
    }
    name = name == end ? i - 1 : name;
    if (name <= from || !ident(t, name) || h->ntparams == HELPER_TPARAMS)
      return false;
    h->tparams[h->ntparams++] = name;
    i++;
  }
  return h->ntparams > 0;
}

/* the template parameter that token I is, or -1 */
static int tparam(const struct helper *h, uint32_t i) {
  for (size_t k = 0; k < h->ntparams; k++)
    if (ident(h->t, i) && same_tok(h->t, i, h->tparams[k]))
      return (int)k;
  return -1;
}

static bool mentions_tparam(const struct helper *h, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++)
    if (tparam(h, i) >= 0)
      return true;
  return false;
}

/* (T a, const U& b): each parameter has a name, and none a default, or an array or function type */
static bool read_params(struct helper *h, uint32_t open, uint32_t close) {
  uint32_t from = open + 1;
  if (from == close)
    return true;
  for (uint32_t i = from; i <= close; i++) {
    if (i < close && punct(h->t, i, '<')) {
      uint32_t behind = cxx_skip_angles(h->t, i, close);
      if (!behind)
        return false;
      i = behind;
    }
    if (cxx_is(h->t, i, "auto") || punct(h->t, i, '.'))
      return false;
    if (i < close && !punct(h->t, i, ','))
      continue;
    uint32_t name = cxx_param_name(h->t, from, i);
    if (name == i || h->nparams == HELPER_PARAMS)
      return false;
    h->params[h->nparams].type = (struct range){from, name};
    h->params[h->nparams++].name = name;
    from = i + 1;
  }
  return true;
}

static bool read_result(struct helper *h, uint32_t begin, uint32_t end) {
  static const char *const words[] = {"auto",    "constexpr", "consteval",  "extern",    "friend",
                                      "virtual", "explicit",  "__device__", "__global__"};
  for (uint32_t i = begin; i < end; i++)
    if (TEXT_WORD(h->t, i, words) || punct(h->t, i, '['))
      return false;
  h->result = (struct range){begin, end};
  return begin < end && !mentions_tparam(h, begin, end);
}

/* ---- the body ---- */

/* Can token I, followed by <, be a function whose address has one type whatever its template
 * arguments? *KNOWN: that type is known. */
static bool is_function(const struct helper_names *n, const struct cxx_text *t, uint32_t i, bool *known) {
  const char *signature = functions_find_n(n->f, t->text + t->toks[i].at, t->toks[i].len);
  if (signature) {
    *known = *signature;
    return true;
  }
  *known = true;
  return helpers_at(n->hs, t, i) != NULL;
}

/* Returns the index after the use of a function that begins at I, qualifiers included; 0 if there
 * is none. */
static uint32_t use_at(const struct helper *h, uint32_t i, const struct helper_names *n, bool *known) {
  const struct cxx_text *t = h->t;
  if (!ident(t, i) && !cxx_is(t, i, "::"))
    return 0;
  if (punct(t, i - 1, '.') || cxx_is(t, i - 1, "->") || cxx_is(t, i - 1, "::") ||
      cxx_is(t, i - 1, "template"))
    return 0;
  uint32_t k = i + (ident(t, i) ? 0 : 1);
  while (ident(t, k) && cxx_is(t, k + 1, "::"))
    k += 2;
  if (!ident(t, k) || !punct(t, k + 1, '<') || !is_function(n, t, k, known))
    return 0;
  return cxx_skip_angles(t, k + 1, h->body.end);
}

/* Can a pointer be written in place of the use [I, BEHIND)? Yes if it is called, or its address is
 * an argument, an element of a list, or assigned; not if it is a template argument. */
static bool replaceable(const struct cxx_text *t, uint32_t i, uint32_t behind) {
  if (punct(t, behind, '('))
    return true;
  uint32_t before = text_takes_address(t, i) ? i - 2 : i - 1;
  char c = cxx_punct(t, before), d = cxx_punct(t, behind);
  return (c == '(' || c == ',' || c == '{' || c == '=') && (d == ')' || d == ',' || d == '}' || d == ';');
}

/* Words that mean something else, or nothing, in one function for all: a static variable and a
 * class exist once for each instantiation; a parameter that is passed by reference has another
 * type; lines move. */
static bool differs_when_shared(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {
      "static",     "thread_local", "decltype",  "typeid",   "__func__", "__PRETTY_FUNCTION__",
      "struct",     "__FUNCTION__", "co_return", "co_await", "co_yield", "goto",
      "asm",        "class",        "union",     "enum",     "typedef",  "__LINE__",
      "__COUNTER__"};
  return TEXT_WORD(t, i, words);
}

/* `return a;` moves from a parameter that is a copy. It would not move from a reference. */
static bool gives_away(const struct helper *h, uint32_t i) {
  const struct cxx_text *t = h->t;
  if (!cxx_is(t, i, "return") && !cxx_is(t, i, "throw"))
    return false;
  for (i++; punct(t, i, '('); i++)
    ;
  for (size_t p = 0; p < h->nparams; p++)
    if (ident(t, i) && same_tok(t, i, h->params[p].name) && (punct(t, i + 1, ';') || punct(t, i + 1, ')')))
      return true;
  return false;
}

/* Is token I a name that the body declares, or a parameter? The address of a use is taken outside
 * of the body, where that name in its template arguments would be another one, or none. */
static bool is_local(const struct helper *h, uint32_t i) {
  const struct cxx_text *t = h->t;
  for (size_t p = 0; p < h->nparams; p++)
    if (same_tok(t, i, h->params[p].name))
      return true;
  for (uint32_t d = h->body.begin + 1; d < h->body.end; d++)
    if (ident(t, d) && same_tok(t, d, i) && (text_declares(t, d) || cxx_is(t, d - 1, "using")))
      return true;
  return false;
}

static bool use_is_outside(const struct helper *h, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++)
    if (differs_when_shared(h->t, i) || (ident(h->t, i) && tparam(h, i) < 0 && is_local(h, i)))
      return false;
  return true;
}

/* The arms of the conditions on template parameters. */
struct arms {
  /* of condition k: [2k] if it is true, [2k + 1] if it is false */
  struct range of[2 * HELPER_CONDS];
};

/* Returns the index after the arm at I: {…}, or a plain statement with its semicolon; 0 if it has
 * another form. */
static uint32_t statement_end(const struct cxx_text *t, uint32_t i, uint32_t end) {
  static const char *const words[] = {"if", "for", "while", "do", "switch", "try", "case", "default"};
  if (punct(t, i, '{'))
    return cxx_skip_group(t, i, end);
  if (TEXT_WORD(t, i, words))
    return 0;
  while (i && i < end && !punct(t, i, ';')) {
    char c = cxx_punct(t, i);
    i = c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, end) : i + 1;
  }
  return i && i < end ? i + 1 : 0;
}

/* Read `if constexpr (C) … else …` at I, with template parameters in C. False if it has another
 * form. */
static bool read_cond(struct helper *h, struct arms *arms, uint32_t i) {
  const struct cxx_text *t = h->t;
  uint32_t open = i + 2, behind = cxx_skip_group(t, open, h->body.end);
  if (!punct(t, open, '(') || h->nconds == HELPER_CONDS)
    return false;
  struct range cond = {open + 1, behind - 1};
  for (uint32_t k = cond.begin; k < cond.end; k++) {
    for (uint32_t d = h->body.begin; d < i; d++) /* does it depend on a variable of the body? */
      if (ident(t, k) && text_declares(t, d) && same_tok(t, k, d))
        return false;
    for (size_t p = 0; p < h->nparams; p++)
      if (ident(t, k) && same_tok(t, k, h->params[p].name))
        return false;
  }
  uint32_t then = statement_end(t, behind, h->body.end), other = 0;
  if (!then)
    return false;
  struct range arm1 = {then, then};
  if (cxx_is(t, then, "else")) {
    if (!(other = statement_end(t, then + 1, h->body.end)))
      return false;
    arm1 = (struct range){then + 1, other};
  }
  arms->of[2 * h->nconds] = (struct range){behind, then};
  arms->of[2 * h->nconds + 1] = arm1;
  h->conds[h->nconds++] = cond;
  return true;
}

/* Note in which arm the use U at I stands; the outermost counts. A use in several arms has no
 * condition. */
static void note_cond(const struct helper *h, const struct arms *arms, struct use *u, uint32_t i,
                      bool first) {
  int cond = -1;
  bool arm = false;
  for (size_t k = 2 * h->nconds; k-- > 0;)
    if (i >= arms->of[k].begin && i < arms->of[k].end) {
      cond = (int)(k / 2);
      arm = k % 2 == 0;
    }
  if (first) {
    u->cond = cond;
    u->arm = arm;
  } else if (u->cond != cond || u->arm != arm) {
    u->cond = -1;
  }
}

static bool add_use(struct helper *h, const struct arms *arms, uint32_t i, uint32_t behind) {
  struct use u = {.text = {i, behind}};
  size_t k = 0;
  while (k < h->nuses && !text_same(h->t, h->uses[k].text, u.text))
    k++;
  if (k == HELPER_USES)
    return false;
  for (uint32_t j = i; j < behind; j++)
    if (tparam(h, j) >= 0)
      u.tparams |= 1u << tparam(h, j);
  bool first = k == h->nuses;
  if (first && !use_is_outside(h, i, behind))
    return false;
  if (first)
    h->uses[h->nuses++] = u;
  note_cond(h, arms, &h->uses[k], i, first);
  return true;
}

/* Read the body. Every mention of a template parameter must be an argument of a function whose type
 * is known, or in the condition of an `if constexpr`. */
static bool read_uses(struct helper *h, const struct helper_names *n) {
  const struct cxx_text *t = h->t;
  struct arms arms = {0};
  for (uint32_t i = h->body.begin + 1; i < h->body.end; i++) {
    if (cxx_is(t, i, "if") && cxx_is(t, i + 1, "constexpr")) {
      uint32_t behind = cxx_skip_group(t, i + 2, h->body.end);
      if (mentions_tparam(h, i, behind) && !read_cond(h, &arms, i))
        return false;
      i = behind - 1;
      continue;
    }
    bool known = false;
    uint32_t behind = use_at(h, i, n, &known);
    if (!behind) {
      if (tparam(h, i) >= 0 || differs_when_shared(t, i) || gives_away(h, i))
        return false;
      continue;
    }
    if (!mentions_tparam(h, i, behind))
      continue; /* always the same function: it stays */
    if (!known || !replaceable(t, i, behind) || !add_use(h, &arms, i, behind))
      return false;
    i = behind - 1;
  }
  return h->nuses > 0;
}

/* ---- other mentions of it ---- */

/* Is the helper of a dispatcher only ever called there, and declared once? Its parameters change
 * from values to references, which another declaration, an explicit specialisation or its address
 * would contradict. */
static bool only_called(const struct helper *h) {
  const struct cxx_text *t = h->t;
  for (uint32_t i = 0; i < t->n; i++) {
    if (i == h->name_at || !ident(t, i) || !same_tok(t, i, h->name_at))
      continue;
    uint32_t behind = punct(t, i + 1, '<') ? cxx_skip_angles(t, i + 1, t->n) : 0;
    if (!behind || !punct(t, behind, '(') || punct(t, i - 1, '&'))
      return false;
    bool declared = i && (ident(t, i - 1) && !cxx_is(t, i - 1, "return") && !cxx_is(t, i - 1, "else"));
    if (declared)
      return false;
  }
  return true;
}

/* Is token I, a helper's name, the name in a declaration or in an explicit specialisation? */
static bool declares_again(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {"return", "else", "case", "throw", "co_return", "template"};
  if (!i || (!punct(t, i + 1, '(') && !punct(t, i + 1, '<')))
    return false;
  if (cxx_is(t, i - 1, "::"))
    return punct(t, i + 1, '<') && i >= 2 && ident(t, i - 2) && i >= 3 && ident(t, i - 3);
  return (ident(t, i - 1) && !TEXT_WORD(t, i - 1, words)) || punct(t, i - 1, '>') || punct(t, i - 1, '*') ||
         (punct(t, i - 1, '&') && i >= 2 && ident(t, i - 2));
}

/* Does T neither specialise H nor declare it again? */
static bool declared_once(const struct helper *h, const struct cxx_text *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (cxx_is(t, i, h->name) && !(t == h->t && i == h->name_at) && declares_again(t, i))
      return false;
  return true;
}

/* Is R of S, which is `template <…> … NAME (…) … {…}`, a helper? Read it into H, whose member,
 * in_header and name are set. */
static bool read_helper(struct helper *h, const struct cxx_scan *s, struct range r, uint32_t name,
                        const struct helper_names *n) {
  const struct cxx_text *t = &s->code;
  h->t = t;
  h->begin = r.begin;
  h->end = r.end;
  h->name_at = name;
  if (!punct(t, r.begin + 1, '<') || !punct(t, name + 1, '('))
    return false;
  uint32_t behind = cxx_skip_angles(t, r.begin + 1, r.end);
  if (!behind || !read_tparams(h, r.begin + 2, behind - 1))
    return false;
  h->header = (struct range){r.begin, behind};
  if (!read_result(h, behind, name))
    return false;
  uint32_t close = cxx_skip_group(t, name + 1, r.end);
  if (!read_params(h, name + 1, close - 1) || mentions_tparam(h, name + 1, close))
    return false;
  h->qualifiers.begin = close;
  while (h->member && (cxx_is(t, close, "const") || cxx_is(t, close, "noexcept")))
    close++;
  h->qualifiers.end = close;
  if (!punct(t, close, '{') || cxx_skip_group(t, close, r.end) != r.end)
    return false;
  h->body = (struct range){close, r.end};
  if (!text_plain(s, r))
    return false;
  return read_uses(h, n) && (h->in_header ? declared_once(h, t) : only_called(h));
}

/* ---- all helpers that one translation unit can call: those of the dispatcher and of its headers
 * ---- */

static void add(struct helpers *hs, const struct cxx_scan *s, struct range r, uint32_t name,
                const struct functions *f, bool member, bool in_header) {
  struct helper h = {.member = member, .in_header = in_header, .number = (unsigned)hs->n};
  struct helper_names n = {f, hs};
  h.name = cxx_spelling(&s->code, name);
  if (!read_helper(&h, s, r, name, &n)) {
    free(h.name);
    return;
  }
  vec_push(hs->all, hs->n, h);
}

/* Append those of the member templates that the class IT defines. */
static void add_members(struct helpers *hs, const struct cxx_scan *s, const struct cxx_item *it,
                        const struct functions *f) {
  const struct cxx_text *t = &s->code;
  uint32_t i = it->begin;
  while (i < it->end && !punct(t, i, '{') && !cxx_is(t, i, "template"))
    i++;
  if (!punct(t, i, '{')) /* a class template: rows would have to know its arguments */
    return;
  uint32_t end = cxx_skip_group(t, i, it->end) - 1;
  for (i++; i < end; i++) {
    uint32_t from = i;
    if (cxx_is(t, i, "template") && punct(t, i + 1, '<')) {
      uint32_t name = 0;
      for (i = cxx_skip_angles(t, i + 1, end); i && i < end; i++) {
        if (punct(t, i, '<') && !(i = cxx_skip_angles(t, i, end)))
          return;
        if (punct(t, i, '(') && !name)
          name = i - 1;
        if (punct(t, i, ';') || punct(t, i, '{'))
          break;
        if (punct(t, i, '('))
          i = cxx_skip_group(t, i, end) - 1;
      }
      if (!i)
        return;
      if (punct(t, i, '{') && ident(t, name)) {
        i = cxx_skip_group(t, i, end);
        add(hs, s, (struct range){from, i}, name, f, true, true);
        i--;
      }
    } else if (punct(t, i, '{') || punct(t, i, '(')) {
      i = cxx_skip_group(t, i, end) - 1;
    }
  }
}

void helpers_find(struct helpers *hs, const struct cxx_scan *s, const struct functions *f, bool in_header) {
  for (size_t i = 0; i < s->nitems && !s->odd; i++) {
    const struct cxx_item *it = &s->items[i];
    if (it->kind == ITEM_TEMPLATE && it->name_end == it->name + 1)
      add(hs, s, (struct range){it->begin, it->end}, it->name, f, false, in_header);
    else if (it->kind == ITEM_TYPE && in_header)
      add_members(hs, s, it, f);
  }
}

const struct helper *helpers_at(const struct helpers *hs, const struct cxx_text *t, uint32_t i) {
  const struct helper *found = NULL;
  for (size_t k = 0; k < hs->n; k++)
    if (cxx_is(t, i, hs->all[k].name) && !hs->all[k].elsewhere) {
      if (found)
        return NULL;
      found = &hs->all[k];
    }
  return found;
}

void helpers_keep(struct helpers *hs, struct cxx_scan *s, char *text) {
  vec_reserve(hs->texts, hs->nscans, 1);
  hs->texts[hs->nscans] = text;
  vec_push(hs->scans, hs->nscans, s);
}

void helpers_cut(struct helpers *hs, size_t n) {
  while (hs->n > n)
    free(hs->all[--hs->n].name);
}

void helpers_free(struct helpers *hs) {
  helpers_cut(hs, 0);
  for (size_t i = 0; i < hs->nscans; i++) {
    cxx_scan_free(hs->scans[i]);
    free(hs->scans[i]);
    free(hs->texts[i]);
  }
  free(hs->all);
  free(hs->scans);
  free(hs->texts);
  *hs = (struct helpers){0};
}

void helpers_check(struct helpers *hs, const struct cxx_text *t) {
  for (size_t i = 0; i < hs->n; i++)
    hs->all[i].elsewhere = !declared_once(&hs->all[i], t);
}

bool helpers_used(const struct helpers *hs, const struct cxx_text *t) {
  for (uint32_t i = 0; i < t->n; i++)
    for (size_t k = 0; k < hs->n; k++)
      if (cxx_is(t, i, hs->all[k].name))
        return true;
  return false;
}
