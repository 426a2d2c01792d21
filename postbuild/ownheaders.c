/* ownheaders.c - the headers that are the build's own, read once a link for what needs.c asks: which names lead to
 * shared variables, and which templates are instantiated elsewhere (core/cxx/cxxshared.h). Headers of the system and of
 * Python packages, PyTorch's, are left out: what they declare is in libraries of their own.
 */
#include "flags.h"
#include "link.h"

#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/deps.h"
#include "core/cxx/fragment.h"
#include "core/cxx/headermacros.h"
#include "core/cxx/headernames.h"
#include "core/cxx/markedlines.h"
#include "core/cxx/visibility.h"

/* What headers add to the late blobs that include them. */
struct added {
  /* why these cannot be late; NULL: nothing keeps them from it */
  char *why;
  /* one that has memory of the device, if kernels are linked with other units; NULL: none has */
  char *memory;
  struct header_names names;
  struct macros macros;
};

struct reading {
  struct link *l;
  /* headers that were read, or need not be, and what each of them adds */
  struct intern read;
  struct added *of_file;
  size_t nfiles;
  /* what units include, that was looked through, and what that adds */
  struct intern heads;
  struct added *of_head;
  size_t nheads;
};

static void added_free(struct added *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    free(list[i].why);
    free(list[i].memory);
    header_names_free(&list[i].names);
    macros_free(&list[i].macros);
  }
  free(list);
}

/* What FILE adds, which is read if it is new and the build's own. */
static const struct added *read_header(struct reading *o, const struct record *r, const char *file,
                                       const struct argv *parts) {
  size_t len, at = intern(&o->read, file);
  if (at < o->nfiles)
    return &o->of_file[at];
  struct added *a = vec_add(o->of_file, o->nfiles);
  bool own = !ownheaders_is_foreign(r, file) && !argv_has(parts, file);
  autofree char *header = own ? file_read_text(file, &len) : NULL;
  struct reason why = {0};
  if (header) {
    cxx_shared_add(&o->l->headers, header, len);
    o->l->hides |= visibility_may_hide(header);
    macros_add(&a->macros, header, len);
  }
  if (header && header_names_read(&a->names, header, len, false, &why)) {
    autofree_buf said = {0};
    reason_sentence(&said, &why);
    a->why = xasprintf("%s:%u: %s", path_base(file), why.line, said.data);
  }
  return a;
}

bool ownheaders_is_foreign(const struct record *r, const char *file) {
  if (deps_is_installed(file))
    return true;
  for (size_t i = 0; i < r->cc.ndirs; i++) {
    autofree char *dir = r->cc.dirs[i].kind == CC_DIR_SYSTEM ? path_abs_in(r->cwd, r->cc.dirs[i].dir) : NULL;
    bool within = dir && path_within(file, dir);
    if (within)
      return true;
  }
  return false;
}

static void add_all(struct argv *to, const struct argv *from) {
  if (from->n)
    argv_add_all(to, from->args);
}

/* Add the macros of R's command line. */
static void add_given(struct macros *m, const struct record *r) {
  for (size_t i = 0; i < r->cc.nwords; i++) {
    const struct cc_word *w = &r->cc.words[i];
    const char *word = r->cc.args[w->arg];
    const char *macro = str_starts(word, "-D") ? word[2] ? word + 2 : w->pair ? w->value : NULL : NULL;
    size_t n = macro ? strcspn(macro, "=") : 0;
    if (!macro)
      continue;
    autofree char *line = xasprintf("#define %.*s %s\n", (int)n, macro, macro[n] ? macro + n + 1 : "1");
    macros_add(m, line, strlen(line));
  }
}

/* All that ALL has was added, for units that are compiled as R is. */
static void settle_added(struct added *all, const struct record *r) {
  argv_unique(&all->names.functions);
  argv_unique(&all->names.copied);
  argv_unique(&all->names.externs);
  argv_unique(&all->names.named);
  argv_unique(&all->names.unclear);
  add_given(&all->macros, r);
  macros_settle(&all->macros);
  all->names.doubt |= all->macros.runs || headermacros_in_doubt(&all->names.unclear, &all->macros);
}

