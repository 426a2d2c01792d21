/* onecopy.c - finds variables of headers that several units of a library share.
 *
 * A variable of a header has one copy in a library, be it static in an inline function, inline, or
 * a member of a class template: the linker keeps one of the objects' copies. Blobs that are loaded
 * separately have a copy each, and count separately. needs.c finds the variables that the link's
 * objects have and a blob's text names. This module finds those that only functions of headers
 * name, and those that only blobs and dispatchers share:
 *
 *     1. the build's own headers are read for such variables, and for the names that lead to them (core/cxx/cxxshared.h)
 *     2. units whose text has one of these names are suspects; of those that are compiled alike, one is preprocessed, and
 *        variables that it does not have are left out
 *     3. the remaining ones are compiled for the host: one may only mention a function that another, compiled alike, uses
 *     4. a blob goes ahead of time if another unit, or an object of the link, has a variable that it has
 *
 * A kernel's own state, `template <class T> struct kernel { static bool ready; }`, costs no
 * laziness if no two units use the same T. In CK's headers no name in a blob leads to any such
 * variable, so reading each header once is the whole cost.
 *
 * Headers of the system and of packages (PyTorch's, with state in every other one) are not read:
 * their libraries have the copy that counts. Variables that a macro makes are not seen.
 *
 * Such blobs could be lazy with one copy if the library exported it to the blob; but the library
 * hides it on purpose.
 */
#include "onecopy.h"

#include "flags.h"
#include "link.h"
#include "ownheaders.h"

#include "core/base/path.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* A unit that may share a variable. */
struct suspect {
  const struct record *record;
  struct blob *blob; /* NULL: a dispatcher */
  /* the same for those that are compiled alike, with the same headers */
  char *alike;
  /* when the preprocessor has had a look */
  bool left;
  size_t *variables, nvariables; /* that its object has */
};

/* A variable, and the first two that have it: paths of sources, base names of objects. */
struct variable {
  const char *first, *second;
};

struct onecopy {
  struct link *l;
  struct suspect *suspects;
  size_t nsuspects;
  struct intern names; /* of variables, as symbols */
  struct variable *variables;
  size_t nvariables;
  struct argv files; /* owns the names of objects */
};

bool onecopy_is_shared(const struct elf *e, const struct elf_symbol *sym) {
  struct elf_section section;
  return sym->type == STT_OBJECT && (sym->bind == STB_WEAK || sym->bind == STB_GNU_UNIQUE) &&
         !str_starts(sym->name, "_ZGV") && !strchr(sym->name, '.') &&
         elf_section(e, sym->section, &section) && (section.flags & SHF_WRITE) &&
         !str_starts(section.name, ".data.rel.ro");
}

/* ---- suspects ---- */

static const struct argv no_parts;

/* Has a unit's text, its source and PARTS, a name that leads to a variable? */
static bool has_names(const struct onecopy *o, const struct record *r, const struct argv *parts) {
  struct argv names = {0};
  for (size_t i = 0; i <= parts->n && !names.n; i++) {
    size_t len;
    char *text = file_read_text(i ? parts->args[i - 1] : r->source, &len);
    if (text)
      cxx_shared_find(&o->l->headers, &names, text);
    free(text);
  }
  bool any = names.n > 0;
  argv_free(&names);
  return any;
}

/* R is one if its text has a name that leads to a variable. B: its blob, or NULL. */
static void suspect(struct onecopy *o, const struct record *r, struct blob *b) {
  if (!has_names(o, r, b ? &b->parts : &no_parts))
    return;
  struct argv flags = {0};
  flags_code(&flags, r);
  char *joined = argv_join(flags.args);
  const char *preamble = !b ? r->source : b->preamble.len ? b->preamble.data : "";
  char *alike = xasprintf("%s\n%s\n%s", r->cwd, joined, preamble);
  vec_push(o->suspects, o->nsuspects, (struct suspect){.record = r, .blob = b, .alike = alike});
  free(joined);
  argv_free(&flags);
}

static void find_suspects(struct onecopy *o) {
  struct link *l = o->l;
  if (!cxx_shared_close(&o->l->headers, NULL))
    return;
  for (size_t i = 0; i < l->nblobs; i++)
    suspect(o, l->blobs[i].record, &l->blobs[i]);
  for (size_t i = 0; i < l->ndispatchers; i++)
    if (!link_has_blob(l, l->dispatchers[i].record))
      suspect(o, l->dispatchers[i].record, NULL);
}

/* ---- what is left of the headers ---- */

/* Add what the build's own headers declare to OUT, of FILE, the preprocessed text of R. */
static void read_preprocessed(struct cxx_shared *out, const struct record *r, const char *file) {
  size_t len;
  char *text = file_read_text(file, &len);
  struct buf own = {0};
  bool skip = false;
  for (const char *p = text ? text : "", *end; *p; p = end) {
    end = p + strcspn(p, "\n");
    end += *end == '\n';
    const char *name = *p == '#' ? memchr(p, '"', (size_t)(end - p)) : NULL;
    size_t n = name ? strcspn(name + 1, "\"\n") : 0;
    char *path = n ? xstrndup(name + 1, n) : NULL;
    if (path) {
      char *whole = path_abs_in(r->cwd, path);
      skip = *path == '<' || ownheaders_is_foreign(r, whole) || strcmp(whole, r->source) == 0;
      free(whole);
    } else if (!skip) {
      buf_add(&own, p, (size_t)(end - p));
    }
    free(path);
  }
  if (own.len)
    cxx_shared_add(out, own.data, own.len);
  buf_free(&own);
  free(text);
}

