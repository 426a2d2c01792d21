/* cxxscan.c - verdicts and function names for the corpus in test/scan. The last line of each file says them:
 * `//= blob f g`, `//= host`, `//= unsure`. Then every file cut short at every byte and with bytes replaced:
 * whatever the scanner makes of these, it must not read outside of them. Argument: the corpus (default
 * test/scan). */
// tier: check
#include "core/cxx/cxxunit.h"
#include "core/cc/ccheader.h"
#include "core/base/path.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static int bad;

static enum cxx_verdict classify(const char *text, size_t len) {
  struct cxx_scan s;
  cxx_scan(&s, text, len);
  enum cxx_verdict v = cxx_scan_verdict(&s, NULL);
  cxx_scan_free(&s);
  return v;
}

/* "blob f g", as the last line of a corpus file says it. SOURCE: its path, for what it includes of test/scan/headers. */
static char *answer(const char *source, const char *text, size_t len) {
  static const char *const verdicts[] = {[CXX_HOST] = "host", [CXX_BLOB] = "blob", [CXX_UNSURE] = "unsure"};
  char *exact = xmalloc(len ? len : 1); /* so that a read behind the end is seen */
  memcpy(exact, text, len);
  struct cxx_unit unit;
  struct ccargs args = {0};
  cxx_unit_read(&unit, source, exact, len, NULL, false, cc_header_find, &(struct cc_headers){&args, NULL});
  struct cxx_scan s = unit.scan;
  struct reason why = unit.why;
  enum cxx_verdict v = unit.verdict;
  if (why.rule == RULE_NONE || (v == CXX_BLOB) != (why.rule <= RULE_NAMESAKE) ||
      memchr(why.text, 0, sizeof why.text) == NULL || (!why.line && why.rule != RULE_NOTHING))
    bad = 1;
  struct buf out = {0};
  buf_puts(&out, verdicts[v]);
  for (size_t i = 0; i < s.nitems; i++) {
    const struct cxx_item *it = &s.items[i];
    if (it->begin > it->end || it->end > s.code.n)
      bad = 1;
    if (v == CXX_BLOB &&
        (it->kind == ITEM_SPECIALISATION || it->kind == ITEM_INSTANTIATION || it->kind == ITEM_NAMESAKE)) {
      const struct cxx_tok *last = &s.code.toks[it->name_end - 1];
      buf_printf(&out, " %.*s", (int)last->len, s.code.text + last->at);
    }
  }
  /* Every arm must be reachable from every other in text. */
  struct buf moves = {0};
  int open = 0;
  for (size_t a = s.narms < 500 ? s.narms : 0; a-- > 0;)
    cxx_arm_move(&s, &open, (int)a, &moves);
  buf_free(&moves);
  cxx_unit_free(&unit);
  free(exact);
  return out.data;
}

static void expect(const char *name, const char *text, size_t len, const char *want) {
  char *got = answer(name, text, len);
  if (strcmp(got, want) != 0) {
    fprintf(stderr, "%s: want '%s', got '%s'\n", name, want, got);
    bad = 1;
  }
  free(got);
}

static void torture(const char *name, char *text, size_t len) {
  static const char odd[] = "<>(){}[];:=\"'\\#\n/*R0a ";
  for (size_t i = 0; i < len; i++)
    free(answer(name, text, i));
  for (size_t i = 0; i < len; i++) {
    char was = text[i];
    text[i] = odd[i % (sizeof odd - 1)];
    free(answer(name, text, len));
    text[i] = was;
  }
}

static void corpus(const char *dir) {
  struct dirent **names;
  int n = scandir(dir, &names, NULL, alphasort);
  if (n < 0)
    die(EXIT_FAILED, "%s: cannot read the corpus", dir);
  int files = 0;
  for (int i = 0; i < n; i++) {
    if (!str_ends(names[i]->d_name, ".cpp")) {
      free(names[i]);
      continue;
    }
    char *file = path_join(dir, names[i]->d_name);
    size_t len;
    char *text = file_read(file, &len);
    char *last = text + len - (len > 0);
    while (last > text && last[-1] != '\n')
      last--;
    if (!str_starts(last, "//= "))
      die(EXIT_FAILED, "%s: its last line does not say what is expected", file);
    char *want = xstrndup(last + 4, (size_t)(text + len - last) - 5);
    expect(file, text, (size_t)(last - text), want);
    torture(file, text, (size_t)(last - text));
    files++;
    free(want);
    free(text);
    free(file);
    free(names[i]);
  }
  if (files < 90)
    die(EXIT_FAILED, "%s: only %d files", dir, files);
  free(names);
}

