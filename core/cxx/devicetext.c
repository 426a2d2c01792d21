/* devicetext.c - see devicetext.h; devicevariables.c has the part about variables.
 *
 * A kernel is a declaration with `global` in an __attribute__ list (devicedecl.c). If one is not
 * understood, the whole text counts as not understood: a body found in the wrong place would mean
 * that other code is lost.
 *
 * Line markers and pragmas may stand anywhere, also within a declaration (ComposableKernel has #if
 * before __launch_bounds__). They are not tokens here, and markers stay where a body is taken out.
 */
#include "devicetext.h"
#include "devicedecl.h"
#include "hostbodies.h"

#include <ctype.h>

/* ---- texts ---- */

/* No backslash lets it continue on a next line. */
bool devicetext_is_marker(const char *s, size_t n) {
  return n > 2 && s[0] == '#' && s[1] == ' ' && isdigit((unsigned char)s[2]) && s[n - 1] != '\\' &&
         !memchr(s, '\n', n);
}

/* Keeps what must stay of the bytes from FROM to TO: newlines and line markers. A #pragma must not
 * stay: without its loop it is an error. */
static void put_lines(struct split_text *u, size_t from, size_t to, struct buf *out) {
  const char *text = u->code.text;
  while (u->next < u->n && u->directives[u->next].at < from)
    u->next++;
  for (size_t at = from; at < to;) {
    const struct cxx_tok *d = u->next < u->n ? &u->directives[u->next] : NULL;
    if (d && d->at == at) {
      u->next++;
      if (devicetext_is_marker(text + at, d->len)) {
        buf_add(out, text + at, d->len);
        at += d->len;
        continue;
      }
    }
    if (text[at] == '\n')
      buf_putc(out, '\n');
    at++;
  }
}

/* The body of a function: the tokens { and }, and for a kernel the token after its attribute. */
struct body {
  uint32_t open, close, attribute;
};

/* Appends the replacement of BODY, including its { and }. */
typedef void put_body(struct split_text *u, const struct body *body, const void *context,
                      struct buf *out);

static void put_nothing(struct split_text *u, const struct body *body, const void *context,
                        struct buf *out) {
  (void)context;
  buf_putc(out, '{');
  put_lines(u, u->code.toks[body->open].at + 1, u->code.toks[body->close].at, out);
  buf_putc(out, '}');
}

/* Appends the text with each body replaced by PUT, and with empty bodies in HOSTS, which contain no
 * kernel. Returns how many bodies PUT replaced; 0: none, or the text is not understood. */
static size_t put_text(struct split_text *u, put_body *put, const void *context,
                       const struct host_body *hosts, size_t nhosts, struct buf *out) {
  const struct cxx_text *t = &u->code;
  size_t bodies = 0, done = 0;
  for (uint32_t i = 0, open = 0; i < t->n; i++) {
    if (nhosts && hosts->open == i) {
      buf_add(out, t->text + done, t->toks[i].at - done);
      put_nothing(u, &(struct body){.open = i, .close = hosts->close}, NULL, out);
      i = hosts->close;
      done = t->toks[i].at + 1;
      hosts++, nhosts--;
      continue;
    }
    uint32_t behind = decl_global(t, i);
    enum found found = behind ? decl_body(t, behind, &open) : NO_BODY;
    if (found == NOT_UNDERSTOOD)
      return 0;
    if (found == NO_BODY)
      continue;
    uint32_t close = cxx_skip_group(t, open, t->n) - 1; /* its } */
    if (!cxx_is(t, close, "}"))
      return 0;
    buf_add(out, t->text + done, t->toks[open].at - done);
    put(u, &(struct body){open, close, behind}, context, out);
    done = t->toks[close].at + 1;
    bodies++;
    i = close;
  }
  buf_add(out, t->text + done, t->len - done);
  return bodies;
}

size_t devicetext_split_without_bodies(struct split_text *u, struct buf *out) {
  return put_text(u, put_nothing, NULL, NULL, 0, out);
}

size_t devicetext_without_bodies(const char *text, size_t len, struct buf *out) {
  struct split_text u;
  size_t bodies = split_read(&u, text, len) ? devicetext_split_without_bodies(&u, out) : 0;
  split_free(&u);
  return bodies;
}

/* ---- one kernel ---- */

/* Is it a pragma that clang obeys with -fms-extensions and ignores without? The compiler itself
 * refuses whatever else the option changes: some names become keywords, so nothing can have these
 * names any more. */
static bool is_microsoft(const char *directive, size_t n) {
  static const char names[] =
      " optimize function intrinsic section code_seg data_seg const_seg bss_seg init_seg "
      "strict_gs_check alloc_text vtordisp pointers_to_members ";
  static const char blanks[] = " \t";
  autofree char *text = xstrndup(directive, n);
  char *at = text + 1 + strspn(text + 1, blanks);
  autofree char *word = NULL;
  if (str_starts(at, "pragma")) {
    at += strlen("pragma");
    at += strspn(at, blanks);
    word = xasprintf(" %.*s ", (int)strspn(at, "abcdefghijklmnopqrstuvwxyz_"), at);
  }
  return word && word[1] != ' ' && strstr(names, word);
}

