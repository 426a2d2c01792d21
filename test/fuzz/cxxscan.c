/* cxxscan.c - the C++ scanner and its lexer: the verdict on a source, and the places that the scan names. */
#include "fuzz.h"

#include "core/cxx/cxxshared.h"
#include "core/cxx/cxxunit.h"

#include <stdlib.h>
#include <string.h>

static void check_item(const struct cxx_scan *s, const struct cxx_item *it) {
  CHECK(it->begin <= it->end && it->end <= s->code.n);
  CHECK(it->name <= it->name_end && it->name_end <= s->code.n);
  CHECK(it->scope >= 0 && (size_t)it->scope < s->nscopes && it->arm >= 0 && (size_t)it->arm < s->narms);
  if (it->kind != ITEM_SPECIALISATION && it->kind != ITEM_INSTANTIATION)
    return;
  CHECK(it->begin < it->sig && it->sig <= it->name && it->name < it->name_end);
  CHECK(it->args <= it->args_end && it->args_end <= it->params && it->params < it->sig_end);
  CHECK(it->sig_end <= it->end);
}

static char *find_nothing(void *user, const char *from, const char *name, bool angled) {
  (void)user, (void)from, (void)name, (void)angled;
  return NULL;
}

/* Macros that the text itself defines are written out, and the result is scanned. */
static void try_unit(const char *text, size_t size) {
  struct cxx_unit u;
  cxx_unit_read(&u, "/x/f.cu", text, size, NULL, size & 1, find_nothing, NULL);
  CHECK(!u.scan.odd || u.verdict != CXX_BLOB);
  for (size_t i = 0; i < u.scan.nitems; i++)
    check_item(&u.scan, &u.scan.items[i]);
  cxx_unit_free(&u);
}

/* As a header: each name that is found stands in the text. */
static void try_shared(const char *data, size_t size) {
  struct cxx_shared shared = {0};
  struct argv names = {0};
  char *text = xstrndup(data, size);
  cxx_shared_add(&shared, data, size);
  cxx_shared_close(&shared, NULL);
  cxx_shared_find(&shared, &names, text);
  cxx_shared_lead(&shared, &shared.words.texts);
  cxx_shared_find(&shared, &names, text);
  for (size_t i = 0; i < names.n; i++)
    CHECK(strstr(text, names.args[i]));
  argv_free(&names);
  cxx_shared_free(&shared);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cxx_scan s;
  struct buf out = {0};
  cxx_scan(&s, (const char *)data, size);
  enum cxx_verdict verdict = cxx_scan_verdict(&s, NULL);
  CHECK(!s.odd || verdict != CXX_BLOB);
  for (size_t i = 0; i < s.nitems; i++)
    check_item(&s, &s.items[i]);
  for (uint32_t i = 0; i < s.code.n; i++)
    CHECK(s.code.toks[i].at + s.code.toks[i].len <= size && s.arm_of[i] >= 0);
  int open = 0;
  for (size_t a = s.narms < 500 ? s.narms : 0; a-- > 0;)
    cxx_arm_move(&s, &open, (int)a, &out);
  cxx_render(&s.code, 0, s.code.n, &out);
  buf_free(&out);
  cxx_scan_free(&s);
  try_unit((const char *)data, size);
  try_shared((const char *)data, size);
  return 0;
}
