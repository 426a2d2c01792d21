/* explain_print.c - what `ckjit-build explain` prints: a line for each unit, then a summary by rule; or the same as
 * JSON, an object a line; or the commands. */
#include "explain.h"
#include "core/base/path.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is it explained? A link is, if it compiles sources as well. */
static bool is_unit(const struct explained *x) {
  return x->record.kind != RECORD_LINK || x->record.why.rule == RULE_LINKS;
}

/* ---- text ---- */

/* "a.cu:14: host: `int op_public(int)` is an external definition [function]" */
static void print_unit(const struct explained *x) {
  struct buf out = {0};
  const struct reason *why = &x->record.why;
  buf_puts(&out, x->source);
  if (why->line)
    buf_printf(&out, ":%u", why->line);
  buf_printf(&out, ": %s: ", record_kind_name(x->record.kind));
  reason_sentence(&out, why);
  printf("%s [%s]\n", out.data, rule_row(why->rule)->id);
  buf_free(&out);
}

static void print_summary(const struct explanation *e) {
  size_t of_rule[NRULES] = {0}, of_kind[RECORD_OTHER + 1] = {0}, all = 0;
  for (size_t i = 0; i < e->n; i++)
    if (is_unit(&e->units[i])) {
      of_rule[e->units[i].record.why.rule]++;
      of_kind[e->units[i].record.kind]++;
      all++;
    }
  printf("\n%zu unit%s:", all, all == 1 ? "" : "s");
  const char *comma = "";
  for (int k = 0; k <= RECORD_OTHER; k++)
    if (of_kind[k]) {
      printf("%s %zu %s", comma, of_kind[k], record_kind_name((enum record_kind)k));
      comma = ",";
    }
  puts("");
  for (int i = 0; i < NRULES; i++) {
    const struct rule_row *row = rule_row((enum rule)i);
    if (of_rule[i])
      printf("%7zu  %-18s %s\n", of_rule[i], row->id,
             row->advice ? row->advice : "lazy, unless the link says otherwise");
  }
}

/* ---- JSON ---- */

/* TEXT as a string; what is no UTF-8 as a record has it. */
static void put_text(json_t *o, const char *key, const char *text) {
  if (text)
    json_object_set_new(o, key, json_string(text) ? json_string(text) : json_string("?"));
}

static void print_json(const struct explained *x) {
  const struct rule_row *row = rule_row(x->record.why.rule);
  struct buf says = {0};
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
  json_object_set_new(o, "replayed", json_boolean(x->judged));
  put_text(o, "cwd", x->record.cwd);
  json_array_append_new(command, json_string(x->record.compiler));
  for (size_t i = 0; i < x->record.args.n; i++)
    json_array_append_new(command, json_string(x->record.args.args[i]));
  json_object_set_new(o, "command", command);
  char *line = json_dumps(o, JSON_COMPACT);
  puts(line ? line : "{}");
  free(line);
  json_decref(o);
  buf_free(&says);
}

/* ---- commands ---- */

/* WORD for a shell. */
static void put_word(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
  if (*word && word[strspn(word, plain)] == 0) {
    fputs(word, stdout);
    return;
  }
  putchar('\'');
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*word);
  putchar('\'');
}

/* The command that stock runs, and that ckjit runs for a host source. */
static void print_command(const struct explained *x) {
  fputs("cd ", stdout);
  put_word(x->record.cwd);
  fputs(" && ", stdout);
  put_word(x->record.compiler);
  for (size_t i = 0; i < x->record.args.n; i++) {
    putchar(' ');
    put_word(x->record.args.args[i]);
  }
  putchar('\n');
}

void explain_print(const struct explanation *e, enum explain_form form) {
  for (size_t i = 0; i < e->n; i++) {
    const struct explained *x = &e->units[i];
    if (form == EXPLAIN_STOCK)
      print_command(x);
    else if (form == EXPLAIN_JSON && is_unit(x))
      print_json(x);
    else if (form == EXPLAIN_TEXT && is_unit(x))
      print_unit(x);
  }
  if (form == EXPLAIN_TEXT)
    print_summary(e);
}