/* Keeps only the suspects with variables that the preprocessor leaves in place. cutlass's headers
 * have two that a macro enables, and one that only some processors have: names such as half_t lead
 * to them. */
static void sift_suspects(struct onecopy *o) {
  struct step *steps = xcalloc(o->nsuspects, sizeof *steps);
  struct intern kinds = {0};
  for (size_t i = 0; i < o->nsuspects; i++) {
    const struct record *r = o->suspects[i].record;
    size_t k = kinds.texts.n;
    if (!intern_new(&kinds, o->suspects[i].alike))
      continue;
    char *object = xasprintf("%s/objs/one-copy-%zu.i", o->l->dir, k);
    flags_text(&steps[k].args, r, NULL);
    step_source(&steps[k], r, r->source, object);
    free(object);
  }
  steps_run(&o->l->runner, steps, kinds.texts.n);
  link_count_steps(o->l, steps, kinds.texts.n);
  for (size_t k = 0; k < kinds.texts.n; k++) {
    struct cxx_shared left = {0};
    for (size_t i = 0, first = 1; i < o->nsuspects; i++) {
      struct suspect *s = &o->suspects[i];
      if (strcmp(s->alike, kinds.texts.args[k]) != 0)
        continue;
      if (first && !steps[k].status)
        read_preprocessed(&left, s->record, steps[k].object);
      if (first)
        cxx_shared_close(&o->l->headers, steps[k].status ? NULL : &left.variables);
      first = 0;
      s->left = has_names(o, s->record, s->blob ? &s->blob->parts : &no_parts);
    }
    cxx_shared_free(&left);
    step_free(&steps[k]);
  }
  intern_free(&kinds);
  free(steps);
}

/* ---- what they have ---- */

/* Is SYMBOL one of the variables of the headers: `5level` in a mangled name, or level itself? */
static bool is_of_headers(const struct onecopy *o, const char *symbol) {
  for (size_t i = 0; i < o->l->headers.variables.n; i++) {
    const char *name = o->l->headers.variables.args[i];
    char *mangled = xasprintf("%zu%s", strlen(name), name);
    bool found = strstr(symbol, mangled) || strcmp(symbol, name) == 0;
    free(mangled);
    if (found)
      return true;
  }
  return false;
}

/* Note the variables of OBJECT, which is called NAME in messages, and append them to those of S
 * (NULL: an object of the link). */
static void note_variables(struct onecopy *o, const char *object, const char *name, struct suspect *s) {
  struct elf_symbols of;
  struct elf_symbol sym;
  if (!elf_file_is(object, ET_REL))
    return;
  elf_symbols_open(&of, object, SHT_SYMTAB);
  while (elf_symbols_next(&of, &sym)) {
    if (sym.section == SHN_UNDEF || !onecopy_is_shared(&of.elf, &sym) || !is_of_headers(o, sym.name))
      continue;
    size_t k = intern(&o->names, sym.name);
    if (k == o->nvariables)
      vec_push(o->variables, o->nvariables, (struct variable){0});
    struct variable *v = &o->variables[k];
    if (!v->first)
      v->first = name;
    else if (!v->second && v->first != name)
      v->second = name;
    if (s)
      vec_push(s->variables, s->nvariables, k);
  }
  elf_symbols_close(&of);
}

static bool note_object(const char *file, const struct cc_input *in, void *user) {
  struct onecopy *o = user;
  (void)in;
  argv_add(&o->files, path_base(file));
  note_variables(o, file, o->files.args[o->files.n - 1], NULL);
  return true;
}

/* Compile the suspects that are left for the host. */
static void try_suspects(struct onecopy *o) {
  struct step *steps = xcalloc(o->nsuspects, sizeof *steps);
  struct suspect **tried = xcalloc(o->nsuspects, sizeof *tried);
  size_t n = 0;
  for (size_t i = 0; i < o->nsuspects; i++) {
    struct suspect *s = &o->suspects[i];
    if (!s->left)
      continue;
    steps[n] = link_host_step(o->l, s->record);
    tried[n++] = s;
  }
  steps_run(&o->l->runner, steps, n);
  link_count_steps(o->l, steps, n);
  for (size_t i = 0; i < n; i++) {
    if (!steps[i].status)
      note_variables(o, steps[i].object, record_place(tried[i]->record), tried[i]);
    step_free(&steps[i]);
  }
  free(tried);
  free(steps);
}

/* The blob of S goes ahead of time if another unit has one of its variables. */
static void settle(const struct onecopy *o, const struct suspect *s) {
  for (size_t i = 0; i < s->nvariables; i++) {
    const struct variable *v = &o->variables[s->variables[i]];
    if (v->second)
      blob_settle(s->blob, BLOB_AHEAD,
                  xasprintf("it shares the variable %s with %s, and would have a separate copy when it is "
                            "loaded apart",
                            o->names.texts.args[s->variables[i]],
                            v->first == record_place(s->record) ? v->second : v->first));
  }
}

void link_settle_one_copy(struct link *l) {
  struct onecopy o = {.l = l};
  if (l->nblobs)
    find_suspects(&o);
  if (o.nsuspects) {
    sift_suspects(&o);
    try_suspects(&o);
  }
  if (o.nvariables)
    ccargs_link_files(&l->line.scan, note_object, &o);
  for (size_t i = 0; i < o.nsuspects; i++)
    if (o.suspects[i].blob)
      settle(&o, &o.suspects[i]);
  for (size_t i = 0; i < o.nsuspects; i++) {
    free(o.suspects[i].alike);
    free(o.suspects[i].variables);
  }
  free(o.suspects);
  free(o.variables);
  intern_free(&o.names);
  argv_free(&o.files);
}
