/* devicejudge.c - what ckjit-unit writes of a unit's code is read as it was, and decides whether nvlink has to link it; what nobody needs leaves the list.
 */
// tier: check
#include "check.h"

#include "core/base/path.h"
#include "core/device/toolkit.h"
#include "postbuild/devicejudge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A unit with the code of one architecture; each list is words separated by blanks. VARIABLES
 * that begin with a dot are fixed. */
static struct linkedunit unit(const char *stem, const char *tag, const char *strong, const char *weak,
                              const char *needs, const char *variables, const char *statics) {
  struct linkedcode c = {.arch = xstrdup("compute_90")};
  struct linkedunit u = {.stem = xstrdup(stem)};
  char dir[] = "/tmp/devicejudge-XXXXXX";
  argv_split(&c.strong, strong, strlen(strong));
  argv_split(&c.weak, weak, strlen(weak));
  argv_split(&c.needs, needs, strlen(needs));
  bool fixed = *variables == '.';
  argv_split(fixed ? &c.fixed : &c.variables, variables + fixed, strlen(variables + fixed));
  argv_split(&c.statics, statics, strlen(statics));
  CHECK(mkdtemp(dir), "no directory");
  char *text = path_join(dir, "key.text"), *file = path_join(dir, "key.linked");
  CHECK(linkedunit_write(text, tag, &c, 1) && linkedunit_read(&u, text), "it is not read");
  CHECK(u.ncode == 1 && strcmp(u.code[0].arch, c.arch) == 0, "the architecture is another");
  CHECK(u.code[0].needs.n == c.needs.n && u.defines.n <= c.strong.n + c.weak.n, "the words are others");
  unlink(file);
  rmdir(dir);
  free(text);
  free(file);
  linkedcode_free(&c);
  return u;
}

/* The N UNITS are judged: NULL, or what the reason has in it. Frees them. */
static void judged_all(const char *what, struct linkedunit *units, size_t n, const char *wanted) {
  char *why = devicejudge(units, n);
  CHECK(wanted ? why && strstr(why, wanted) : !why, "%s: %s", what, why ? why : "nothing");
  free(why);
  for (size_t i = 0; i < n; i++)
    linkedunit_free(&units[i]);
}

static void judged(const char *what, struct linkedunit a, struct linkedunit b, const char *wanted) {
  judged_all(what, (struct linkedunit[]){a, b}, 2, wanted);
}

static void judged_three(const char *what, struct linkedunit a, struct linkedunit b, struct linkedunit c,
                         const char *wanted) {
  judged_all(what, (struct linkedunit[]){a, b, c}, 3, wanted);
}

static void judge(void) {
  judged("what is there", unit("a", NULL, "k", "", "f", "", ""), unit("b", NULL, "f", "", "", "", ""), NULL);
  judged("what nobody defines", unit("a", NULL, "k", "", "f g", "", ""), unit("b", NULL, "f", "", "", "", ""),
         "defines g, which a needs");
  judged("a static behind a function", unit("a", NULL, "k", "", "f", "", ""),
         unit("b", NULL, "f", "", "", "", "n"), "a needs f of b, which has the device variable n");
  judged("one without a name behind a function", unit("a", NULL, "k", "", "f", "", ""),
         unit("b", NULL, "f", "", "", "", "\"\""),
         "a needs f of b, which has a device variable without a name");
  judged("a static of its own", unit("a", NULL, "k", "", "f", "", "n"), unit("b", NULL, "f", "", "", "", ""),
         NULL);
  judged("a variable of both", unit("a", NULL, "k", "h", "", "v", ""), unit("b", NULL, "l", "h", "", "v", ""),
         "share the device variable v");
  judged("one that nobody writes", unit("a", NULL, "k", "h", "", ".v", ""),
         unit("b", NULL, "l", "h", "", ".v", ""), NULL);
  judged("one that the other writes", unit("a", NULL, "k", "h", "", ".v", ""),
         unit("b", NULL, "l", "h", "", "v", ""), "share the device variable v");
  judged_three("one that the third writes", unit("a", NULL, "k", "h", "", ".v", ""),
               unit("b", NULL, "l", "h", "", ".v", ""), unit("c", NULL, "m", "h", "", "v", ""),
               "share the device variable v");
  judged("two of one name", unit("a", NULL, "f", "", "", "", ""), unit("b", NULL, "f", "", "", "", ""),
         "define the device function f");
  judged("two inline ones", unit("a", NULL, "", "f", "", "", ""), unit("b", NULL, "", "f", "", "", ""), NULL);
  judged("two with tags", unit("a", "x", "f", "", "", "", ""), unit("b", "y", "f", "", "", "", ""), NULL);
  judged("two with one tag", unit("a", "x", "f", "", "", "", ""), unit("b", "x", "f", "", "", "", ""),
         "define");
  judged_three("one tag twice, another between", unit("a", "x", "f", "", "", "", ""),
               unit("b", "y", "f", "", "", "", ""), unit("c", "x", "f", "", "", "", ""),
               "a and c define the device function f");
  judged_three("two, an inline one between", unit("a", NULL, "f", "", "", "", ""),
               unit("b", NULL, "", "f", "", "", ""), unit("c", NULL, "f", "", "", "", ""),
               "a and c define the device function f");
  judged_three("three tags", unit("a", "x", "f", "", "", "", ""), unit("b", "y", "f", "", "", "", ""),
               unit("c", "z", "f", "", "", "", ""), NULL);
}

static void shorten(void) {
  struct linkedunit one[] = {unit("a", NULL, "k", "i", "f", "", ""), unit("b", "x", "f g", "i", "", "", "")};
  devicejudge_shorten(one, 2);
  CHECK(!one[0].defines.n && one[1].defines.n == 1 && strcmp(one[1].defines.args[0], "f") == 0, "%zu",
        one[1].defines.n);
  CHECK(!one[1].tag, "there is nothing to choose, and b has the tag %s", one[1].tag);
  struct linkedunit two[] = {unit("a", "x", "f", "", "", "", ""), unit("b", "y", "f", "", "", "", ""),
                             unit("c", NULL, "k", "", "f", "", "")};
  devicejudge_shorten(two, 3);
  CHECK(two[0].tag && two[1].tag, "a tag is gone");
  for (size_t i = 0; i < 2; i++)
    linkedunit_free(&one[i]);
  for (size_t i = 0; i < 3; i++)
    linkedunit_free(&two[i]);
}

static void toolkit(void) {
  static const char *const has[] = {"sinf",
                                    "sin",
                                    "normcdff",
                                    "modf",
                                    "modff",
                                    "isinf",
                                    "free",
                                    "__trap",
                                    "_Znwm",
                                    "_ZdaPvm",
                                    "__nv_sqrt",
                                    "erf",
                                    "erff",
                                    "vprintf",
                                    "clock64",
                                    "rnorm3df",
                                    "__cudaCDP2GetLastError"};
  static const char *const lacks[] = {"",     "f",      "si", "in", "_Z4sinff", "cudaLaunchDeviceV2",
                                      "mine", "sin cos"};
  for (size_t i = 0; i < sizeof has / sizeof *has; i++)
    CHECK(toolkit_has(has[i]), "%s", has[i]);
  for (size_t i = 0; i < sizeof lacks / sizeof *lacks - 1; i++)
    CHECK(!toolkit_has(lacks[i]), "%s", lacks[i]);
}

int main(void) {
  judge();
  shorten();
  toolkit();
  return bad;
}
