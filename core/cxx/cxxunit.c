/* cxxunit.c - see cxxunit.h.
 *
 * Parts are written in the place of their #include, as the preprocessor does; their include guards
 * are removed. A quoted #include of a part is looked for beside the part first; in the text of
 * another directory's file it would not be found there, so it gets that directory's name.
 *
 * A macro is looked for in the text, then in the files that it includes, and in those that these
 * include, nearest first; the first file that defines it decides. If another file defines it again,
 * the compiler reports that in the forwarding unit (forward.c), and the blob is compiled ahead of
 * time: reading all headers of a unit of CK here would cost more than the rest of the wrapper. A
 * macro that the same file defines twice is left unchanged.
 */
#include "cxxunit.h"

#include "cxxarms.h"
#include "cxxdeclarator.h"
#include "cxxmacro.h"
#include "core/base/directives.h"

#include "core/base/path.h"
#include "core/base/vec.h"

enum {
  MAX_PARTS = 200, /* files that one unit is made of */
  MAX_DEPTH = 8,   /* parts of parts */
  /* Macros written out in one unit, those that others name included: apex's group norm has 12. */
  MAX_MACROS = 64,
  /* The headers searched for one macro: PYBIND11_MODULE stands in any extension, and makes no
   * blob. */
  MAX_HEADERS = 64,
  MAX_READ = 16 << 20, /* bytes, for either */
};

struct part_reader {
  struct cxx_unit *u;
  const char *source;
  char *stem; /* of the source */
  const struct argv *harmless;
  cxx_find *find;
  void *user;
  /* the unit defines nothing itself: a header of its name is a part */
  bool own_headers;
  bool late;   /* what is included within a namespace is a part */
  size_t read; /* bytes so far */
  /* of the source: its first #include of a part; 0: none */
  uint32_t part_line;
  /* Where the lines of the text come from: from line AT on it is FILE's, from its line LINE on.
   * Sorted. */
  struct piece {
    uint32_t at, line;
    char *file;
  } * pieces;
  size_t npieces, counted; /* bytes up to the last one */
};

/* ---- #include ---- */

/* The name that token K includes, *ANGLED: within <…>; NULL if it includes none, or a macro's.
 * free() it. */
static char *included(const struct cxx_text *t, const struct cxx_tok *k, bool *angled) {
  size_t len;
  enum include how = QUOTED;
  const char *word = cxx_directive(t, k, &len), *end = t->text + k->at + k->len;
  if (k->kind != TOK_DIRECTIVE || !cxx_word_is(word, len, "include"))
    return NULL;
  const char *p = word + len;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  struct span name = span_header(p, end, &how);
  *angled = how == ANGLED;
  return name.n ? xstrndup(name.p, name.n) : NULL;
}

