/* devicevariables.c - the variables of a preprocessed text for a device; see devicetext.h. */
#include "devicetext.h"
#include "cxxdeclarator.h"
#include "devicedecl.h"
#include "core/base/intern.h"
#include "core/base/vec.h"

/* Does the attribute at I, which ends before BEHIND, declare a constant? */
static bool is_const(const struct cxx_text *t, uint32_t i, uint32_t behind) {
  bool constant = false;
  for (uint32_t k = i; k && cxx_ident(t, k - 1); k--)
    constant |= cxx_is(t, k - 1, "const") || cxx_is(t, k - 1, "constexpr");
  for (uint32_t k = behind; k && k < t->n; k = decl_specifier(t, k)) {
    if (cxx_punct(t, k) == '*' || cxx_punct(t, k) == '&')
      return false; /* the target of the pointer may be const */
    constant |= cxx_is(t, k, "const") || cxx_is(t, k, "constexpr");
  }
  return constant;
}

/* Does the attribute at I, which ends before BEHIND, belong to a function or a lambda? */
static bool is_function(const struct cxx_text *t, uint32_t i, uint32_t behind) {
  struct cxx_shape d;
  char next = cxx_punct(t, behind);
  if (next == '{')
    return true;
  if (next == ';' || next == '=' || next == ',')
    return i && cxx_punct(t, i - 1) == ')';
  if (!cxx_shape_read(t, behind, t->n, &d) || !d.params || (d.assign && d.assign < d.params))
    return false;
  return d.body || cxx_declares_function(t, i, &d, &(struct cxx_item){.name = d.params});
}

static bool says_static(const struct cxx_text *t, uint32_t i, uint32_t behind, uint32_t name) {
  bool found = false;
  for (uint32_t k = i; k && cxx_ident(t, k - 1); k--)
    found |= cxx_is(t, k - 1, "static");
  for (uint32_t k = behind; k < name; k++)
    found |= cxx_is(t, k, "static");
  return found;
}

/* Does line marker D announce a system header, `# 1 "x.h" 1 3`? */
static bool is_system(const char *text, const struct cxx_tok *d) {
  const char *s = text + d->at, *quote = memrchr(s, '"', d->len);
  return quote && memmem(quote, (size_t)(s + d->len - quote), " 3", 2);
}

/* Is I a function of HIP that takes a variable? */
static bool takes_symbol(const struct cxx_text *t, uint32_t i) {
  const char *s = t->text + t->toks[i].at;
  size_t n = t->toks[i].len;
  return cxx_ident(t, i) && n > 4 && (memcmp(s, "hip", 3) == 0 || memcmp(s, "cuda", 4) == 0) &&
         memmem(s, n, "Symbol", 6);
}

/* May the host write variable NAME, which no other unit has? Not if the text only declares and
 * returns it, and only system headers name a function that takes a variable. ComposableKernel has
 * `__device__ int static err = 0`, for a case that never happens. */
static bool may_write(const struct split_text *u, uint32_t name) {
  const struct cxx_text *t = &u->code;
  const struct cxx_tok *word = &t->toks[name];
  bool system = false;
  size_t d = 0;
  for (uint32_t i = 0; i < t->n; i++) {
    for (; d < u->n && u->directives[d].at < t->toks[i].at; d++)
      if (devicetext_is_marker(t->text + u->directives[d].at, u->directives[d].len))
        system = is_system(t->text, &u->directives[d]);
    bool named =
        cxx_is_n(t, i, t->text + word->at, word->len) && i != name && !cxx_is(t, i - 1, "return");
    if (!system && (named || takes_symbol(t, i)))
      return true;
  }
  return false;
}

/* Does the __device__ attribute at I declare a variable of this unit alone that the host may write?
 * The compiler keeps a variable with external linkage in any case. */
static bool is_writable(const struct split_text *u, uint32_t i, uint32_t behind, uint32_t unnamed) {
  const struct cxx_text *t = &u->code;
  if (is_function(t, i, behind) || is_const(t, i, behind))
    return false;
  uint32_t name = decl_name(t, behind);
  return (i < unnamed || says_static(t, i, behind, name)) && (!name || may_write(u, name));
}

