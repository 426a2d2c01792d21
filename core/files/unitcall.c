#include "unitcall.h"

#include "stubobj.h"

void unitcall_words(struct argv *words, const char *program, const struct argv *options,
                    const char *work, const struct record *call, const struct argv *given) {
  struct record host = {.kind = RECORD_HOST,
                        .stem = call->stem,
                        .source = call->source,
                        .output = call->output,
                        .cwd = call->cwd,
                        .compiler = call->compiler,
                        .compiler_kind = call->compiler_kind,
                        .args = call->args};
  struct buf line = {0};
  record_format(&line, &host);
  line.data[line.len - 1] = 0; /* its newline */
  argv_add(words, program);
  argv_add_all(words, options->args);
  argv_add_words(words, "--work", work, "--record", NULL);
  argv_add_own(words, line.data);
  argv_add_words(words, "--", call->compiler, NULL);
  argv_add_all(words, given->args);
}

struct wanted {
  const char *key;
  struct record *found; /* NULL: not yet */
};

static bool take_record(const char *line, size_t len, const char *member, void *user) {
  struct wanted *w = user;
  struct record *r = xcalloc(1, sizeof *r);
  autofree char *err = NULL;
  (void)member;
  if (record_parse(line, len, r, &err) && (!w->key || (r->key && strcmp(r->key, w->key) == 0))) {
    w->found = r;
    return false;
  }
  record_free(r);
  free(r);
  return w->key != NULL;
}

struct record *unitcall_record(const char *file, const char *key) {
  struct wanted w = {.key = key};
  char *err = NULL;
  if (!stub_records_file(file, take_record, &w, &err))
    free(err);
  return w.found;
}
