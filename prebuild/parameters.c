/* parameters.c - see parameters.h. */
#include "parameters.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/inputs.h"
#include "core/cxx/cxxlex.h"
#include "core/files/unittext.h"

/* ---- one text ---- */

/* The index after the declaration's part at I: a bracketed group, template arguments, or one
 * token. */
static uint32_t behind(const struct cxx_text *t, uint32_t i, uint32_t end) {
  char c = cxx_punct(t, i);
  if (c == '(' || c == '[' || c == '{')
    return cxx_skip_group(t, i, end);
  uint32_t angles = c == '<' ? cxx_skip_angles(t, i, end) : 0;
  return angles ? angles : i + 1;
}

/* Is token I a keyword instead of a name: of a built-in type, or one that qualifies a type? */
static bool is_keyword(const struct cxx_text *t, uint32_t i) {
  static const char *const words[] = {
      "const",        "volatile",   "struct",   "class",   "union", "enum",  "typename",
      "__restrict__", "__restrict", "unsigned", "signed",  "char",  "short", "int",
      "long",         "float",      "double",   "bool",    "void",  "auto",  "register",
      "wchar_t",      "char8_t",    "char16_t", "char32_t"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (cxx_is(t, i, words[k]))
      return true;
  return false;
}

/* Does a type end before token LAST, in a parameter that begins at BEGIN? A word such as typename
 * or struct is not a type. */
static bool has_type(const struct cxx_text *t, uint32_t begin, uint32_t last) {
  static const char *const half[] = {"const", "volatile", "struct",  "class",
                                     "union", "enum",     "typename"};
  bool any = false;
  for (uint32_t i = begin; i < last; i = behind(t, i, last)) {
    bool is_half = false;
    for (size_t k = 0; k < sizeof half / sizeof *half; k++)
      is_half |= cxx_is(t, i, half[k]);
    any |= cxx_ident(t, i) && !is_half;
  }
  return any && !cxx_is(t, last - 1, "::");
}

/* The name of the parameter in tokens BEGIN to END-1, free() it; "": it has none. NULL: it is a
 * pack. */
static char *parameter(const struct cxx_text *t, uint32_t begin, uint32_t end) {
  uint32_t last = end, stop = end; /* no token yet */
  for (uint32_t i = begin; i < end; i = behind(t, i, end)) {
    if (cxx_punct(t, i) == '.')
      return NULL;
    if (cxx_punct(t, i) == '=') {
      stop = i;
      break;
    }
    /* A pointer or reference to a function or an array: void (*f)(int). */
    if (cxx_punct(t, i) == '(' && (cxx_punct(t, i + 1) == '*' || cxx_punct(t, i + 1) == '&'))
      return cxx_ident(t, i + 2) && cxx_punct(t, i + 3) == ')' ? cxx_spelling(t, i + 2)
                                                               : xstrdup("");
    if (cxx_punct(t, i) != '[')
      last = i;
  }
  bool named = last < stop && last > begin && cxx_ident(t, last) && !is_keyword(t, last) &&
               has_type(t, begin, last);
  return named ? cxx_spelling(t, last) : xstrdup("");
}

/* Append the names of the parameters in tokens BEGIN to END-1; false if there is a pack. */
static bool all_parameters(struct argv *names, const struct cxx_text *t, uint32_t begin,
                           uint32_t end) {
  if (begin == end || (begin + 1 == end && cxx_is(t, begin, "void")))
    return true;
  for (uint32_t i = begin, from = begin; i <= end; i = i < end ? behind(t, i, end) : end + 1) {
    if (i < end && cxx_punct(t, i) != ',')
      continue;
    char *name = parameter(t, from, i);
    if (!name)
      return false;
    argv_add_own(names, name);
    from = i + 1;
  }
  return true;
}

/* Read the declarator after the __global__ at token I: its brackets are followed by a body, a
 * semicolon or noexcept. Names with brackets before it are attributes, such as
 * __launch_bounds__(256). */
static void declarator(struct global_functions *functions, const struct cxx_text *t, uint32_t i) {
  uint32_t name = 0;
  for (i++; i < t->n && !strchr(";{}=", cxx_punct(t, i) ? cxx_punct(t, i) : ' ');
       i = behind(t, i, t->n)) {
    if (cxx_punct(t, i) == '<' && behind(t, i, t->n) == i + 1)
      return; /* less than */
    if (cxx_ident(t, i))
      name = i;
    if (cxx_punct(t, i) != '(' || !name)
      continue;
    uint32_t end = cxx_skip_group(t, i, t->n);
    if (cxx_punct(t, end) != '{' && cxx_punct(t, end) != ';' && !cxx_is(t, end, "noexcept"))
      continue;
    struct argv names = {0};
    if (all_parameters(&names, t, i + 1, end - 1))
      vec_push(functions->list, functions->n,
               (struct global_function){cxx_spelling(t, name), names});
    else
      argv_free(&names);
    return;
  }
}

/* __global__ as it is written, or as clang's and nvcc's headers define it: __attribute__((global)),
 * __location__(global). */
static bool is_global(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "__global__") ||
         (i && cxx_is(t, i, "global") && cxx_punct(t, i - 1) == '(' && cxx_punct(t, i + 1) == ')');
}

