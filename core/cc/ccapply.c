/* ccapply.c - applies the options of a command line to struct ccargs, word by word, for every
 * dialect; what only nvcc has is in nvccargs.c.
 *
 * Every case follows the wrapper's rule: a call may be recorded instead of run if an object and at
 * most a depfile are its only outputs. Any other file that an option may write is a side output.
 */
#include "ccoptions.h"
#include "core/base/vec.h"

#include <ctype.h>

/* ---- additions ---- */

void cc_set_mode(struct scan *s, enum cc_mode mode) {
  if (!s->has_mode || mode < s->out->mode)
    s->out->mode = mode;
  s->has_mode = true;
}

void cc_side_output(struct scan *s, const char *option) {
  if (!s->out->side_output)
    s->out->side_output = option;
}

void cc_add_input(struct scan *s, enum cc_input_kind kind, const char *text, enum cc_lang lang) {
  struct ccargs *a = s->out;
  vec_push(
      a->inputs, a->ninputs,
      (struct cc_input){.kind = kind, .lang = lang, .text = text, .arg = s->at, .to_linker = s->to_linker});
  a->nsources += kind == CC_IN_SOURCE;
}

void cc_add_word(struct scan *s, size_t arg, enum cc_role role, bool sure, const char *value) {
  struct ccargs *a = s->out;
  if (!sure && !a->doubt)
    a->doubt = s->args[arg];
  vec_push(a->words, a->nwords,
           (struct cc_word){
               .value = value, .arg = (unsigned)arg, .role = role, .pair = s->at > arg, .sure = sure});
}

void cc_add_file(struct scan *s, const char *name, enum cc_lang lang) {
  cc_add_word(s, s->at, CC_ROLE_FILE, true, name);
  bool is_stdin = strcmp(name, "-") == 0;
  if (is_stdin)
    s->out->from_stdin = true;
  if (is_stdin && lang == CC_LANG_NONE)
    lang = CC_LANG_OTHER;
  cc_add_input(s, lang == CC_LANG_NONE ? CC_IN_FILE : CC_IN_SOURCE, name, lang);
}

static void add_dir(struct ccargs *a, enum cc_dir_kind kind, const char *dir) {
  vec_push(a->dirs, a->ndirs, (struct cc_dir){kind, dir});
}

static void add_forced(struct ccargs *a, const char *file) {
  vec_push(a->forced, a->nforced, file);
}

static void add_target(struct cc_deps *d, const char *text, bool quote) {
  vec_push(d->targets, d->ntargets, (struct cc_target){text, quote});
}

static void want_deps(struct cc_deps *d, bool system) {
  /* With both -MD and -MMD, -MD wins, as in clang; gcc takes the last. A superset either way. */
  d->system = d->system || system;
  d->wanted = true;
}

/* ---- files that options name ---- */

static void add_read(struct scan *s, const struct row *r, const char *file) {
  struct ccargs *a = s->out;
  vec_push(a->reads, a->nreads,
           (struct cc_read){.file = file, .known = true, .placed = true, .names_others = r->mode});
}

/* Anything that is a name of a file, and no number, list of features or macro. */
static void mention_file(struct scan *s, const char *text, size_t n) {
  struct ccargs *a = s->out;
  if (!n || *text == '-' || (!memchr(text, '/', n) && !memchr(text, '.', n)))
    return;
  argv_add_own(&a->own, xstrndup(text, n));
  vec_push(a->reads, a->nreads, (struct cc_read){.file = a->own.args[a->own.n - 1]});
}

/* Mentions the whole word, and the part after each '=' and ',': -mllvm -x=FILE, -Wa,--y=FILE. */
void cc_mention(struct scan *s, const char *word) {
  if (str_ends(word, "=native") || strcmp(word, "native") == 0)
    s->out->machine = word;
  for (const char *p = word; *p;) {
    size_t n = strcspn(p, "=,");
    mention_file(s, p, p == word || p[-1] == ',' || !p[n] || p[n] == ',' ? n : 0);
    if (p[n] == '=') /* a name may have these in it */
      mention_file(s, p + n + 1, strlen(p + n + 1));
    p += n + (p[n] != 0);
  }
}

/* ---- words for the compiler's own programs ---- */

/* Nobody looks up which linker options take a value: a value that is not an object is a file
 * without a stub. */
