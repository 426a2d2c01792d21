/* devicename.c - the device name of a kernel, from the symbol that the host's compiler gives its
 * host function.
 *
 * Both are the mangled name of one function, made by two compilers. gcc puts an L before internal
 * names; cicc, for which no kernel is internal, does not. Apart from that they agree on everything
 * plain: names, namespaces, classes and their arguments, numbers, pointers and references. They
 * need not agree on other things (closures and unnamed types are numbered, expressions can be
 * written in several ways, and vendors have their own types): such a name is not plain, and the
 * device's front end is asked for it.
 *
 * gcc and cicc write a function that is internal to the unit, as the argument of a template, in two
 * ways, which no one can translate who does not count the parts of the whole name:
 *
 *     _Z1kIXadL_ZL3addffEE6__halfS0_EvPT0_PT1_                                  gcc
 *     _Z1kIXadL_ZN36_INTERNAL_6f296685_4_b_cu_52740fdb_03addEffEE6__halfS1_EvPT0_PT1_     cicc
 *     _Z1kIXadL_Z3addffEE6__halfS_EvPT0_PT1_                                   the form of both
 *
 * Source: the Itanium C++ ABI, "External Names (a.k.a. Mangling)".
 */
#include "devicename.h"
#include "core/base/base.h"

#include <ctype.h>

struct name {
  const char *p;
  struct buf out;
  /* Write the form in which the names of both compilers agree, see devicename_form. */
  bool form;
  /* the length of OUT up to the last whole name or type */
  size_t sure;
  unsigned depth;
};

enum { DEEPEST = 200 };

static bool type(struct name *n);
static bool encoding(struct name *n);

/* If the next character is one of SET, consume it. */
static bool take(struct name *n, const char *set) {
  if (!*n->p || !strchr(set, *n->p))
    return false;
  buf_putc(&n->out, *n->p++);
  return true;
}

static void take_all(struct name *n, const char *set) {
  while (take(n, set))
    ;
}

