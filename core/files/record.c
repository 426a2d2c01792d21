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
#include "abi/ck_jit_utf8.h"
#include "core/base/jsontext.h"
#include "core/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1 };

static const char *const kind_names[] = {"blob", "dispatcher", "fragment", "host",
                                         "unit", "link",       "other"};
enum { NKINDS = sizeof kind_names / sizeof kind_names[0] };

const char *record_kind_name(enum record_kind kind) {
  return kind_names[kind];
}

/* ---- writing ---- */

static void put_string(struct buf *out, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  size_t n = strlen(text);
  buf_putc(out, '"');
  while (n) {
    /* Nearly all of a command line needs no escape: copy whole runs. */
    size_t plain = 0;
    while (plain < n && s[plain] >= 0x20 && s[plain] < 0x80 && s[plain] != '"' && s[plain] != '\\')
      plain++;
    buf_add(out, s, plain);
    s += plain;
    n -= plain;
    if (!n)
      break;
    size_t len = ckjit_utf8((const char *)s, n); /* as strict as jansson and Python */
    if (len > 1) {
      buf_add(out, s, len);
    } else if (len == 0) {
      buf_printf(out, "\\udc%02x", *s);
      len = 1;
    } else if (*s == '"' || *s == '\\') {
      buf_putc(out, '\\');
      buf_putc(out, (char)*s);
    } else if (*s == '\n') {
      buf_puts(out, "\\n"); /* ends each line of a source */
    } else {
      buf_printf(out, "\\u%04x", *s);
    }
    s += len;
    n -= len;
  }
  buf_putc(out, '"');
}

static void put_member(struct buf *out, const char *key, const char *value) {
  if (!value)
    return;
  buf_puts(out, ",\"");
  buf_puts(out, key);
  buf_puts(out, "\":");
  put_string(out, value);
}

static void put_strings(struct buf *out, const char *key, const struct argv *list) {
  buf_printf(out, ",\"%s\":[", key);
  for (size_t i = 0; i < list->n; i++) {
    if (i)
      buf_putc(out, ',');
    put_string(out, list->args[i]);
  }
  buf_putc(out, ']');
}

