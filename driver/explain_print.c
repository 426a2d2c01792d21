/* explain_print.c - the output of `ckjit explain`: a line for each unit, then a summary by rule; or
 * the same as JSON, an object a line; or the commands. */
#include "explain.h"
#include "libraries.h"
#include "core/base/jsonread.h"
#include "core/base/path.h"
#include "core/base/human.h"
#include "core/base/suggest.h"

#include <jansson.h>

/* Is it explained? A link is, if it compiles sources as well. */
static bool is_unit(const struct explained *x) {
  return x->record.kind != RECORD_LINK || x->record.why.rule == RULE_LINKS;
}

/* ---- verdicts ---- */

static const char LAZY[] = "lazy", AHEAD[] = "ahead";

bool explain_is_verdict(const char *word, char **expected) {
  autofree_argv known = {0};
  argv_add_words(&known, LAZY, AHEAD, NULL);
  for (int k = 0; k < RECORD_OTHER; k++)
    argv_add(&known, record_kind_name((enum record_kind)k));
  for (int i = RULE_NONE + 1; i < NRULES; i++)
    argv_add(&known, rule_row((enum rule)i)->id);
  bool found = false;
  for (size_t i = 0; i < known.n; i++)
    found |= strcmp(known.args[i], word) == 0;
  autofree char *meant = did_you_mean(word, (const char *const *)known.args);
  *expected = found
                  ? NULL
                  : xasprintf("lazy, ahead, a kind such as host, or a rule such as macro%s", meant);
  return found;
}

/* Are kernels of O's unit compiled at their first calls? */
static bool outcome_is_lazy(const struct outcome *o) {
  return o->kind == OUTCOME_LAZY || o->kind == OUTCOME_UNIT || o->kind == OUTCOME_FRAGMENT;
}

/* A host source is neither lazy nor ahead of time: as far as ckjit knows it has nothing that could
 * wait. */
static bool outcome_is_ahead(const struct outcome *o) {
  return o->kind == OUTCOME_LISTED || o->kind == OUTCOME_AHEAD || o->kind == OUTCOME_UNIT_LISTED ||
         o->kind == OUTCOME_UNIT_AHEAD || o->kind == OUTCOME_FRAGMENT_AHEAD;
}

/* Is X lazy (AHEAD: compiled ahead of time) in a library? Before its link, a unit that is recorded
 * as lazy is. */
static bool is_linked_so(const struct explanation *e, const struct explained *x, bool ahead) {
  size_t n;
  const struct linked *l = explain_linked(e, x, &n);
  enum record_kind kind = x->record.kind;
  if (!n)
    return !ahead && (kind == RECORD_BLOB || kind == RECORD_UNIT || kind == RECORD_FRAGMENT);
  for (; n; n--, l++)
    if (ahead ? outcome_is_ahead(l->outcome) : outcome_is_lazy(l->outcome))
      return true;
  return false;
}

static bool is_shown(const struct explanation *e, const struct explained *x,
                     const struct explain_view *view) {
  for (size_t i = 0; i < view->only.n; i++) {
    const char *word = view->only.args[i];
    if (strcmp(word, LAZY) == 0 || strcmp(word, AHEAD) == 0
            ? is_linked_so(e, x, strcmp(word, AHEAD) == 0)
            : strcmp(word, record_kind_name(x->record.kind)) == 0 ||
                  strcmp(word, rule_row(x->record.why.rule)->id) == 0)
      return true;
  }
  return !view->only.n;
}

/* ---- text ---- */

/* "a.cu:14: host: `int op_public(int)` is an external definition [function]". */
static void print_unit(const struct explained *x) {
  autofree_buf out = {0};
  const struct reason *why = &x->record.why;
  buf_puts(&out, x->source);
  if (why->line)
    buf_printf(&out, ":%u", why->line);
  buf_printf(&out, ": %s: ", record_kind_name(x->record.kind));
  reason_sentence(&out, why);
  if (x->record.kernels)
    buf_printf(&out, " (%u %s)", x->record.kernels, noun(x->record.kernels, "kernel", "kernels"));
  printf("%s [%s]\n", out.data, rule_row(why->rule)->id);
  if (x->record.not_lazy)
    printf("    as an ordinary unit it is not lazy: %s\n", x->record.not_lazy);
  if (x->record.stub)
    printf("    the front end of the device runs at the build: %s\n", x->record.stub);
}

/* "    libx.so: compiled ahead of time: …", for each library that has it. */
static void print_links(const struct explanation *e, const struct explained *x) {
  size_t n;
  const struct linked *l = explain_linked(e, x, &n);
  for (; n; n--, l++) {
    const struct outcome *o = l->outcome;
    printf("    %s: %s", path_base(l->library->library), outcome_says(o->kind));
    if (o->helpers || o->tables)
      printf(" (%zu %s erased, %zu %s of %zu %s)", o->helpers,
             noun(o->helpers, "helper", "helpers"), o->tables, noun(o->tables, "table", "tables"),
             o->rows, noun(o->rows, "row", "rows"));
    printf("%s%s\n", o->why ? ": " : "", o->why ? o->why : "");
  }
}

