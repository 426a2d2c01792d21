/* ccargs.c - see ccargs.h. One loop over the words of a line. The option tables are in gnuoptions.c
 * and nvccoptions.c, their effects in ccapply.c; nvcc has its own loop, in nvccargs.c.
 *
 * The traps that shape the loop, with the bugs of other tools:
 *
 *  - The value of an option may look like anything: `-Xclang -c`, `-Xlinker -r`, `-mllvm -S`, `-D
 *    -E`, `-o -c`.
 *  - The word after `-Xarch_…` keeps its meaning (ccache issue 1198: it was skipped like any value,
 *    and a changed header went unnoticed).
 *  - `-x` applies to the files after it only, and makes a source of anything, even `x.o`; `-x none`
 *    ends it.
 *  - `-` is a source, `--` ends the options (clang), `-l` takes its value joined or separate, and
 *    `@file` is expanded before the scan.
 *  - CMake writes a precompiled header with `-Xclang -emit-pch … -c` (ccache issue 539).
 *  - `-MD` with `-o` derives target and depfile from the output as given, directory included
 *    (ccache issues 134 and 499).
 */
#include "ccoptions.h"
#include "core/base/path.h"

#include <limits.h>

/* ---- the scan ---- */

/* Does every compiler accept the option of row R with this value? */
static bool is_plain(const struct row *r, const char *value) {
  if (!(r->form & SURE))
    return false;
  if (r->what == MACRO)
    return cc_is_plain_macro(value);
  if (r->what == LANGUAGE)
    return strcmp(value, "hip") == 0 || strcmp(value, "c++") == 0 || strcmp(value, "none") == 0;
  if (r->what == TO_PREPROCESSOR)
    return str_starts(value, "-M"); /* preprocessor_words() rejects other words in it */
  if (!(r->form & EITHER))
    return true;
  /* `-o -c` is more often a mistake than a name; gcc fails if a directory name is too long */
  return value[0] && value[0] != '-' && strlen(value) <= NAME_MAX;
}

/* Take the option at args[at] and its value, if that is the next word; at is left on the last word
 * taken. */
static void take_option(struct scan *s) {
  size_t first = s->at;
  const char *word = s->args[first], *value;
  const struct row *r = gnu_take_option(s->args, &s->at, &value);
  if (!r || !value) {
    cc_add_word(s, first, CC_ROLE_OTHER, false, "");
    if (r)
      cc_set_mode(s, CC_QUERY); /* the compiler will report what is missing */
    else
      cc_mention(s, word);
    return;
  }
  enum cc_role role = r->what == TO_FRONTEND ? s->frontend_role : cc_role_of(r, value);
  cc_add_word(s, first, role, is_plain(r, value), value);
  /* Debian's hipcc puts `-x hip` before every word with a source suffix, except after -o. */
  if (role == CC_ROLE_DEPFILE && gnu_language_of(value) >= CC_LANG_C &&
      gnu_language_of(value) <= CC_LANG_CUDA)
    cc_side_output(s, word);
  cc_apply(s, r, word, value);
}

static bool is_file(const struct cc_input *in) {
  return in->kind == CC_IN_SOURCE || in->kind == CC_IN_FILE || in->kind == CC_IN_LIBRARY ||
         in->kind == CC_IN_RESPONSE;
}

static void scan_words(struct scan *s) {
  bool options = true;
  for (; s->args[s->at]; s->at++) {
    const char *word = s->args[s->at];
    if (options && strcmp(word, "--") == 0) {
      options = false;
      cc_add_word(s, s->at, CC_ROLE_END, false, ""); /* gcc has no "--" */
    } else if (options && word[0] == '-' && word[1]) {
      take_option(s);
    } else {
      cc_add_file(s, word, s->forced_lang ? s->lang : gnu_language_of(word));
    }
  }
}

void ccargs_scan(struct ccargs *a, enum cc_dialect dialect, char *const *args) {
  static char *const none[] = {NULL};
  *a = (struct ccargs){.dialect = dialect, .args = args ? args : none, .mode = CC_LINK};
  struct scan s = {.out = a, .args = a->args};
  if (dialect == CC_NVCC)
    nvcc_scan(&s);
  else
    scan_words(&s);
  /* gcc reads -emit-llvm on a link line as `-e mit-llvm` and links; clang refuses it there */
  if (s.emits_llvm && a->mode <= CC_COMPILE)
    cc_set_mode(&s, CC_IR);
  /* the depfile must list the headers that the PCH was made from */
  if (s.has_pch && a->deps.wanted)
    cc_side_output(&s, "-include-pch");
  a->rdc = s.rdc;
  if (s.rdc) /* last: if it is the only reason, the wrapper can handle it */
    cc_side_output(&s, s.rdc);
  /* gcc and nvcc reject depfile options if no depfile is asked for */
  if (!a->doubt && !a->deps.wanted && (a->deps.file || a->deps.ntargets || a->deps.phony))
    a->doubt = "-MF";
  bool any = false;
  for (size_t i = 0; i < a->ninputs; i++) {
    any = any || is_file(&a->inputs[i]);
    if (!a->source && a->inputs[i].kind == CC_IN_SOURCE)
      a->source = &a->inputs[i];
  }
  if (!any)
    a->mode = CC_QUERY;
}

bool ccargs_expand(struct argv *v, enum cc_dialect dialect, const char *cwd, char *const *args) {
  return dialect == CC_NVCC ? nvcc_expand(v, cwd, args) : argv_expand(v, cwd, args);
}

bool ccargs_split(struct argv *v, enum cc_dialect dialect, const char *text) {
  return dialect == CC_NVCC ? nvcc_split(v, text) : argv_split(v, text, strlen(text));
}

void ccargs_free(struct ccargs *a) {
  free(a->words);
  free(a->inputs);
  free(a->deps.targets);
  free(a->dirs);
  free(a->forced);
  free(a->reads);
  argv_free(&a->own);
  *a = (struct ccargs){0};
}

/* ---- names ---- */

static char *default_name(const struct ccargs *a, const char *suffix) {
  autofree char *stem = path_stem(a->source->text);
  return xasprintf("%s%s", stem, suffix);
}

/* NAME in the directory of -odir; takes ownership of NAME */
static char *in_directory(const struct ccargs *a, char *name) {
  if (!a->directory)
    return name;
  char *path = path_join(a->directory, name);
  free(name);
  return path;
}

char *ccargs_output(const struct ccargs *a) {
  if (a->output)
    return xstrdup(a->output);
  if (a->mode == CC_ARCHIVE)
    return in_directory(a, xstrdup("a.a"));
  if (!a->source || a->mode >= CC_RELOCATABLE)
    return in_directory(a, xstrdup("a.out"));
  return in_directory(a, default_name(a, a->mode == CC_ASSEMBLY ? ".s" : ".o"));
}

char *ccargs_depfile(const struct ccargs *a) {
  if (a->deps.file)
    return xstrdup(a->deps.file);
  if (!a->output)
    return in_directory(a, a->source ? default_name(a, ".d") : xstrdup("a.d"));
  const char *base = path_base(a->output), *dot = strrchr(base, '.');
  size_t n = dot ? (size_t)(dot - a->output) : strlen(a->output);
  return xasprintf("%.*s.d", (int)n, a->output);
}
