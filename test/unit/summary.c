/* The summary of a link: people get its first line, what became of their list, and three reasons; the rest is left to the file. */
// tier: check
#include "core/files/summary.h"
#include "core/base/base.h"

#include <stdlib.h>
#include <string.h>

static const char all[] = "ckjit-link: libx.so: 4 kernels lazy, 5 ahead of time; 1.0 s\n"
                          "ckjit-link: libx.so: 4 blobs are lazy (8 functions in 1 unit)\n"
                          "ckjit-link: ahead of time: 1 kernel of the list\n"
                          "ckjit-link: stays lazy: k9: its unit cannot be taken out of a.o\n"
                          "ckjit-link: ahead of time: /a.cu: one\n"
                          "ckjit-link: ahead of time: /b.cu: two\n"
                          "ckjit-link: ahead of time: /c.cu: three\n"
                          "ckjit-link: ahead of time: /d.cu: four\n"
                          "ckjit-link: ahead of time: /e.cu: five\n";

static char *printed(const char *text, bool whole) {
  char *out = NULL;
  size_t n;
  FILE *f = open_memstream(&out, &n);
  summary_print(f, text, "/w/summary.txt", whole);
  fclose(f);
  return out;
}

static void expect(const char *text, bool whole, const char *wanted) {
  char *found = printed(text, whole);
  if (strcmp(found, wanted) != 0)
    die(1, "expected:\n%s\nfound:\n%s", wanted, found);
  free(found);
}

int main(void) {
  program_name = "summary";
  expect(all, true, all);
  expect(all, false,
         "ckjit-link: libx.so: 4 kernels lazy, 5 ahead of time; 1.0 s\n"
         "ckjit-link: ahead of time: 1 kernel of the list\n"
         "ckjit-link: stays lazy: k9: its unit cannot be taken out of a.o\n"
         "ckjit-link: ahead of time: /a.cu: one\n"
         "ckjit-link: ahead of time: /b.cu: two\n"
         "ckjit-link: ahead of time: /c.cu: three\n"
         "ckjit-link: ahead of time: 2 more; /w/summary.txt has the reasons\n");
  expect("one line, cut", false, "one line, cut");
  expect("", false, "");
  return 0;
}