struct devicetext_variables devicetext_variables(const char *text, size_t len) {
  struct split_text u;
  const struct cxx_text *t = &u.code;
  struct devicetext_variables has = {.constant = !split_read(&u, text, len)};
  has.device = has.constant;
  uint32_t unnamed = 0; /* The token after the unnamed namespace that contains I. */
  for (uint32_t i = 0, behind; i < t->n && !(has.constant && has.device); i++) {
    if (cxx_is(t, i, "namespace") && cxx_punct(t, i + 1) == '{' && i >= unnamed)
      unnamed = cxx_skip_group(t, i + 1, t->n);
    if ((behind = decl_attribute(t, i, "constant", "__constant__")))
      has.constant |= !is_const(t, i, behind);
    if (!has.device && (behind = decl_attribute(t, i, "device", "__device__")))
      has.device = is_writable(&u, i, behind, unnamed);
  }
  split_free(&u);
  return has;
}

/* ---- the variables, by their names ---- */

/* The scope of a declaration. */
struct scope {
  /* Its namespaces as they are mangled, 2ns2in. */
  char path[512];
  /* The open namespaces, and groups of extern "C". LEN is the length of the path before each. */
  struct {
    size_t len;
    unsigned depth;
    bool unnamed, group;
  } open[64];
  /* The number of open ones, and how many of these are unnamed. */
  size_t n, unnamed;
  /* How many are groups of extern "C". */
  size_t groups;
  unsigned depth; /* of braces */
  /* depth of the outermost brace that opens no namespace or extern "C" group, or 0 */
  unsigned in;
  bool odd; /* Set if the scope is not known. */
  /* prefix of names with internal linkage (nvcc's module id) */
  const char *module;
};

#define OF_C "extern C" /* cannot clash with a namespace name */

static void add_to_path(struct scope *s, const char *word, size_t len) {
  size_t at = strlen(s->path);
  int n = snprintf(s->path + at, sizeof s->path - at, "%zu%.*s", len, (int)len, word);
  s->odd |= n < 0 || (size_t)n >= sizeof s->path - at;
}

/* Add the namespace O, which opens. */
static void add_namespace(struct scope *s, const struct cxx_text *t, const struct cxx_opening *o) {
  bool named = false;
  for (uint32_t i = o->name; i < o->name_end; i++)
    if (cxx_ident(t, i) && !cxx_is(t, i, "inline")) {
      named = true;
      add_to_path(s, t->text + t->toks[i].at, t->toks[i].len);
    }
  if (!named) {
    autofree char *name = xasprintf("_GLOBAL__N_%s", s->module);
    add_to_path(s, name, strlen(name));
    s->open[s->n].unnamed = true;
    s->unnamed++;
  }
}

/* Enters the scope that opens at token I, or leaves the one that ends there. Returns the token to
 * go on with. */
static uint32_t step_scope(struct scope *s, const struct cxx_text *t, uint32_t i) {
  char c = cxx_punct(t, i);
  struct cxx_opening o;
  if (!s->in && s->n < sizeof s->open / sizeof *s->open && cxx_opens(t, i, &o)) {
    size_t len = strlen(s->path);
    s->open[s->n].unnamed = false;
    s->open[s->n].group = o.group;
    if (!o.group)
      add_namespace(s, t, &o);
    s->groups += o.group;
    if (s->groups && *s->path) /* an extern "C" name within a namespace is not mangled */
      add_to_path(s, OF_C, sizeof OF_C - 1);
    s->open[s->n].depth = s->depth++;
    s->open[s->n++].len = len;
    return o.body;
  }
  if (c == '{' && !s->in)
    s->in = s->depth + 1;
  s->depth += c == '{';
  if (c == '}' && s->depth--) {
    if (s->in == s->depth + 1)
      s->in = 0;
    if (s->n && s->open[s->n - 1].depth == s->depth) {
      s->n--;
      s->path[s->open[s->n].len] = 0;
      s->unnamed -= s->open[s->n].unnamed;
      s->groups -= s->open[s->n].group;
    }
  }
  return i + 1;
}

/* The properties that a declaration gives to all its names. */
struct said {
  bool is_static, is_extern, constant;
  /* It is not known whether it is static. */
  bool other;
  bool is_const; /* const int x, or const int *x */
  /* The declaration has no word that allows several definitions, as static, inline, const and
   * template do. */
  bool shared;
};

