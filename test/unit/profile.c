/* profile.c - rule profiles: what is read, and that each mistake is named with its line. */
// tier: check
#include "driver/profile.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;
static char dir[] = "/tmp/ckjit-profile.XXXXXX";

static struct profile *read_text(const char *text, char **err) {
  char *file = path_join(dir, "p.yaml");
  if (!file_write(file, text, strlen(text), 0666))
    die(EXIT_FAILED, "%s: cannot be written", file);
  *err = NULL;
  struct profile *p = profile_read(file, err);
  free(file);
  return p;
}

/* TEXT must be refused with a message that holds WORDS behind the file's name */
static void refused(const char *text, const char *words) {
  char *err;
  struct profile *p = read_text(text, &err);
  const char *said = p ? "(it was accepted)" : strstr(err, "p.yaml:") ? strstr(err, "p.yaml:") + 7 : err;
  if (!strstr(said, words)) {
    fprintf(stderr, "expected '%s', got '%s' for:\n%s\n", words, said, text);
    bad = 1;
  }
  free(err);
  profile_free(p);
}

static void accepted(void) {
  char *err;
  struct profile *p = read_text("# why\n"
                                "about: a test\n"
                                "compilers: [hipcc, amdclang++]\n"
                                "cxx: c++            # one word is a list of one\n"
                                "dispatchers:\n"
                                "  - 'fmha_*_api.*'\n"
                                "yes: []\n"
                                "no:\n"
                                "tools: ~\n",
                                &err);
  if (!p) {
    fprintf(stderr, "%s\n", err);
    bad = 1;
    return;
  }
  if (strcmp(p->about, "a test") != 0 || p->compilers.n != 2 ||
      strcmp(p->compilers.args[1], "amdclang++") != 0 || p->cxx.n != 1 || p->dispatchers.n != 1 ||
      strcmp(p->dispatchers.args[0], "fmha_*_api.*") != 0 || p->yes.n || p->no.n || p->families.n) {
    fprintf(stderr, "the profile was read as another\n");
    bad = 1;
  }
  profile_free(p);
}

int main(void) {
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  accepted();
  refused("compilers: hipcc\ncompiler: hipcc\n", "2: unknown key 'compiler'");
  refused("compilers: hipcc\n\ncompilers: nvcc\n", "3: key 'compilers' is given twice");
  refused("compilers: hipcc\nyes: {a: b}\n", "2: yes: expected a string or a list of strings");
  refused("compilers: hipcc\nyes:\n  - a\n  - [b]\n", "4: yes: expected a string");
  refused("compilers: hipcc\nno: ['']\n", "2: no: expected one line of text");
  refused("compilers: hipcc\nabout: [a]\n", "2: about: expected a string");
  refused("compilers: hipcc\n? [a]\n: b\n", "2: expected a key");
  refused("about: nothing\n", "1: compilers: missing");
  refused("- hipcc\n", "1: expected `key: value` lines");
  refused("", "1: expected `key: value` lines");
  refused("compilers: [hipcc\n", "2: ");
  refused("compilers: nvcc\nkeep:\n  - sources\nkind: x\n", "4: kind: unknown kind of compiler 'x'");
  refused("compilers: nvcc\nkeep: y\n", "2: keep: 'y': expected sources");
  refused("compilers: hipcc\nunits: yes\n", "2: units: 'yes': expected lazy, build or all, or nothing");
  refused("compilers: hipcc\n\tno: x\n", "2: ");
  char *err = NULL;
  if (profile_read("/nowhere/x.yaml", &err) || !strstr(err, "/nowhere/x.yaml: cannot read this profile")) {
    fprintf(stderr, "a profile that is not there: %s\n", err ? err : "accepted");
    bad = 1;
  }
  free(err);
  dir_remove(dir);
  return bad;
}
