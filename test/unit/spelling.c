/* spelling.c - a kernel's mangled name as the line that asks for that instance of a template. */
// tier: check
#include "compile/unit/spelling.h"
#include "core/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T "template __attribute__((global)) "

int main(void) {
  static const struct {
    const char *name, *line; /* NULL: cannot be spelled */
  } rows[] = {
      {"_Z5templIfLi4EEvPT_S0_", T "void templ<float, 4>(float*, float);"},
      {"_ZN12_GLOBAL__N_16nestedILi5EEEvPi", "namespace { " T "void nested<5>(int*); }"},
      {"_ZN12_GLOBAL__N_15outerIlE6memberEPl", "namespace { " T "void outer<long>::member(long*); }"},
      {"_Z1kIN12_GLOBAL__N_11aEEvT_", T "void k<a>(a);"},
      {"_ZN1n12_GLOBAL__N_11kIiEEvT_", T "void n::k<int>(int);"},
      {"_ZN5outerIlE6memberEPl", T "void outer<long>::member(long*);"},
      {"_ZN1n1kINS_1aILi3EEELb1ELNS_1eE0EEEvNT_1bE", T "void n::k<n::a<3>, true, (n::e)0>(n::a<3>::b);"},
      {"_Z1kIJfDF16_hEEvDpPT_",
       T "void k<float, _Float16, unsigned char>(float*, _Float16*, unsigned char*);"},
      {"_ZL6hiddenPi", ""},
      {"_ZN12_GLOBAL__N_17unnamedEPi", ""},
      {"_ZN1n1kEN1aIiE1bE", ""}, /* a parameter's template is no kernel's */
      {"plain", ""},
      {"_Z1kIZ4mainEUlvE_EvT_", NULL}, /* a lambda */
      {"_Z1kIZ1fvE1sEvT_", NULL},      /* a function's own type */
      {"_ZZ1fvEN1s1kEv", ""},
      {"_Z", NULL},
  };
  int bad = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *line = spelling_instance(rows[i].name);
    if (!line != !rows[i].line || (line && strcmp(line, rows[i].line) != 0)) {
      fprintf(stderr, "%s: %s\n", rows[i].name, line ? line : "(none)");
      bad = 1;
    }
    free(line);
  }
  return bad;
}