/* The declaration with token I in it, and NAME the first that it declares. */
static struct said read_said(const struct cxx_text *t, uint32_t i, uint32_t name) {
  static const char *const plain[] = {"unsigned", "signed", "int",    "short", "long", "char",
                                      "bool",     "float",  "double", "*",     NULL};
  static const char *const unclear[] = {"*", "&", "(", "<", "volatile", NULL}; /* with a const */
  static const char *const several[] = {"static",    "inline",    "__inline__", "const",
                                        "constexpr", "constinit", "template",   "extern",
                                        "typedef",   "using",     "(",          NULL};
  struct said said = {.shared = true};
  bool constant = false, clear = true;
  uint32_t from = i, to = name;
  while (from && !cxx_is(t, from - 1, ";") && !cxx_is(t, from - 1, "{") &&
         !cxx_is(t, from - 1, "}"))
    from--;
  while (to < t->n && cxx_punct(t, to) != ';')
    to++;
  for (uint32_t k = from; k < to; k++) {
    said.constant |= decl_attribute(t, k, "constant", "__constant__") != 0;
    said.other |= cxx_is(t, k, "const");
    if (k >= name)
      continue;
    said.shared &= !decl_any(t, k, several);
    if (cxx_is(t, k, "__attribute__") || cxx_is(t, k, "__attribute")) {
      k = cxx_skip_group(t, k + 1, to) - 1;
      continue;
    }
    said.is_static |= cxx_is(t, k, "static") || cxx_is(t, k, "constexpr");
    said.is_extern |= cxx_is(t, k, "extern");
    constant |= cxx_is(t, k, "const");
    clear &= !decl_any(t, k, unclear);
    said.other |= !decl_any(t, k, plain);
  }
  said.is_static |= constant && clear;
  said.is_const = constant;
  return said;
}

/* The results of add_declared. */
struct variables {
  const struct scope *scope;
  struct said said;
  struct devicetext_named *list;
  size_t n;
};

/* If nvcc compiles a unit as a whole program, a variable at global scope keeps its own name on the
 * device. Within a namespace the name is mangled, and a static variable in a namespace is prefixed
 * with the name of the unit. An extern variable may be registered by another unit. */
static char *device_name(const struct variables *v, const char *name, bool qualified) {
  const struct scope *s = v->scope;
  if (s->odd || s->in || qualified || v->said.is_extern || strstr(s->path, OF_C) ||
      str_starts(s->path, "3std"))
    return NULL;
  if (!*s->path)
    return xstrdup(name);
  if (v->said.is_static || s->unnamed)
    return xasprintf("_ZN%zu_INTERNAL%s%s%zu%sE", sizeof "_INTERNAL" - 1 + strlen(s->module),
                     s->module, s->path, strlen(name), name);
  return v->said.other ? NULL : xasprintf("_ZN%s%zu%sE", s->path, strlen(name), name);
}

static void add_name(const struct cxx_text *t, uint32_t i, struct variables *v) {
  if (!cxx_ident(t, i))
    return;
  char *name = cxx_spelling(t, i);
  char *device = device_name(v, name, i && cxx_is(t, i - 1, "::"));
  vec_push(v->list, v->n,
           (struct devicetext_named){.name = name,
                                     .scope = xstrdup(v->scope->path),
                                     .device = device,
                                     .constant = v->said.constant,
                                     .strong = v->said.shared && device && !v->scope->unnamed,
                                     .foreign = v->said.is_extern && !v->said.is_const &&
                                                cxx_punct(t, i + 1) != '('});
}

/* Adds the words of the parentheses at I that may belong to a declarator, `int (*a)(int)`. Returns
 * the token after them. */
static uint32_t add_inner(const struct cxx_text *t, uint32_t i, struct variables *v) {
  uint32_t behind = cxx_skip_group(t, i, t->n);
  for (uint32_t k = i + 1; (cxx_punct(t, i + 1) == '*' || cxx_punct(t, i + 1) == '&') && k < behind;
       k++)
    add_name(t, k, v);
  return behind;
}

/* Adds the names that are declared from token I, after an attribute, to its ; to V: `int a = 3,
 * *b[2];`. Names that may be functions are included: `T::type pow(T, U);`. */
static bool add_declared(const struct cxx_text *t, uint32_t i, struct variables *v) {
  uint32_t name = decl_name(t, i);
  for (uint32_t k = i; k < name; k++)
    if (cxx_is(t, k, "struct") || cxx_is(t, k, "class") || cxx_is(t, k, "union") ||
        cxx_is(t, k, "enum"))
      return false; /* There may be a body, and a name after it. */
  bool done = name && !cxx_is(t, name + 1, "::") && !cxx_is(t, name, "asm") &&
              !cxx_is(t, name, "__asm__") &&
              !cxx_is(t, name, "__asm"); /* int x asm("y"): the object uses the name y */
  v->said = read_said(t, i - 1, name);
  while (done && name < t->n) {
    char c = 0;
    add_name(t, name, v);
    i = name + 1;
    if (cxx_punct(t, i) == '(' && cxx_punct(t, i = add_inner(t, i, v)) != ',')
      return true;
    for (; i < t->n && (c = cxx_punct(t, i)) != ';' && c != ',';)
      i = c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, t->n)
          : c == '<'                       ? decl_angles(t, i)
                                           : i + 1;
    if (c != ',')
      return c == ';';
    for (i++; cxx_punct(t, i) == '*' || cxx_punct(t, i) == '&' || cxx_is(t, i, "const"); i++)
      ;
    name = i;
    done = cxx_ident(t, i);
  }
  return done;
}

