/* compile_commands.c - `ckjit export-compile-commands`: the recorded compiles in the form that
 * clangd and clang-tidy read.
 *
 * Each is the call of the real compiler, as the build made it, the last one of each source and
 * object. hipcc takes every source for HIP, which no other reader of the file knows: -x hip is
 * added. */
#include "common.h"
#include "explain.h"
#include "core/base/human.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"

#include <jansson.h>

/* False: TEXT is not UTF-8, and cannot be part of JSON. */
static bool add_word(json_t *list, const char *text) {
  return json_array_append_new(list, json_string(text)) == 0;
}

/* X, which has a source; NULL if a word of it is not UTF-8. */
static json_t *command_of(const struct explained *x) {
  const struct record *r = &x->record;
  json_t *words = json_array();
  bool good = add_word(words, r->compiler);
  if (compiler_is_hipcc(r->compiler_kind) && !argv_has_prefix(&r->args, "-x"))
    good = good && add_word(words, "-x") && add_word(words, "hip");
  for (size_t i = 0; i < r->args.n; i++)
    good = good && add_word(words, r->args.args[i]);
  json_t *obj = json_pack("{s:s, s:s, s:s, s:O}", "directory", r->cwd, "file", x->source, "output",
                          x->output, "arguments", words);
  json_decref(words);
  if (good)
    return obj;
  json_decref(obj);
  return NULL;
}

static char *text_of(const struct explanation *e, size_t *n) {
  json_t *all = json_array();
  for (size_t i = 0; i < e->n; i++) {
    json_t *one = e->units[i].source ? command_of(&e->units[i]) : NULL;
    if (one)
      json_array_append_new(all, one);
    else if (e->units[i].source)
      warn("%s: left out: its command is not UTF-8, as JSON has to be", e->units[i].source);
  }
  *n = json_array_size(all);
  autofree char *json = json_dumps(all, JSON_INDENT(1));
  char *text = xasprintf("%s\n", json);
  json_decref(all);
  return text;
}

struct request {
  const char *output;
};
static const struct option_row rows[] = {
    {"output", "FILE", PATH_INTO(struct request, output),
     "the file to write (default: compile_commands.json in the work directory, whose name is "
     "printed); - is standard output",
     .letter = 'o'},
    {0},
};
static const struct option_page page = {
    .where = "ckjit export-compile-commands --help",
    .usage = "ckjit export-compile-commands DIR|FILE [-o FILE]",
    .text = "Write compile_commands.json, for clangd and its like, of what a build has compiled. "
            "DIR is a work directory or a fake home, FILE a manifest.json.ndjson.",
    .rows = rows,
    .operands = ":files",
};

int build_compile_commands(char **argv) {
  struct request r = {0};
  char **operands = options_read(&page, &r, argv);
  const char *output = r.output;
  if (!operands[0] || operands[1])
    usage_error("export-compile-commands", "expected one work directory, or its " RECORD_FILE);
  struct explanation e = {0};
  autofree char *log = explain_log(options_path("export-compile-commands", operands[0]), false),
                *work = path_dir(log), *beside = path_join(work, "compile_commands.json");
  size_t n;
  explain_read(&e, log);
  explain_sort(&e);
  autofree char *text = text_of(&e, &n);
  if (output && strcmp(output, "-") == 0)
    fputs(text, stdout);
  else if (!file_put(output ? output : beside, text, strlen(text), 0666))
    die(EXIT_FAILED, "%s: cannot write it: %s; name another file with -o", output ? output : beside,
        strerror(errno));
  else if (!output || !file_is_special(output))
    printf("%s: %zu %s\n", output ? output : beside, n, noun(n, "command", "commands"));
  streams_answered();
  return EXIT_OK;
}
