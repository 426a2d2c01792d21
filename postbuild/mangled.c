/* mangled.c - see mangled.h. */
#include "mangled.h"

#include <ctype.h>
#include <libiberty/demangle.h>

/* Behind the template arguments or parameters that begin at P with OPEN. */
static const char *skip_group(const char *p) {
  int depth = 0;
  for (; *p; p++) {
    depth += *p == '<' || *p == '(' || *p == '{' || *p == '[';
    depth -= (*p == '>' && p[-1] != '-') || *p == ')' || *p == '}' || *p == ']';
    if (!depth)
      return p + 1;
  }
  return p;
}

/* Append the components of the demangled NAME, which has no parameters. */
static void split_name(struct argv *names, const char *name) {
  autofree_buf part = {0};
  for (const char *p = name;;) {
    if (str_starts(p, "operator") && !part.len &&
        !(p[8] == '_' || (p[8] >= '0' && p[8] <= '9') || (p[8] >= 'A' && p[8] <= 'Z') ||
          (p[8] >= 'a' && p[8] <= 'z'))) {
      argv_add(names, "operator");
      break;
    }
    if (*p == '<' || *p == '(' || *p == '[' || *p == '{') {
      p = skip_group(p);
    } else if (!*p || str_starts(p, "::")) {
      if (part.len)
        argv_add(names, part.data);
      buf_free(&part);
      if (!*p)
        break;
      p += 2;
    } else {
      if (*p != '~')
        buf_putc(&part, *p);
      p++;
    }
  }
}

void mangled_names(struct argv *names, const char *symbol, bool *of_class) {
  *of_class = false;
  autofree char *text = str_starts(symbol, "_Z") ? cplus_demangle_v3(symbol, 0) : NULL;
  if (!text) {
    argv_add(names, symbol);
    return;
  }
  static const char *const marks[] = {"vtable for ", "VTT for ", "typeinfo for ", "typeinfo name for ",
                                      "construction vtable for "};
  static const char thunk[] = "thunk to "; /* it comes with the function */
  const char *name = text, *to = symbol[2] == 'T' ? strstr(text, thunk) : NULL;
  if (to)
    name = to + strlen(thunk);
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (str_starts(text, marks[i])) {
      *of_class = true;
      name = text + strlen(marks[i]);
    }
  split_name(names, name);
}

bool mangled_has_instance(const char *symbol, const char *name) {
  autofree char *mark = xasprintf("%zu%sI", strlen(name), name);
  const char *at = strstr(symbol, mark);
  return at && at > symbol && !isdigit((unsigned char)at[-1]);
}

int mangled_parameters(const char *symbol) {
  autofree char *text = str_starts(symbol, "_Z") ? cplus_demangle_v3(symbol, DMGL_PARAMS) : NULL;
  const char *last = text ? strrchr(text, ')') : NULL, *open = NULL;
  int depth = 0, n = -1;
  /* `const` and a clone's name may follow */
  for (const char *p = last; p && p >= text && !open; p--) {
    depth += *p == ')' || *p == '>' || *p == ']' || *p == '}';
    depth -= *p == '(' || (*p == '<' && (p == text || p[-1] != '<')) || *p == '[' || *p == '{';
    open = *p == '(' && depth == 0 ? p : NULL;
  }
  if (open && open > text)
    n = open[1] != ')';
  for (const char *p = open ? open + 1 : last; n > 0 && p < last;)
    if (*p == '(' || *p == '<' || *p == '[' || *p == '{')
      p = skip_group(p);
    else
      n += *p++ == ',';
  return n;
}

/* ---- constructors and destructors ---- */

/* The letters C1, D0 or the like that say the kind of SYMBOL, with TO as the number; NULL: it is none. free() it. */
static char *of_kind(const char *symbol, char to) {
  enum gnu_v3_ctor_kinds constructs = is_gnu_v3_mangled_ctor(symbol);
  enum gnu_v3_dtor_kinds destroys = is_gnu_v3_mangled_dtor(symbol);
  autofree char *text = constructs || destroys ? cplus_demangle_v3(symbol, DMGL_PARAMS) : NULL;
  for (size_t i = text ? strlen(symbol) - 1 : 0; i > 2; i--) {
    if (symbol[i - 1] != (constructs ? 'C' : 'D') || symbol[i] < '0' || symbol[i] > '2')
      continue;
    char *other = xstrdup(symbol);
    other[i] = to;
    autofree char *same = cplus_demangle_v3(other, DMGL_PARAMS);
    bool is = constructs ? is_gnu_v3_mangled_ctor(other) ==
                               (to == '1' ? gnu_v3_complete_object_ctor : gnu_v3_base_object_ctor)
                         : is_gnu_v3_mangled_dtor(other) ==
                               (to == '1' ? gnu_v3_complete_object_dtor : gnu_v3_base_object_dtor);
    if (is && same && strcmp(same, text) == 0)
      return other;
    free(other);
  }
  return NULL;
}

bool mangled_is_variant(const char *symbol) {
  enum gnu_v3_ctor_kinds constructs = is_gnu_v3_mangled_ctor(symbol);
  enum gnu_v3_dtor_kinds destroys = is_gnu_v3_mangled_dtor(symbol);
  return (constructs && constructs != gnu_v3_complete_object_ctor) ||
         (destroys && destroys != gnu_v3_complete_object_dtor);
}