static const char digits[] = "0123456789", seq[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Can a source contain it? Not _anon_0 with a dot before it, which gcc generates for `using t =
 * struct {}`. */
static bool is_identifier(const char *p, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (!isalnum((unsigned char)p[i]) && p[i] != '_' && p[i] != '$')
      return false;
  return true;
}

/* 4name; but not a name that nvcc's own headers generate for closures. */
static bool source_name(struct name *n) {
  size_t len = 0;
  for (const char *p = n->p; isdigit((unsigned char)*p) && len < 100000; p++)
    len = len * 10 + (size_t)(*p - '0');
  take_all(n, digits);
  if (!len || strnlen(n->p, len) < len || str_starts(n->p, "__nv_dl_") ||
      str_starts(n->p, "__nv_hdl_") || strncmp(n->p, "_GLOBAL__N_1", len) == 0 ||
      !is_identifier(n->p, len))
    return false;
  buf_add(&n->out, n->p, len);
  n->p += len;
  if (*n->p == 'B') /* an ABI tag */
    return false;
  n->sure = n->out.len;
  return true;
}

/* A name, without the L of an internal one. */
static bool unqualified(struct name *n) {
  n->p += *n->p == 'L' && isdigit((unsigned char)n->p[1]);
  return isdigit((unsigned char)*n->p) && source_name(n);
}

/* After an L: the type of a constant and its value, or the name of a function. */
static bool literal(struct name *n) {
  if (n->form && *n->p == '_')
    return encoding(n) && take(n, "E");
  if (*n->p == '_' || !type(n))
    return false;
  take(n, "n");
  take_all(n, digits);
  return take(n, "E");
}

/* After a T: a template's parameter. */
static bool parameter(struct name *n) {
  take_all(n, digits);
  return take(n, "_");
}

static bool argument(struct name *n) {
  if (take(n, "L"))
    return literal(n);
  if (n->form && str_starts(n->p, "XadL")) /* the address of a function */
    return take(n, "X") && take(n, "a") && take(n, "d") && take(n, "L") && literal(n) &&
           take(n, "E");
  if (take(n, "X")) /* of expressions, only a parameter alone can be written in just one way */
    return take(n, "T") && parameter(n) && take(n, "E");
  if (!take(n, "J"))
    return type(n);
  while (!take(n, "E"))
    if (!argument(n))
      return false;
  return true;
}

/* The arguments of a template, if any. */
static bool arguments(struct name *n) {
  if (!take(n, "I"))
    return true;
  while (!take(n, "E"))
    if (!argument(n))
      return false;
  return true;
}

/* After an S; St is std, and a name follows it. A form has no numbers: cicc's namespace
 * of what is internal counts among the parts that are numbered. */
static bool substitution(struct name *n) {
  if (take(n, "t"))
    return unqualified(n);
  if (take(n, "absiod"))
    return true;
  size_t from = n->out.len;
  take_all(n, seq);
  if (n->form)
    n->out.len = from;
  return take(n, "_");
}

/* The possible first part of a nested name: `St`, a substitution, or a template's parameter, as in
 * `NT_4wordE` of `typename T::word`. It cannot stand alone. */
static bool prefix(struct name *n) {
  if (take(n, "T"))
    return parameter(n);
  return take(n, "S") ? take(n, "t") || substitution(n) : unqualified(n);
}

/* If N begins with the namespace in which cicc has what is internal to a unit, skip it. When it
 * comes again it is a substitution, like any other scope: all of them are skipped, for both
 * compilers. */
static bool skip_internal(struct name *n) {
  static const char internal[] = "_INTERNAL_";
  char *name;
  size_t number = *n->p == 'S' ? 1 + strspn(n->p + 1, seq) : 0;
  unsigned long len = strtoul(n->p, &name, 10);
  bool again = number && n->p[number] == '_' &&
               (isdigit((unsigned char)n->p[number + 1]) || n->p[number + 1] == 'L');
  if (!n->form || !*n->p)
    return false;
  if (again)
    n->p += number + 1;
  else if (name > n->p && str_starts(name, internal) && strnlen(name, len) == len)
    n->p = name + len;
  else
    return false;
  return true;
}

/* After an N. What is internal, and in no other namespace, is not nested for gcc. */
static bool nested(struct name *n) {
  size_t before = n->out.len - 1, parts = 0;
  take_all(n, "rVK");
  bool internal = skip_internal(n);
  for (bool first = true; !take(n, "E"); first = false) {
    bool args = !first && *n->p == 'I';
    parts += !args;
    if (args ? !arguments(n) : first ? !prefix(n) : !unqualified(n))
      return false;
  }
  if (internal && parts == 1) {
    n->out.len--;
    memmove(n->out.data + before, n->out.data + before + 1, n->out.len - before);
    n->out.len--;
  }
  return true;
}

static bool function_type(struct name *n) {
  take(n, "Y");
  while (!take(n, "E"))
    if (!type(n))
      return false;
  return true;
}

static bool plain_type(struct name *n) {
  if (take(n, "PROKVr"))
    return type(n);
  if (take(n, "A")) {
    take_all(n, digits);
    return take(n, "_") && type(n);
  }
  if (take(n, "F"))
    return function_type(n);
  if (take(n, "M"))
    return type(n) && type(n);
  if (take(n, "T"))
    return parameter(n) && arguments(n);
  if (take(n, "S"))
    return substitution(n) && arguments(n);
  if (take(n, "N"))
    return nested(n);
  if (take(n, "D"))
    return take(n, "p") ? type(n) : take(n, "isun");
  if (take(n, "vwbcahstijlmxynofde"))
    return true;
  return isdigit((unsigned char)*n->p) && source_name(n) && arguments(n);
}

static bool type(struct name *n) {
  bool done = n->depth < DEEPEST;
  n->depth++;
  done = done && plain_type(n);
  n->depth--;
  if (done)
    n->sure = n->out.len;
  return done;
}

/* _Z, a name, and the types of the parameters, for an instance after the type of the result. An E
 * ends one within another name. */
static bool encoding(struct name *n) {
  if (!take(n, "_") || !take(n, "Z"))
    return false;
  bool named = take(n, "N") ? nested(n) : unqualified(n) && arguments(n);
  named = named && *n->p;
  while (named && *n->p && *n->p != 'E')
    named = type(n);
  return named;
}

/* A name that ends with it. */
static bool whole(struct name *n) {
  return encoding(n) && !*n->p;
}

char *devicename(const char *symbol) {
  struct name n = {.p = symbol};
  if (!str_starts(symbol, "_Z"))
    return !*symbol || strpbrk(symbol, ".$") ? NULL : xstrdup(symbol);
  if (whole(&n))
    return n.out.data;
  buf_free(&n.out);
  return NULL;
}

char *devicename_form(const char *symbol) {
  struct name n = {.p = symbol, .form = true};
  if (whole(&n)) {
    buf_putc(&n.out, 0);
    return n.out.data;
  }
  buf_free(&n.out);
  return NULL;
}

char *devicename_begin(const char *symbol) {
  struct name n = {.p = symbol};
  if (str_starts(symbol, "_Z"))
    (void)encoding(&n);
  char *begin = xstrndup(n.out.data ? n.out.data : "", n.sure);
  buf_free(&n.out);
  return begin;
}