/* Read all headers of a unit that includes PREAMBLE (NULL: nobody knows), but for the files PARTS of
 * its own. Returns what they add to it; borrowed until the next call. */
static const struct added *read_headers(struct reading *o, const struct record *r, const char *preamble,
                                        const struct argv *parts) {
  autofree_argv headers = {0};
  autofree char *key = flags_alike(r, preamble ? preamble : r->source);
  size_t len, head = intern(&o->heads, key);
  bool new = head == o->nheads;
  autofree char *text = new ? file_read_text(r->source, &len) : NULL,
                *cache = path_join(o->l->work, DEPS_CACHE);
  if (new)
    vec_add(o->of_head, o->nheads);
  if (text)
    deps_list(&headers, &r->cc, r->cwd, text, len, cache);
  struct added *all = &o->of_head[head];
  for (size_t i = 1; i < headers.n; i++) {
    autofree char *file = path_abs_in(r->cwd, headers.args[i]);
    const struct added *a = read_header(o, r, file, parts);
    if (a->why && (!all->why || (a->names.runs && !all->names.runs))) {
      free(all->why);
      all->why = xstrdup(a->why);
    }
    all->names.runs |= a->names.runs;
    all->names.doubt |= a->names.doubt;
    add_all(&all->names.functions, &a->names.functions);
    add_all(&all->names.copied, &a->names.copied);
    add_all(&all->names.externs, &a->names.externs);
    add_all(&all->names.named, &a->names.named);
    add_all(&all->names.marked, &a->names.marked);
    add_all(&all->names.unclear, &a->names.unclear);
    add_all(&all->macros.all, &a->macros.all);
    add_all(&all->macros.odd, &a->macros.odd);
    add_all(&all->macros.shown, &a->macros.shown);
    add_all(&all->macros.aliases, &a->macros.aliases);
    add_all(&all->macros.device, &a->macros.device);
    all->macros.runs |= a->macros.runs;
    add_all(&all->macros.bodies, &a->macros.bodies);
  }
  if (new)
    settle_added(all, r);
  for (size_t i = 1; i < headers.n && new &&flags_is_rdc(r) && !all->memory; i++) {
    autofree char *file = path_abs_in(r->cwd, headers.args[i]);
    autofree char *own = ownheaders_is_foreign(r, file) ? NULL : file_read_text(file, &len);
    if (own && fragment_has_memory(own, len, &all->macros.device))
      all->memory = xstrdup(path_base(file));
  }
  return all;
}

bool link_has_blob(const struct link *l, const struct record *r) {
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].record == r)
      return true;
  return false;
}

/* May a header that says H take the address of DEF? Constructors and classes have none. What is made of a template others may
 * have, too; of a plain function, whether they need it decides (demand.c). */
static void settle_address(struct blob *b, const struct definition *def, const struct header_names *h) {
  const char *name = definition_last(def);
  size_t n = def->names.n;
  bool structor = n > 1 && strcmp(def->names.args[n - 2], name) == 0;
  if (structor || def->kind == DEFINES_CLASS || !argv_has(&h->named, name))
    return;
  if (def->templated)
    blob_settle(b, BLOB_AHEAD, xasprintf("a header of it may take the address of %s", name));
  else
    argv_addf(&b->addressed, "%s a header of it may take the address of %s", name, name);
}

/* Does what headers say of B's names keep it from being late? Within it, a function's address, of its own or of an inline
 * one, is another than for the library. */
static void settle_names(struct blob *b, const struct header_names *h) {
  autofree_argv compared = {0};
  const char *variable = definitions_extern(&b->defines, &h->externs), *name;
  if (variable)
    blob_settle(b, BLOB_AHEAD,
                xasprintf("it has the variable %s, which a declaration makes external", variable));
  for (size_t i = 0; i < b->defines.n; i++)
    settle_address(b, &b->defines.list[i], h);
  size_t len;
  autofree char *text = blob_is_forwarded(b) ? file_read_text(b->record->source, &len) : NULL;
  if (text)
    header_names_values(&compared, text, len, true);
  if ((name = words_among(&h->copied, &compared)))
    blob_settle(b, BLOB_AHEAD, xasprintf("it compares the address of %s, which each unit has", name));
}