void record_format(struct buf *out, const struct record *r) {
  buf_puts(out, "{\"ckjit\":1");
  put_member(out, "kind", kind_names[r->kind]);
  put_member(out, "stem", r->stem);
  put_member(out, "source", r->source);
  put_member(out, "output", r->output);
  put_member(out, "cwd", r->cwd);
  put_member(out, "compiler", r->compiler);
  put_member(out, "compiler_kind", r->compiler_kind ? r->compiler_kind->kind : NULL);
  if (r->why.rule != RULE_NONE)
    put_member(out, "rule", rule_row(r->why.rule)->id);
  if (r->why.line)
    buf_printf(out, ",\"line\":%u", r->why.line);
  if (*r->why.text)
    put_member(out, "text", r->why.text);
  put_member(out, "not_lazy", r->not_lazy);
  put_member(out, "stub", r->stub);
  if (r->kernels)
    buf_printf(out, ",\"kernels\":%u", r->kernels);
  put_member(out, "key", r->key);
  put_member(out, "device_text", r->device_text);
  put_member(out, "source_text", r->source_text);
  if (r->kind == RECORD_UNIT) {
    put_strings(out, "archs", &r->archs);
    put_strings(out, "device", &r->device);
  }
  put_strings(out, "args", &r->args);
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

/* The keys that were seen, where a value in struct record does not show it. */
struct seen {
  bool format, kind, args, archs, device;
  char *compiler_kind, *rule, *text;
};

static bool take_format(struct json_text *in, struct seen *seen) {
  json_skip_space(in);
  const char *start = in->p;
  seen->format = true;
  if (!json_skip_word(in))
    return false;
  if (in->p - start == 1 && *start == '0' + FORMAT)
    return true;
  in->p = start;
  return json_expected(in, "format 1 after \"ckjit\":");
}

static bool take_kind(struct json_text *in, struct record *r, struct seen *seen) {
  json_skip_space(in);
  const char *start = in->p;
  char *name = json_take_string(in);
  for (int i = 0; name && i < NKINDS && !seen->kind; i++) {
    if (strcmp(name, kind_names[i]) == 0) {
      r->kind = (enum record_kind)i;
      seen->kind = true;
    }
  }
  free(name);
  if (seen->kind || in->why)
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

static bool take_member(struct json_text *in, struct record *r, struct seen *seen) {
  struct {
    const char *key;
    char **value;
  } texts[] = {{"stem", &r->stem},
               {"source", &r->source},
               {"output", &r->output},
               {"cwd", &r->cwd},
               {"compiler", &r->compiler},
               {"compiler_kind", &seen->compiler_kind},
               {"rule", &seen->rule},
               {"text", &seen->text},
               {"key", &r->key},
               {"device_text", &r->device_text},
               {"not_lazy", &r->not_lazy},
               {"stub", &r->stub},
               {"source_text", &r->source_text}};
  struct {
    const char *key;
    bool *seen;
    struct argv *value;
  } lists[] = {{"args", &seen->args, &r->args},
               {"archs", &seen->archs, &r->archs},
               {"device", &seen->device, &r->device}};
  json_skip_space(in);
  const char *start = in->p;
  char *key = json_take_string(in);
  if (!key || !json_want(in, ':')) {
    free(key);
    return false;
  }
  char **text = NULL;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (strcmp(key, texts[i].key) == 0)
      text = texts[i].value;
  struct argv *list = NULL;
  bool again = false;
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    if (strcmp(key, lists[i].key) == 0) {
      list = lists[i].value;
      again = *lists[i].seen;
      *lists[i].seen = true;
    }
  bool is_format = strcmp(key, "ckjit") == 0, is_kind = strcmp(key, "kind") == 0,
       is_line = strcmp(key, "line") == 0, is_kernels = strcmp(key, "kernels") == 0;
  free(key);
  if ((text && *text) || (is_format && seen->format) || (is_kind && seen->kind) || again ||
      (is_line && r->why.line) || (is_kernels && r->kernels)) {
    in->p = start;
    return json_expected(in, "each key once");
  }
  if (text)
    return (*text = json_take_string(in)) != NULL;
  if (is_format)
    return take_format(in, seen);
  if (is_line)
    return take_number(in, &r->why.line, "a line's number");
  if (is_kernels)
    return take_number(in, &r->kernels, "how many kernels");
  if (is_kind)
    return take_kind(in, r, seen);
  if (list)
    return json_take_strings(in, list);
  return json_skip(in);
}

/* Does R have everything that the format requires? */
static bool is_whole(const struct record *r, const struct seen *seen, char **err) {
  bool lazy = r->kind == RECORD_UNIT, unit = lazy || r->kind == RECORD_BLOB ||
                                             r->kind == RECORD_DISPATCHER ||
                                             r->kind == RECORD_FRAGMENT;
  const struct {
    const char *key;
    bool there;
  } needed[] = {
      {"ckjit", seen->format},        {"kind", seen->kind},
      {"stem", !unit || r->stem},     {"source", !unit || r->source},
      {"output", !unit || r->output}, {"cwd", r->cwd},
      {"compiler", r->compiler},      {"args", seen->args},
      {"key", !lazy || r->key},       {"device_text", !lazy || r->device_text},
      {"archs", !lazy || r->archs.n}, {"device", !lazy || seen->device},
  };
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (!needed[i].there) {
      *err = xasprintf("not a ckjit record: no \"%s\" in it", needed[i].key);
      return false;
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
  if (seen->compiler_kind && !compiler_of_kind(seen->compiler_kind)) {
    *err = xasprintf("expected hip, cuda, clang or c++ as \"compiler_kind\", found '%s'",
                     seen->compiler_kind);
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
  *r = (struct record){0};
  if (len && line[len - 1] == '\n')
    len--;
  struct json_text in = {line, line, line + len, NULL};
  struct seen seen = {0};
  bool ok = json_want(&in, '{');
  if (ok && !json_take(&in, '}')) {
    do
      ok = take_member(&in, r, &seen);
    while (ok && json_take(&in, ','));
    ok = ok && json_want(&in, '}');
  }
  if (ok) {
    json_skip_space(&in);
    ok = in.p == in.end || json_expected(&in, "the end of the line");
  }
  if (!ok)
    *err = in.why;
  ok = ok && is_whole(r, &seen, err);
  if (ok && seen.rule)
    r->why.rule = rule_by_id(seen.rule);
  if (ok && seen.text)
    reason_text(&r->why, seen.text, strlen(seen.text));
  if (ok)
    r->compiler_kind =
        seen.compiler_kind ? compiler_of_kind(seen.compiler_kind) : compiler_by_name(r->compiler);
  else
    record_free(r);
  free(seen.compiler_kind);
  free(seen.rule);
  free(seen.text);
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
  ccargs_free(&r->cc);
  free(r->stem);
  free(r->source);
  free(r->output);
  free(r->not_lazy);
  free(r->stub);
  free(r->cwd);
  free(r->compiler);
  free(r->key);
  free(r->device_text);
  free(r->source_text);
  free(r->copy_of);
  argv_free(&r->args);
  argv_free(&r->archs);
  argv_free(&r->device);
  *r = (struct record){0};
}
