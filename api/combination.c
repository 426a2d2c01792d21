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
  char *symbol, *title; /* TITLE: with its tags, for messages */
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
    if (!tags[i] || !*tags[i] || strpbrk(tags[i], "+\n\t"))
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

/* ---- combinations ---- */

int ckjit_combine(ckjit_library *l, const char *kernel, const char *const *tags, size_t ntags,
                  ckjit_combination **combination, char **error) {
  if (!l || !kernel || !combination || (ntags && !tags))
    return fail(
        error, CKJIT_E_INVALID,
        "ckjit_combine: expected a library, a kernel, tags and where to put the combination");
  if (!l->api.combination)
    return fail(error, CKJIT_E_NOT_FOUND,
                "%s: it has no lazy units of CUDA to choose kernels from [ckjit help units]",
                l->path);
  char *symbol = NULL, *text = NULL;
  int status = read_tags(tags, ntags, &text, error);
  if (!status)
    status = find_kernel(l, kernel, &symbol, error);
  ckjit_combination *c = status ? NULL : calloc(1, sizeof *c);
  char *title = c ? malloc(strlen(symbol) + strlen(text) + 1) : NULL;
  if (title) {
    strcat(strcpy(title, symbol), text);
    *c = (ckjit_combination){l, symbol, title, l->api.combination(symbol, text)};
    library_retain(l);
    *combination = c;
  } else {
    free(symbol);
    free(c);
  }
  free(text);
  return title || status ? status : fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->path);
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