/* The reason for the fate of O, for a table; a lazy kernel's callers are shown for each unit
 * only. */
static const char *why_of(const struct outcome *o) {
  return o->why && o->kind != OUTCOME_LAZY ? o->why : "";
}

static int by_kind_and_why(const void *a, const void *b) {
  const struct outcome *x = *(const struct outcome *const *)a,
                       *y = *(const struct outcome *const *)b;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return strcmp(why_of(x), why_of(y));
}

/* A library's units by outcome and reason. */
static void print_library(const struct outcomes *o) {
  autofree const struct outcome **all = xcalloc(o->n + 1, sizeof *all);
  for (size_t i = 0; i < o->n; i++)
    all[i] = &o->all[i];
  qsort(all, o->n, sizeof *all, by_kind_and_why);
  printf("\n%s: %zu %s%s%s\n", o->library, o->n, noun(o->n, "unit", "units"),
         o->stock ? ", built without ckjit: " : "", o->stock ? o->stock : "");
  for (size_t i = 0, same; i < o->n; i += same) {
    for (same = 1; i + same < o->n && by_kind_and_why(&all[i], &all[i + same]) == 0;)
      same++;
    printf("%7zu  %-18s %s%s%s\n", same, outcome_name(all[i]->kind), outcome_says(all[i]->kind),
           *why_of(all[i]) ? ": " : "", why_of(all[i]));
  }
}

/* How many host sources are not units, by reason. */
static void print_not_lazy(const struct explanation *e) {
  autofree_argv why = {0};
  for (size_t i = 0; i < e->n; i++)
    if (is_unit(&e->units[i]) && e->units[i].record.not_lazy)
      argv_add(&why, e->units[i].record.not_lazy);
  argv_sort(&why);
  if (why.n)
    printf("\nnot lazy as ordinary units: %zu\n", why.n);
  for (size_t i = 0, same; i < why.n; i += same) {
    for (same = 1; i + same < why.n && strcmp(why.args[i], why.args[i + same]) == 0;)
      same++;
    printf("%7zu  %s\n", same, why.args[i]);
  }
}

/* The first unit that RULE has decided. */
static void print_example(const struct explanation *e, enum rule rule) {
  size_t i = 0;
  while (!is_unit(&e->units[i]) || e->units[i].record.why.rule != rule)
    i++;
  printf("%26s such as %s", "", e->units[i].source);
  if (e->units[i].record.why.line)
    printf(":%u", e->units[i].record.why.line);
  puts("");
}

/* With BEHIND, it follows a list. */
static void print_summary(const struct explanation *e, bool behind) {
  size_t of_rule[NRULES] = {0}, of_kind[RECORD_OTHER + 1] = {0}, all = 0;
  for (size_t i = 0; i < e->n; i++)
    if (is_unit(&e->units[i])) {
      of_rule[e->units[i].record.why.rule]++;
      of_kind[e->units[i].record.kind]++;
      all++;
    }
  printf("%s%zu %s:", behind ? "\n" : "", all, noun(all, "unit", "units"));
  const char *comma = "";
  for (int k = 0; k <= RECORD_OTHER; k++)
    if (of_kind[k]) {
      printf("%s %zu %s", comma, of_kind[k], record_kind_name((enum record_kind)k));
      comma = ",";
    }
  puts("");
  for (int i = 0; i < NRULES; i++) {
    const struct rule_row *row = rule_row((enum rule)i);
    if (!of_rule[i])
      continue;
    printf("%7zu  %-18s %s\n", of_rule[i], row->id,
           row->advice            ? row->advice
           : i == RULE_DISPATCHER ? "rewritten and compiled by the link"
                                  : "lazy, unless the link says otherwise");
    if (!behind && row->advice)
      print_example(e, (enum rule)i);
  }
}

/* ---- JSON ---- */

static void put_text(json_t *o, const char *key, const char *text) {
  if (text)
    json_object_set_new(o, key, json_printable(text));
}

/* Its outcomes in links. */
static json_t *json_links(const struct explanation *e, const struct explained *x) {
  size_t n;
  const struct linked *l = explain_linked(e, x, &n);
  json_t *list = json_array();
  for (; n; n--, l++) {
    json_t *o = json_object();
    put_text(o, "library", l->library->library);
    put_text(o, "outcome", outcome_name(l->outcome->kind));
    put_text(o, "why", l->outcome->why);
    if (l->outcome->helpers || l->outcome->tables) {
      json_object_set_new(o, "helpers", json_integer((json_int_t)l->outcome->helpers));
      json_object_set_new(o, "tables", json_integer((json_int_t)l->outcome->tables));
      json_object_set_new(o, "rows", json_integer((json_int_t)l->outcome->rows));
    }
    json_array_append_new(list, o);
  }
  return list;
}