static void read_all(struct global_functions *functions, const char *text, size_t len, bool one) {
  struct cxx_text t = {0};
  bool done = !cxx_lex(&t, text, len);
  for (uint32_t i = 0; !done && i < t.n; i++)
    if (is_global(&t, i)) {
      declarator(functions, &t, i);
      done = one;
    }
  cxx_text_free(&t);
}

void parameters_read(struct global_functions *functions, const char *text, size_t len) {
  if (memmem(text, len, "__global__", strlen("__global__")))
    read_all(functions, text, len, false);
}

void parameters_read_preprocessed(struct global_functions *functions, const char *text,
                                  size_t len) {
  enum { LONGEST = 4096 };
  for (const char *p = text, *end = text + len; (p = memmem(p, (size_t)(end - p), "(global)", 8));
       p++) {
    const char *body = memchr(p, '{', (size_t)(end - p));
    size_t n = (size_t)((body ? body + 1 : end) - p);
    read_all(functions, p, n < LONGEST ? n : LONGEST, true);
  }
}

void parameters_free(struct global_functions *functions) {
  for (size_t i = 0; i < functions->n; i++) {
    free(functions->list[i].name);
    argv_free(&functions->list[i].parameters);
  }
  free(functions->list);
  *functions = (struct global_functions){0};
}

const char *parameters_name(const struct global_functions *functions, const char *name,
                            size_t index, size_t count) {
  const char *found = NULL;
  for (; functions; functions = functions->more)
    for (size_t i = 0; i < functions->n; i++) {
      const struct global_function *f = &functions->list[i];
      if (f->parameters.n != count || strcmp(f->name, name) != 0)
        continue;
      const char *said = f->parameters.args[index];
      if (*said && found && strcmp(found, said) != 0)
        return NULL;
      if (*said) /* else a declaration without names */
        found = said;
    }
  return found;
}

/* ---- the files of a library ---- */

struct group_headers {
  bool read;
  struct global_functions functions;
};

static void read_file(struct global_functions *functions, const char *path, const char *root) {
  size_t len;
  autofree char *file = manifest_expand(path, root), *text = file_read_any(file, &len);
  if (text)
    parameters_read(functions, text, len);
}

struct of_unit {
  struct global_functions *functions;
  const char *file;
  bool done;
};

/* The text for one architecture is enough. */
static void read_text(const char *arch, const char *digest, void *user) {
  (void)digest;
  struct of_unit *u = user;
  size_t len;
  autofree char *err = NULL, *text = u->done ? NULL : unittext_read(u->file, arch, &len, &err);
  if (text)
    parameters_read_preprocessed(u->functions, text, len);
  u->done = true;
}

static void read_unit(struct global_functions *functions, const char *path,
                      const struct request *r) {
  autofree char *file = manifest_expand(path, r->root), *err = NULL;
  unittext_each(file, read_text, &(struct of_unit){.functions = functions, .file = file}, &err);
}

/* The functions in the headers of GROUP's keys. */
static const struct global_functions *of_headers(struct request *r, unsigned group) {
  if (!r->group_headers)
    r->group_headers = xcalloc(r->m->ngroups + 1, sizeof *r->group_headers);
  struct group_headers *g = &r->group_headers[group];
  autofree char *err = NULL,
                *list = g->read ? NULL : manifest_inputs(r->m, &r->m->groups[group], r->root);
  struct inputs *in = list ? inputs_read(list, &err) : NULL;
  for (size_t i = 0; in && i < in->nheaders; i++)
    if (strcmp(in->header[i].digest, DIGEST_NONE) != 0)
      read_file(&g->functions, in->header[i].path, r->root);
  if (in)
    inputs_free(in);
  g->read = true;
  return &g->functions;
}

void parameters_of_blob(struct global_functions *functions, struct request *r,
                        const struct manifest_blob *blob) {
  *functions = (struct global_functions){.more = of_headers(r, blob->group)};
  if (blob->unit)
    read_unit(functions, blob->source, r);
  else
    read_file(functions, blob->source, r->root);
}
