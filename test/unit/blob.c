/* blob.c - what a blob's forwarding text says, and why some blobs cannot be forwarded.
 *
 * A table of texts: what must be in the forwarding text of each, or in the reason why there is none. Then what only shows with
 * many: the numbers of blobs, the fates that the link step gives them, and that the time grows with the text and not faster.
 */
// tier: check
#include "core/base/path.h"
#include "postbuild/blob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int bad;

/* In `want` # stands for the blob's number, and @ with a letter for the number of a stub: @a is the first. */
static const struct {
  const char *text;
  const char *want;    /* is in the forwarding text; NULL: the blob cannot be forwarded */
  const char *why_not; /* and this is in the reason */
  const char *signatures;
} cases[] = {
    {"using t = traits<1>;\ntemplate<> float f<t>(args a) { return 0; }",
     "using ckjit_b#_t = traits<1>;\nCKJIT_STUB(@a) template<> CKJIT_IS(@a) float f<ckjit_b#_t>(args a);\n",
     0, "float(*)(args)"},
    {"template R f<1>(args  const &x, int);\ntemplate\nR f<2>( args const& y,int n) ;",
     "CKJIT_STUB(@b) template<> CKJIT_IS(@b) R f<2>( args const& y,int n);", 0,
     "R(*)(args const&,int) R(*)(args const&,int)"},
    {"using a = int; using b = a; using c = map<a, b>; using unneeded = c;\ntemplate<> void f<c>() {}",
     "using ckjit_b#_a = int;\nusing ckjit_b#_b = ckjit_b#_a;\nusing ckjit_b#_c = map<ckjit_b#_a, "
     "ckjit_b#_b>;\nCKJIT",
     0, "void(*)()"},
    {"typedef int (*callback)(int);\ntemplate<> void f<1>(callback c) {}",
     "typedef int (*ckjit_b#_callback)(int);\n", 0, ""},
    {"template <int N> using t = traits<N>;\nconstexpr int K = 3; static const int L = K << 1;\ntemplate<> "
     "void f<t<L>>(std::string s) {}",
     "constexpr int ckjit_b#_K = 3;\nstatic const int ckjit_b#_L = ckjit_b#_K << 1;\n", 0,
     "void(*)(std::string)"},
    {"#define N 4\n#define M (N + 1)\ntemplate<> void f<M>() {}",
     "#pragma push_macro(\"M\")\n#define M (N + 1)\n", 0, "void(*)()"},
    {"#define T t\nusing t = int;\ntemplate<> void f<T>() {}", "using ckjit_b#_t = int;\n", 0, "void(*)()"},
    {"namespace a { inline namespace b { using t = int; template<> void f<t>() {} } }",
     "namespace a { inline namespace b { CKJIT_STUB(@a) template<> CKJIT_IS(@a) void f<ckjit_b#_t>(); } }", 0,
     "void(*)()"},
    {"namespace a { using t = int; }\nusing t = long;\ntemplate<> void f<a::t, b::t>() {}",
     "f<a::ckjit_b#_t, b::t>", 0, "void(*)()"},
    {"namespace { using t = int; }\ntemplate<> void f<t>() {}", "namespace  { using ckjit_b#_t = int; }", 0,
     "void(*)()"},
    {"#if A\ntemplate<> void f<1>() {}\n#elif B\ntemplate<> void f<2>() {}\n#endif\n",
     "#if A\nCKJIT_STUB(@a) template<> CKJIT_IS(@a) void f<1>();\n\n#elif B\nCKJIT_STUB(@b)", 0,
     "void(*)() void(*)()"},
    {"template<> [[gnu::cold]] int f<1>(int) noexcept(true) { return 1; }",
     "template<> [[gnu::cold]] CKJIT_IS(@a) int f<1>(int) noexcept(true);", 0, ""},
    {"template<> int f<1>(int x) try { return 1; } catch (...) { return 2; }", "int f<1>(int x);", 0,
     "int(*)(int)"},
    {"class tag;\ntemplate<> void f<tag>() {}", "class tag;\nCKJIT", 0, "void(*)()"},
    {"struct unneeded { int x; };\ntemplate<> void f<1>() { unneeded u; }", "CKJIT_IS(@a) void f<1>();", 0,
     "void(*)()"},
    {"enum { N = 3 };\ntemplate<> void f<1>() { g(N); }", "void f<1>();", 0, "void(*)()"},
    {"template<> void f<1>(const T, T const& x, unsigned int, unsigned n, std::vector<a, b> v, const char "
     "*const *p, long) {}",
     "void f<1>(", 0,
     "void(*)(const T,T const&,unsigned int,unsigned,std::vector<a,b>,const char*const*,long)"},
    {"#ifndef OPTION\n#define OPTION 1\n#endif\n#include <a.h>\ntemplate<> void f<1>() {}", "void f<1>();", 0,
     "void(*)()"},

    {"struct tag {};\ntemplate<> void f<tag>() {}", NULL, "'tag', which only this file defines", "void(*)()"},
    {"struct tag {};\nusing t = traits<tag>;\ntemplate<> void f<t>() {}", NULL,
     "line 2: its signature needs 'tag'", "void(*)()"},
    {"typedef struct { int x; } tag;\ntemplate<> void f<1>(tag t) {}", NULL, "'tag'", "void(*)(tag)"},
    {"namespace { class tag; }\ntemplate<> void f<tag>() {}", NULL, "'tag'", "void(*)()"},
    {"template <class T> struct box {};\ntemplate<> void f<box<int>>() {}", NULL, "'box'", "void(*)()"},
    {"enum { N = 3 };\ntemplate<> void f<N>() {}", NULL, "'N'", "void(*)()"},
    {"enum kind { x };\ntemplate<> void f<x>() {}", NULL, "'x'", "void(*)()"},
    {"constexpr int n() { return 3; }\ntemplate<> void f<n()>() {}", NULL, "'n'", "void(*)()"},
    {"template<> void f<1>() {}\nint x;", NULL, "line 2: `int x` is a variable", ""},
    {"template<> void f<1>() {", NULL, "bracket", ""},
    {"template<> void f<1>() { \001 }", NULL, "control", "void(*)()"},
    {"namespace a {\n#include \"inner.h\"\n}\ntemplate<> void f<1>() {}", NULL, "#include within a namespace",
     "void(*)()"},
    {"#if !defined(DONE)\n#define DONE\n#include <a.h>\ntemplate<> void f<1>() {}\n#endif\n", NULL,
     "condition", "void(*)()"},
};

