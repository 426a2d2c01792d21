/* records.c - manifest.json.ndjson: each line as a record, and all of them as a manifest. */
#include "fuzz.h"

#include "core/files/manifest.h"
#include "core/files/record.h"

static bool same(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

/* a record that is written is read as the same */
static void write_and_read(const struct record *r) {
  struct buf line = {0};
  struct record again;
  char *err = NULL;
  record_format(&line, r);
  CHECK(memchr(line.data, '\n', line.len) == line.data + line.len - 1);
  CHECK(record_parse(line.data, line.len, &again, &err));
  CHECK(r->kind == again.kind && same(r->stem, again.stem) && same(r->source, again.source) &&
        same(r->output, again.output) && same(r->cwd, again.cwd) && same(r->compiler, again.compiler) &&
        r->compiler_kind == again.compiler_kind);
  CHECK(r->args.n == again.args.n);
  for (size_t i = 0; i < r->args.n; i++)
    CHECK(same(r->args.args[i], again.args.args[i]));
  record_free(&again);
  buf_free(&line);
}

static void lines(const char *p, const char *end) {
  while (p < end) {
    const char *nl = memchr(p, '\n', (size_t)(end - p)), *next = nl ? nl + 1 : end;
    struct record r;
    char *err = NULL;
    if (record_parse(p, (size_t)(next - p), &r, &err)) {
      CHECK(!r.stem || (*r.stem && !strchr(r.stem, '/')));
      write_and_read(&r);
      record_free(&r);
    } else {
      CHECK(err && *err && !r.source && !r.args.n);
      free(err);
    }
    p = next;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  lines(text, text + size);
  char *err = NULL;
  struct manifest *m = manifest_from_records("records", text, size, &err);
  CHECK(!m == !!err);
  for (size_t i = 0; m && i < m->nblobs; i++)
    CHECK(manifest_find(m, m->blobs[i].stem) == &m->blobs[i]);
  manifest_free(m);
  free(err);
  return 0;
}
