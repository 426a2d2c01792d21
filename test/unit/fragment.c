/* fragment.c - what a device fragment is, what it says of its functions, and how they are found by mangled
 * names; lists of inputs with fragments; bitcode that is none. Argument: an empty directory.
 *
 * Texts are a table: a source, and the functions and tag that must be read from it, or that it is none. Lists of inputs are written,
 * read again and compared; bytes that are nearly bitcode must be refused.
 */
// tier: check
#include "core/cxx/fragment.h"
#include "core/cache/inputs.h"
#include "core/base/path.h"
#include "core/device/rdc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void check(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "failed: %s\n", what);
    bad = 1;
  }
}

/* the functions of TEXT, ';' behind each, then its tag; "-" where it is no fragment */
static char *read_text(const char *text) {
  struct fragment_text f;
  struct buf b = {0};
  if (!fragment_read(&f, text, strlen(text)))
    return xstrdup("-");
  for (size_t i = 0; i < f.functions.n; i++)
    buf_printf(&b, "%s;", f.functions.args[i]);
  buf_puts(&b, f.tag ? f.tag : "");
  fragment_free(&f);
  return b.data;
}

static void test_texts(void) {
  static const char *const rows[][2] = {
      {"template <> __device__ float f<a>(float x) { return x; }", "f a ;"},
      {"template __device__ float f<float, a>(float x);", "f float , a ;"},
      {"__device__ float f(float x) { return x; }", "f ;"},
      {"extern \"C\" __device__ int f(int x) { return x; }", "f ;"},
      {"namespace n { __attribute__((noinline)) __device__ v<int> f(int x) { return x; } }", "f ;"},
      {"template <> __launch_bounds__(64) __device__ int f<1>(int x) { return x; }", "f 1 ;"},
      {"using t = n::a; template <> __device__ int f<t>(int x) { return x; }", "f t = n :: a ; ;"},
      {"using ckjit_fragment = n::a; __device__ int f(int x) { return x; }", "f ; n :: a "},
      {"static __device__ int g(int x) { return x; } __device__ int f(int x) { return g(x); }", "f ;"},
      {"template <class T> __device__ T f(T x) { return x; } template __device__ int f<int>(int);",
       "f int ;"},
      /* not for the device alone */
      {"__host__ __device__ int f(int x) { return x; }", "-"},
      {"template <> int f<a>(int x) { return x; }", "-"},
      {"__global__ void k() {}", "-"},
      {"template __global__ void k<3>(int *);", "-"},
      {"__device__ int f(int x) { return x; } int g() { return 1; }", "-"},
      {"__device__ int f(int x) { return x; } int variable = 3;", "-"},
      /* variables, also where they look like functions */
      {"__device__ int v = 3;", "-"},
      {"__device__ int v[2] = {f(1), 2};", "-"},
      {"__device__ S v(3);", "-"},
      {"__device__ S v{3};", "-"},
      {"template <> __device__ int v<a> = f(3);", "-"},
      {"__constant__ int v = 3; __device__ int f(int x) { return x; }", "-"},
      /* nothing in it, or not understood */
      {"static __device__ int g(int x) { return x; }", "-"},
      {"", "-"},
      {"DEFINE(f)", "-"},
      {"__device__ int f(int x) { return x; ", "-"},
      {"__device__ S &S::operator=(const S &s) { return *this; }", "-"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *got = read_text(rows[i][0]);
    if (strcmp(got, rows[i][1]) != 0) {
      fprintf(stderr, "failed: %s\n  expected %s\n  found    %s\n", rows[i][0], rows[i][1], got);
      bad = 1;
    }
    free(got);
  }
}

static void test_names(void) {
  const char *near = "_Z5reachI4nearEii", *far = "_ZN2ns5reachI3farEEii";
  check(fragment_fits("reach near ", near) > fragment_fits("reach far ", near), "the arguments decide");
  check(fragment_fits("reach t = far ; ", far) > fragment_fits("reach near ", far), "an alias is followed");
  check(fragment_fits("distance float ", "_Z8distanceIfEfT_") >
            fragment_fits("distance double ", "_Z8distanceIfEfT_"),
        "builtin types");
  check(!fragment_fits("each ", near), "a part of a name is another name");
  check(!fragment_fits("reach near ", "_Z15reachI4nearEii"), "digits before the length");
  check(fragment_fits("plain ", "plain") && !fragment_fits("plain ", "plainer"), "extern \"C\"");
}

static void test_lists(const char *dir) {
  struct inputs in = {.program = (char *)"/usr/bin/hipcc", .comment = (char *)"clang"};
  char name[DIGEST_HEX], *err = NULL;
  digest_bytes(in.compiler, "c", 1);
  digest_bytes(in.entry, "e", 1);
  struct input_fragment *f = inputs_add_fragment(&in);
  digest_bytes(f->key, "k", 1);
  digest_bytes(f->list, "l", 1);
  f->stem = xstrdup("a \\ b");
  f->source = xstrdup("{root}/a\nb.cu");
  f->flags = xstrdup("-O2 '-Da b'");
  f->tag = xstrdup(" n :: a ");
  argv_add(&f->functions, "f n :: a ");
  inputs_combine(&in, "x");
  check(inputs_write(&in, dir, name), "a list is written");
  char *file = path_join(dir, name);
  struct inputs *out = inputs_read(file, &err);
  check(out && out->nfragments == 1 && strcmp(out->entry, in.entry) == 0 &&
            strcmp(out->headers, in.headers) == 0,
        "the list is read back");
  if (out && out->nfragments == 1) {
    const struct input_fragment *g = &out->fragments[0];
    check(strcmp(g->stem, f->stem) == 0 && strcmp(g->source, f->source) == 0 &&
              strcmp(g->flags, f->flags) == 0 && strcmp(g->tag, f->tag) == 0 && strcmp(g->key, f->key) == 0 &&
              strcmp(g->list, f->list) == 0 && g->functions.n == 1 &&
              strcmp(g->functions.args[0], f->functions.args[0]) == 0,
          "a fragment is read back");
  }
  inputs_free(out);
  char before[DIGEST_HEX];
  memcpy(before, in.headers, sizeof before);
  digest_bytes(f->key, "other", 5);
  inputs_combine(&in, "x");
  check(strcmp(before, in.headers) != 0, "another fragment, another key");
  out = inputs_read_named(file, "0123456789abcdef0123456789abcdef", &err);
  check(!out && err && strstr(err, "0123456789abcdef"), "a list that is not there is named");
  free(err);
  /* a line that belongs to no fragment; a fragment that lacks its source */
  static const char *const wrong[] = {"fs x\n", "f 0123 4567 a\n",
                                      "f 00000000000000000000000000000000 "
                                      "00000000000000000000000000000000 a\nfo -O2\n"};
  size_t len;
  char *text = file_read(file, &len);
  char *first = strstr(text, "f ");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char *broken = xasprintf("%.*s%s", (int)(first - text), text, wrong[i]),
         *other = path_join(dir, "broken");
    file_write(other, broken, strlen(broken), 0600);
    err = NULL;
    out = inputs_read(other, &err);
    check(!out && err, wrong[i]);
    inputs_free(out);
    free(err);
    free(broken);
    free(other);
  }
  free(text);
  free(file);
  inputs_free_fragments(&in);
}

