/* combination.c - kernels of lazy CUDA units, by name and tags.
 *
 * The library's runtime has one object for each, which it compiles and launches
 * (runtime/ck_jit_combination.h). This file finds the kernel by its name and sorts the tags, so
 * that their order does not matter.
 */
#include "internal.h"
#include "abi/ck_jit_protocol.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct ckjit_combination {
  ckjit_library *library;
  char *symbol, *title; /* TITLE: with what is chosen, for messages */
  void *address;
};

/* ---- the kernel of a name ---- */

typedef char *demangler(const char *, char *, size_t *, int *);

struct kernel_search {
  const char *name;
  demangler *demangle;
  char *found; /* mangled */
  char *other; /* another one, or NULL */
  bool lost;   /* no memory */
};

static bool may_begin(const char *text, const char *at) {
  return at == text || at[-1] == ' ' || (at - text > 1 && at[-1] == ':' && at[-2] == ':');
}

/* Does TEXT, as the demangler writes it, match NAME? A return type and namespaces may precede NAME,
 * and the parameters may follow. */
static bool is_meant(const char *text, const char *name) {
  size_t n = strlen(name);
  for (const char *at = n ? strstr(text, name) : NULL; at; at = strstr(at + 1, name))
    if (may_begin(text, at) && (!at[n] || at[n] == '('))
      return true;
  return false;
}

/* An exact match wins over earlier ones: an extern "C" name has nothing more to specify. */
static bool look_at(const char *symbol, void *user) {
  struct kernel_search *s = user;
  bool exact = strcmp(symbol, s->name) == 0;
  char *text = exact || !s->demangle ? NULL : s->demangle(symbol, NULL, NULL, NULL);
  bool is = exact || (text && is_meant(text, s->name));
  free(text);
  if (exact) {
    free(s->found);
    free(s->other);
    s->found = s->other = NULL;
  }
  if (!is || (s->found && (s->other || strcmp(s->found, symbol) == 0)))
    return true;
  char **place = s->found ? &s->other : &s->found;
  *place = strdup(symbol);
  s->lost = !*place;
  return !exact && !s->lost;
}

/* The mangled name of the kernel NAME, in *SYMBOL, which the caller frees. */
static int find_kernel(ckjit_library *l, const char *name, char **symbol, char **error) {
  struct kernel_search s = {.name = name};
  if (strncmp(name, "_Z", 2) != 0)
    s.demangle = (demangler *)(uintptr_t)dlsym(l->dl, "__cxa_demangle");
  l->api.combination_kernels(look_at, &s);
  int status = CKJIT_OK;
  if (s.lost)
    status = fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->path);
  else if (!s.found)
    status = fail(
        error, CKJIT_E_NOT_FOUND,
        "%s: there is no kernel '%s' in its lazy units; `ckjit list --kernels` has their names",
        l->path, name);
  else if (s.other)
    status = fail(error, CKJIT_E_NOT_FOUND, "%s: '%s' may be %s or %s; give more of its name",
                  l->path, name, s.found, s.other);
  free(s.other);
  *symbol = status ? NULL : s.found;
  if (status)
    free(s.found);
  return status;
}

/* ---- tags ---- */

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* TAG without spaces, as ckjit-unit writes it, and without a leading "::"; NULL: no memory. */
static char *plain_tag(const char *tag) {
  tag += strncmp(tag, "::", 2) == 0 ? 2 : 0;
  char *plain = malloc(strlen(tag) + 1), *out = plain;
  for (; out && *tag; tag++)
    if (*tag != ' ')
      *out++ = *tag;
  if (out)
    *out = 0;
  return plain;
}

/* "+TAG+TAG…" of N TAGS, sorted, each once. */
static char *join_tags(char **tags, size_t n) {
  size_t size = 1;
  for (size_t i = 0; i < n; i++)
    size += strlen(tags[i]) + 1;
  char *text = calloc(size, 1), *out = text;
  qsort(tags, n, sizeof *tags, by_text);
  for (size_t i = 0; text && i < n; i++)
    if (!i || strcmp(tags[i], tags[i - 1]) != 0) {
      *out++ = '+';
      out = stpcpy(out, tags[i]);
    }
  return text;
}