static void print_json(const struct explanation *e, const struct explained *x) {
  const struct rule_row *row = rule_row(x->record.why.rule);
  autofree_buf says = {0};
  reason_sentence(&says, &x->record.why);
  json_t *o = json_object(), *command = json_array();
  put_text(o, "source", x->source);
  put_text(o, "output", x->output);
  put_text(o, "kind", record_kind_name(x->record.kind));
  put_text(o, "rule", row->id);
  put_text(o, "says", says.data);
  if (x->record.why.line)
    json_object_set_new(o, "line", json_integer(x->record.why.line));
  if (*x->record.why.text)
    put_text(o, "text", x->record.why.text);
  put_text(o, "advice", row->advice);
  if (x->record.kernels)
    json_object_set_new(o, "kernels", json_integer(x->record.kernels));
  put_text(o, "not_lazy", x->record.not_lazy);
  put_text(o, "stub", x->record.stub);
  json_object_set_new(o, "replayed", json_boolean(x->judged));
  json_object_set_new(o, "links", json_links(e, x));
  put_text(o, "cwd", x->record.cwd);
  json_array_append_new(command, json_printable(x->record.compiler));
  for (size_t i = 0; i < x->record.args.n; i++)
    json_array_append_new(command, json_printable(x->record.args.args[i]));
  json_object_set_new(o, "command", command);
  autofree char *line = json_dumps(o, JSON_COMPACT);
  puts(line ? line : "{}");
  json_decref(o);
}

/* ---- commands ---- */

static void put_command(const char *cwd, char *const *words) {
  autofree_buf line = {0};
  buf_puts(&line, "cd ");
  argv_quote_shell(&line, cwd);
  buf_puts(&line, " &&");
  for (; *words; words++) {
    buf_putc(&line, ' ');
    argv_quote_shell(&line, *words);
  }
  puts(line.data);
}

/* The link command that ckjit-link ran in DIR's library. */
static void print_link(const char *dir) {
  struct library lib = library_read(dir);
  autofree_argv words = {0};
  state_link(&words, &lib.state->link, &lib.state->all_objs);
  put_command(lib.state->cwd ? lib.state->cwd : "/", words.args);
}

/* The command that an ordinary build runs, and that was run if nothing of it is recorded. The
 * commands that ckjit ran for a link follow, and those that they replaced are comments. */
static void print_command(const struct explanation *e, const struct explained *x) {
  const char *library = explain_library(e, x);
  autofree_argv words = {0};
  argv_add(&words, x->record.compiler);
  if (x->record.args.n)
    argv_add_all(&words, x->record.args.args);
  if (library)
    fputs("# called as: ", stdout);
  put_command(x->record.cwd, words.args);
  if (library)
    print_link(library);
}

static void print_one(const struct explanation *e, const struct explained *x,
                      enum explain_form form) {
  if (form == EXPLAIN_STOCK)
    print_command(e, x);
  else if (form == EXPLAIN_JSON && is_unit(x))
    print_json(e, x);
  else if (form == EXPLAIN_TEXT && is_unit(x)) {
    print_unit(x);
    print_links(e, x);
  }
}

void explain_print(const struct explanation *e, const struct explain_view *view) {
  enum { LISTED_MOST = 100 }; /* units whose lines are printed without a request */
  size_t units = 0, shown = 0;
  for (size_t i = 0; i < e->n; i++) {
    units += is_unit(&e->units[i]);
    shown += is_unit(&e->units[i]) && is_shown(e, &e->units[i], view);
  }
  bool text = view->form == EXPLAIN_TEXT,
       lists = !text || (!view->summary && (view->all || view->only.n || units <= LISTED_MOST));
  for (size_t i = 0; i < e->n && lists; i++)
    if (is_shown(e, &e->units[i], view))
      print_one(e, &e->units[i], view->form);
  if (!text)
    return;
  if (view->only.n) {
    printf("%s%zu of %zu %s\n", lists && shown ? "\n" : "", shown, units,
           noun(units, "unit", "units"));
    return;
  }
  print_summary(e, lists);
  print_not_lazy(e);
  for (size_t i = 0; i < e->nlibraries; i++) {
    print_library(&e->libraries[i]);
    explain_calls(e->dirs.args[i]);
  }
  if (!lists && !view->summary)
    printf("\n--all lists the %zu units; --only host, --only ahead or --only RULE lists some\n",
           units);
}
