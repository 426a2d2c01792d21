/* nvccargs.c - the grammar of nvcc's command line; the options are in nvccoptions.c. Options that
 * gcc has too are applied by cc_apply().
 *
 * How nvcc reads a line differently from gcc and clang, and which builds depend on it:
 *
 *  - A list is split at commas: `-I a,b` is two directories. `"a,b"` and `a\,b` are one element;
 *    blanks around an element and empty elements are dropped: OpenCV passes `-Xcompiler
 *    ,"-fsigned-char","-W"` (ccache issue 1325).
 *  - `-x` applies to every file of the line, including those before it, and to objects: `nvcc x.o
 *    -x cu` compiles x.o. Of several, the last counts, as for every option that is not a list.
 *  - Suffixes are few and lower case: x.C, x.hip and libx.so.1 are files of unknown type.
 *  - Unknown options end the call, unless --forward-unknown-to-host-compiler is anywhere on the
 *    line: then each is passed to the host compiler and takes no value.
 *  - The words of -Xcompiler are split at commas and then pasted into a shell command line. So
 *    PyTorch writes `--compiler-options ''"'"'-fPIC'"'"''`, a word with quotes in it that the shell
 *    removes, and `-Xcompiler -Wl,x.o` becomes `g++ -Wl x.o`. The words are collected and read as a
 *    gcc line.
 *  - `-odir d` applies to default names only. -MD writes x.d beside the object, or in that
 *    directory.
 *  - `-dc`, `-dlto`, `code=lto_90`, and `-r` with `-c` make an object whose device code needs
 *    another link to be complete.
 */
#include "ccoptions.h"
#include "core/base/vec.h"

#include <limits.h>

/* ---- lists ---- */

/* Append ELEMENT, trimmed, unless it is empty. Takes ownership of it; true if there was nothing to
 * trim. */
static bool add_element(struct argv *out, struct buf *element) {
  const char *text = element->data ? element->data : "";
  size_t all = strlen(text), n = all;
  for (; n && is_blank(*text); n--)
    text++;
  while (n && is_blank(text[n - 1]))
    n--;
  if (n)
    argv_add_own(out, xstrndup(text, n));
  buf_free(element);
  return n == all;
}

bool nvcc_cut_list(struct argv *out, const char *text, bool keep) {
  struct buf element = {0};
  bool plain = true, quoted = false;
  for (const char *p = text; *p; p++) {
    if (*p == ',' && !quoted) {
      plain &= add_element(out, &element);
      continue;
    }
    plain &= *p != '"' && *p != '\\';
    if (*p == '"')
      quoted = !quoted;
    if (*p == '\\' && (p[1] == ',' || p[1] == '"'))
      buf_putc(&element, *++p);
    else if (*p != '"' || keep)
      buf_putc(&element, *p);
  }
  return add_element(out, &element) && plain && !quoted;
}

/* ---- words for the programs that nvcc calls ---- */

/* The state of a scan of nvcc's line, beside struct scan. */
struct line {
  struct scan *scan;
  unsigned forward;        /* TO_COMPILER, TO_LD */
  const char *partial;     /* -r */
  const char *temporaries; /* -objtemp */
  /* words for the host compiler, which a NULL ends, and those of the line that they come from */
  char **host;
  size_t *host_args;
  size_t nhost, nhost_args;
};

/* The words that result from list VALUE pasted into a shell command line. False if the shell may do
 * more than remove quotes: then only nvcc can tell. */
static bool pasted(struct argv *out, const char *value) {
  autofree_argv elements = {0};
  autofree_buf text = {0};
  nvcc_cut_list(&elements, value, true);
  for (size_t i = 0; i < elements.n; i++)
    buf_printf(&text, "%s%s", i ? " " : "", elements.args[i]);
  bool clear = !text.len || argv_split(out, text.data, text.len);
  return clear && !strpbrk(value, "\\$`;&|<>()*?[]{}#~!\n");
}

/* takes ownership of TEXT */
static void add_host_word(struct line *l, char *text) {
  struct ccargs *a = l->scan->out;
  argv_add_own(&a->own, text);
  vec_push(l->host, l->nhost, text);
  vec_push(l->host_args, l->nhost_args, l->scan->at);
}

static void host_words(struct line *l, const char *option, const char *value) {
  struct argv words = {0};
  if (!pasted(&words, value))
    cc_side_output(l->scan, option);
  for (size_t i = 0; i < words.n; i++)
    add_host_word(l, words.args[i]);
  free(words.args);
}

static void linker_words(struct scan *s, const char *value) {
  struct argv *own = &s->out->own;
  size_t i = own->n;
  pasted(own, value);
  for (; i < own->n; i++)
    cc_linker_word(s, own->args[i]);
}

/* Words for ptxas, cicc and the like. One that may write another file, or make code that needs
 * another link, is a side output. */
