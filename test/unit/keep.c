/* keep.c - which directory the sources of a build have in common. */
// tier: check
#include "postbuild/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static const struct {
  const char *cwd, *sources, *want; /* NULL: none */
} cases[] = {
    {"/tmp/pip/build", "/tmp/pip/csrc/a.cu /tmp/pip/csrc/b/c.cu", "/tmp/pip"},
    {"/tmp/pip", "/tmp/pip/a.cu", "/tmp/pip"},
    {"/tmp/pip/csrc", "/tmp/pip/a.cu", "/tmp/pip"},
    {"/tmp/pip", "/tmp/pip/csrc/gen/a.cu", "/tmp/pip"},
    {"/home/u/one", "/home/u/oneself/a.cu", "/home/u"},
    {"/home/u/oneself", "/home/u/one/a.cu", "/home/u"},
    {"/home/u/one", "", "/home/u/one"},
    {"/tmp/a", "/tmp/b/x.cu", NULL}, /* all of /tmp is no build */
    {"/tmp/a", "/usr/src/x.cu", NULL},
    {"/", "/tmp/b/x.cu", NULL},
    {"/tmp", "", NULL},
    {"/tmp/a", "/x.cu", NULL},
};

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct argv sources = {0};
    if (*cases[i].sources)
      argv_split(&sources, cases[i].sources, strlen(cases[i].sources));
    struct record *records = xcalloc(sources.n + 1, sizeof *records);
    struct blob *blobs = xcalloc(sources.n + 1, sizeof *blobs);
    for (size_t k = 0; k < sources.n; k++) {
      records[k].source = sources.args[k];
      blobs[k].record = &records[k];
    }
    char *got = keep_base(blobs, sources.n, cases[i].cwd);
    if (!got != !cases[i].want || (got && strcmp(got, cases[i].want) != 0)) {
      fprintf(stderr, "%s, %s\n  want %s\n  got  %s\n", cases[i].cwd, cases[i].sources,
              cases[i].want ? cases[i].want : "(none)", got ? got : "(none)");
      bad = 1;
    }
    free(got);
    free(records);
    free(blobs);
    argv_free(&sources);
  }
  return bad;
}
