/* record.c - see record.h.
 *
 * The writer appends a record with one write. It copies runs of plain characters and escapes the
 * rest, since nearly all of a command line needs no escape.
 *
 * The reader takes one flat JSON object (core/base/jsontext.h). A line that was torn by a full
 * disk, or written by another program, must not become a half-understood compile command. So a
 * missing key or a wrong type is an error, with its byte offset; only unknown keys are skipped, so
 * that a later version can add some.
 */
#include "record.h"
#include "core/base/jsontext.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <unistd.h>

enum { FORMAT = 1 };

static const char *const kind_names[] = {"blob", "dispatcher", "fragment", "host",
                                         "unit", "link",       "other"};
enum { NKINDS = sizeof kind_names / sizeof kind_names[0] };

const char *record_kind_name(enum record_kind kind) {
  return kind_names[kind];
}

/* ---- writing ---- */

/* ---- the members ---- */

/* A record with what is stored in other words than it has in memory. */
struct stored {
  struct record r;
  const char *kind;
  char *compiler_kind, *rule, *text;
};

enum { A_BLOB = 1 << RECORD_BLOB, A_UNIT = 1 << RECORD_UNIT, ANY = ~0 };
enum { WITH_STUB = A_BLOB | A_UNIT | 1 << RECORD_DISPATCHER | 1 << RECORD_FRAGMENT };

#define AT(member) offsetof(struct stored, member)

/* In the order in which they are written. A member without a value is left out, a list only if its
 * record need not have it. */
static const struct member {
  const char *key;
  enum { FORMAT_NUMBER, KIND, TEXT, TEXTS, NUMBER } type;
  size_t at;
  int needed; /* bits of the kinds that must have it */
  const char *what;
} members[] = {
    {"ckjit", FORMAT_NUMBER, 0, ANY, NULL},
    {"kind", KIND, AT(kind), ANY, NULL},
    {"stem", TEXT, AT(r.stem), WITH_STUB, NULL},
    {"source", TEXT, AT(r.source), WITH_STUB, NULL},
    {"output", TEXT, AT(r.output), WITH_STUB, NULL},
    {"cwd", TEXT, AT(r.cwd), ANY, NULL},
    {"compiler", TEXT, AT(r.compiler), ANY, NULL},
    {"compiler_kind", TEXT, AT(compiler_kind), 0, NULL},
    {"rule", TEXT, AT(rule), 0, NULL},
    {"line", NUMBER, AT(r.why.line), 0, "a line's number"},
    {"text", TEXT, AT(text), 0, NULL},
    {"not_lazy", TEXT, AT(r.not_lazy), 0, NULL},
    {"stub", TEXT, AT(r.stub), 0, NULL},
    {"kernels", NUMBER, AT(r.kernels), 0, "how many kernels"},
    {"key", TEXT, AT(r.key), A_UNIT, NULL},
    {"device_text", TEXT, AT(r.device_text), A_UNIT, NULL},
    {"source_text", TEXT, AT(r.source_text), 0, NULL},
    {"archs", TEXTS, AT(r.archs), A_UNIT, NULL},
    {"device", TEXTS, AT(r.device), A_UNIT, NULL},
    {"args", TEXTS, AT(r.args), ANY, NULL},
};
enum { NMEMBERS = sizeof members / sizeof *members };

static void *place_of(struct stored *s, const struct member *m) {
  return (char *)s + m->at;
}

/* ---- writing a record ---- */

static void put_member(struct buf *out, struct stored *s, const struct member *m) {
  const void *at = place_of(s, m);
  const char *text = m->type == TEXT || m->type == KIND ? *(char *const *)at : NULL;
  uint32_t number = m->type == NUMBER ? *(const uint32_t *)at : 0;
  bool list = m->type == TEXTS && m->needed & 1 << s->r.kind;
  if (!text && !number && !list)
    return;
  buf_printf(out, ",\"%s\":", m->key);
  if (text)
    json_put_string(out, text);
  else if (number)
    buf_printf(out, "%u", number);
  else
    json_put_strings(out, at);
}

