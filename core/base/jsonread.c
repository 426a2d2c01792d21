#include "jsonread.h"
#include "path.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

struct area {
  struct area *before;
  alignas(max_align_t) char bytes[];
};

static struct {
  struct area *last;
  char *at;
  size_t left;
  json_malloc_t allocate;
  json_free_t release;
} memory;

static void *area_get(size_t n) {
  enum { AREA = 1 << 20 };
  n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  if (n > memory.left) {
    memory.left = n > AREA ? n : AREA;
    struct area *area = xmalloc(sizeof *area + memory.left);
    area->before = memory.last;
    memory.last = area;
    memory.at = area->bytes;
  }
  char *got = memory.at;
  memory.at += n;
  memory.left -= n;
  return got;
}

static void area_keep(void *bytes) {
  (void)bytes;
}

void json_reader_close(struct json_reader *r) {
  (void)r;
  json_set_alloc_funcs(memory.allocate, memory.release);
  for (struct area *area = memory.last, *before; area; area = before) {
    before = area->before;
    free(area);
  }
  memory.last = NULL;
  memory.left = 0;
}

/* ---- reading ---- */

void json_reader_fail(struct json_reader *r, const char *where, const char *fmt, ...) {
  if (r->err)
    return;
  struct buf b = {0};
  buf_printf(&b, "%s: ", r->file);
  if (*where)
    buf_printf(&b, "%s: ", where);
  va_list ap;
  va_start(ap, fmt);
  char *text = xvasprintf(fmt, ap);
  va_end(ap);
  buf_puts(&b, text);
  free(text);
  if (r->hint)
    buf_printf(&b, "; %s", r->hint);
  r->err = b.data;
}

const char *json_error_words(json_error_t *e) {
  for (char *p = e->text; *p; p++)
    if ((unsigned char)*p < ' ' || *p == 127)
      *p = ' ';
  return e->text;
}

json_t *json_reader_open(struct json_reader *r) {
  json_error_t e;
  size_t len = r->len;
  char *own = r->text ? NULL : file_read_any(r->file, &len);
  const char *text = r->text ? r->text : own;
  json_get_alloc_funcs(&memory.allocate, &memory.release);
  json_set_alloc_funcs(area_get, area_keep);
  json_t *top = text ? json_loadb(text, len, JSON_REJECT_DUPLICATES, &e)
                     : json_load_file(r->file, JSON_REJECT_DUPLICATES, &e);
  free(own);
  if (!top && e.line < 1)
    json_reader_fail(r, "", "%s", json_error_words(&e));
  else if (!top)
    json_reader_fail(r, "", "line %d, column %d: %s", e.line, e.column, json_error_words(&e));
  else if (!json_is_object(top))
    json_reader_fail(r, "", "expected an object in braces");
  else
    return top;
  return NULL;
}

static const char *type_name(const json_t *v) {
  switch (json_typeof(v)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "an array";
  case JSON_STRING:
    return "a string";
  case JSON_INTEGER:
  case JSON_REAL:
    return "a number";
  default:
    return "true, false or null";
  }
}

/* The member, which must exist and be of TYPE; EXPECTED is that type in words. */
static json_t *member(struct json_reader *r, json_t *obj, const char *where, const char *key,
                      json_type type, const char *expected) {
  if (r->err)
    return NULL;
  json_t *v = json_object_get(obj, key);
  char *at = *where ? xasprintf("%s.%s", where, key) : xstrdup(key);
  if (!v)
    json_reader_fail(r, at, "missing, expected %s", expected);
  else if (json_typeof(v) != type)
    json_reader_fail(r, at, "expected %s, found %s", expected, type_name(v));
  free(at);
  return r->err ? NULL : v;
}

json_t *json_reader_object(struct json_reader *r, json_t *obj, const char *where, const char *key) {
  return member(r, obj, where, key, JSON_OBJECT, "an object");
}

json_t *json_reader_array(struct json_reader *r, json_t *obj, const char *where, const char *key) {
  return member(r, obj, where, key, JSON_ARRAY, "an array");
}

char *json_reader_string(struct json_reader *r, json_t *obj, const char *where, const char *key) {
  json_t *v = member(r, obj, where, key, JSON_STRING, "a string");
  return v ? xstrdup(json_string_value(v)) : NULL;
}

void json_reader_strings(struct json_reader *r, json_t *obj, const char *where, const char *key,
                         struct argv *out) {
  json_t *list = member(r, obj, where, key, JSON_ARRAY, "an array of strings"), *v;
  size_t i;
  json_array_foreach(list, i, v) {
    if (!json_is_string(v)) {
      char *at = *where ? xasprintf("%s.%s[%zu]", where, key, i) : xasprintf("%s[%zu]", key, i);
      json_reader_fail(r, at, "expected a string, found %s", type_name(v));
      free(at);
      return;
    }
    argv_add(out, json_string_value(v));
  }
}

long long json_reader_number(struct json_reader *r, json_t *obj, const char *where,
                             const char *key) {
  json_t *v = member(r, obj, where, key, JSON_INTEGER, "a whole number");
  if (v && json_integer_value(v) < 0)
    json_reader_fail(r, where, "%s: expected a number of at least 0", key);
  return v && !r->err ? json_integer_value(v) : 0;
}

bool json_reader_flag(struct json_reader *r, json_t *obj, const char *where, const char *key) {
  json_t *v = json_object_get(obj, key);
  if (v && !json_is_boolean(v))
    json_reader_fail(r, where, "%s: expected true or false", key);
  return json_is_true(v);
}