static void tool_words(struct scan *s, const char *option, const char *value) {
  static const char *const prefixes[] = {"-o",         "--out",     "--compile-only", "--options-file",
                                         "--keep",     "--gen_",    "--stub",         "--create",
                                         "--embedded", "--cmdline", "--relocatable"};
  autofree_argv words = {0};
  nvcc_cut_list(&words, value, false);
  for (size_t i = 0; i < words.n; i++) {
    bool odd = strpbrk(words.args[i], "$`;&|<>()\n") || strcmp(words.args[i], "-c") == 0 ||
               strcmp(words.args[i], "-r") == 0;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
      odd |= str_starts(words.args[i], prefixes[k]);
    if (odd)
      cc_side_output(s, option);
    argv_add(&s->out->own, words.args[i]);
    cc_mention(s, s->out->own.args[s->out->own.n - 1]);
  }
}

/* One option for the host compiler, which runs at least twice: to preprocess and to compile. */
static void host_option(struct scan *s, const struct row *r, const char *option, const char *value) {
  switch (r->what) {
  case MACRO:
    break;
  case DIR:
  case FORCED:
  case PATH:
  case READS:
    if (value[0] != '/')
      cc_side_output(s, option); /* no later step looks for file names in these words */
    cc_apply(s, r, option, value);
    break;
  case NOTHING:
  case LIBRARY:
  case LIBDIR:
  case STATIC:
  case TO_LINKER:
  case TO_ASSEMBLER:
  case TO_LINKER_WORD:
  case TO_CPP_WORD:
    cc_apply(s, r, option, value);
    break;
  case TO_PREPROCESSOR:
    if (str_starts(value, "-D") || str_starts(value, "-U"))
      cc_apply(s, r, option, value);
    else
      cc_side_output(s, option);
    break;
  default:
    cc_side_output(s, option);
  }
}

/* Move the last K of N elements to the front. */
static void rotate(void *elements, size_t size, size_t n, size_t k) {
  if (!k || k == n)
    return;
  char *all = elements;
  autofree char *last = xmalloc(k * size);
  memcpy(last, all + (n - k) * size, k * size);
  memmove(all + k * size, all, (n - k) * size);
  memcpy(all, last, k * size);
}

/* Scan all words for the host compiler, which may be options with values: -Xcompiler -include
 * -Xcompiler x.h. On its line they come before nvcc's own directories and headers. */
static void scan_host(struct line *l) {
  struct scan *s = l->scan;
  struct ccargs *a = s->out;
  size_t ndirs = a->ndirs, nforced = a->nforced;
  vec_push(l->host, l->nhost, NULL);
  for (size_t i = 0; l->host[i]; i++) {
    const char *word = l->host[i], *value;
    s->at = l->host_args[i];
    const struct row *r = is_option(word) ? gnu_take_option(l->host, &i, &value) : NULL;
    if (word[0] == '@' && word[1]) {
      cc_side_output(s, word);
      cc_add_input(s, CC_IN_RESPONSE, word + 1, CC_LANG_NONE);
    } else if (!is_option(word)) {
      s->to_linker = true;
      cc_add_input(s, CC_IN_FILE, word, CC_LANG_NONE);
      s->to_linker = false;
    }
    if (!r) {
      cc_mention(s, word);
      continue;
    }
    if (value)
      host_option(s, r, word, value);
    else
      cc_side_output(s, word);
  }
  rotate(a->dirs, sizeof *a->dirs, a->ndirs, a->ndirs - ndirs);
  rotate(a->forced, sizeof *a->forced, a->nforced, a->nforced - nforced);
}

/* ---- the scan ---- */

static enum cc_role role_of(const struct row *r, const char *value) {
  switch (r->what) {
  case TO_HOST:
    return CC_ROLE_HOST;
  case TO_LINKER_WORD:
    return CC_ROLE_LINKER;
  case EFFORT:
  case TEMPORARIES:
    return CC_ROLE_EFFORT;
  case RUN:
    return CC_ROLE_RUN;
  case DIRECTORY:
    return CC_ROLE_OUTPUT;
  case BINARY:
    return strchr(value, '/') ? CC_ROLE_PATH : CC_ROLE_OTHER;
  default:
    return r->what < WHATS ? cc_role_of(r, value) : CC_ROLE_OTHER;
  }
}

/* Does every nvcc accept the option of row R with this value? */
static bool is_plain(const struct row *r, const char *value) {
  if (!(r->form & SURE))
    return false;
  if (r->form & FLAG)
    return true;
  if (r->what == LANGUAGE)
    return nvcc_language(value) != CC_LANG_NONE;
  if (strpbrk(value, "\\\"'`$\n") || ((r->form & LIST) && strpbrk(value, ", \t")))
    return false;
  if (r->what == MACRO)
    return cc_is_plain_macro(value);
  return value[0] && value[0] != '-' && strlen(value) <= NAME_MAX;
}

/* nvcc pastes names into shell command lines and does not quote all of them: x$HOME.cu is another
 * file, and a`b` runs b. */
static bool is_odd_name(const char *name) {
  return strpbrk(name, "$`\"\\\n") != NULL;
}

