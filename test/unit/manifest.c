/* manifest.c - ck_jit_manifest.json: read, looked up, merged, written; damage is named with its place.
 *
 * One good manifest is changed in one place at a time by an exchange of words, and read. Each change is either refused with words
 * that say why, or comes back as the value that it is.
 */
// tier: check
#include "core/files/manifest.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;
static char dir[] = "/tmp/ckjit-manifest.XXXXXX";

static const char GOOD[] =
    "{\"ckjit\": 1, \"libraries\": [\"a.so\"], \"root\": \"/r\", \"compiler\": \"hipcc\","
    " \"groups\": [{\"flags\": [\"-I{root}/x\"], \"link\": [\"-lm\"], \"archs\": [\"gfx942\"]}],"
    " \"blobs\": {"
    "\"b2\": {\"source\": \"{root}/b2.cu\", \"group\": 0, \"key\": \"000102030405060708090a0b0c0d0e0f\", "
    "\"functions\": []},"
    "\"b1.x\": {\"source\": \"/b1.x.cu\", \"group\": 0, \"key\": \"ffffffffffffffffffffffffffffffff\", "
    "\"functions\": [\"f\"], \"symbols\": [\"_Z1fv\", \"_Z1fi\"]}"
    "}}";

static void expect(bool ok, const char *what) {
  if (!ok)
    fprintf(stderr, "%s\n", what);
  bad |= !ok;
}

/* GOOD with the first FROM replaced by TO, in file NAME; the name is free()d by the caller */
static char *write_changed(const char *name, const char *from, const char *to) {
  const char *at = strstr(GOOD, from);
  if (!at)
    die(EXIT_FAILED, "no '%s' in the text", from);
  char *text = xasprintf("%.*s%s%s", (int)(at - GOOD), GOOD, to, at + strlen(from)),
       *file = path_join(dir, name);
  if (!file_write(file, text, strlen(text), 0666))
    die(EXIT_FAILED, "%s: cannot be written", file);
  free(text);
  return file;
}

static void refused(const char *from, const char *to, const char *words) {
  char *file = write_changed("bad.json", from, to), *err = NULL;
  struct manifest *m = manifest_read(file, &err);
  if (m || !strstr(err, words) || !str_starts(err, file)) {
    fprintf(stderr, "with %s: expected '%s', got '%s'\n", to, words, m ? "(accepted)" : err);
    bad = 1;
  }
  manifest_free(m);
  free(err);
  free(file);
}

static struct manifest *read_changed(const char *name, const char *from, const char *to) {
  char *file = write_changed(name, from, to), *err = NULL;
  struct manifest *m = manifest_read(file, &err);
  if (!m)
    die(EXIT_FAILED, "%s", err);
  free(file);
  return m;
}

static void look_up(const struct manifest *m) {
  static const char *const names[] = {
      "b1.x",      "b1.x.cu",
      "b1.x.cpp",  "some/where/b1.x.cu",
      "c/b1.x.so", "b1.x.000102030405060708090a0b0c0d0e0f0123456789abcdef.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct manifest_blob *b = manifest_find_any(m, names[i]);
    if (!b || strcmp(b->stem, "b1.x") != 0) {
      fprintf(stderr, "'%s' does not mean b1.x\n", names[i]);
      bad = 1;
    }
  }
  expect(!manifest_find_any(m, "b1") && !manifest_find_any(m, "") && !manifest_find_any(m, "b2.0102.so"),
         "a name that means nothing was found");
  const struct manifest_blob *b2 = manifest_find(m, "b2");
  expect(b2 && b2->key[1] == 1 && b2->key[15] == 15, "key of b2");
  char *expanded = manifest_expand("-I{root}/x,{root}", "/r r");
  expect(strcmp(expanded, "-I/r r/x,/r r") == 0, "{root} is not expanded");
  free(expanded);
  expanded = manifest_expand("-I{root}/{root}/x {root}", "/r");
  expect(strcmp(expanded, "-I/r/{root}/x {root}") == 0, "a directory called {root} is expanded");
  free(expanded);
}

