/* explain_calls.c - the kernels of a library that nothing in it calls, and those that are missing.
 *
 * CK's generator writes kernels and dispatchers separately. A dispatcher that names a kernel which
 * no source defines makes a library that cannot be loaded, because a shared library may leave a
 * function undefined; a kernel that no dispatcher names is never compiled, but its source is
 * installed. The objects of the link tell both: the functions of a kernel source that no object
 * needs and the library does not export, and the functions that the library leaves undefined though
 * they are instances of a template of a kernel source. */
#include "explain.h"
#include "libraries.h"
#include "core/base/elf.h"
#include "core/base/human.h"
#include "core/base/intern.h"
#include "core/base/path.h"
#include "core/files/manifest.h"

#include <ctype.h>
#include <elf.h>

enum { SHOWN_MOST = 3 };

/* Add the symbols of FILE's table TYPE that it defines, or that it needs of others. A weak one is
 * not needed: ckjit's own table of imports has some of every kernel. */
static void add_symbols(struct intern *to, const char *file, uint32_t type, bool defined) {
  struct elf_symbols all;
  struct elf_symbol s;
  elf_symbols_open(&all, file, type);
  while (elf_symbols_next(&all, &s))
    if ((s.section != SHN_UNDEF) == defined && s.bind != STB_LOCAL &&
        (defined || s.bind != STB_WEAK))
      intern(to, s.name);
  elf_symbols_close(&all);
}

/* The length of SYMBOL up to the arguments of its template, "_Z8fmha_fwdI" of
 * _Z8fmha_fwdI6traitsEvv; 0 if it is no instance of one. */
static size_t template_length(const char *symbol) {
  const char *at = symbol;
  if (!str_starts(at, "_Z"))
    return 0;
  at += 2;
  at += strspn(at, "NKVrRO");
  while (isdigit((unsigned char)*at)) {
    char *name;
    size_t n = strtoul(at, &name, 10);
    if (strnlen(name, n) < n)
      return 0;
    at = name + n;
  }
  return *at == 'I' ? (size_t)(at - symbol) + 1 : 0;
}

static bool is_needed(const struct manifest_blob *b, const struct intern *needed) {
  bool is = b->unit || !b->symbols.n;
  for (size_t i = 0; i < b->symbols.n && !is; i++)
    is = intern_find(needed, b->symbols.args[i]) != SIZE_MAX;
  return is;
}

/* What the objects of LIB need, and what it exports. False if an archive takes part, whose members
 * were chosen by the linker. */
static bool read_needed(struct intern *needed, const struct state *s) {
  for (size_t i = 0; i < s->all_objs.n; i++) {
    const char *file = s->all_objs.args[i];
    if (str_ends(file, ".a"))
      return false;
    if (elf_file_is(file, ET_REL))
      add_symbols(needed, file, SHT_SYMTAB, false);
  }
  add_symbols(needed, s->out_so, SHT_DYNSYM, true);
  return true;
}

static void print_uncalled(const struct state *s, const struct manifest *m) {
  autofree_intern needed = {0};
  size_t uncalled = 0;
  bool known = read_needed(&needed, s);
  for (size_t i = 0; i < m->nblobs && known; i++) {
    if (is_needed(&m->blobs[i], &needed))
      continue;
    if (uncalled++ < SHOWN_MOST)
      printf("%7s  %-18s %s\n", "", "not called", m->blobs[i].stem);
  }
  if (uncalled)
    printf("%7zu  %-18s of %zu %s, by nothing in the library: never compiled\n", uncalled,
           "not called", m->nblobs, noun(m->nblobs, "kernel", "kernels"));
}

static void print_missing(const struct state *s, const struct manifest *m) {
  autofree_intern undefined = {0}, templates = {0};
  size_t missing = 0;
  add_symbols(&undefined, s->out_so, SHT_DYNSYM, false);
  for (size_t i = 0; i < m->nblobs; i++)
    for (size_t k = 0; k < m->blobs[i].symbols.n; k++) {
      const char *symbol = m->blobs[i].symbols.args[k];
      size_t n = template_length(symbol);
      if (n)
        intern_bytes(&templates, symbol, n);
    }
  for (size_t i = 0; i < undefined.texts.n; i++) {
    const char *symbol = undefined.texts.args[i];
    size_t n = template_length(symbol);
    if (!n || intern_find_bytes(&templates, symbol, n) == SIZE_MAX)
      continue;
    if (missing++ < SHOWN_MOST)
      printf("%7s  %-18s %s\n", "", "missing", symbol);
  }
  if (missing)
    printf("%7zu  %-18s %s of kernels that no source defines: the library cannot be loaded\n",
           missing, "missing", noun(missing, "function", "functions"));
}

void explain_calls(const char *dir) {
  autofree char *state_file = path_join(dir, STATE_FILE),
                *file = path_join(dir, "ck_jit_manifest.json"), *err = NULL;
  autofree struct state *s = file_exists(state_file) ? state_read(state_file, &err) : NULL;
  struct manifest *m = s && file_exists(file) ? manifest_read(file, &err) : NULL;
  if (m && !m->unkeyed) {
    print_uncalled(s, m);
    print_missing(s, m);
  }
  manifest_free(m);
  if (s)
    state_free(s);
}