/* the bytes of MARK_BLOB and MARK_STUB as # and @a */
static void show_marks(struct buf *b) {
  struct buf out = {0};
  buf_add(&out, "", 0);
  for (size_t i = 0; i < b->len; i++) {
    if (b->data[i] == MARK_BLOB)
      buf_putc(&out, '#');
    else if (b->data[i] == MARK_STUB)
      buf_printf(&out, "@%c", 'a' + b->data[++i] - 1);
    else
      buf_putc(&out, b->data[i]);
  }
  buf_free(b);
  *b = out;
}

static void check(struct record *r, size_t i) {
  struct blob b;
  if (!file_write(r->source, cases[i].text, strlen(cases[i].text), 0644))
    die(EXIT_FAILED, "%s: cannot be written", r->source);
  blob_read(&b, r, NULL);
  show_marks(&b.forward);
  struct buf signatures = {0};
  buf_add(&signatures, "", 0);
  for (size_t k = 0; k < b.signatures.n; k++)
    buf_printf(&signatures, "%s%s", k ? " " : "", b.signatures.args[k]);
  bool as_wanted = cases[i].want ? b.fate == BLOB_LAZY && strstr(b.forward.data, cases[i].want)
                                 : b.fate == BLOB_AHEAD && strstr(b.reason, cases[i].why_not);
  if (!as_wanted || strcmp(signatures.data, cases[i].signatures) != 0) {
    fprintf(stderr, "%s\n  want %s, %s\n  got  %s\n  %s\n  %s\n", cases[i].text,
            cases[i].want ? cases[i].want : cases[i].why_not, cases[i].signatures, b.reason ? b.reason : "",
            b.forward.data, signatures.data);
    bad = 1;
  }
  buf_free(&signatures);
  blob_free(&b);
}

/* 254 functions are one byte's worth */
static void check_many(struct record *r, size_t n, bool forwarded) {
  struct buf text = {0};
  for (size_t i = 0; i < n; i++)
    buf_printf(&text, "template<> void f<%zu>() {}\n", i);
  if (!file_write(r->source, text.data, text.len, 0644))
    die(EXIT_FAILED, "%s: cannot be written", r->source);
  struct blob b;
  blob_read(&b, r, NULL);
  if (blob_is_forwarded(&b) != forwarded || b.functions.n != n) {
    fprintf(stderr, "%zu functions: %s, %zu found\n", n, b.reason ? b.reason : "forwarded", b.functions.n);
    bad = 1;
  }
  blob_free(&b);
  buf_free(&text);
}

