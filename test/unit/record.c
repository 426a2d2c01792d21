/* record.c - records come back as they were written, names that are no UTF-8 included; torn and foreign lines
 * do not.
 *
 * The wrapper writes a record with our own few lines of JSON, because it starts thousands of times in a build. So the reader is held
 * against all that a file name may be, and against lines that were cut off or are somebody else's.
 */
// tier: check
#include "core/files/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void failed(const char *what, const char *detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  bad = 1;
}

static bool same(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_words(const struct argv *a, const struct argv *b) {
  bool ok = a->n == b->n;
  for (size_t i = 0; ok && i < a->n; i++)
    ok = same(a->args[i], b->args[i]);
  return ok;
}

static bool same_record(const struct record *a, const struct record *b) {
  bool ok = a->kind == b->kind && same(a->stem, b->stem) && same(a->source, b->source) &&
            same(a->output, b->output) && same(a->cwd, b->cwd) && same(a->compiler, b->compiler) &&
            a->compiler_kind == b->compiler_kind && a->args.n == b->args.n && a->why.rule == b->why.rule &&
            a->why.line == b->why.line && same(a->why.text, b->why.text) && same(a->key, b->key) &&
            same(a->device_text, b->device_text);
  return ok && same_words(&a->args, &b->args) && same_words(&a->archs, &b->archs) &&
         same_words(&a->device, &b->device);
}

static void round_trip(bool unit) {
  static const char *const args[] = {"",
                                     "-c",
                                     "a b\t\n\r\\\"'/",
                                     "$(touch x)",
                                     "\x01\x1f\x7f",
                                     "\xc3\xa9 \xe2\x82\xac",
                                     "\xf0\x9f\x98\x80",
                                     "latin-1 \xe9",
                                     "\xed\xa0\x80",
                                     "\xc0\x80",
                                     "\xff\xfe\xf5",
                                     "\xf0\x9f",
                                     "\xe2\x82",
                                     "-DX=\"y\""};
  struct record r = {.kind = RECORD_BLOB,
                     .stem = "fmha \xe9",
                     .source = "/s/fmha \xe9.cu",
                     .output = "/o/x.o",
                     .cwd = "/d",
                     .compiler = "/opt/my-nvcc",
                     .compiler_kind = compiler_of_kind("cuda"),
                     .why = {RULE_FUNCTION, UINT32_MAX, "int \"f\xe9\"()"}},
                back;
  for (size_t i = 0; i < sizeof args / sizeof args[0]; i++)
    argv_add(&r.args, args[i]);
  if (unit) {
    r.kind = RECORD_UNIT;
    r.key = "0123456789abcdef0123456789abcdef";
    r.device_text = "/work/.units/0123456789abcdef0123456789abcdef.text";
    argv_add(&r.archs, "gfx90a:xnack-");
    argv_add(&r.archs, "gfx942");
    argv_add(&r.device, "-O3");
    argv_add(&r.device, "-DX=\"y\"");
  }
  struct buf line = {0};
  char *err;
  record_format(&line, &r);
  for (const char *p = line.data; *p; p++)
    if ((unsigned char)*p < 0x20 && p != line.data + line.len - 1)
      failed("a control character in", line.data);
  if (!strstr(line.data, "latin-1 \\udce9"))
    failed("no surrogate escape in", line.data);
  if (!record_parse(line.data, line.len, &back, &err)) {
    failed(line.data, err);
    free(err);
    return;
  }
  if (!same_record(&r, &back))
    failed("came back different", line.data);
  record_free(&back);

  /* torn anywhere: an error, never a crash, never a record */
  for (size_t n = 0; n + 1 < line.len; n++) {
    char *torn = xmalloc(n + 1);
    memcpy(torn, line.data, n);
    if (record_parse(torn, n, &back, &err))
      failed("a torn line was taken", line.data);
    else
      free(err);
    free(torn);
  }
  /* every single damaged byte: an error or a record, never a crash */
  for (size_t i = 0; i < line.len; i++) {
    for (int c = 0; c < 256; c += 5) {
      char was = line.data[i];
      line.data[i] = (char)c;
      if (record_parse(line.data, line.len, &back, &err))
        record_free(&back);
      else
        free(err);
      line.data[i] = was;
    }
  }
  argv_free(&r.args);
  argv_free(&r.archs);
  argv_free(&r.device);
  buf_free(&line);
}

#define UNIT                                                                                                 \
  "\"kind\":\"unit\",\"stem\":\"a\",\"source\":\"/a.cu\",\"output\":\"/a.o\",\"cwd\":\"/d\",\"compiler\":\"/c\",\"args\":[]"
#define KEY "\"key\":\"0123456789abcdef0123456789abcdef\""
#define TEXT "\"device_text\":\"/t\""
#define HOST "\"kind\":\"host\",\"cwd\":\"/d\",\"compiler\":\"/c\",\"args\":[]"

static const struct {
  const char *line, *want; /* NULL: it parses; else a part of the message */
} lines[] = {
    {"{\"ckjit\":1," HOST "}", NULL},
    {"{\"ckjit\":1," HOST "}\n", NULL},
    {" { \"ckjit\" : 1 , " HOST " } ", NULL},
    {"{\"later\":[{\"a\":[1.5e3,null,true]},\"\\u00e9\"],\"ckjit\":1," HOST "}", NULL},
    {"{\"ckjit\":1,\"kind\":\"host\",\"cwd\":\"/\\ud83d\\ude00\\/\",\"compiler\":\"/"
     "c\",\"args\":[\"\\udcff\"]}",
     NULL},
    {"", "end of the line (torn?)"},
    {"\n", "end of the line (torn?)"},
    {"[]", "expected '{' at byte 1"},
    {"hello", "expected '{' at byte 1, found 'h'"},
    {"{}", "no \"ckjit\""},
    {"{\"ckjit\":1}", "no \"kind\""},
    {"{\"ckjit\":2," HOST "}", "format 1"},
    {"{\"ckjit\":\"1\"," HOST "}", "value"},
    {"{" HOST "}", "no \"ckjit\""},
    {"{\"ckjit\":1,\"ckjit\":1," HOST "}", "each key once"},
    {"{\"ckjit\":1,\"cwd\":\"/d\"," HOST "}", "each key once"},
    {"{\"ckjit\":1,\"kind\":\"blobs\"}", "a kind"},
    {"{\"ckjit\":1,\"kind\":7}", "a string"},
    {"{\"ckjit\":1,\"args\":[1]}", "a string"},
    {"{\"ckjit\":1,\"kind\":\"blob\",\"cwd\":\"/d\",\"compiler\":\"/c\",\"args\":[]}", "no \"stem\""},
    {"{\"ckjit\":1,\"kind\":\"host\",\"cwd\":\"d\",\"compiler\":\"/c\",\"args\":[]}",
     "absolute path as \"cwd\""},
    {"{\"ckjit\":1,\"stem\":\"../../x\"," HOST "}", "file name without directory as \"stem\""},
    {"{\"ckjit\":1,\"compiler_kind\":\"nvcc\"," HOST "}",
     "expected hip, cuda, clang or c++ as \"compiler_kind\""},
    {"{\"ckjit\":1,\"compiler_kind\":\"cuda\",\"compiler_kind\":\"cuda\"," HOST "}", "each key once"},
    {"{\"ckjit\":1,\"rule\":\"of a later ckjit\",\"line\":4294967295,\"text\":\"\"," HOST "}", NULL},
    {"{\"ckjit\":1,\"line\":4294967296," HOST "}", "a line's number"},
    {"{\"ckjit\":1,\"line\":0," HOST "}", "a line's number"},
    {"{\"ckjit\":1,\"line\":1,\"line\":1," HOST "}", "each key once"},
    {"{\"ckjit\":1,\"text\":\"\",\"text\":\"\"," HOST "}", "each key once"},
    {"{\"ckjit\":1,\"compiler_kind\":7," HOST "}", "a string"},
    {"{\"ckjit\":1," UNIT "," KEY "," TEXT ",\"archs\":[\"gfx942\"],\"device\":[]}", NULL},
    {"{\"ckjit\":1," UNIT "," TEXT ",\"archs\":[\"gfx942\"],\"device\":[]}", "no \"key\""},
    {"{\"ckjit\":1," UNIT "," KEY ",\"archs\":[\"gfx942\"],\"device\":[]}", "no \"device_text\""},
    {"{\"ckjit\":1," UNIT "," KEY "," TEXT ",\"archs\":[],\"device\":[]}", "no \"archs\""},
    {"{\"ckjit\":1," UNIT "," KEY "," TEXT ",\"archs\":[\"gfx942\"]}", "no \"device\""},
    {"{\"ckjit\":1," UNIT ",\"key\":\"0123456789ABCDEF0123456789abcdef\"," TEXT
     ",\"archs\":[\"gfx942\"],\"device\":[]}",
     "32 hexadecimal digits"},
    {"{\"ckjit\":1," UNIT "," KEY ",\"device_text\":\"t\",\"archs\":[\"gfx942\"],\"device\":[]}",
     "absolute path as \"device_text\""},
    {"{\"ckjit\":1,\"device\":[],\"device\":[]," HOST "}", "each key once"},
    {"{\"ckjit\":1,\"stem\":\"\"," HOST "}", "file name without directory as \"stem\""},
    {"{\"ckjit\":1," HOST "}{}", "the end of the line at byte"},
    {"{\"ckjit\":1," HOST ",}", "a string"},
    {"{\"a\":\"\\u0000\"}", "no NUL"},
    {"{\"a\":\"\\ud800\"}", "surrogate pair"},
    {"{\"a\":\"\\ud800\\u0041\"}", "surrogate pair"},
    {"{\"a\":\"\\udc41\"}", "lone surrogate"},
    {"{\"a\":\"\\x\"}", "an escape"},
    {"{\"a\":\"\\u12g4\"}", "four hex digits"},
    {"{\"a\":\"\xe9\"}", "UTF-8"},
    {"{\"a\":\"\x01\"}", "control character"},
    {"{\"a\":", "a value"},
};

static void strictness(void) {
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    struct record r;
    char *err = NULL;
    bool ok = record_parse(lines[i].line, strlen(lines[i].line), &r, &err);
    if (ok != !lines[i].want || (!ok && !strstr(err, lines[i].want)))
      failed(lines[i].line, ok ? "was taken" : err);
    if (ok)
      record_free(&r);
    free(err);
  }
  /* nesting without end */
  struct buf deep = {0};
  struct record r;
  char *err;
  buf_puts(&deep, "{\"a\":");
  for (int i = 0; i < 100000; i++)
    buf_putc(&deep, '[');
  if (record_parse(deep.data, deep.len, &r, &err))
    failed("100000 brackets", "were taken");
  else
    free(err);
  buf_free(&deep);
}