bool devicetext_split_names(const struct split_text *u, const char *module,
                            struct devicetext_named **list, size_t *n) {
  const struct cxx_text *t = &u->code;
  struct scope scope = {.module = module};
  struct variables v = {.scope = &scope};
  bool read = true;
  for (uint32_t i = 0, behind; read && i < t->n; i = step_scope(&scope, t, i)) {
    if (!(behind = decl_attribute(t, i, "device", "__device__")))
      behind = decl_attribute(t, i, "constant", "__constant__");
    if (behind && !is_function(t, i, behind))
      read = add_declared(t, behind, &v);
  }
  *list = v.list;
  *n = v.n;
  return read;
}

bool devicetext_names(const char *text, size_t len, const char *module,
                      struct devicetext_named **list, size_t *n) {
  struct split_text u;
  *list = NULL;
  *n = 0;
  bool read = split_read(&u, text, len) && devicetext_split_names(&u, module, list, n);
  split_free(&u);
  return read;
}

/* How often the text has the word NAME. */
static size_t count_word(const struct cxx_text *t, const char *name) {
  size_t n = 0, len = strlen(name);
  for (uint32_t i = 0; i < t->n; i++)
    n += cxx_ident(t, i) && cxx_is_n(t, i, name, len);
  return n;
}

char *devicetext_foreign(const char *text, size_t len) {
  struct split_text u;
  struct devicetext_named *list = NULL;
  size_t n = 0;
  char *found = NULL;
  bool read = split_read(&u, text, len) && devicetext_split_names(&u, "", &list, &n);
  for (size_t i = 0; i < n && read && !found; i++) {
    size_t declared = 0;
    for (size_t k = 0; k < n && list[i].foreign; k++)
      declared += strcmp(list[k].name, list[i].name) == 0;
    if (list[i].foreign && count_word(&u.code, list[i].name) > declared)
      found = xstrdup(list[i].name);
  }
  for (size_t i = 0; i < n; i++) {
    free(list[i].name);
    free(list[i].scope);
    free(list[i].device);
  }
  free(list);
  split_free(&u);
  return found;
}

/* ---- the variables that the host does not name ---- */

/* Returns the token after the last ; or brace before token I: the declaration that contains I
 * begins there. */
static uint32_t declaration(const struct cxx_text *t, uint32_t i) {
  while (i && !strchr(";{}", cxx_punct(t, i - 1) ? cxx_punct(t, i - 1) : ' '))
    i--;
  return i;
}

/* Returns the token after the body of the device-only function whose attribute ends before token
 * BEHIND, and sets *OPEN to its {. Returns 0 if the function has no body or also exists on the
 * host. */
static uint32_t behind_device_body(const struct cxx_text *t, uint32_t i, uint32_t behind,
                                   uint32_t *open) {
  if (!is_function(t, i, behind) || decl_body(t, behind, open) != BODY)
    return 0;
  for (uint32_t k = declaration(t, i); k < *open; k++)
    if (decl_attribute(t, k, "host", "__host__"))
      return 0;
  return cxx_skip_group(t, *open, t->n);
}

/* Calls EACH for the tokens that are not in the body of a device-only function. DECLARED: the token
 * is the name of a device variable, where that is declared. */
typedef void each_word(const struct cxx_text *t, uint32_t i, bool declared, void *user);

static void each_of_host(const struct cxx_text *t, each_word *each, void *user) {
  uint32_t name = 0, skip = 0, skip_to = 0;
  for (uint32_t i = 0, open; i < t->n; i++) {
    if (skip_to && i == skip) {
      i = skip_to - 1;
      skip_to = 0;
      continue;
    }
    uint32_t behind = decl_attribute(t, i, "device", "__device__");
    if (!behind)
      behind = decl_attribute(t, i, "constant", "__constant__");
    if (!behind)
      behind = decl_global(t, i);
    if (behind && is_function(t, i, behind)) {
      uint32_t to = skip_to ? 0 : behind_device_body(t, i, behind, &open);
      if (to) {
        skip = open;
        skip_to = to;
      }
    } else if (behind) {
      name = decl_name(t, behind);
    }
    if (cxx_ident(t, i))
      each(t, i, name && i == name, user);
  }
}