/* A fate gives way only to a later one, and the first reason stays. */
static void check_fates(void) {
  struct blob b = {0};
  blob_settle(&b, BLOB_WANTED, NULL);
  bool ok = b.fate == BLOB_WANTED && blob_is_forwarded(&b);
  blob_settle(&b, BLOB_AHEAD, xstrdup("first"));
  blob_settle(&b, BLOB_AHEAD, xstrdup("second"));
  blob_settle(&b, BLOB_WANTED, NULL);
  ok &= b.fate == BLOB_AHEAD && !blob_is_forwarded(&b) && strcmp(b.reason, "first") == 0;
  blob_settle(&b, BLOB_DISPATCHER, NULL);
  blob_settle(&b, BLOB_AHEAD, xstrdup("third"));
  ok &= b.fate == BLOB_DISPATCHER && !blob_is_forwarded(&b) && !b.reason;
  if (!ok) {
    fprintf(stderr, "fate %d, %s\n", (int)b.fate, b.reason ? b.reason : "no reason");
    bad = 1;
  }
  blob_free(&b);
}

/* Forms that would take a second a kilobyte, or all of the stack: the comparison is no list, the names lead
 * from one to the next. */
static void check_large(struct record *r) {
  enum { TIMES = 50000 };
  struct blob b;
  struct buf lists = {0}, names = {0};
  struct timespec from, to;
  buf_puts(&lists, "template<> void f<1>(");
  for (int i = 0; i < TIMES; i++)
    buf_puts(&lists, "b<,");
  buf_puts(&lists, "c) {}");
  for (int i = 0; i < TIMES; i++)
    buf_printf(&names, "using t%d = t%d;\n", i + 1, i);
  buf_printf(&names, "template<> void f<t%d>() {}", TIMES);
  const struct buf *const texts[] = {&lists, &names};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!file_write(r->source, texts[i]->data, texts[i]->len, 0644))
      die(EXIT_FAILED, "%s: cannot be written", r->source);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    blob_read(&b, r, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    if (to.tv_sec - from.tv_sec > 5 || b.functions.n != 1) {
      fprintf(stderr, "%.20s…: %zu functions, %ld s\n", texts[i]->data, b.functions.n,
              (long)(to.tv_sec - from.tv_sec));
      bad = 1;
    }
    blob_free(&b);
  }
  buf_free(&lists);
  buf_free(&names);
}

/* A late blob in which the address of one of its functions may be compared, and one in which it is only called. */
static void check_addresses(const struct record *plain) {
  static const char *const texts[] = {
      "template<> long get<1>(long x) { return x; }\nbool g(m p) { return p == &get<1>; }",
      "long c::get(long x) { return x; }\nbool g(m p) { return p == &c::get; }",
      "long c::get(long x) { return x; }\nbool g(c &p) { return p.get(1) == d::get; }"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct record r = *plain;
    struct blob b;
    r.why.rule = RULE_LATE;
    if (!file_write(r.source, texts[i], strlen(texts[i]), 0644))
      die(EXIT_FAILED, "%s: cannot be written", r.source);
    blob_read(&b, &r, NULL);
    /* a template's instance keeps it; of a plain function, whether others need it decides */
    if (blob_is_forwarded(&b) != (i > 0) || (blob_why_addressed(&b, "get") != NULL) != (i == 1)) {
      fprintf(stderr, "%s\n  got %s\n", texts[i], b.reason ? b.reason : "forwarded");
      bad = 1;
    }
    blob_free(&b);
  }
}

int main(void) {
  char source[] = "/tmp/ckjit-blob.XXXXXX";
  int fd = mkstemp(source);
  if (fd < 0)
    die(EXIT_FAILED, "%s: cannot be made", source);
  close(fd);
  struct record r = {.kind = RECORD_BLOB, .source = source, .output = source, .stem = source};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check(&r, i);
  check_many(&r, 254, true);
  check_many(&r, 255, false);
  check_fates();
  check_large(&r);
  check_addresses(&r);
  unlink(source);
  return bad;
}
