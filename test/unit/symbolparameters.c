/* symbolparameters.c - the types of parameters in what a demangler says of a function. */
// tier: check
#include "prebuild/functionnames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

/* WANT: the types with " | " between, NULL: it is no function's */
static void check(const char *signature, const char *want) {
  struct argv types = {0};
  struct buf have = {0};
  bool known = symbol_parameters(&types, signature);
  buf_puts(&have, "");
  for (size_t i = 0; i < types.n; i++)
    buf_printf(&have, "%s%s", i ? " | " : "", types.args[i]);
  if (known != (want != NULL) || (want && strcmp(have.data ? have.data : "", want) != 0))
    bad = fprintf(stderr, "'%s': expected '%s', found '%s'\n", signature, want ? want : "none", have.data);
  argv_free(&types);
  buf_free(&have);
}

int main(void) {
  check("void k<float>(float*, int)", "float* | int");
  check("k()", "");
  check("void k<by<2> >(a<int, b<3> >, float (*)(int, char), int const (&) [3])",
        "a<int, b<3> > | float (*)(int, char) | int const (&) [3]");
  check("void f<g(int)::{lambda(int, char)#1}>(g(int)::{lambda(int, char)#1})",
        "g(int)::{lambda(int, char)#1}");
  check("(anonymous namespace)::k(unsigned long)", "unsigned long");
  check("plain_c", NULL);
  check("", NULL);
  check(")", NULL);
  check("())", NULL);
  check("a)", NULL);
  check("k(int", NULL);
  char *real = symbol_signature("_Z6kentryIN4demo6traitsILi64ELb1EEEEvNS0_4argsEPKfi");
  check(real, "demo::args | float const* | int");
  free(real);
  return bad != 0;
}