static int read_tags(const char *const *tags, size_t n, char **text, char **error) {
  char **plain = calloc(n + 1, sizeof *plain);
  bool good = plain;
  int status = CKJIT_OK;
  for (size_t i = 0; i < n && good && !status; i++) {
    if (!tags[i] || !*tags[i] || strpbrk(tags[i], "+\n\t") || strchr("-=", *tags[i]))
      status = fail(error, CKJIT_E_INVALID,
                    "ckjit_combine: tag %zu is '%s'; expected the name of a class", i,
                    tags[i] ? tags[i] : "");
    else
      good = (plain[i] = plain_tag(tags[i]));
  }
  *text = good && !status ? join_tags(plain, n) : NULL;
  for (size_t i = 0; plain && i < n; i++)
    free(plain[i]);
  free(plain);
  return status || *text ? status : fail(error, CKJIT_E_MEMORY, "ckjit_combine: out of memory");
}

/* ---- texts and link options ---- */

/* Options that ckjit passes itself: another value would be code of another kind in the cache. */
static bool is_own_option(const char *option) {
  static const char *const own[] = {"-arch", "-lto", "-ptx", "-kernels-used"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (strncmp(option, own[i], strlen(own[i])) == 0)
      return true;
  return false;
}

static int check_link_options(const struct ckjit_combine_options *o, char **error) {
  for (size_t i = 0; i < o->nlink_options; i++) {
    const char *option = o->link_options[i];
    if (!option || *option != CKJIT_CHOICE_OPTION || strpbrk(option, CKJIT_CHOICE "\n\t"))
      return fail(error, CKJIT_E_INVALID,
                  "ckjit_combine: link option %zu is '%s'; expected one such as -Xptxas=-O1", i,
                  option ? option : "");
    if (is_own_option(option))
      return fail(error, CKJIT_E_INVALID,
                  "ckjit_combine: link option %zu is '%s', which ckjit passes itself", i, option);
  }
  return CKJIT_OK;
}

static const char *text_name(const struct ckjit_combine_options *o, size_t i) {
  return o->names && o->names[i] ? o->names[i] : "text.cu";
}

static int check_texts(const struct ckjit_combine_options *o, char **error) {
  size_t size = 0;
  for (size_t i = 0; i < o->ntexts; i++) {
    const char *text = o->texts[i], *name = text_name(o, i);
    if (!text || strstr(text, CKJIT_CHOICE_TEXT_END))
      return fail(error, CKJIT_E_INVALID,
                  "ckjit_combine: text %zu: expected CUDA C++ without the byte 036", i);
    if (!*name || strpbrk(name, "\"\\\n" CKJIT_CHOICE_TEXT_END))
      return fail(error, CKJIT_E_INVALID,
                  "ckjit_combine: the name of text %zu is '%s'; expected one such as filter.cu", i,
                  name);
    size += strlen(text) + strlen(name);
  }
  return size <= CKJIT_TEXTS_MOST
             ? CKJIT_OK
             : fail(error, CKJIT_E_INVALID,
                    "ckjit_combine: the texts have %zu bytes; expected at most %d", size,
                    CKJIT_TEXTS_MOST);
}

/* A checked copy of the caller's options (NULL: all zeros). The caller keeps its texts. */
static int read_options(struct ckjit_combine_options *o, const struct ckjit_combine_options *given,
                        char **error) {
  *o = given ? *given : (struct ckjit_combine_options){.size = sizeof *o};
  if (o->size != sizeof *o || (o->ntexts && !o->texts) || (o->nlink_options && !o->link_options))
    return fail(error, CKJIT_E_INVALID,
                "ckjit_combine: expected options whose size is set to %zu, and their arrays",
                sizeof *o);
  int status = check_link_options(o, error);
  return status ? status : check_texts(o, error);
}

/* TAGS, then link options and texts: the end of a combination's name
 * (abi/ck_jit_protocol.h). TITLE: without the content of texts. NULL: no memory. */
static char *join_choices(const char *tags, const struct ckjit_combine_options *o, bool title) {
  size_t size = strlen(tags) + 1;
  for (size_t i = 0; i < o->nlink_options; i++)
    size += 1 + strlen(o->link_options[i]);
  for (size_t i = 0; i < o->ntexts; i++)
    size += 4 + strlen(text_name(o, i)) + strlen(o->texts[i]);
  char *all = malloc(size), *out = all ? stpcpy(all, tags) : NULL;
  for (size_t i = 0; all && i < o->nlink_options; i++)
    out = stpcpy(stpcpy(out, CKJIT_CHOICE), o->link_options[i]);
  for (size_t i = 0; all && i < o->ntexts; i++) {
    out = stpcpy(out, CKJIT_CHOICE);
    if (!title)
      *out++ = CKJIT_CHOICE_TEXT;
    out = stpcpy(out, text_name(o, i));
    if (!title)
      out = stpcpy(stpcpy(stpcpy(out, "\n"), o->texts[i]), CKJIT_CHOICE_TEXT_END);
  }
  return all;
}

/* ---- combinations ---- */

/* KERNEL with the choices: "KERNEL+TAG…". NULL: no memory. */
static char *named(const char *kernel, const char *choices) {
  char *name = choices ? malloc(strlen(kernel) + strlen(choices) + 1) : NULL;
  if (name)
    strcat(strcpy(name, kernel), choices);
  return name;
}

/* The combination of the kernel SYMBOL, which becomes its own. NULL: no memory. */
static ckjit_combination *combination_new(ckjit_library *l, char *symbol, const char *tags,
                                          const struct ckjit_combine_options *o) {
  ckjit_combination *c = calloc(1, sizeof *c);
  char *choices = join_choices(tags, o, false), *title = join_choices(tags, o, true);
  if (c && choices && (c->title = named(symbol, title))) {
    c->library = l;
    c->symbol = symbol;
    c->address = l->api.combination(symbol, choices);
  } else {
    free(c);
    c = NULL;
  }
  free(choices);
  free(title);
  return c;
}

int ckjit_combine(ckjit_library *l, const char *kernel, const char *const *tags, size_t ntags,
                  const struct ckjit_combine_options *options, ckjit_combination **combination,
                  char **error) {
  if (!l || !kernel || !combination || (ntags && !tags))
    return fail(
        error, CKJIT_E_INVALID,
        "ckjit_combine: expected a library, a kernel, tags and where to put the combination");
  if (!l->api.combination)
    return fail(error, CKJIT_E_NOT_FOUND,
                "%s: it has no lazy units of CUDA to choose kernels from [ckjit help units]",
                l->path);
  struct ckjit_combine_options o;
  char *symbol = NULL, *text = NULL;
  int status = read_options(&o, options, error);
  if (!status)
    status = read_tags(tags, ntags, &text, error);
  if (!status)
    status = find_kernel(l, kernel, &symbol, error);
  ckjit_combination *c = status ? NULL : combination_new(l, symbol, text, &o);
  free(text);
  if (c) {
    library_retain(l);
    *combination = c;
    return CKJIT_OK;
  }
  free(symbol);
  return status ? status : fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->path);
}