static bool is_mangled(const char *name) {
  for (const char *p = name; *p; p++)
    if (!isalnum((unsigned char)*p) && *p != '_' && *p != '$' && *p != '.')
      return false;
  return *name;
}

/* ---- one kernel in a text ---- */

/* The body is compiled for the one function whose mangled name is CONTEXT. clang knows a function's
 * mangled name when it parses its body, and code in a discarded branch of `if constexpr` names
 * functions without instantiating them, in templates and elsewhere. The text goes onto the line of
 * the {, so that all other lines keep their numbers. */
static void put_if(const struct split_text *u, const struct body *body, const char *name,
                   const char *mark, struct buf *out) {
  const struct cxx_text *t = &u->code;
  size_t at = t->toks[body->open].at;
  buf_printf(out, "{ if constexpr (__builtin_strcmp(__FUNCDNAME__, \"%s\") == 0) { %s", name, mark);
  buf_add(out, t->text + at, t->toks[body->close].at + 1 - at);
  buf_puts(out, " } }");
}

#define SELECTED "static __attribute__((device, used)) const char ckjit_selected = 1; "

static void put_selected(struct split_text *u, const struct body *body, const void *context,
                         struct buf *out) {
  put_if(u, body, context, SELECTED, out);
}

/* Can the kernel of BODY have the mangled name MANGLED, judging by its own name? */
static bool may_be(const struct split_text *u, const struct body *body, const char *mangled) {
  const struct cxx_text *t = &u->code;
  uint32_t name = decl_name(t, body->attribute);
  if (!name || cxx_is(t, name, "void")) /* void (k)(int) */
    return true;
  const struct cxx_tok *word = &t->toks[name];
  autofree char *source_name =
      xasprintf("%u%.*s", (unsigned)word->len, (int)word->len, t->text + word->at);
  return strstr(mangled, source_name) || cxx_is(t, name, mangled);
}

/* A kernel of another name is only declared. */
static void put_alone(struct split_text *u, const struct body *body, const void *context,
                      struct buf *out) {
  if (may_be(u, body, context)) {
    put_if(u, body, context, "", out);
    return;
  }
  buf_putc(out, ';');
  put_lines(u, u->code.toks[body->open].at, u->code.toks[body->close].at, out);
}

static size_t put_one(const char *text, size_t len, const char *name, put_body *put,
                      const void *context, bool hosts, struct buf *out) {
  struct split_text u;
  autofree struct host_body *found = NULL;
  size_t n = 0;
  bool readable = split_read(&u, text, len) && is_mangled(name);
  for (size_t i = 0; readable && i < u.n; i++)
    readable = !is_microsoft(text + u.directives[i].at, u.directives[i].len);
  if (readable && !hosts)
    found = hostbodies_find(&u.code, u.directives, u.n, &n);
  size_t bodies = readable ? put_text(&u, put, context, found, n, out) : 0;
  split_free(&u);
  return bodies;
}

size_t devicetext_select(const char *text, size_t len, const char *name, struct buf *out) {
  return put_one(text, len, name, put_selected, name, true, out);
}

size_t devicetext_select_alone(const char *text, size_t len, const char *name, struct buf *out) {
  return put_one(text, len, name, put_selected, name, false, out);
}

size_t devicetext_export(const char *text, size_t len, const char *name, bool hosts,
                         struct buf *out) {
  return put_one(text, len, name, put_alone, name, hosts, out);
}

/* ---- a kernel that is named later ---- */

/* The kernel's name is hashed, because the variable that selects the kernel must stand before its
 * instance and after the text. The hash is FNV-1a. */
#define HASH_BEGIN 0xcbf29ce484222325
#define HASH_FACTOR 0x100000001b3
#define STRING(x) STRING_OF(x)
#define STRING_OF(x) #x

static const char later[] =
    "template <unsigned long long> struct ckjit_wanted { enum { yes = 0 }; };\n"
    "constexpr unsigned long long ckjit_hash(const char *s) { unsigned long long h "
    "= " STRING(HASH_BEGIN) "ULL; for (; *s; s++) h = (h ^ (unsigned char)*s) * " STRING(
        HASH_FACTOR) "ULL; return h; }\n";

void devicetext_want(const char *name, struct buf *out) {
  uint64_t h = HASH_BEGIN;
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * HASH_FACTOR;
  buf_printf(out, "template <> struct ckjit_wanted<0x%llxULL> { enum { yes = 1 }; };\n",
             (unsigned long long)h);
}

static void put_later(struct split_text *u, const struct body *body, const void *context,
                      struct buf *out) {
  const struct cxx_text *t = &u->code;
  size_t at = t->toks[body->open].at;
  (void)context;
  buf_puts(out, "{ if constexpr (::ckjit_wanted< ::ckjit_hash(__FUNCDNAME__)>::yes) { " SELECTED);
  buf_add(out, t->text + at, t->toks[body->close].at + 1 - at);
  buf_puts(out, " } }");
}

size_t devicetext_select_later(const char *text, size_t len, struct buf *out) {
  if (!len || text[0] != '#') /* a line marker, so that lines keep their numbers */
    return 0;
  buf_puts(out, later);
  return put_one(text, len, "later", put_later, NULL, false, out);
}