void record_format(struct buf *out, const struct record *r) {
  struct stored s = {.r = *r, .kind = kind_names[r->kind]};
  s.compiler_kind = r->compiler_kind ? (char *)r->compiler_kind->kind : NULL;
  s.rule = r->why.rule != RULE_NONE ? (char *)rule_row(r->why.rule)->id : NULL;
  s.text = *s.r.why.text ? s.r.why.text : NULL;
  buf_puts(out, "{\"ckjit\":1");
  for (size_t i = 0; i < NMEMBERS; i++)
    put_member(out, &s, &members[i]);
  buf_puts(out, "}\n");
}

bool record_append(const char *file, const char *line, size_t len) {
  int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0)
    return false;
  ssize_t n;
  do
    n = write(fd, line, len);
  while (n < 0 && errno == EINTR);
  int error = n < 0 ? errno : 0;
  if (n >= 0 && (size_t)n < len) {
    /* A full disk accepted only part of the line. End the torn line if there is room, so that it
     * does not spoil the next one. */
    error = ENOSPC;
    if (n > 0 && write(fd, "\n", 1) != 1)
      error = ENOSPC;
  }
  if (close(fd) && !error)
    error = errno; /* NFS reports a failed write here */
  if (error)
    errno = error;
  return !error;
}

/* ---- reading ---- */

static bool take_format(struct json_text *in) {
  json_skip_space(in);
  const char *start = in->p;
  if (!json_skip_word(in))
    return false;
  if (in->p - start == 1 && *start == '0' + FORMAT)
    return true;
  in->p = start;
  return json_expected(in, "format 1 after \"ckjit\":");
}

static bool take_kind(struct json_text *in, struct stored *s) {
  json_skip_space(in);
  const char *start = in->p;
  autofree char *name = json_take_string(in);
  for (int i = 0; name && i < NKINDS && !s->kind; i++)
    if (strcmp(name, kind_names[i]) == 0) {
      s->r.kind = (enum record_kind)i;
      s->kind = kind_names[i];
    }
  if (s->kind || in->why)
    return !in->why;
  in->p = start;
  return json_expected(in, "a kind (blob, dispatcher, fragment, host, unit, link or other)");
}

/* Read a number, at least 1, which is WHAT. */
static bool take_number(struct json_text *in, uint32_t *value, const char *what) {
  json_skip_space(in);
  const char *start = in->p;
  uint64_t n = 0;
  for (; in->p < in->end && *in->p >= '0' && *in->p <= '9' && n <= UINT32_MAX; in->p++)
    n = n * 10 + (uint64_t)(*in->p - '0');
  *value = (uint32_t)n;
  if (in->p > start && n && n <= UINT32_MAX)
    return true;
  in->p = start;
  return json_expected(in, what);
}

/* Read the next member; SEEN says which have been. */
static bool take_member(struct json_text *in, struct stored *s, bool seen[NMEMBERS]) {
  json_skip_space(in);
  const char *start = in->p;
  autofree char *key = json_take_string(in);
  if (!key || !json_want(in, ':'))
    return false;
  size_t i = 0;
  while (i < NMEMBERS && strcmp(members[i].key, key) != 0)
    i++;
  if (i == NMEMBERS)
    return json_skip(in);
  if (seen[i]) {
    in->p = start;
    return json_expected(in, "each key once");
  }
  seen[i] = true;
  void *at = place_of(s, &members[i]);
  switch (members[i].type) {
  case FORMAT_NUMBER:
    return take_format(in);
  case KIND:
    return take_kind(in, s);
  case NUMBER:
    return take_number(in, at, members[i].what);
  case TEXTS:
    return json_take_strings(in, at);
  default:
    return (*(char **)at = json_take_string(in)) != NULL;
  }
}