void cc_linker_word(struct scan *s, const char *word) {
  s->to_linker = true;
  if (strcmp(word, "-r") == 0 || strcmp(word, "-i") == 0 || strcmp(word, "--relocatable") == 0)
    cc_set_mode(s, CC_RELOCATABLE);
  else if (strcmp(word, "-Bstatic") == 0 || strcmp(word, "-dn") == 0 || strcmp(word, "-non_shared") == 0)
    cc_add_input(s, CC_IN_STATIC, word, CC_LANG_NONE);
  else if (strcmp(word, "-Bdynamic") == 0 || strcmp(word, "-dy") == 0 || strcmp(word, "-call_shared") == 0)
    cc_add_input(s, CC_IN_DYNAMIC, word, CC_LANG_NONE);
  else if (str_starts(word, "-l") && word[2])
    cc_add_input(s, CC_IN_LIBRARY, word + 2, CC_LANG_NONE);
  else if (str_starts(word, "-L") && word[2])
    cc_add_input(s, CC_IN_LIBDIR, word + 2, CC_LANG_NONE);
  else if (word[0] == '@' && word[1])
    cc_add_input(s, CC_IN_RESPONSE, word + 1, CC_LANG_NONE);
  else if (word[0] && word[0] != '-')
    cc_add_input(s, CC_IN_FILE, word, CC_LANG_NONE);
  s->to_linker = false;
}

/* Split TEXT at its commas; out->own owns the words. */
static size_t cut(struct ccargs *a, const char *text) {
  size_t first = a->own.n;
  for (const char *p = text;; p++) {
    size_t n = strcspn(p, ",");
    argv_add_own(&a->own, xstrndup(p, n));
    p += n;
    if (!*p)
      return first;
  }
}

/* -Wp,-MD,x.d (the Linux kernel's form): here the file follows -MD. With more words in it, or
 * beside other depfile options, gcc and clang differ. Macros come in a separate -Wp. */
static void preprocessor_words(struct scan *s, const char *option, const char *text) {
  struct ccargs *a = s->out;
  size_t first = cut(a, text), n = a->own.n - first;
  char *const *words = a->own.args + first;
  if (n == 2 && (strcmp(words[0], "-MD") == 0 || strcmp(words[0], "-MMD") == 0)) {
    if (a->deps.wanted || a->deps.file)
      cc_side_output(s, option);
    want_deps(&a->deps, words[0][2] == 'D');
    a->deps.file = words[1];
    s->wp_deps = true;
    return;
  }
  for (size_t i = 0; i < n; i++)
    if (!str_starts(words[i], "-D") && !str_starts(words[i], "-U"))
      cc_side_output(s, option);
}

/* GNU as writes a listing (-al=FILE), a depfile (-MD FILE), or its object elsewhere (-o FILE). */
static void assembler_words(struct scan *s, const char *option, const char *text) {
  static const char *const writes[] = {"-a", "-M", "--M", "-o", "@"};
  for (size_t i = cut(s->out, text), end = s->out->own.n; i < end; i++) {
    for (size_t k = 0; k < sizeof writes / sizeof *writes; k++)
      if (str_starts(s->out->own.args[i], writes[k]))
        cc_side_output(s, option);
    cc_mention(s, s->out->own.args[i]);
  }
}

/* One word for clang's front end, which knows far more actions than the driver. */
static void frontend_word(struct scan *s, const char *word) {
  static const char *const actions[] = {
      "-emit-",    "-ast-",   "-E",           "-S",          "-fsyntax-only",     "-analyze",
      "-rewrite-", "-P",      "-M",           "-load",       "-code-completion",  "-fdump-",
      "-fmodule-", "-plugin", "-dependency-", "-stats-file", "-working-directory"};
  enum cc_role role = s->frontend_role; /* set by the previous word */
  s->frontend_role = CC_ROLE_OTHER;
  if (role == CC_ROLE_FORCED)
    add_forced(s->out, word);
  if (role != CC_ROLE_OTHER)
    return;
  /* CMake's precompiled headers: -Xclang -include -Xclang x.hxx */
  if (strcmp(word, "-include") == 0)
    s->frontend_role = CC_ROLE_FORCED;
  else if (strcmp(word, "-include-pch") == 0)
    s->frontend_role = CC_ROLE_PATH;
  else if (str_starts(word, "-i") || str_starts(word, "-I"))
    cc_side_output(s, "-Xclang"); /* a header search path */
  else
    cc_mention(s, word);
  s->has_pch |= str_starts(word, "-include-pch");
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (str_starts(word, actions[i]))
      cc_set_mode(s, CC_IR);
}

/* ---- options ---- */