static void nothing(const struct rdc_symbol *s, void *user) {
  (void)s;
  ++*(size_t *)user;
}

static void test_bitcode(void) {
  size_t n = 0;
  unsigned char bytes[64] = {'B', 'C', 0xc0, 0xde, 0xff, 0xff, 0xff, 0xff};
  check(!bitcode_symbols("", 0, nothing, &n) && !bitcode_symbols(bytes, 4, nothing, &n), "too short");
  check(!bitcode_symbols(bytes, sizeof bytes, nothing, &n) && !n, "no blocks");
  check(rdc_symbols(bytes, sizeof bytes, nothing, &n) == RDC_NONE, "no object file");
}

static void note_name(const struct rdc_symbol *s, void *user) {
  buf_printf(user, "%s%s ", s->name, s->defined ? "" : "?");
}

/* An object of --offload-new-driver for two architectures: two binaries in its section with clang 22
 * (FORMAT 1), one with two images with clang 23 (2). */
static void test_offloading(const char *format) {
  static const char magic[] = "\x10\xff\x10\xad";
  char *file = xasprintf("test/fuzz/corpus/rdc/offloading-%s", format);
  size_t n, each = 0;
  char *bytes = file_read(file, &n);
  check(bytes != NULL, "run it in the top directory");
  struct buf names = {0};
  check(bytes && rdc_symbols(bytes, n, note_name, &names) == RDC_READ, file);
  const char *first = names.data ? strstr(names.data, "_Z8distancei _Z4needi? ") : NULL;
  check(first && strstr(first + 1, "_Z8distancei _Z4needi? "), "the symbols of both architectures");
  buf_free(&names);
  char *at = bytes ? memmem(bytes, n, magic, 4) : NULL;
  /* magic, version, sizes, offsets and numbers, in turn too large */
  for (size_t i = 0; at && i < 72; i += i < 8 ? 4 : 8) {
    char was = at[i + 3];
    at[i + 3] = 0x7f;
    /* kinds and strings are not read, nor the size of an entry in format 1 */
    bool unread = i == 32 || i == 40 || i == 48 || (i == 24 && *format == '1');
    check((rdc_symbols(bytes, n, nothing, &each) == RDC_READ) == unread, "damaged");
    at[i + 3] = was;
  }
  free(bytes);
  free(file);
}

static bool asks_for_rdc(char *const *args) {
  struct ccargs a;
  ccargs_scan(&a, CC_GNU, args);
  bool asked = rdc_is_asked(&a);
  ccargs_free(&a);
  return asked;
}

static void test_flags(void) {
  char *plain[] = {(char *)"-c", (char *)"x.cu", NULL};
  char *rdc[] = {(char *)"-c", (char *)"-fgpu-rdc", (char *)"x.cu", NULL};
  char *off[] = {(char *)"-c", (char *)"-fgpu-rdc", (char *)"-fno-gpu-rdc", (char *)"x.cu", NULL};
  char *other[] = {(char *)"-c", (char *)"-fgpu-rdc", (char *)"-foffload-lto", (char *)"x.cu", NULL};
  char *newer[] = {(char *)"-c", (char *)"-fgpu-rdc", (char *)"--offload-new-driver", (char *)"x.cu", NULL};
  check(!asks_for_rdc(plain) && asks_for_rdc(rdc) && !asks_for_rdc(off) && !asks_for_rdc(other) &&
            asks_for_rdc(newer),
        "-fgpu-rdc");
}

int main(int argc, char **argv) {
  program_name = "fragment";
  test_texts();
  test_names();
  if (argc > 1)
    test_lists(argv[1]);
  test_bitcode();
  test_offloading("1");
  test_offloading("2");
  test_flags();
  return bad;
}