static void merge(void) {
  struct manifest *m = read_changed("a.json", "a.so", "a.so"),
                  *other = read_changed("b.json", "\"b2\"", "\"b3\"");
  char *err = NULL, *file = path_join(dir, "merged.json");
  expect(manifest_merge(m, other, &err), "two that agree do not merge");
  expect(m->nblobs == 3 && m->ngroups == 2 && m->libraries.n == 2, "merged counts");
  expect(manifest_write(m, file, &err), "write");
  manifest_free(m);
  m = manifest_read(file, &err);
  expect(m && m->nblobs == 3 && manifest_find(m, "b3")->group == 1 && manifest_find(m, "b1.x")->group == 0 &&
             manifest_find(m, "b2")->key[9] == 9 && strcmp(m->groups[1].flags.args[0], "-I{root}/x") == 0,
         "the merged one came back as another");
  const struct argv *symbols = &manifest_find(m, "b1.x")->symbols;
  expect(symbols->n == 2 && strcmp(symbols->args[1], "_Z1fi") == 0 && !manifest_find(m, "b2")->symbols.n,
         "symbols came back as others");
  expect(!m->groups[1].kind && strcmp(manifest_compiler(m, &m->groups[1]), "hipcc") == 0, "one compiler");
  /* a library of CUDA beside it: each has its own compiler, also when it is read again, and with a third */
  other = read_changed("d.json", "\"hipcc\"", "\"/opt/nvcc\", \"compiler_kind\": \"cuda\"");
  expect(manifest_merge(m, other, &err) && manifest_write(m, file, &err), "two kinds");
  manifest_free(m);
  m = manifest_read(file, &err);
  other = read_changed("e.json", "a.so", "e.so");
  expect(m && manifest_merge(other, m, &err) && other->ngroups == 4, "what was merged is merged again");
  m = other;
  for (size_t i = 0; i < m->ngroups; i++)
    expect(strcmp(manifest_kind(m, &m->groups[i])->kind, i == 3 ? "cuda" : "hip") == 0 &&
               strcmp(manifest_compiler(m, &m->groups[i]), i == 3 ? "/opt/nvcc" : "hipcc") == 0,
           "the compiler of a group");
  other = read_changed("c.json", "ffff", "eeee");
  expect(!manifest_merge(m, other, &err) && strstr(err, "both have a blob 'b1.x'"), "two keys of one stem");
  manifest_free(other);
  manifest_free(m);
  free(err);
  free(file);
}

/* What a manifest says of its compiler counts; one from before they said it goes by the compiler's name. It is written. */
static void kinds(void) {
  static const struct {
    const char *says, *want;
  } cases[] = {{"\"hipcc\"", "hip"},
               {"\"/opt/cuda/bin/nvcc\"", "cuda"},
               {"\"/opt/my-nvcc\", \"compiler_kind\": \"cuda\"", "cuda"},
               {"\"/opt/nvcc\", \"compiler_kind\": \"c++\"", "c++"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *err, *file = path_join(dir, "kind-again.json");
    struct manifest *m = read_changed("kind.json", "\"hipcc\"", cases[i].says), *again;
    if (!manifest_write(m, file, &err) || !(again = manifest_read(file, &err)))
      die(EXIT_FAILED, "%s", err);
    expect(strcmp(m->compiler_kind->kind, cases[i].want) == 0 && again->compiler_kind == m->compiler_kind,
           cases[i].says);
    manifest_free(m);
    manifest_free(again);
    free(file);
  }
}

int main(void) {
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  struct manifest *m = read_changed("good.json", "hipcc", "hipcc");
  look_up(m);
  manifest_free(m);
  kinds();
  refused("\"hipcc\"", "\"hipcc\", \"compiler_kind\": \"nvcc\"",
          "compiler_kind: expected hip, cuda, clang or c++, found 'nvcc'");
  refused("\"hipcc\"", "\"hipcc\", \"compiler_kind\": 7", "compiler_kind: expected a string");
  refused("\"ckjit\": 1", "\"ckjit\": 2", "ckjit: expected format 1");
  refused("\"ckjit\": 1, ", "", "ckjit: missing");
  refused("\"ckjit\": 1", "\"ckjit\": 1x", "line 1, column");
  refused("\"ckjit\": 1", "\"ckjit\": 1.0", "ckjit: expected a whole number");
  refused("\"ckjit\": 1", "\"ckjit\": 1, \"root\": \"/s\"", "duplicate key 'root'");
  refused("\"root\": \"/r\"", "\"root\": 7", "root: expected a string, found a number");
  refused("\"groups\": [{", "\"groups\": [7, {", "groups[0]: expected an object");
  refused("\"-lm\"", "null", "groups[0].link[0]: expected a string, found true, false or null");
  refused("\"group\": 0", "\"group\": 1", "blobs.b2: group: there is no group 1");
  refused("\"group\": 0", "\"group\": -1", "expected a number of at least 0");
  refused("0e0f", "0e0g", "blobs.b2: key: expected 32 hexadecimal digits");
  refused("\"b2\": {", "\"../b2\": {", "expected a stem");
  refused("\"b1.x\": {", "\"b2\": {", "duplicate");
  refused("\"blobs\": {", "\"blobs\": {,", "line 1, column");
  char *err = NULL;
  expect(!manifest_read("/nowhere/m.json", &err) && strstr(err, "/nowhere/m.json"),
         "a manifest that is not there");
  free(err);
  merge();
  dir_remove(dir);
  return bad;
}