/* What a record says of its compiler counts, whatever the compiler is called; a record from before they said it goes by
 * the name. */
static void kinds(void) {
  static const struct {
    const char *compiler, *says, *want;
  } cases[] = {{"/opt/my-nvcc", "cuda", "cuda"},   {"/opt/nvcc", "hip", "hip"},
               {"/usr/bin/clang++", "c++", "c++"}, {"/opt/cuda/bin/nvcc", "", "cuda"},
               {"/usr/bin/hipcc", "", "hip"},      {"/usr/bin/g++-12", "", "c++"},
               {"/usr/bin/clang++", "", "clang"},  {"/opt/my-nvcc", "", "clang"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct record r;
    char *err, *said = *cases[i].says ? xasprintf("\"compiler_kind\":\"%s\",", cases[i].says) : xstrdup(""),
               *line = xasprintf(
                   "{\"ckjit\":1,\"kind\":\"host\",\"cwd\":\"/d\",\"compiler\":\"%s\",%s\"args\":[\"-c\"]}",
                   cases[i].compiler, said);
    if (!record_parse(line, strlen(line), &r, &err))
      die(EXIT_FAILED, "%s: %s", line, err);
    if (strcmp(r.compiler_kind->kind, cases[i].want) != 0)
      failed(line, r.compiler_kind->kind);
    record_scan(&r);
    if (r.cc.dialect != r.compiler_kind->dialect || r.cc.nwords != 1)
      failed(line, "is not scanned as its compiler reads it");
    record_free(&r);
    free(said);
    free(line);
  }
}

int main(void) {
  round_trip(false);
  round_trip(true);
  kinds();
  strictness();
  if (record_append("/nonexistent/x.ndjson", "{}\n", 3))
    failed("/nonexistent/x.ndjson", "was written");
  return bad;
}