/* Find the names that the headers hide: those whose marks do, or are macros of theirs that do. */
static void find_hidden(const struct reading *o) {
  autofree_intern macros = {0};
  for (size_t i = 0; i < o->nfiles && o->l->hides; i++) {
    const struct argv *bodies = &o->of_file[i].macros.bodies;
    for (size_t k = 0; k < bodies->n; k++) {
      const char *body = strchr(bodies->args[k], ' ');
      if (visibility_may_hide(body))
        intern_bytes(&macros, bodies->args[k], (size_t)(body - bodies->args[k]));
    }
  }
  for (size_t i = 0; i < o->nfiles && o->l->hides; i++) {
    const struct argv *marked = &o->of_file[i].names.marked;
    for (size_t k = 0; k < marked->n; k++) {
      const char *mark = strchr(marked->args[k], ' ') + 1;
      if (visibility_may_hide(mark) || intern_find(&macros, mark) != SIZE_MAX)
        intern_bytes(&o->l->hidden, marked->args[k], (size_t)(mark - 1 - marked->args[k]));
    }
  }
}

/* Does NAME stand for a function of B, or for something around it? */
static bool concerns(const struct blob *b, const char *name) {
  bool any = *name == '*' || (!b->late && b->forward.data && strstr(b->forward.data, name));
  for (size_t i = 0; i < b->defines.n && !any; i++)
    any = argv_has(&b->defines.list[i].names, name);
  return any;
}

/* gcc shows an explicit specialisation of a function template whose body it has not seen. TEXT, LEN bytes, is B's. */
static void show_specialisations(const struct link *l, struct blob *b, const char *text, size_t len) {
  struct cxx_shared own = {0};
  bool added = false;
  if (!flags_host_is_gcc(b->record))
    return;
  for (size_t i = 0; i < b->defines.n; i++) {
    const struct definition *def = &b->defines.list[i];
    if (!def->templated || def->kind != DEFINES_FUNCTION)
      continue;
    if (!added)
      cxx_shared_add(&own, text, len);
    added = true;
    const char *name = definition_last(def);
    const struct cxx_use *uses[] = {cxx_shared_use(&own, name), cxx_shared_use(&l->headers, name)};
    bool declared = false, defined = false;
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
      declared |= uses[k] && uses[k]->declared && uses[k]->outside;
      defined |= uses[k] && uses[k]->defined;
    }
    if (declared && !defined)
      argv_addf(&b->shown, "%s<", name);
  }
  cxx_shared_free(&own);
}

/* Find out what B, of L, shows although its command hides functions. A has what its headers say. */
static void settle_shown(const struct link *l, struct blob *b, const struct added *a) {
  autofree_argv marked = {0};
  size_t len;
  autofree char *text = file_read_text(b->record->source, &len);
  struct cxx_text t = {0};
  if (text && b->late)
    show_specialisations(l, b, text, len);
  if (text && cxx_lex(&t, text, len))
    visibility_marks(&marked, &t);
  cxx_text_free(&t);
  add_all(&marked, &a->names.marked);
  for (size_t i = 0; i < marked.n; i++) {
    const char *as_written = strchr(marked.args[i], ' ') + 1;
    autofree char *name = xstrndup(marked.args[i], (size_t)(as_written - marked.args[i] - 1));
    const struct macros *own = &b->defines.macros, *const both[] = {own, &a->macros};
    const char *word = macros_meant(both, 2, as_written);
    const struct argv one = {.args = (char **)&word, .n = 1};
    if (!concerns(b, name) || visibility_may_hide(as_written))
      continue;
    if (strcmp(word, SHOWN_WORD) == 0 || words_among(&a->macros.shown, &one) ||
        words_among(&own->shown, &one))
      argv_add(&b->shown, name);
    else if (!b->unclear && (word == as_written || visibility_in_capitals(word)) &&
             !words_among(&a->macros.all, &one) && !words_among(&own->all, &one))
      b->unclear = xasprintf("%s may give %s another visibility than -fvisibility=hidden", word, name);
  }
  if (b->late && b->unclear)
    blob_settle(b, BLOB_AHEAD, xstrdup(b->unclear));
}

