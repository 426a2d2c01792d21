#include "jsonread.h"
#include "jsontext.h"
#include "path.h"
#include "vec.h"

void json_reader_fail(struct json_reader *r, const char *where, const char *fmt, ...) {
  if (r->err)
    return;
  struct buf b = {0};
  buf_printf(&b, "%s: ", r->file);
  if (*where)
    buf_printf(&b, "%s: ", where);
  va_list ap;
  va_start(ap, fmt);
  autofree char *text = xvasprintf(fmt, ap);
  va_end(ap);
  buf_puts(&b, text);
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

json_t *json_printable(const char *text) {
  json_t *value = text ? json_string(text) : json_null();
  if (value)
    return value;
  autofree_buf b = {0};
  for (; *text; text++)
    if ((unsigned char)*text < 0x80)
      buf_putc(&b, *text);
    else
      buf_printf(&b, "\\x%02x", (unsigned char)*text);
  return json_string(b.data);
}

/* ---- the text ---- */

static struct json_text text_at(const struct json_reader *r, const char *at) {
  return (struct json_text){.start = r->text, .p = at, .end = r->text + r->len};
}

/* Report the error of IN, if it has one, by line and column. */
static void report(struct json_reader *r, struct json_text *in) {
  if (!in->why)
    return;
  size_t line = 1, column = 1;
  for (const char *p = in->start; p < in->p; p++, column++)
    if (*p == '\n') {
      line++;
      column = 0;
    }
  json_reader_fail(r, "", "line %zu, column %zu: %.*s%s", line, column,
                   (int)(strstr(in->why, " at byte ") - in->why), in->why,
                   strchr(strstr(in->why, " at byte "), ','));
  free(in->why);
  in->why = NULL;
}

void json_reader_close(struct json_reader *r, struct json_members *top) {
  free(r->own);
  free(top->list);
  r->own = NULL;
  *top = (struct json_members){0};
}

/* ---- members ---- */

static bool is_key(const struct json_member *m, const char *key, size_t n) {
  return m->len == n && memcmp(m->key, key, n) == 0;
}

static bool add_member(struct json_text *in, bool list, struct json_members *m) {
  struct json_member new = {0};
  json_skip_space(in);
  if (!list) {
    new.key = in->p + 1;
    if (!json_skip(in))
      return false;
    new.len = (size_t)(in->p - new.key - 1);
    if (!json_want(in, ':'))
      return false;
    json_skip_space(in);
  }
  new.value = in->p;
  vec_push(m->list, m->n, new);
  return json_skip(in);
}

/* As json_reader_members. WHOLE: nothing but space may follow. */
static void read_members(struct json_reader *r, const char *value, const char *where, bool list,
                         bool twice, bool whole, struct json_members *m) {
  m->n = 0;
  if (r->err)
    return;
  struct json_text in = text_at(r, value);
  const char close = list ? ']' : '}';
  bool done = json_want(&in, list ? '[' : '{');
  if (done && !json_take(&in, close)) {
    do
      done = add_member(&in, list, m);
    while (done && json_take(&in, ','));
    done = done && json_want(&in, close);
  }
  json_skip_space(&in);
  if (done && whole && in.p < in.end)
    json_expected(&in, "the end of the file");
  report(r, &in);
  for (size_t i = 1; !list && !twice && i < m->n; i++)
    for (size_t k = 0; k < i; k++)
      if (is_key(&m->list[i], m->list[k].key, m->list[k].len))
        json_reader_fail(r, where, "duplicate key '%.*s'", (int)m->list[i].len, m->list[i].key);
}

void json_reader_members(struct json_reader *r, const char *value, const char *where, bool list,
                         bool twice, struct json_members *m) {
  read_members(r, value, where, list, twice, false, m);
}

void json_reader_open(struct json_reader *r, struct json_members *top) {
  if (!r->text)
    r->text = r->own = file_read_any(r->file, &r->len);
  if (r->text)
    read_members(r, r->text, "", false, false, true, top);
  else
    json_reader_fail(r, "", "unable to open it: %s", strerror(errno));
}

char *json_reader_key(struct json_reader *r, const struct json_member *m) {
  struct json_text in = text_at(r, m->key - 1);
  char *key = json_take_string(&in);
  report(r, &in);
  return key;
}

const char *json_member(const struct json_members *obj, const char *key) {
  size_t n = strlen(key);
  for (size_t i = 0; i < obj->n; i++)
    if (is_key(&obj->list[i], key, n))
      return obj->list[i].value;
  return NULL;
}

static const char *type_name(char first) {
  return first == '{'                                   ? "an object"
         : first == '['                                 ? "an array"
         : first == '"'                                 ? "a string"
         : first == 't' || first == 'f' || first == 'n' ? "true, false or null"
                                                        : "a number";
}

/* The member, which must exist and begin with one of FIRST; EXPECTED is that type in words. */
static const char *member(struct json_reader *r, const struct json_members *obj, const char *where,
                          const char *key, const char *first, const char *expected) {
  if (r->err)
    return NULL;
  const char *v = json_member(obj, key);
  if (v && strchr(first, *v))
    return v;
  autofree char *at = *where ? xasprintf("%s.%s", where, key) : xstrdup(key);
  if (!v)
    json_reader_fail(r, at, "missing, expected %s", expected);
  else
    json_reader_fail(r, at, "expected %s, found %s", expected, type_name(*v));
  return NULL;
}

void json_reader_inner(struct json_reader *r, const struct json_members *obj, const char *where,
                       const char *key, bool list, bool twice, struct json_members *m) {
  const char *v = member(r, obj, where, key, list ? "[" : "{", list ? "an array" : "an object");
  m->n = 0;
  if (v)
    json_reader_members(r, v, key, list, twice, m);
}

char *json_reader_string(struct json_reader *r, const struct json_members *obj, const char *where,
                         const char *key) {
  const char *v = member(r, obj, where, key, "\"", "a string");
  struct json_text in = text_at(r, v);
  char *text = v ? json_take_string(&in) : NULL;
  report(r, &in);
  return text;
}

void json_reader_strings(struct json_reader *r, const struct json_members *obj, const char *where,
                         const char *key, struct argv *out) {
  const char *v = member(r, obj, where, key, "[", "an array of strings");
  struct json_text in = text_at(r, v);
  size_t i = 0;
  if (!v || (json_take(&in, '[') && json_take(&in, ']')))
    return;
  do {
    json_skip_space(&in);
    if (*in.p != '"') {
      autofree char *at =
          *where ? xasprintf("%s.%s[%zu]", where, key, i) : xasprintf("%s[%zu]", key, i);
      json_reader_fail(r, at, "expected a string, found %s", type_name(*in.p));
      return;
    }
    char *s = json_take_string(&in);
    if (s)
      argv_add_own(out, s);
    i++;
  } while (!in.why && json_take(&in, ','));
  report(r, &in);
}

long long json_reader_number(struct json_reader *r, const struct json_members *obj,
                             const char *where, const char *key) {
  const char *v = member(r, obj, where, key, "-0123456789", "a whole number");
  char *end;
  errno = 0;
  long long n = v ? strtoll(v, &end, 10) : 0;
  if (v && (errno || !strchr(",}] \t\r\n", *end)))
    json_reader_fail(r, where, "%s: expected a whole number", key);
  else if (n < 0)
    json_reader_fail(r, where, "%s: expected a number of at least 0", key);
  return r->err ? 0 : n;
}

bool json_reader_flag(struct json_reader *r, const struct json_members *obj, const char *where,
                      const char *key) {
  const char *v = json_member(obj, key);
  if (v && !str_starts(v, "true") && !str_starts(v, "false"))
    json_reader_fail(r, where, "%s: expected true or false", key);
  return v && *v == 't';
}