static void apply_list(struct scan *s, const struct row *r, const char *option, const char *value) {
  struct ccargs *a = s->out;
  size_t first = a->own.n;
  bool plain = nvcc_cut_list(&a->own, value, false);
  /* code that rewrites the line later takes the value for one name */
  if ((r->what == DIR || r->what == FORCED) && (!plain || a->own.n != first + 1))
    cc_side_output(s, option);
  for (size_t i = first, end = a->own.n; i < end; i++)
    cc_apply(s, r, option, a->own.args[i]);
}

static void apply(struct line *l, const struct row *r, const char *option, const char *value) {
  struct scan *s = l->scan;
  struct ccargs *a = s->out;
  switch (r->what) {
  case RELOCATABLE:
    s->rdc = strcmp(value, "false") == 0 ? NULL : option;
    return;
  case DEVICE_C:
    cc_set_mode(s, CC_COMPILE);
    s->rdc = option;
    return;
  case PARTIAL_LINK:
    l->partial = option;
    cc_set_mode(s, CC_RELOCATABLE);
    return;
  case DEVICE_LINK:
    cc_set_mode(s, CC_DEVICE);
    return;
  case ARCH:
    if (strstr(value, "lto_"))
      cc_side_output(s, option);
    return;
  case TO_HOST:
    host_words(l, option, value);
    return;
  case TO_LINKER_WORD:
    linker_words(s, value);
    return;
  case TO_TOOL:
    tool_words(s, option, value);
    return;
  case DIRECTORY:
    a->directory = value;
    return;
  case TEMPORARIES:
    l->temporaries = option;
    return;
  case RUN:
  case OPTIONS_FILE:
    cc_side_output(s, option);
    return;
  case BINARY:
    if (str_starts(r->names, "-ccbin "))
      a->ccbin = value;
    return;
  case FORWARD:
  case EFFORT:
    return;
  case LANGUAGE: /* see find_language */
    if (nvcc_language(value) == CC_LANG_NONE)
      cc_set_mode(s, CC_QUERY);
    return;
  case DEPS_TARGET:
    a->deps.ntargets = 0;
    break;
  }
  enum cc_role role = cc_role_of(r, value);
  if ((role == CC_ROLE_OUTPUT || role == CC_ROLE_DEPFILE) && is_odd_name(value))
    cc_side_output(s, option);
  if (r->form & LIST)
    apply_list(s, r, option, value);
  else
    cc_apply(s, r, option, value);
}

static void take_option(struct line *l) {
  struct scan *s = l->scan;
  size_t first = s->at;
  const char *word = s->args[first], *value;
  const struct row *r = nvcc_take_option(s->args, &s->at, &value);
  if (!r || !value) {
    cc_add_word(s, first, CC_ROLE_OTHER, false, "");
    if (r)
      cc_set_mode(s, CC_QUERY); /* nvcc will report what is missing or too much */
    else if (l->forward & TO_COMPILER)
      add_host_word(l, xstrdup(word));
    if (!r && (l->forward & TO_LD))
      cc_linker_word(s, word);
    return;
  }
  cc_add_word(s, first, role_of(r, value), is_plain(r, value), value);
  apply(l, r, word, value);
}

/* Find the settings of the line as a whole, wherever they are: the language of all files, and what
 * happens to unknown options. */
static void find_language(struct line *l) {
  struct scan *s = l->scan;
  const char *value;
  for (size_t at = 0; s->args[at]; at++) {
    const struct row *r = is_option(s->args[at]) ? nvcc_take_option(s->args, &at, &value) : NULL;
    if (!r || !value)
      continue;
    if (r->what == FORWARD)
      l->forward |= r->mode;
    if (r->what == LANGUAGE) {
      s->lang = nvcc_language(value);
      s->forced_lang = s->lang != CC_LANG_NONE;
    }
  }
}

void nvcc_scan(struct scan *s) {
  struct line l = {.scan = s};
  struct ccargs *a = s->out;
  find_language(&l);
  for (; s->args[s->at]; s->at++) {
    const char *word = s->args[s->at];
    if (is_option(word)) {
      take_option(&l);
      continue;
    }
    cc_add_file(s, word, s->forced_lang ? s->lang : nvcc_language_of(word));
    if (is_odd_name(word))
      cc_side_output(s, word);
  }
  scan_host(&l);
  free(l.host);
  free(l.host_args);
  if (l.partial && a->mode == CC_COMPILE)
    s->rdc = l.partial; /* its output needs another link as well */
  /* nvcc 13.0 leaves x.ii of a host source beside the object */
  for (size_t i = 0; l.temporaries && i < a->ninputs; i++)
    if (a->inputs[i].kind == CC_IN_SOURCE && a->inputs[i].lang != CC_LANG_CUDA)
      cc_side_output(s, l.temporaries);
  /* -o names the object, but the depfile's target gets the directory of -odir */
  if (a->directory && a->output && a->deps.wanted && !a->deps.ntargets)
    cc_side_output(s, "-odir");
}