/* ---- in doubt ---- */

/* Is FILE, as a line marker names it, the source of B or a part of it? */
static bool is_own_text(const struct blob *b, const char *file) {
  autofree char *abs = path_abs_in(b->record->cwd, file);
  bool own = strcmp(abs, b->record->source) == 0 || strcmp(abs, record_place(b->record)) == 0;
  for (size_t i = 0; i < b->parts.n && !own; i++) {
    autofree char *part = path_abs_in(b->record->cwd, b->parts.args[i]);
    own = strcmp(part, abs) == 0;
  }
  return own;
}

/* nvcc's and hipcc's headers define these, and the scanner knows them as they are written. */
static void restore_words(char *text) {
  static const char *const words[] = {"global", "device", "host", "constant", "managed"};
  for (char *p = text; (p = strstr(p, "__attribute__((")); p += strlen("__attribute__(("))
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      size_t n = strlen(words[i]);
      char *word = p + strlen("__attribute__((");
      if (strncmp(word, words[i], n) != 0 || strncmp(word + n, "))", 2) != 0)
        continue;
      size_t len = (size_t)(word + n + 2 - p);
      memset(p, ' ', len);
      memcpy(p, "__", 2);
      memcpy(p + 2, words[i], n);
      memcpy(p + 2 + n, "__", 2);
    }
}

/* Is FILE a header that the build of B has itself? */
static bool is_own_header(const struct blob *b, const char *file) {
  autofree char *abs = path_abs_in(b->record->cwd, file);
  return *file != '<' && !ownheaders_is_foreign(b->record, abs) && !is_own_text(b, file);
}

/* Append the lines of B's own headers from TEXT, which the preprocessor wrote. */
static void header_text(struct buf *out, const struct blob *b, const char *text) {
  struct marked_lines line = {.next = text};
  bool own = false;
  while (marked_next(&line)) {
    if (line.marked) {
      autofree char *file = xstrndup(line.file, line.file_len);
      own = is_own_header(b, file);
    }
    if (own)
      buf_add(out, line.p, line.n);
  }
  buf_puts(out, "\n");
}

/* What of B's headers, in TEXT from the preprocessor, keeps it with its library? NULL: nothing. free() it. */
static char *judge_header_text(const struct blob *b, const char *text) {
  autofree_buf own = {0}, said = {0};
  struct header_names names = {0};
  struct reason why = {0};
  header_text(&own, b, text);
  restore_words(own.data);
  bool kept = header_names_read(&names, own.data, own.len, true, &why);
  if (kept)
    reason_sentence(&said, &why);
  header_names_free(&names);
  return kept ? xasprintf("a header of it: %s", said.data) : NULL;
}

/* Append the lines of B's own files from TEXT, which the preprocessor wrote, at their numbers if they
 * are of its source. */
static void own_text(struct buf *out, const struct blob *b, const char *text) {
  struct marked_lines line = {.next = text};
  unsigned long at = 1;
  bool own = false;
  while (marked_next(&line)) {
    if (line.marked) {
      autofree char *file = xstrndup(line.file, line.file_len);
      own = is_own_text(b, file);
    }
    for (; own && at < line.line; at++)
      buf_putc(out, '\n');
    if (own)
      buf_add(out, line.p, line.n);
    at += own;
  }
  buf_puts(out, "\n");
}

/* Read B, which leaves a doubt itself, again: TEXT is what the preprocessor wrote. */
static void read_again(struct link *l, struct blob *b, const char *text) {
  autofree_buf own = {0};
  own_text(&own, b, text);
  restore_words(own.data);
  blob_read_again(b, own.data, own.len, &l->home->harmless);
}

/* Does B, which is late, leave a doubt, itself or in its headers? */
static bool is_doubted(const struct blob *b) {
  return b->late && blob_is_forwarded(b) && (b->doubt || b->doubt_in_headers);
}