static void repeat(struct buf *b, const char *text, size_t times) {
  while (times--)
    buf_puts(b, text);
}

/* Forms that make a careless scanner take a second a kilobyte, or all of the stack. */
static void extremes(void) {
  enum { DEEP = 100000 };
  static const struct {
    const char *name, *before, *open, *middle, *close, *after, *want;
  } cases[] = {
      {"namespaces", "", "namespace n { ", "", "}", "", "unsure"},
      {"extern \"C\"", "", "extern \"C\" { ", "", "}", "", "unsure"},
      {"comparisons in parameters", "float f(", "b<", "", "", ");", "unsure"},
      {"comparisons in arguments", "static X x(", "a < b, ", "", "", "c<int>());", "unsure"},
      {"brackets", "template<> void f<int>() {", "{([", "", "])}", "}", "blob f"},
      {"template arguments", "using t = ", "a<", "int", ">", ";\ntemplate<> void f<t>() {}", "blob f"},
      {"open brackets", "template<> void f<int>() {", "(", "", "", "", "unsure"},
      {"comparisons", "template<> void f<int>() {}\nint ", "a < ", "1", "", ";", "host"},
      {"conditionals", "", "#if A\n", "template<> void f<int>() {}\n", "#endif\n", "", "unsure"},
      {"arms", "#if A\n", "#elif B\n", "template<> void f<int>() {}\n", "", "#endif\n", "unsure"},
      {"templates", "", "template <", "class T", "> ", "", "unsure"},
      {"attributes", "template<> ", "[[a]] ", "void f<int>() {}", "", "", "blob f"},
      {"qualified", "template<> void ", "n::", "f<int>() {}", "", "", "blob f"},
      {"initialisers", "const int x = ", "1 + ", "1;", "", "template<> void f<int>() {}", "blob f"},
      {"specialisations", "", "", "template<> void f<int>() {}", "template<class T> struct s;\n", "",
       "blob f"},
      {"state of own types", "struct s { int a; };\n", "static s v;\n", "template<> void f<int>() {}", "", "",
       "host"},
      {"nested types", "static ", "a<", "int", ">", " v;\ntemplate<> void f<int>() {}", "host"},
      {"lambdas", "static auto v = ", "[]{ return ", "1", "; }()", ";\ntemplate<> void f<int>() {}", "host"},
      {"rows", "struct s { int a; }; static const int n = 1;\nstatic const s v[] = {", "{n}, ", "{n}", "",
       "};\ntemplate<> void f<int>() {}", "blob f"},
      {"own templates", "", "template<> void f<int>() {}\n", "", "template<class T> struct s;\n", "", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct buf b = {0};
    struct timespec from, to;
    buf_puts(&b, cases[i].before);
    repeat(&b, cases[i].open, DEEP);
    buf_puts(&b, cases[i].middle);
    repeat(&b, cases[i].close, DEEP);
    buf_puts(&b, cases[i].after);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    if (cases[i].want)
      expect(cases[i].name, b.data, b.len, cases[i].want);
    else
      classify(b.data, b.len);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    if (to.tv_sec - from.tv_sec > 5) {
      fprintf(stderr, "%s: %ld s for %zu bytes\n", cases[i].name, (long)(to.tv_sec - from.tv_sec), b.len);
      bad = 1;
    }
    buf_free(&b);
  }
}

/* 17 MB, as CK's dispatcher of bwd at receipt 600 */
static void large(void) {
  struct buf b = {0};
  buf_puts(&b,
           "#include \"fmha_bwd.hpp\"\ntemplate<> float fmha_bwd<2>(traits t, args a, const stream& s) {\n");
  while (b.len < 17000000)
    buf_puts(
        &b,
        "  if ((t.is_group_mode == false) && (t.mask_type == mask_enum::no_mask) && (t.hdim_q % 8 == 0)) {\n"
        "    using trait_ = dq_dk_dv_traits_<64, FmhaBwdFp16, ck_tile::Mask<false>, true>;\n"
        "    return fmha_bwd_<trait_, ck_tile::gfx9_t>(s, a);\n  }\n");
  buf_puts(&b, "  return -1;\n}\n");
  expect("17 MB", b.data, b.len, "blob fmha_bwd");
  buf_free(&b);
}

/* more than a token's place can say */
static void too_large(void) {
  size_t len = (size_t)UINT32_MAX + 1;
  char *text = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (text == MAP_FAILED)
    return;
  if (classify(text, len) != CXX_UNSURE)
    bad = 1;
  munmap(text, len);
}

int main(int argc, char **argv) {
  corpus(argc > 1 ? argv[1] : "test/scan");
  extremes();
  large();
  too_large();
  return bad;
}
