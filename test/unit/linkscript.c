/* linkscript.c - the files that scripts of the linker name, and whether they do anything else. */
// tier: check
#include "core/base/argv.h"
#include "core/cc/linkscript.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *text, *words;
  bool only;
} cases[] = {
    {"INPUT(libu.a)", "libu.a", true},
    {"/* GNU ld script */\nOUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /lib/libm.so.6  AS_NEEDED ( /lib/libmvec.so.1 ) )",
     "/lib/libm.so.6 /lib/libmvec.so.1", true},
    {"GROUP(a.o,\"b c.o\" -lv) # x.o\nSTARTUP(crt.o);SEARCH_DIR(\"/p\")", "a.o b c.o -lv crt.o -L/p", true},
    {"INCLUDE other.ld INPUT ( )", "other.ld", true},
    {"INPUT(/* a.o */ b.o", "b.o", true},
    {"/* INPUT(a.o)", "", true},
    {"INPUT(\"a.o", "a.o", true},
    {"SECTIONS { .own : { INPUT (no.o) *(.own) } } INPUT(a.o)", "a.o", false},
    {"EXTERN(f) INPUT(a.o)", "a.o", false},
    {"{ global: *; };", "", false},
    {"", "", true},
};

static bool add(const struct linkscript_word *word, void *user) {
  argv_add(user, word->text);
  return true;
}

int main(void) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct argv words = {0};
    bool only = linkscript_read(cases[i].text, add, &words);
    struct buf found = {0};
    buf_puts(&found, "");
    for (size_t k = 0; k < words.n; k++)
      buf_printf(&found, "%s%s", k ? " " : "", words.args[k]);
    if (only != cases[i].only || strcmp(found.data, cases[i].words) != 0) {
      printf("%s\n  gives %s, %s\n", cases[i].text, found.data, only ? "nothing else" : "and more");
      wrong++;
    }
    buf_free(&found);
    argv_free(&words);
  }
  return wrong != 0;
}