void mangled_variants(struct argv *symbols, const char *symbol) {
  for (char kind = '1'; kind <= '2'; kind++) {
    char *other = of_kind(symbol, kind);
    if (other)
      argv_add_own(symbols, other);
  }
}

/* ---- the names in it ---- */

char *mangled_last(const char *name) {
  autofree_argv names = {0};
  bool of_class;
  mangled_names(&names, name, &of_class);
  return xstrdup(names.n ? names.args[names.n - 1] : name);
}

/* HIP's stub has the name, `<length>__device_stub__NAME`, and CUDA's the mangled one without its
 * first byte. In the host side of a lazy unit the stub has a variable instead
 * (core/device/hoststub.c). */
char *mangled_kernel(const char *symbol) {
  static const char mark[] = "__device_stub__", handle[] = "E12ckjit_handle";
  const char *at = strstr(symbol, mark), *length = at;
  if (str_starts(symbol, "_ZZ") && str_ends(symbol, handle)) {
    autofree char *name =
        xasprintf("_Z%.*s", (int)(strlen(symbol) - strlen("_ZZ") - strlen(handle)), symbol + 3);
    return mangled_last(name);
  }
  while (length && length > symbol && length[-1] >= '0' && length[-1] <= '9')
    length--;
  unsigned long n = at && length < at ? strtoul(length, NULL, 10) : 0;
  size_t skip = sizeof mark - 1;
  if (n <= skip || n > strlen(at))
    return NULL;
  autofree char *name = xstrndup(at + skip - 1, n - skip + 1);
  char *last = mangled_last(name);
  if (strcmp(last, name) == 0) {
    free(last);
    last = xstrdup(name + 1);
  }
  return last;
}

char *mangled_variable(const char *symbol) {
  if (!str_starts(symbol, "_Z"))
    return xstrdup(symbol);
  const char *p = symbol + 2, *last = NULL;
  size_t len = 0;
  for (p += *p == 'Z'; *p == 'N' || *p == 'K' || *p == 'L';)
    p++;
  while (*p >= '1' && *p <= '9') {
    char *end;
    unsigned long n = strtoul(p, &end, 10);
    if (n > strlen(end))
      break;
    last = end;
    len = n;
    p = end + n;
  }
  return last ? xstrndup(last, len) : NULL;
}

/* Behind the source name at P, `<length><name>`, which is then *NAME; NULL if there is none. */
static const char *source_name(const char *p, struct cxx_word *name) {
  char *end;
  unsigned long n = *p >= '1' && *p <= '9' ? strtoul(p, &end, 10) : 0;
  if (!n || n > strlen(end))
    return NULL;
  *name = (struct cxx_word){end, n};
  return end + n;
}

/* A literal is skipped, `Li15E`, but not the name of what is a template's argument: `L_Z3foovE`. */
const char *mangled_next(const char *p, struct cxx_word *name) {
  for (const char *behind; *p; p = *p == 'L' && p[1] != '_' ? p + strcspn(p, "E") : p + 1)
    if ((behind = source_name(p, name)))
      return behind;
  return NULL;
}

const char *mangled_each(const char *p, struct cxx_word *name) {
  for (; *p; p++)
    if (!isdigit((unsigned char)p[-1]) && source_name(p, name))
      return p + 1;
  return NULL;
}

/* What is read may be off behind a number that counts something else, `E12_`; so each number by
 * itself is tried as well, which finds all but foo of `v23foo`. */
void mangled_words(struct argv *names, const char *symbol) {
  struct cxx_word name;
  if (!str_starts(symbol, "_Z")) {
    argv_add(names, symbol);
    return;
  }
  for (const char *p = symbol + 2; (p = mangled_next(p, &name));)
    argv_add_own(names, xstrndup(name.p, name.n));
  for (const char *p = symbol + 2; (p = mangled_each(p, &name));)
    argv_add_own(names, xstrndup(name.p, name.n));
}

void mangled_own_words(struct argv *names, const char *symbol) {
  size_t before = names->n;
  bool of_class;
  mangled_names(names, symbol, &of_class);
  /* it is in a form of one compiler alone */
  if (str_starts(symbol, "_Z") && names->n == before + 1 && strcmp(names->args[before], symbol) == 0)
    mangled_words(names, symbol);
}

bool mangled_is_unsaid(const char *p) {
  static const char *const called[] = {"begin", "end", "get"};
  if (*p == 'T')
    return p[1] == 'I' || p[1] == 'V';
  bool nested = *p == 'N';
  p += nested ? 1 + strspn(p + 1, "KVRO") : 0;
  struct cxx_word name = {0};
  for (const char *behind; (behind = source_name(p, &name)); p = behind)
    if (!nested) {
      p = behind;
      break;
    }
  for (size_t i = 0; i < sizeof called / sizeof *called; i++)
    if (name.n == strlen(called[i]) && memcmp(name.p, called[i], name.n) == 0)
      return true;
  return (nested && (*p == 'C' || *p == 'D')) || ((nested || !name.n) && islower((unsigned char)*p));
}