static bool is_source(const char *name) {
  static const char *const suffixes[] = {".cu", ".cpp", ".hip", ".cc", ".cxx", ".C"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (str_ends(name, suffixes[i]))
      return true;
  return false;
}

/* Is the file NAME a part of the unit? */
static bool is_part(const struct part_reader *r, const char *name) {
  if (is_source(name) || !r->own_headers)
    return is_source(name);
  autofree char *stem = path_stem(name);
  return strcmp(stem, r->stem) == 0;
}

/* Does token I of the source include a file within a namespace? UINT32_MAX: does any token? */
static bool is_within(const struct part_reader *r, uint32_t i) {
  const struct cxx_scan *s = &r->u->scan;
  bool within = false;
  for (size_t k = 0; k < s->nitems && r->late && !within; k++)
    within = s->items[k].kind == ITEM_INCLUDE && s->items[k].scope &&
             (i == UINT32_MAX || s->items[k].begin == i);
  return within;
}

/* ---- parts ---- */

static char *take_file(struct part_reader *r, const char *path, size_t *len) {
  char *text = r->read < MAX_READ ? file_read_text(path, len) : NULL;
  r->read += text ? *len : 0;
  return text;
}

static bool same_directory(const char *a, const char *b) {
  size_t n = (size_t)(path_base(a) - a);
  return n == (size_t)(path_base(b) - b) && memcmp(a, b, n) == 0;
}

/* Find the three directives of an include guard around the whole file, #ifndef X, #define X,
 * #endif. */
static bool find_guard(const struct cxx_text *t, uint32_t directives[3]) {
  uint32_t depth = 0;
  size_t n, m;
  if (t->n < 3 || t->toks[0].kind != TOK_DIRECTIVE || t->toks[1].kind != TOK_DIRECTIVE ||
      t->toks[t->n - 1].kind != TOK_DIRECTIVE)
    return false;
  const char *a = cxx_directive(t, &t->toks[0], &n), *b = cxx_directive(t, &t->toks[1], &m);
  if (!cxx_word_is(a, n, "ifndef") || !cxx_word_is(b, m, "define"))
    return false;
  struct cxx_text x, y; /* ifndef X, define X */
  bool same = cxx_lex(&x, a, (size_t)(t->text + t->toks[0].at + t->toks[0].len - a)) &&
              cxx_lex(&y, b, (size_t)(t->text + t->toks[1].at + t->toks[1].len - b));
  same = same && x.n == 2 && y.n == 2 && cxx_is_n(&x, 1, y.text + y.toks[1].at, y.toks[1].len);
  cxx_text_free(&x);
  cxx_text_free(&y);
  for (uint32_t i = 0; i < t->n && same; i++) {
    if (t->toks[i].kind != TOK_DIRECTIVE)
      continue;
    a = cxx_directive(t, &t->toks[i], &n);
    depth += n >= 2 && memcmp(a, "if", 2) == 0;
    if (cxx_word_is(a, n, "endif") && --depth == 0 && i + 1 < t->n)
      return false; /* It ends before the end of the file. */
    if (depth == 1 && (cxx_word_is(a, n, "else") || cxx_word_is(a, n, "elif")))
      return false;
  }
  directives[0] = 0;
  directives[1] = 1;
  directives[2] = t->n - 1;
  return same && !depth;
}

/* The text that follows in OUT comes from line LINE of the file PATH. */
static void add_piece(struct part_reader *r, const struct buf *out, const char *path,
                      uint32_t line) {
  uint32_t at = r->npieces ? r->pieces[r->npieces - 1].at : 1;
  for (size_t i = r->counted; i < out->len; i++)
    at += out->data[i] == '\n';
  r->counted = out->len;
  vec_push(r->pieces, r->npieces, (struct piece){at, line, xstrdup(path)});
}

static bool write_out(struct part_reader *r, const char *path, const char *text, size_t len,
                      unsigned depth, struct buf *out);

/* Append the part that NAME means in the file FROM. */
static bool write_part(struct part_reader *r, const char *from, const char *name, bool angled,
                       unsigned depth, struct buf *out) {
  size_t len;
  autofree char *path = r->find(r->user, from, name, angled),
                *text = path ? take_file(r, path, &len) : NULL;
  bool done = text && depth < MAX_DEPTH && r->u->parts.n < MAX_PARTS;
  if (done && !argv_has(&r->u->parts, path))
    argv_add(&r->u->parts, path);
  done = done && write_out(r, path, text, len, depth + 1, out);
  buf_putc(out, '\n');
  return done;
}

/* Appends the directive K, which includes NAME in the file PATH of another directory than the
 * unit's, so that it includes the same file in the unit. */
static bool write_include(const struct part_reader *r, const char *path, const char *name,
                          const struct cxx_text *t, const struct cxx_tok *k, struct buf *out) {
  autofree char *dir = path_dir(path), *of_unit = path_dir(r->source);
  autofree char *beside = path_join(dir, name), *of_other = path_join(of_unit, name);
  bool here = file_exists(beside), other = !here && file_exists(of_other);
  if (here)
    buf_printf(out, "#include \"%s\"", beside);
  else
    buf_add(out, t->text + k->at, k->len);
  return !other;
}

/* The line on which the directive K of TEXT ends. */
static uint32_t line_behind(const char *text, const struct cxx_tok *k) {
  uint32_t line = k->line;
  for (uint32_t i = 0; i < k->len; i++)
    line += text[k->at + i] == '\n';
  return line;
}

/* Append the text of the file PATH, the unit's source or a part, with its parts. */
static bool write_out(struct part_reader *r, const char *path, const char *text, size_t len,
                      unsigned depth, struct buf *out) {
  struct cxx_text t;
  bool done = cxx_lex(&t, text, len);
  uint32_t guard[3] = {0};
  bool guarded = done && depth && find_guard(&t, guard), moved = !same_directory(path, r->source);
  size_t from = 0;
  add_piece(r, out, path, 1);
  for (uint32_t i = 0; i < t.n && done; i++) {
    const struct cxx_tok *k = &t.toks[i];
    bool angled = false, drop = guarded && (i == guard[0] || i == guard[1] || i == guard[2]);
    autofree char *name = drop ? NULL : included(&t, k, &angled);
    bool part = name && (is_part(r, name) || (!depth && is_within(r, i)));
    if (drop || part || (name && moved && !angled && *name != '/')) {
      buf_add(out, text + from, k->at - from);
      from = k->at + k->len;
      if (name)
        done = part ? write_part(r, path, name, angled, depth, out)
                    : write_include(r, path, name, &t, k, out);
      if (name)
        add_piece(r, out, path, line_behind(text, k));
    }
  }
  buf_add(out, text + from, len - from);
  cxx_text_free(&t);
  return done;
}

/* ---- a function of the unit's name ---- */

static bool has_c_linkage(const struct cxx_text *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (cxx_is(t, i, "extern") && t->toks[i + 1].kind == TOK_STRING)
      return true;
  return false;
}

/* Item IT of S, an external definition: is it a plain function called NAME? Then the parts of its
 * declarator are filled in. */
static bool is_namesake(const struct cxx_scan *s, struct cxx_item *it, const char *name) {
  const struct cxx_text *t = &s->code;
  struct cxx_shape d;
  if (it->name_end == it->name || !cxx_is(t, it->name_end - 1, name) ||
      s->scopes[it->scope].internal || !cxx_shape_read(t, it->begin, it->end, &d) || !d.params ||
      !d.body || d.assign || d.op || d.klass || d.kernel || d.device || it->name == it->begin ||
      !cxx_plain_declarator(t, it->begin, &d, it))
    return false;
  for (uint32_t i = it->begin; i < d.body; i++)
    if (s->arm_of[i] != s->arm_of[it->begin] ||
        (cxx_is(t, i, "::") && i >= it->name && i < it->name_end))
      return false;
  it->sig = it->begin;
  it->args = it->args_end = it->params = d.params;
  it->sig_end = d.body;
  for (uint32_t i = d.params_end; i < it->sig_end; i++)
    if (cxx_is(t, i, "try"))
      it->sig_end = i;
  return true;
}

/* aiter's batched GEMM: NAME.cpp includes impl/NAME.cuh, which defines NAME, a function that a
 * header of the library declares. Other sources may define such a function too; here a generator
 * states that it is a kernel. */
static void find_namesakes(struct cxx_scan *s, const char *name) {
  bool possible = strcmp(name, "main") != 0 && !has_c_linkage(&s->code);
  for (size_t i = 0; i < s->nitems && possible; i++)
    if (s->items[i].kind == ITEM_EXTERNAL && is_namesake(s, &s->items[i], name))
      s->items[i].kind = ITEM_NAMESAKE;
}

/* ---- macros ---- */

/* The files that one of the unit's includes. */
struct header_list {
  struct part_reader *reader;
  struct argv *files;
  const char *from;
};

static void add_header(void *user, const struct directive *d) {
  const struct header_list *l = user;
  bool plain = d->header.n && !d->macro.n && (d->how == QUOTED || d->how == ANGLED);
  if (!plain || l->files->n >= MAX_HEADERS)
    return;
  autofree char *name = xstrndup(d->header.p, d->header.n);
  char *path = l->reader->find(l->reader->user, l->from, name, d->how == ANGLED);
  if (path)
    argv_add_once(l->files, path);
}

static void add_headers(struct part_reader *r, struct argv *files, const char *from,
                        const char *text, size_t len) {
  directives_scan(text, len, add_header, &(struct header_list){r, files, from});
}

/* Find the macro NAME, N bytes, in a file that the unit includes. *TEXT: that file's, which *M
 * points into; *FILE: its name. free() both. */
static enum cxx_macro_found find_in_headers(struct part_reader *r, const char *name, size_t n,
                                            struct cxx_macro *m, char **text, char **file) {
  autofree_argv files = {0};
  enum cxx_macro_found found = CXX_MACRO_NONE;
  *text = NULL;
  add_headers(r, &files, r->source, cxx_unit_text(r->u), r->u->len);
  for (size_t i = 0; i < files.n && found == CXX_MACRO_NONE; i++) {
    size_t len;
    free(*text);
    *text = take_file(r, files.args[i], &len);
    if (!*text)
      continue;
    found = cxx_macro_find(m, *text, len, name, n);
    if (found == CXX_MACRO_NONE)
      add_headers(r, &files, files.args[i], *text, len);
    else
      *file = xstrdup(files.args[i]);
  }
  return found;
}

/* The first word of a declaration that ckjit cannot parse and begins like a call, `INSTANTIATE(…)`;
 * UINT32_MAX: none. */
static uint32_t unknown_call(const struct cxx_scan *s) {
  for (size_t i = 0; i < s->nitems; i++) {
    uint32_t at = s->items[i].begin;
    if (s->items[i].kind == ITEM_UNKNOWN && cxx_ident(&s->code, at) &&
        cxx_punct(&s->code, at + 1) == '(')
      return at;
  }
  return UINT32_MAX;
}

/* The line of the first #include that is a part: text in a part has no line of the unit. */
static uint32_t line_of_part(const struct part_reader *r, const struct cxx_scan *s) {
  for (uint32_t i = 0; i < s->code.n; i++) {
    bool angled;
    const struct cxx_tok *k = &s->code.toks[i];
    autofree char *name = included(&s->code, k, &angled);
    if (name && (is_part(r, name) || is_within(r, i)))
      return k->line;
  }
  return 0;
}

/* WHY's line is one of the text with all parts: make it the source's, and name the part and its
 * line. */
static void show_part(const struct part_reader *r, struct reason *why) {
  const struct piece *of = NULL;
  for (size_t i = 0; i < r->npieces && r->pieces[i].at <= why->line; i++)
    of = &r->pieces[i];
  if (of && strcmp(of->file, r->source) == 0) {
    why->line = why->line - of->at + of->line;
    return;
  }
  if (of && *why->text) {
    autofree char *text =
        xasprintf("%s:%u: %s", path_base(of->file), why->line - of->at + of->line, why->text);
    reason_text(why, text, strlen(text));
  }
  why->line = r->part_line;
}

static void rescan(struct part_reader *r, struct buf *text) {
  struct cxx_unit *u = r->u;
  if (!r->part_line && u->parts.n)
    r->part_line = line_of_part(r, &u->scan);
  cxx_scan_free(&u->scan);
  free(u->text);
  u->text = text->data;
  u->len = text->len;
  cxx_scan_with(&u->scan, u->text, u->len, r->harmless);
  if (r->own_headers)
    find_namesakes(&u->scan, r->stem);
  u->verdict = cxx_scan_verdict(&u->scan, &u->why);
  if (r->part_line)
    show_part(r, &u->why);
}

/* Write out the macro that is called at token AT. */
static bool write_macro(struct part_reader *r, uint32_t at) {
  const struct cxx_text *t = &r->u->scan.code;
  const char *name = t->text + t->toks[at].at;
  size_t n = t->toks[at].len;
  struct cxx_macro m;
  autofree char *header = NULL;
  char *file = NULL;
  enum cxx_macro_found found = cxx_macro_find(&m, t->text, r->u->len, name, n);
  if (found == CXX_MACRO_NONE)
    found = find_in_headers(r, name, n, &m, &header, &file);
  else
    file = xstrdup(r->source);
  struct buf out = {0};
  bool done = found == CXX_MACRO_FOUND && cxx_macro_expand(&m, t->text, r->u->len, &out);
  const char *line = done ? m.line.text + m.line.toks[1].at : NULL;
  if (done)
    argv_add_own(&r->u->macros, xstrndup(line, (size_t)(m.line.text + m.line.len - line)));
  if (found == CXX_MACRO_FOUND)
    cxx_macro_free(&m);
  if (!done && file)
    r->u->unclear = file;
  else
    free(file);
  if (done)
    rescan(r, &out);
  else
    buf_free(&out);
  return done;
}

/* ---- the unit ---- */

/* The name that IT includes; NULL: none. free() it. */
static char *item_name(const struct cxx_scan *s, const struct cxx_item *it) {
  bool angled;
  return it->kind == ITEM_INCLUDE ? included(&s->code, &s->code.toks[it->begin], &angled) : NULL;
}

/* Does the unit include a source file? */
static bool has_sources(const struct cxx_scan *s) {
  for (size_t i = 0; i < s->nitems; i++) {
    autofree char *name = item_name(s, &s->items[i]);
    if (name && is_source(name))
      return true;
  }
  return false;
}

/* Does the unit include a header with its own name, without defining anything itself? */
static bool has_own_header(const struct part_reader *r) {
  const struct cxx_scan *s = &r->u->scan;
  bool own = false;
  for (size_t i = 0; i < s->nitems; i++) {
    if (s->items[i].kind == ITEM_UNKNOWN)
      return false;
    autofree char *name = item_name(s, &s->items[i]), *stem = name ? path_stem(name) : NULL;
    own |= stem && strcmp(stem, r->stem) == 0;
  }
  return own && !s->odd;
}

void cxx_unit_read(struct cxx_unit *u, const char *source, const char *text, size_t len,
                   const struct argv *harmless, bool late, cxx_find *find, void *user) {
  *u = (struct cxx_unit){.len = len};
  cxx_scan_with(&u->scan, text, len, harmless);
  u->verdict = cxx_scan_verdict(&u->scan, &u->why);
  if (!find || (u->verdict == CXX_HOST && !late))
    return;
  struct part_reader r = {.u = u,
                          .source = source,
                          .stem = path_stem(source),
                          .harmless = harmless,
                          .late = late,
                          .find = find,
                          .user = user};
  r.own_headers = u->verdict == CXX_UNSURE && has_own_header(&r);
  if (r.own_headers || has_sources(&u->scan) || is_within(&r, UINT32_MAX)) {
    struct buf out = {0};
    if (write_out(&r, source, text, len, 0, &out))
      rescan(&r, &out);
    else
      buf_free(&out);
  }
  uint32_t at;
  for (unsigned i = 0; (u->verdict == CXX_UNSURE || late) && i < MAX_MACROS; i++)
    if ((at = unknown_call(&u->scan)) == UINT32_MAX || !write_macro(&r, at))
      break;
  for (size_t i = 0; i < r.npieces; i++)
    free(r.pieces[i].file);
  free(r.pieces);
  free(r.stem);
}

void cxx_unit_free(struct cxx_unit *u) {
  cxx_scan_free(&u->scan);
  free(u->text);
  argv_free(&u->parts);
  argv_free(&u->macros);
  free(u->unclear);
  *u = (struct cxx_unit){0};
}
