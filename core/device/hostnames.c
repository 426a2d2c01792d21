/* hostnames.c - the names on the device of the kernels of an object whose stub is ours; see
 * hoststub.h.
 *
 * Each kernel that the object launches has a row with its symbol, in a section (hoststub.c). Here
 * each symbol is replaced by the name that cicc gives the kernel. Mostly one follows from the other
 * (devicename.c). For the rest there is the list of all names, in cicc's own stub.
 */
#include "devicename.h"
#include "hoststub.h"
#include "hostvariables.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cc/gpucalls.h"

#include <ctype.h>
#include <fcntl.h>
#include <unistd.h>

/* ---- the object ---- */

/* Is NAME a function with C linkage that is internal to the unit? gcc calls `extern "C" { static
 * __global__ void k(int *p) }` k, and cicc _Z1kPi. */
static bool is_internal_of_c(const struct elf *e, const char *name) {
  struct elf_symtab t;
  struct elf_symbol s;
  if (str_starts(name, "_Z") || !elf_symtab(e, SHT_SYMTAB, &t))
    return false;
  for (size_t i = 0; i < t.count; i++)
    if (elf_symbol(&t, i, &s) && s.bind == STB_LOCAL && s.type == STT_FUNC &&
        strcmp(s.name, name) == 0)
      return true;
  return false;
}

/* The device name of kernel SYMBOL: the only one of cicc's registered names, LISTED with their
 * FORMS ("": none), that no other kernel of the object has and that may be its name. TAKEN: the
 * names of others. free() it; NULL: it is not certain. */
static char *only_name(const struct argv *listed, const struct argv *forms, const char *symbol,
                       const struct argv *taken) {
  autofree char *begin = devicename_begin(symbol), *form = devicename_form(symbol);
  const char *found = NULL;
  size_t n = 0;
  for (size_t i = 0; i < listed->n; i++) {
    const char *name = listed->args[i];
    bool may = form ? strcmp(forms->args[i], form) == 0 : *begin && str_starts(name, begin);
    if (may && !argv_has(taken, name)) {
      found = name;
      n++;
    }
  }
  return n == 1 ? xstrdup(found) : NULL;
}

static void add_forms(struct argv *forms, const struct argv *names) {
  for (size_t i = 0; i < names->n; i++) {
    char *form = devicename_form(names->args[i]);
    argv_add_own(forms, form ? form : xstrdup(""));
  }
}

/* The device name of each of SYMBOLS, those of E, in NAMES. False: one is not certain. */
static bool find_names(struct hoststub *hs, const struct elf *e, const struct argv *symbols,
                       const struct argv *listed, struct argv *names) {
  autofree_argv taken = {0}, forms = {0};
  const char *open = NULL;
  for (size_t i = 0; i < symbols->n; i++) {
    char *name = is_internal_of_c(e, symbols->args[i]) ? NULL : devicename(symbols->args[i]);
    argv_add_own(names, name ? name : xstrdup(""));
    if (name)
      argv_add(&taken, name);
  }
  if (taken.n < symbols->n)
    add_forms(&forms, listed);
  for (size_t i = 0; i < symbols->n; i++) {
    char *name = *names->args[i] ? NULL : only_name(listed, &forms, symbols->args[i], &taken);
    if (name) {
      free(names->args[i]);
      names->args[i] = name;
      argv_add(&taken, name);
    }
    if (!*names->args[i] && !open)
      open = symbols->args[i];
  }
  return !open || hoststub_not_own(hs, "what %s is called on the device is not certain", open);
}

/* The first name from P to END; names have empty ones between them. */
static char *next_name(char *p, const char *end) {
  while (p < end && !*p)
    p++;
  return p;
}

/* Replace the N bytes of NAMES, in E, by the device names: each in the place of its symbol and of
 * the empty names that follow. */
static bool rename_kernels(struct hoststub *hs, const struct elf *e, char *names, size_t n,
                           const struct argv *listed) {
  autofree_argv symbols = {0}, found = {0};
  char *end = names + n, *next;
  for (char *p = next_name(names, end); p < end;
       p = next_name(p + strnlen(p, (size_t)(end - p)), end))
    argv_add_own(&symbols, xstrndup(p, (size_t)(end - p)));
  bool done = find_names(hs, e, &symbols, listed, &found);
  size_t i = 0;
  for (char *p = next_name(names, end); done && p < end; p = next, i++) {
    size_t len = strlen(found.args[i]);
    next = next_name(p + strlen(symbols.args[i]), end);
    done =
        len < (size_t)(next - p) || hoststub_not_own(hs, "%s has a longer name on the device", p);
    if (done) {
      memset(p, 0, (size_t)(next - p));
      memcpy(p, found.args[i], len);
    }
  }
  return done;
}

bool hoststub_held(struct hoststub *hs, const char *object, const struct argv *listed) {
  size_t len, at = 0;
  autofree char *bytes = file_read(object, &len), *why = NULL;
  struct elf e;
  struct elf_section names;
  autoclose fd = open(object, O_WRONLY | O_CLOEXEC);
  bool done = bytes && fd >= 0 && elf_open(&e, bytes, len, NULL);
  if (done && elf_find(&e, REGISTERED_NAMES, &at, &names) && names.data) {
    off_t offset = names.data - (unsigned char *)bytes;
    done = rename_kernels(hs, &e, bytes + offset, names.size, listed) &&
           pwrite(fd, bytes + offset, names.size, offset) == (ssize_t)names.size;
  }
  if (done && !hostvariables_held(hs, &e, fd, &why))
    done = hoststub_not_own(hs, "%s", why);
  return done || hoststub_not_own(hs, "its object is not as expected");
}

/* ---- the front end's own stub ---- */

/* The end of the argument list that begins at P, after its parenthesis. NAME: its last but one
 * argument, of LEN bytes. */
static const char *last_but_one(const char *p, const char **name, size_t *len) {
  const char *before = p, *last = p; /* after the last two commas outside parentheses */
  for (size_t depth = 1; *p && depth; p++) {
    depth += (*p == '(') - (size_t)(*p == ')');
    if (*p == ',' && depth == 1)
      before = last, last = p + 1;
  }
  *name = before + strspn(before, " ");
  *len = strcspn(*name, ", ");
  return p;
}

/* It registers by `__cudaRegisterEntry(handle, address, NAME, THREADS);`, where THREADS is (-1) or
 * the kernel's bound from __launch_bounds__, as for all kernels of causal-conv1d. */
void hoststub_names(const char *file, struct argv *names) {
  static const char begin[] = "__cudaRegisterEntry(";
  size_t len, n;
  autofree char *text = file_read(file, &len);
  const char *p = text, *name;
  while (p && (p = strstr(p, begin))) {
    p = last_but_one(p + sizeof begin - 1, &name, &n);
    if (n && (isalpha((unsigned char)*name) || *name == '_'))
      argv_add_own(names, xstrndup(name, n));
  }
}