int ckjit_combination_compile(ckjit_combination *c, char **error) {
  if (!c)
    return fail(error, CKJIT_E_INVALID, "ckjit_combination_compile: expected a combination");
  char *why = NULL;
  if (c->library->api.combination_get(c->address, &why))
    return CKJIT_OK;
  int status = ckjit_miss_is_error(secure_getenv("CK_JIT_ON_MISS")) ? CKJIT_E_MISS : CKJIT_E_FAILED;
  fail(error, status, "%s: %s", c->title, why ? why : "out of memory");
  c->library->api.free_text(why);
  return status;
}

int ckjit_combination_launch(ckjit_combination *c, const struct ckjit_launch *how, void **args,
                             char **error) {
  if (!c || !how || how->size != sizeof *how)
    return fail(
        error, CKJIT_E_INVALID,
        "ckjit_combination_launch: expected a combination and a launch whose size is set to %zu",
        sizeof *how);
  int status = ckjit_combination_compile(c, error);
  if (status)
    return status;
  struct ckjit_api_launch launch = {
      .shared = how->shared, .stream = how->stream, .cooperative = how->cooperative};
  memcpy(launch.grid, how->grid, sizeof launch.grid);
  memcpy(launch.block, how->block, sizeof launch.block);
  int code = c->library->api.combination_launch(c->address, &launch, args);
  return code ? fail(error, CKJIT_E_FAILED,
                     "%s: its launch failed: error %d of CUDA's runtime (cudaError_t)", c->title,
                     code)
              : CKJIT_OK;
}

const void *ckjit_combination_address(const ckjit_combination *c) {
  return c->address;
}

const char *ckjit_combination_symbol(const ckjit_combination *c) {
  return c->symbol;
}

void ckjit_combination_release(ckjit_combination *c) {
  if (!c)
    return;
  ckjit_close(c->library);
  free(c->symbol);
  free(c->title);
  free(c);
}
