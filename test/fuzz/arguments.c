/* arguments.c - command lines and response files: the splitter, the expander and the scanner of compilers'
 * arguments, and what sorts a record's words (postbuild/flags.c).
 *
 * The input is the command line and, each behind a form feed, the files that @1, @2 … @9 name, in any
 * directory. No file of the machine is read: the reader's ways to the file system are wrapped by the linker
 * (Makefile).
 */
#include "fuzz.h"

#include "core/cc/ccargs.h"
#include "postbuild/flags.h"
#include "postbuild/linklibs.h"

/* Files that name each other are read again and again, up to the reader's own limit
 * (test/wrapper-response-file.sh). Here they are gone after some times, or that would be most of the work. */
enum { MAX_READS = 10 };
static int reads;
/* a compile, not a link of thousands of objects: its words are compared with each other */
enum { MAX_WORDS = 200 };

static const char *texts[10];
static size_t lengths[10];

char *__wrap_file_read(const char *p, size_t *len);
bool __wrap_file_is_regular(const char *p);
bool __wrap_file_exists(const char *p);
bool __wrap_stub_in_file(const char *p);

static int file_number(const char *p) {
  const char *base = path_base(p);
  return base[0] >= '1' && base[0] <= '9' && !base[1] && texts[base[0] - '0'] ? base[0] - '0' : 0;
}

bool __wrap_file_is_regular(const char *p) {
  return file_number(p) != 0 && reads < MAX_READS;
}

char *__wrap_file_read(const char *p, size_t *len) {
  int k = file_number(p);
  reads++;
  *len = k ? lengths[k] : 0;
  return k ? fuzz_text(texts[k], lengths[k]) : NULL;
}

/* libraries: by their names, some are there and some are archives of stubs */
bool __wrap_file_exists(const char *p) {
  return strlen(p) & 1;
}

bool __wrap_stub_in_file(const char *p) {
  return strlen(p) & 2;
}

/* the command line; the files are noted */
static void take_apart(const char *text, size_t size, struct argv *line) {
  const char *end = text + size;
  for (int k = 0; k < 10; k++) {
    const char *feed = text ? memchr(text, '\f', (size_t)(end - text)) : NULL;
    texts[k] = text;
    lengths[k] = text ? (size_t)((feed ? feed : end) - text) : 0;
    text = feed ? feed + 1 : NULL;
  }
  argv_split(line, texts[0], lengths[0]);
}

/* what is quoted and joined is the same words again */
static void join_and_split(const struct argv *words) {
  struct argv again = {0};
  char *joined = argv_join(words->args);
  argv_split(&again, joined, strlen(joined));
  CHECK(again.n == words->n);
  for (size_t i = 0; i < again.n; i++)
    CHECK(strcmp(again.args[i], words->args[i]) == 0);
  argv_free(&again);
  free(joined);
}

static bool note_file(const char *path, const struct cc_input *in, void *user) {
  (void)in;
  *(size_t *)user += strlen(path);
  return true;
}

static void scan(const struct argv *words, enum cc_dialect dialect) {
  struct ccargs a;
  size_t bytes = 0;
  ccargs_scan(&a, dialect, words->args);
  for (size_t i = 0, at = 0; i < a.nwords; at += 1 + a.words[i++].pair)
    CHECK(a.words[i].arg == at && at + a.words[i].pair < words->n);
  for (size_t i = 0; i < a.ninputs; i++) {
    CHECK(a.inputs[i].arg < words->n);
    bytes += strlen(a.inputs[i].text);
  }
  CHECK(!a.nsources == !a.source);
  ccargs_link_files(&a, note_file, &bytes);
  char *output = ccargs_output(&a), *depfile = ccargs_depfile(&a);
  CHECK(output && depfile);
  free(output);
  free(depfile);
  ccargs_free(&a);
}

static void sort_words(const struct argv *words, enum cc_dialect dialect) {
  static char source[] = "/src/x.cu", output[] = "/build/x.o", cwd[] = "/build", hipcc[] = "/usr/bin/hipcc",
              nvcc[] = "/usr/bin/nvcc";
  struct record r = {.source = source,
                     .output = output,
                     .cwd = cwd,
                     .compiler = dialect == CC_NVCC ? nvcc : hipcc,
                     .compiler_kind = compiler_of_kind(dialect == CC_NVCC ? "cuda" : "hip"),
                     .args = *words};
  record_scan(&r);
  struct argv code = {0}, blob = {0}, archs = {0}, libraries = {0}, bases = {0};
  argv_add(&bases, "/build");
  flags_code(&code, &r);
  flags_blob(&blob, &r, &bases);
  flags_archs(&archs, &r);
  CHECK(code.n <= words->n &&
        blob.n <= words->n + 1); /* behind a host compiler's list: -Xcompiler=-fvisibility=default */
  if (words->n)
    linklibs_read(&libraries, &r.cc, "/build", "/build/lib");
  CHECK(flags_is_hip(&r) == (dialect == CC_GNU));
  ccargs_free(&r.cc);
  argv_free(&bases);
  argv_free(&code);
  argv_free(&blob);
  argv_free(&archs);
  argv_free(&libraries);
}

/* of a variable's value no word has white space in it, and nothing else is lost */
static void variable(const char *data, size_t size) {
  struct argv words = {0};
  char *text = xstrndup(data, size);
  ccargs_split(&words, CC_NVCC, text);
  for (size_t i = 0; i < words.n; i++)
    CHECK(words.args[i][0] && !strpbrk(words.args[i], " \t\r\n"));
  argv_free(&words);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct argv line = {0}, words = {0};
  reads = 0;
  take_apart((const char *)data, size, &line);
  argv_expand(&words, "/build", line.args);
  join_and_split(&words);
  scan(&words, CC_GNU);
  if (words.n < MAX_WORDS)
    sort_words(&words, CC_GNU);
  argv_free(&words);
  reads = 0;
  ccargs_expand(&words, CC_NVCC, "/build", line.args);
  scan(&words, CC_NVCC);
  if (words.n < MAX_WORDS)
    sort_words(&words, CC_NVCC);
  argv_free(&words);
  variable((const char *)data, size);
  argv_free(&line);
  return 0;
}
