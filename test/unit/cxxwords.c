/* The words of a text (core/cxx/cxxwords.h), and which of them lead to a variable of a header: asked of sources that have few of them. */
// tier: check
#include "core/cxx/cxxshared.h"
#include "core/cxx/cxxwords.h"

#include <assert.h>
#include <string.h>

static void test_words(void) {
  static const char text[] = "  a_1<T>::b /* \xc3\xa4x9 */";
  static const char *const wanted[] = {"a_1", "T", "b", "x9"};
  struct cxx_word w = cxx_word(text);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++, w = cxx_word(w.p + w.n))
    assert(w.n == strlen(wanted[i]) && memcmp(w.p, wanted[i], w.n) == 0);
  assert(!w.n && !*w.p);
  assert(!cxx_word("").n && !cxx_word(" ;\n").n);
}

static void test_find(void) {
  static const char header[] = "inline int& shared() { static int n; return n; }\n"
                               "template <class T> int run(T x) { return ++shared() + x; }\n"
                               "inline int pure(int x) { return x; }\n";
  struct cxx_shared s = {0};
  struct argv found = {0};
  cxx_shared_add(&s, header, strlen(header));
  assert(cxx_shared_close(&s));
  cxx_shared_find(&s, &found, "int f() { return pure(run(1)) + run(2); } // Run rum unr run1");
  assert(found.n == 1 && strcmp(found.args[0], "run") == 0);
  cxx_shared_find(&s, &found, "pure(0)shared");
  assert(found.n == 2 && strcmp(found.args[1], "shared") == 0);
  argv_free(&found);
  cxx_shared_find(&s, &found, "pure int x");
  assert(!found.n);
  argv_free(&found);
  cxx_shared_free(&s);
}

int main(void) {
  test_words();
  test_find();
  return 0;
}