/* Read the blobs that leave a doubt as the preprocessor leaves them. HEADS: the number of what each includes;
 * of blobs that leave a doubt in their headers alone, one is read for each. */
static void ask_preprocessor(struct link *l, const size_t *heads, size_t nheads) {
  autofree struct step *steps = xcalloc(l->nblobs + 1, sizeof *steps);
  autofree bool *asked = xcalloc(nheads + 1, sizeof *asked);
  autofree char **kept = xcalloc(nheads + 1, sizeof *kept);
  size_t n = 0;
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (!is_doubted(b) || (!b->doubt && asked[heads[i]]))
      continue;
    asked[heads[i]] |= b->doubt_in_headers;
    autofree char *name = xasprintf("text-%zu", i);
    steps[n] = link_text_step(l, b->record, name);
    steps[n++].user = b;
  }
  link_run_steps(l, steps, n);
  for (size_t i = 0; i < n; i++) {
    struct blob *b = steps[i].user;
    char **why = &kept[heads[b - l->blobs]];
    size_t len;
    autofree char *text = steps[i].status ? NULL : file_read(steps[i].object, &len);
    if (b->doubt_in_headers && !*why)
      *why = text ? judge_header_text(b, text)
                  : xstrdup("a header of it leaves a doubt, and the preprocessor fails");
    if (b->doubt && text)
      read_again(l, b, text);
    else if (b->doubt)
      blob_settle(b, BLOB_AHEAD, xstrdup("its text leaves a doubt, and the preprocessor fails"));
    step_free(&steps[i]);
  }
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].late && l->blobs[i].doubt_in_headers && kept[heads[i]])
      blob_settle(&l->blobs[i], BLOB_AHEAD, xstrdup(kept[heads[i]]));
  for (size_t i = 0; i < nheads; i++)
    free(kept[i]);
}

/* Kernels of B are linked apart from those of its library's other units. A has what its headers say. */
static void settle_memory(struct blob *b, const struct added *a) {
  size_t len;
  autofree char *text = a->memory ? NULL : file_read_text(b->record->source, &len);
  if (a->memory || !text || fragment_has_memory(text, len, &a->macros.device))
    blob_settle(b, BLOB_AHEAD,
                xasprintf("%s may have a device variable, which all kernels of a device link share",
                          a->memory ? a->memory : path_base(record_place(b->record))));
}

void link_read_headers(struct link *l) {
  static const struct argv no_parts;
  struct reading o = {.l = l};
  autofree size_t *heads = xcalloc(l->nblobs + 1, sizeof *heads);
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (b->rdc && l->no_rdc) /* ahead of time, by link_look_beside */
      continue;
    const struct added *a = read_headers(&o, b->record, b->preamble.len ? b->preamble.data : "", &b->parts);
    heads[i] = (size_t)(a - o.of_head);
    if (a->why && (b->late || a->names.runs))
      blob_settle(b, BLOB_AHEAD, xstrdup(a->why));
    if (b->late && b->rdc)
      settle_memory(b, a);
    if (!b->late || !blob_is_forwarded(b))
      continue;
    add_all(&b->in_headers, &a->names.functions);
    b->doubt_in_headers = a->names.doubt;
    b->doubt = b->doubt || definitions_in_doubt(&b->defines, &a->macros);
    settle_names(b, &a->names);
  }
  ask_preprocessor(l, heads, o.nheads);
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (blob_is_forwarded(b) && flags_hide(b->record))
      settle_shown(l, b, read_headers(&o, b->record, b->preamble.len ? b->preamble.data : "", &b->parts));
  }
  for (size_t i = 0; i < l->ndispatchers && l->nblobs; i++)
    if (!link_has_blob(l, l->dispatchers[i].record))
      read_headers(&o, l->dispatchers[i].record, NULL, &no_parts);
  find_hidden(&o);
  intern_free(&o.read);
  intern_free(&o.heads);
  added_free(o.of_file, o.nfiles);
  added_free(o.of_head, o.nheads);
}
