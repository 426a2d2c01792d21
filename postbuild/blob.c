/* blob.c - reading one blob: what it defines, what it uses, and whether it can be forwarded. Its
 * forwarding text is written by forward.c. Why a blob cannot be forwarded is a sentence in the
 * summary of the link, so each place that finds a reason says it as one.
 */
#include "blob.h"

#include "flags.h"
#include "forward.h"
#include "mangled.h"

#include "core/cc/takes.h"
#include "core/base/path.h"
#include "core/cc/ccheader.h"

#include <blake2.h>

/* Find the last #include, and the tokens of each #define. */
static void lex_macros(struct blob_reader *r) {
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *it = &r->s.items[k];
    if (it->kind == ITEM_INCLUDE) {
      r->last_include = k + 1;
      if (it->scope)
        blob_settle(r->b, BLOB_AHEAD,
                    xasprintf("line %u: an #include within a namespace", tok(&r->s.code, it->begin)->line));
    }
    if (it->kind != ITEM_DEFINE)
      continue;
    const struct cxx_tok *d = tok(&r->s.code, it->begin);
    cxx_lex(&r->macros[k], r->s.code.text + d->at + 1, d->len - 1);
  }
}

static void add_unique(struct argv *v, const char *word, size_t n) {
  for (size_t i = 0; i < v->n; i++)
    if (strncmp(v->args[i], word, n) == 0 && !v->args[i][n])
      return;
  argv_add_own(v, xstrndup(word, n));
}

/* Names before a "<" or "(" in function bodies. A blob that uses a template that another blob
 * specialises is no blob but a dispatcher: settle.c compares. CK's fmha_bwd_api.cpp is an explicit
 * specialisation, too. */
static void collect_uses(struct blob_reader *r) {
  const struct cxx_text *t = &r->s.code;
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *it = &r->s.items[k];
    uint32_t from = forward_is_function(it) ? it->sig_end : it->begin;
    if (!forward_is_function(it) && it->kind != ITEM_FUNCTION && it->kind != ITEM_TEMPLATE &&
        it->kind != ITEM_TYPE && !(r->b->late && it->kind == ITEM_EXTERNAL))
      continue;
    for (uint32_t i = from; i + 1 < it->end; i++)
      if (tok(t, i)->kind == TOK_IDENT && (cxx_punct(t, i + 1) == '<' || cxx_punct(t, i + 1) == '('))
        add_unique(cxx_punct(t, i + 1) == '<' ? &r->b->uses : &r->b->calls, t->text + tok(t, i)->at,
                   tok(t, i)->len);
  }
}

/* Does the directive read another file: #include, #include_next, #import, #embed? */
static bool reads_file(const struct cxx_text *t, const struct cxx_tok *directive) {
  static const char *const words[] = {"include", "import", "embed"};
  const char *p = t->text + directive->at, *end = p + directive->len;
  for (p++; p < end && (*p == ' ' || *p == '\t');)
    p++;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if ((size_t)(end - p) >= strlen(words[i]) && memcmp(p, words[i], strlen(words[i])) == 0)
      return true;
  return false;
}

/* Files that are read elsewhere than at the top level are not in the preamble, and so in no
 * forwarding unit. */
static bool has_includes_within(const struct blob_reader *r) {
  size_t all = 0, top = 0;
  for (uint32_t i = 0; i < r->s.code.n; i++)
    all += tok(&r->s.code, i)->kind == TOK_DIRECTIVE && reads_file(&r->s.code, tok(&r->s.code, i));
  for (size_t k = 0; k < r->s.nitems; k++)
    top += r->s.items[k].kind == ITEM_INCLUDE;
  return all > top;
}

/* Why the profile alone calls it a blob; free() it. */
static char *in_words(const struct reason *why) {
  struct buf out = {0};
  if (why->line)
    buf_printf(&out, "line %u: ", why->line);
  reason_sentence(&out, why);
  return out.data;
}

/* Read what B defines, whose scan is S. It stays late while that is in doubt. */
static void read_definitions(struct blob *b, const struct cxx_scan *s, struct reason *why) {
  bool read = definitions_read(&b->defines, s, why);
  b->doubt = b->defines.doubt;
  b->late = read || b->doubt;
}

void blob_read_again(struct blob *b, const char *text, size_t len, const struct argv *harmless) {
  struct blob_reader r = {.b = b, .expanded = true};
  struct reason why;
  cxx_unit_read(&r.unit, b->record->source, text, len, harmless, true, NULL, NULL);
  r.s = r.unit.scan;
  r.needed = xcalloc(r.s.nitems, sizeof *r.needed);
  r.macros = xcalloc(r.s.nitems, sizeof *r.macros);
  definitions_free(&b->defines);
  argv_free(&b->uses);
  argv_free(&b->calls);
  bool late = definitions_read(&b->defines, &r.s, &why);
  b->doubt = false;
  if (!late)
    blob_settle(b, BLOB_AHEAD, in_words(&why));
  collect_uses(&r);
  if (late)
    forward_needs(&r);
  free(r.macros);
  free(r.needed);
  cxx_unit_free(&r.unit);
}