/* Does S have everything that the format requires? */
static bool is_whole(const struct stored *s, const bool seen[NMEMBERS], char **err) {
  const struct record *r = &s->r;
  for (size_t i = 0; i < NMEMBERS; i++) {
    bool empty = r->kind == RECORD_UNIT && members[i].at == AT(r.archs) && !r->archs.n;
    if (members[i].needed & 1 << r->kind && (!seen[i] || empty)) {
      *err = xasprintf("not a ckjit record: no \"%s\" in it", members[i].key);
      return false;
    }
  }
  const struct {
    const char *key, *path;
  } paths[] = {{"source", r->source},
               {"output", r->output},
               {"cwd", r->cwd},
               {"device_text", r->device_text}};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
    if (paths[i].path && paths[i].path[0] != '/') {
      *err =
          xasprintf("expected an absolute path as \"%s\", found '%s'", paths[i].key, paths[i].path);
      return false;
    }
  if (s->compiler_kind && !compiler_of_kind(s->compiler_kind)) {
    *err = xasprintf("expected hip, cuda, clang or c++ as \"compiler_kind\", found '%s'",
                     s->compiler_kind);
    return false;
  }
  if (r->key && (strlen(r->key) != RECORD_KEY_HEX || r->key[strspn(r->key, "0123456789abcdef")])) {
    *err =
        xasprintf("expected %d hexadecimal digits as \"key\", found '%s'", RECORD_KEY_HEX, r->key);
    return false;
  }
  /* The link step names files by the stem, and they must not be in another directory. */
  bool sound = !r->stem || (*r->stem && !strchr(r->stem, '/'));
  if (!sound)
    *err = xasprintf("expected a file name without directory as \"stem\", found '%s'", r->stem);
  return sound;
}

bool record_parse(const char *line, size_t len, struct record *r, char **err) {
  if (len && line[len - 1] == '\n')
    len--;
  struct json_text in = {line, line, line + len, NULL};
  struct stored s = {0};
  bool seen[NMEMBERS] = {false};
  bool ok = json_want(&in, '{');
  if (ok && !json_take(&in, '}')) {
    do
      ok = take_member(&in, &s, seen);
    while (ok && json_take(&in, ','));
    ok = ok && json_want(&in, '}');
  }
  if (ok) {
    json_skip_space(&in);
    ok = in.p == in.end || json_expected(&in, "the end of the line");
  }
  if (!ok)
    *err = in.why;
  ok = ok && is_whole(&s, seen, err);
  if (ok && s.rule)
    s.r.why.rule = rule_by_id(s.rule);
  if (ok && s.text)
    reason_text(&s.r.why, s.text, strlen(s.text));
  if (ok)
    s.r.compiler_kind =
        s.compiler_kind ? compiler_of_kind(s.compiler_kind) : compiler_by_name(s.r.compiler);
  else
    record_free(&s.r);
  *r = s.r;
  free(s.compiler_kind);
  free(s.rule);
  free(s.text);
  return ok;
}

void record_scan(struct record *r) {
  ccargs_scan(&r->cc, r->compiler_kind->dialect, r->args.args);
}

char *record_ccbin(const struct record *r) {
  const char *named = r->cc.ccbin;
  return named && strchr(named, '/') ? path_abs_in(r->cwd, named) : named ? xstrdup(named) : NULL;
}

const char *record_place(const struct record *r) {
  return r->copy_of ? r->copy_of : r->source;
}

void record_free(struct record *r) {
  struct stored s = {.r = *r};
  for (size_t i = 0; i < NMEMBERS; i++)
    if (members[i].type == TEXT)
      free(*(char **)place_of(&s, &members[i]));
    else if (members[i].type == TEXTS)
      argv_free(place_of(&s, &members[i]));
  ccargs_free(&r->cc);
  free(r->copy_of);
  *r = (struct record){0};
}