struct words {
  struct intern declared;
  bool *named; /* by the number of the word */
  /* The names within functions that nobody may call. */
  struct use {
    size_t variable;
    uint32_t function;
  } * uses;
  size_t nuses;
  /* The name of the last such function, and the token after its body. */
  uint32_t function, behind;
};

/* Has the declaration from token I to END an attribute by which its function may run without a
 * call? */
static bool has_odd_attribute(const struct cxx_text *t, uint32_t i, uint32_t end) {
  static const char *const words[] = {"__attribute__", "__attribute", "(",      ")",          ",",
                                      "host",          "__host__",    "unused", "__unused__", NULL};
  for (; i < end; i++) {
    uint32_t behind = cxx_is(t, i, "__attribute__") || cxx_is(t, i, "__attribute")
                          ? cxx_skip_group(t, i + 1, end)
                          : 0;
    if (cxx_punct(t, i) == '[')
      return true;
    for (; i < behind; i++)
      if (!decl_any(t, i, words))
        return true;
  }
  return false;
}

/* Is I the name of a function, at its definition, that runs only if this unit calls it: `static
 * int *f() {`? */
static bool is_called_only(const struct cxx_text *t, uint32_t i) {
  uint32_t open = cxx_punct(t, i + 1) == '(' ? cxx_skip_group(t, i + 1, t->n) : 0;
  bool own = false;
  if (!open || cxx_punct(t, open) != '{')
    return false;
  uint32_t begin = declaration(t, i);
  for (uint32_t k = begin; k < i; k++)
    own |= cxx_is(t, k, "static") || cxx_is(t, k, "inline") || cxx_is(t, k, "__inline__");
  return own && !has_odd_attribute(t, begin, i);
}

/* Does word I occur once in the text? */
static bool is_said_once(const struct cxx_text *t, uint32_t i) {
  const struct cxx_tok *word = &t->toks[i];
  size_t n = 0;
  for (uint32_t k = 0; k < t->n && n < 2; k++)
    n += cxx_is_n(t, k, t->text + word->at, word->len);
  return n == 1;
}

static void note_declared(const struct cxx_text *t, uint32_t i, bool declared, void *user) {
  struct words *w = user;
  if (declared)
    intern_bytes(&w->declared, t->text + t->toks[i].at, t->toks[i].len);
}

static void note_named(const struct cxx_text *t, uint32_t i, bool declared, void *user) {
  struct words *w = user;
  const struct cxx_tok *word = &t->toks[i];
  size_t is = declared ? SIZE_MAX : intern_find_bytes(&w->declared, t->text + word->at, word->len);
  if (is != SIZE_MAX && i < w->behind)
    vec_push(w->uses, w->nuses, ((struct use){is, w->function}));
  else if (is != SIZE_MAX)
    w->named[is] = true;
  if (i >= w->behind && is_called_only(t, i)) {
    w->function = i;
    w->behind = cxx_skip_group(t, cxx_skip_group(t, i + 1, t->n), t->n);
  }
}

/* Words within a function that nobody calls do not count: cuRAND has one that returns its table for
 * lgamma. */
static void note_uses(const struct cxx_text *t, struct words *w) {
  for (size_t i = 0; i < w->nuses; i++)
    if (!w->named[w->uses[i].variable])
      w->named[w->uses[i].variable] = !is_said_once(t, w->uses[i].function);
}

void devicetext_device_only(const char *text, size_t len, struct argv *names) {
  struct split_text u;
  struct words w = {0};
  autofree_argv found = {0};
  if (split_read(&u, text, len))
    each_of_host(&u.code, note_declared, &w);
  if (w.declared.texts.n) {
    w.named = xcalloc(w.declared.texts.n, sizeof *w.named);
    each_of_host(&u.code, note_named, &w);
    note_uses(&u.code, &w);
  }
  for (size_t i = 0; i < w.declared.texts.n; i++)
    if (!w.named[i])
      argv_add(&found, w.declared.texts.args[i]);
  argv_sort(&found);
  if (found.n)
    argv_add_all(names, found.args);
  intern_free(&w.declared);
  free(w.named);
  free(w.uses);
  split_free(&u);
}
