/* explain_units.c - the calls of the wrapper in a manifest.json.ndjson or in objects, as units to
 * explain.
 *
 * The log has a line for each call. A source that was compiled again is in it twice, and the last
 * call counts: its object is the one that is linked. Probes and preprocessor runs are not units.
 */
#include "explain.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/files/stubobj.h"

static void explained_free(struct explained *x) {
  record_free(&x->record);
  free(x->source);
  free(x->output);
}

void explain_add(struct explanation *e, struct record *r) {
  struct explained x = {.record = *r};
  *r = (struct record){0};
  record_scan(&x.record);
  const struct ccargs *a = &x.record.cc;
  if (x.record.kind == RECORD_OTHER || (x.record.kind != RECORD_LINK && !a->source)) {
    explained_free(&x);
    return;
  }
  if (a->source)
    x.source = path_abs_in(x.record.cwd, a->source->text);
  autofree char *output = ccargs_output(a);
  x.output = path_abs_in(x.record.cwd, output);
  vec_push(e->units, e->n, x);
}

void explain_read(struct explanation *e, const char *file) {
  size_t len, number = 0;
  autofree char *text = file_read(file, &len);
  if (!text)
    die(EXIT_FAILED,
        "%s: cannot read: %s; expected a work directory, its " RECORD_FILE ", or -- and a command",
        file, strerror(errno));
  for (const char *p = text, *end = text + len; p < end;) {
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    struct record r;
    char *why = NULL;
    number++;
    if (!nl || !record_parse(p, (size_t)(nl - p), &r, &why))
      die(EXIT_FAILED,
          "%s:%zu: not a record of this ckjit's wrapper: %s; remove the line, or build again in a "
          "fresh work directory",
          file, number, why ? why : "the line does not end");
    explain_add(e, &r);
    p = nl + 1;
  }
}

static bool add_line(const char *line, size_t len, const char *member, void *user) {
  struct record r;
  char *err = NULL;
  (void)member;
  if (record_parse(line, len, &r, &err))
    explain_add(user, &r);
  free(err);
  return true;
}

bool explain_read_object(struct explanation *e, const char *file) {
  char *err = NULL;
  if (file_is_dir(file) || !stub_in_file(file))
    return false;
  if (!stub_records_file(file, add_line, e, &err))
    die(EXIT_FAILED, "%s", err);
  return true;
}

/* A unit and its place in the log. */
struct logged {
  const struct explained *x;
  size_t at;
};

static int by_files(const struct logged *a, const struct logged *b) {
  int c = strcmp(a->x->output, b->x->output);
  return c ? c : strcmp(a->x->source ? a->x->source : "", b->x->source ? b->x->source : "");
}

static int by_files_and_place(const void *a, const void *b) {
  const struct logged *x = a, *y = b;
  int c = by_files(x, y);
  return c ? c : (x->at > y->at) - (x->at < y->at);
}

void explain_sort(struct explanation *e) {
  autofree struct logged *all = xcalloc(e->n + 1, sizeof *all);
  autofree bool *last = xcalloc(e->n + 1, sizeof *last);
  for (size_t i = 0; i < e->n; i++)
    all[i] = (struct logged){&e->units[i], i};
  qsort(all, e->n, sizeof *all, by_files_and_place);
  for (size_t i = 0; i < e->n; i++)
    last[all[i].at] = i + 1 == e->n || by_files(&all[i], &all[i + 1]) != 0;
  size_t n = 0;
  for (size_t i = 0; i < e->n; i++)
    if (last[i])
      e->units[n++] = e->units[i];
    else
      explained_free(&e->units[i]);
  e->n = n;
}

static bool means(const char *name, const struct explained *x) {
  const char *file = x->source ? x->source : x->output;
  autofree char *stem = path_stem(file), *abs = path_abs(name);
  return strcmp(name, stem) == 0 || strcmp(name, path_base(file)) == 0 || strcmp(abs, file) == 0 ||
         strcmp(abs, x->output) == 0;
}

void explain_select(struct explanation *e, char *const *names, const char *where) {
  autofree bool *kept = xcalloc(e->n + 1, sizeof *kept);
  for (size_t k = 0; names[k]; k++) {
    bool found = false;
    for (size_t i = 0; i < e->n; i++)
      if (means(names[k], &e->units[i]))
        found = kept[i] = true;
    if (!found)
      die(EXIT_FAILED, "%s: no call of %s compiles it; expected a source's stem, base name or path",
          names[k], where);
  }
  size_t left = 0;
  for (size_t i = 0; i < e->n; i++)
    if (kept[i] || !*names)
      e->units[left++] = e->units[i];
    else
      explained_free(&e->units[i]);
  e->n = left;
}