void blob_read(struct blob *b, struct record *record, const struct argv *harmless) {
  *b = (struct blob){.record = record, .rdc = flags_is_rdc(record)};
  size_t len;
  autofree char *text = file_read_text(record->source, &len);
  if (!text)
    die(EXIT_FAILED, "%s: cannot read the source of the stub object %s: %s; build the object again",
        record->source, record->output, strerror(errno));
  /* a copy has a line more */
  const char *compiled = record->source_text ? record->source_text : text;
  blake2b(b->digest, compiled, NULL, sizeof b->digest, record->source_text ? strlen(compiled) : len, 0);
  struct blob_reader r = {.b = b};
  bool late = record->why.rule == RULE_LATE;
  cxx_unit_read(&r.unit, record->source, text, len, harmless, late, cc_header_find,
                &(struct cc_headers){&record->cc, record->cwd});
  r.s = r.unit.scan;
  if (r.unit.parts.n)
    argv_add_all(&b->parts, r.unit.parts.args);
  r.needed = xcalloc(r.s.nitems, sizeof *r.needed);
  r.macros = xcalloc(r.s.nitems, sizeof *r.macros);
  struct reason why = r.unit.why;
  if (late)
    read_definitions(b, &r.s, &why);
  if (r.unit.verdict != CXX_BLOB && !b->late)
    blob_settle(b, BLOB_AHEAD, in_words(&why));
  bool blob = blob_is_forwarded(b);
  const char *all = cxx_unit_text(&r.unit);
  bool marks = false;
  for (int mark = MARK_BLOB; mark <= MARK_END; mark++) {
    marks |= memchr(all, mark, r.unit.len) != NULL;
    for (size_t i = 0; i < r.unit.macros.n; i++)
      marks |= strchr(r.unit.macros.args[i], mark) != NULL;
  }
  if (blob && marks)
    blob_settle(b, BLOB_AHEAD, xstrdup("it holds control characters"));
  const char *takes = takes_file(all, r.unit.len);
  if (takes)
    blob_settle(b, BLOB_AHEAD, xasprintf("it takes in a file that no depfile names (%s)", takes));
  b->includes_within = has_includes_within(&r);
  lex_macros(&r);
  collect_uses(&r);
  if (blob_is_forwarded(b) && !b->doubt)
    forward_needs(&r);
  if (b->late)
    forward_preamble(&r);
  else if (blob) /* other blobs want to know what it defines, even if it cannot be forwarded */
    forward_write(&r);
  for (size_t k = 0; k < r.s.nitems; k++)
    cxx_text_free(&r.macros[k]);
  free(r.macros);
  free(r.needed);
  cxx_unit_free(&r.unit);
}

void blob_free(struct blob *b) {
  argv_free(&b->demanded);
  argv_free(&b->demanded_by);
  argv_free(&b->certain);
  argv_free(&b->weak);
  argv_free(&b->addressed);
  argv_free(&b->in_headers);
  argv_free(&b->shown);
  free(b->unclear);
  definitions_free(&b->defines);
  free(b->stubs);
  free(b->reason);
  buf_free(&b->preamble);
  buf_free(&b->context);
  buf_free(&b->forward);
  argv_free(&b->parts);
  argv_free(&b->functions);
  argv_free(&b->signatures);
  argv_free(&b->uses);
  argv_free(&b->calls);
  argv_free(&b->arguments);
  for (size_t i = 0; i < b->ncombinations; i++) {
    free(b->combinations[i].stem);
    free(b->combinations[i].uses);
  }
  free(b->combinations);
  free(b->combination_of);
}

bool blob_links_stub(const struct blob *b, size_t i) {
  return !b->apart || (i < b->demanded.n && argv_has(&b->certain, b->demanded.args[i]));
}

bool blob_shows(const struct blob *b, const struct argv *names, bool templated) {
  bool shown = !flags_hide(b->record);
  for (size_t i = 0; i < names->n && !shown; i++)
    shown = argv_has(&b->shown, names->args[i]);
  if (!shown && templated && names->n && b->shown.n) {
    autofree char *last = xasprintf("%s<", names->args[names->n - 1]);
    shown = argv_has(&b->shown, last);
  }
  return shown;
}

unsigned blob_fits(const struct blob *b, const struct argv *names, const char *symbol,
                   const struct definition **which) {
  bool c = !str_starts(symbol, "_Z");
  unsigned fit = 0;
  int parameters = -2;
  *which = NULL;
  for (size_t i = 0; i < b->defines.n; i++) {
    const struct definition *def = &b->defines.list[i];
    unsigned now = definition_fits(def, names);
    if (c && now)
      now = def->c || def->kind == DEFINES_VARIABLE ? 2 : def->names.n == 1;
    if (now == 2 && !c && def->parameters >= 0) {
      parameters = parameters == -2 ? mangled_parameters(symbol) : parameters;
      now = parameters < 0 || parameters == def->parameters ? 2 : 1;
    }
    if (now > fit) {
      fit = now;
      *which = def;
    }
  }
  return fit;
}

bool blob_is_demanded(const struct blob *b, const char *name) {
  size_t demanded = 0, defined = 0;
  for (size_t i = 0; i < b->functions.n; i++)
    demanded += strcmp(b->functions.args[i], name) == 0 &&
                !(i < b->demanded.n && mangled_is_variant(b->demanded.args[i]));
  for (size_t k = 0; k < b->defines.n; k++)
    defined += strcmp(definition_last(&b->defines.list[k]), name) == 0;
  return demanded >= defined;
}

const char *blob_why_addressed(const struct blob *b, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < b->addressed.n; i++)
    if (strncmp(b->addressed.args[i], name, n) == 0 && b->addressed.args[i][n] == ' ')
      return b->addressed.args[i] + n + 1;
  return NULL;
}
