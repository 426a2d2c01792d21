/* What --symbol and --arch take, and which architectures are the same (core/files/exportformat.c). */
// tier: check
#include "core/files/exportformat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool ok, const char *what) {
  if (!ok) {
    printf("failed: %s\n", what);
    failures++;
  }
}

static void symbol(const char *text, const char *want_old, const char *want) {
  char *old;
  const char *name = export_symbol_parse(text, &old);
  check(want ? name && strcmp(name, want) == 0 : !name, text);
  check(want_old ? old && strcmp(old, want_old) == 0 : !old, text);
  free(old);
}

static bool same(const char *a, const char *b) {
  return export_same_arch(a, strlen(a), b, strlen(b));
}

static bool sound(const char *arch) {
  return export_arch_is_sound(arch, strlen(arch));
}

int main(void) {
  symbol("f", NULL, "f");
  symbol("_Z1fv=f_1.x$", "_Z1fv", "f_1.x$");
  symbol("bool f<1 == 2>()=f", "bool f<1 == 2>()", "f"); /* the last = counts */
  static const char *const bad[] = {"",    "=",   "=f",     "f=",       "1f",      "a b",
                                    "a-b", "f\n", "llvm.x", "g=llvm.x", "\xc3\xa4"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    symbol(bad[i], NULL, NULL);

  check(same("gfx942", "gfx942"), "equal");
  check(same("gfx942:sramecc+:xnack-", "gfx942:xnack-:sramecc+"), "order of features");
  check(!same("gfx942:xnack-", "gfx942:xnack+"), "other sign");
  check(!same("gfx942", "gfx950"), "other processor");
  check(!same("gfx942:xnack-", "gfx942"), "with and without");
  check(!same("gfx90a", "gfx90"), "prefix");
  check(export_arch_serves("gfx942:xnack-", "gfx942:sramecc+:xnack-"), "a feature less");
  check(export_arch_serves("gfx942", "gfx942:xnack-") && export_arch_serves("gfx942", "gfx942"),
        "no feature");
  check(!export_arch_serves("gfx942:xnack-", "gfx942"), "a feature more");
  check(!export_arch_serves("gfx942:xnack-", "gfx942:xnack+"), "a feature of the other sign");
  check(!export_arch_serves("gfx90", "gfx90a"), "another processor");

  static const char *const good[] = {"sm_90a",         "compute_90",    "sm_86:compute_80",      "gfx942",
                                     "gfx9-4-generic", "gfx90a:xnack-", "gfx942:sramecc+:xnack-"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    check(sound(good[i]), good[i]);
  static const char *const odd[] = {"",
                                    ":",
                                    "gfx942:",
                                    "gfx942:xnack",
                                    "gfx942::xnack-",
                                    ":a-",
                                    "gfx942:-",
                                    "gfx 942",
                                    "gfx942/..",
                                    "gfx942:xn/ck-",
                                    "a'b",
                                    "gfx942;x",
                                    "$(id)",
                                    "sm_86:compute_",
                                    "sm_86:compute_80:x",
                                    "compute_80:compute_"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    check(!sound(odd[i]), odd[i]);

  static const char *const names[] = {"so", "obj", "code-object", "bitcode", "asm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    check(strcmp(export_format_name(export_format_parse(names[i])), names[i]) == 0, names[i]);
  check(export_format_parse("") == EXPORT_NONE && export_format_parse("SO") == EXPORT_NONE, "no format");
  return failures != 0;
}