enum cc_role cc_role_of(const struct row *r, const char *value) {
  switch ((enum what)r->what) {
  case MODE:
    return r->mode == CC_COMPILE ? CC_ROLE_COMPILE : CC_ROLE_OTHER;
  case OUTPUT:
    return CC_ROLE_OUTPUT;
  case LANGUAGE:
    return CC_ROLE_LANGUAGE;
  case DIR:
    return CC_ROLE_DIR;
  case FORCED:
    return CC_ROLE_FORCED;
  case PATH:
  case READS:
  case LIBDIR:
    return CC_ROLE_PATH;
  case MACRO:
    return CC_ROLE_MACRO;
  case ARCH:
    return (enum cc_role)r->mode;
  case TO_PREPROCESSOR:
    return str_starts(value, "-M") ? CC_ROLE_DEPFILE : CC_ROLE_OTHER;
  case DEPS_ALL:
  case DEPS_USER:
  case DEPS_FILE:
  case DEPS_TARGET:
  case DEPS_QUOTED:
  case DEPS_PHONY:
    return CC_ROLE_DEPFILE;
  default:
    return CC_ROLE_OTHER;
  }
}

void cc_apply(struct scan *s, const struct row *r, const char *option, const char *value) {
  struct ccargs *a = s->out;
  switch ((enum what)r->what) {
  case NOTHING:
    cc_mention(s, value);
    break;
  case MODE:
    cc_set_mode(s, (enum cc_mode)r->mode);
    break;
  case EMIT_LLVM:
    s->emits_llvm = true;
    break;
  case SIDE:
    cc_side_output(s, option);
    break;
  case RDC_ON:
    s->rdc = option;
    break;
  case RDC_OFF:
    s->rdc = NULL;
    break;
  case OUTPUT:
    if (a->output && !a->doubt)
      a->doubt = option; /* gcc takes the last one, or loses the depfile between the two */
    a->output = value;
    break;
  case MACRO:
  case ARCH:
  case WHATS:
    break;
  case PATH:
    if (r->mode)
      cc_linker_word(s, value);
    break;
  case READS:
    s->has_pch |= str_starts(option, "-include-p");
    add_read(s, r, value);
    break;
  case LANGUAGE:
    s->lang = gnu_language(value);
    s->forced_lang = s->lang != CC_LANG_NONE;
    break;
  case DIR:
    add_dir(a, (enum cc_dir_kind)r->mode, value);
    break;
  case FORCED:
    add_forced(a, value);
    break;
  case DEPS_ALL:
  case DEPS_USER:
    if (s->wp_deps)
      cc_side_output(s, option);
    want_deps(&a->deps, r->what == DEPS_ALL);
    break;
  case DEPS_FILE:
    if (s->wp_deps || !*value)
      cc_side_output(s, option);
    a->deps.file = value;
    break;
  case DEPS_TARGET:
  case DEPS_QUOTED:
    add_target(&a->deps, value, r->what == DEPS_QUOTED);
    break;
  case DEPS_PHONY:
    a->deps.phony = true;
    break;
  case LIBRARY:
    cc_add_input(s, CC_IN_LIBRARY, value, CC_LANG_NONE);
    break;
  case LIBDIR:
    cc_add_input(s, CC_IN_LIBDIR, value, CC_LANG_NONE);
    break;
  case STATIC:
    a->is_static = true;
    break;
  case TO_PREPROCESSOR:
    preprocessor_words(s, option, value);
    break;
  case TO_ASSEMBLER:
    assembler_words(s, option, value);
    break;
  case TO_LINKER:
    for (size_t i = cut(a, value), end = a->own.n; i < end; i++)
      cc_linker_word(s, a->own.args[i]);
    break;
  case TO_LINKER_WORD:
    cc_linker_word(s, value);
    break;
  case TO_FRONTEND:
    frontend_word(s, value);
    break;
  case TO_CPP_WORD:
    if (!str_starts(value, "-D") && !str_starts(value, "-U"))
      cc_side_output(s, option);
    break;
  case TO_ARCH: {
    size_t len;
    const struct row *inner = value[0] == '-' ? gnu_find_option(value, &len) : NULL;
    const char *path = inner ? value + len : "";
    if (!inner)
      cc_mention(s, value);
    if (*path == '/' &&
        (inner->what == DIR || inner->what == FORCED || inner->what == PATH || inner->what == READS))
      cc_apply(s, inner, value, path); /* it is for one pass, but a depfile is for both */
    else if (inner && inner->what != NOTHING && inner->what != MACRO && inner->what != ARCH)
      cc_side_output(s, value);
    break;
  }
  }
}

bool cc_is_plain_macro(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_')
    n++;
  return isupper((unsigned char)text[0]) && (!text[n] || text[n] == '=') && !strpbrk(text, "\n\r");
}
