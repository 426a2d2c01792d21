/* ccreach.c - finds the words of a command line that make a compiler run, load or write more than
 * every compile does.
 *
 * A compiler runs programs and loads libraries that its options name: -B, -wrapper, -fplugin=,
 * -specs=, -Xclang -load, nvcc's -ccbin. An attacker who can write only a command line can have the
 * user run anything through these. So a line whose author is not known may contain only harmless
 * words: macros, header directories, languages, architectures, and switches that name no file. A
 * word that is not known to be harmless reaches too far.
 */
#include "ccargs.h"

/* Beginnings of words without their dashes: of switches that name what is run, loaded or written
 * by a name without a slash … */
static const char far[] =
    "@ B Xassembler Xclangas add-plugin ccbin ccc- compiler-bindir config cuda-path driver-mode "
    "dump fpass-plugin fplugin fuse-ld gcc- hip-device-lib hip-path ld-path load optf options-file "
    "plugin prefix resource-dir rocm- save-temps specs sysroot working-directory wrapper";
/* … and of those whose value is a path that is only written down. */
static const char near[] = "ffile-prefix-map= fmacro-prefix-map= fdebug-prefix-map="
                           " fcoverage-prefix-map= fdebug-compilation-dir";

/* Does WORD, of N bytes, begin with one of LIST? */
static bool begins(const char *word, size_t n, const char *list) {
  for (size_t len; *list; list += len + (list[len] == ' ')) {
    len = strcspn(list, " ");
    if (len <= n && memcmp(word, list, len) == 0)
      return true;
  }
  return false;
}

/* TEXT, which may be a list: is each of its words a switch that names no file? */
static bool is_switch(const char *text) {
  while (*text) {
    size_t n = strcspn(text, ", "), dashes = strspn(text, "-\"'");
    const char *name = text + (dashes < n ? dashes : n);
    size_t length = n - (size_t)(name - text);
    bool passed_on = length == 2 && strncmp(name, "Wa", 2) == 0, output = length == 1 && *name == 'o';
    if (!begins(name, length, near) &&
        (memchr(text, '/', n) || begins(name, length, far) || output || passed_on))
      return false;
    text += n + (text[n] != 0);
  }
  return true;
}

/* The name in WORD, an option, as far as it matters here; *N: its length. */
static const char *name_of(const char *word, size_t *n) {
  word += strspn(word, "-\"'");
  *n = strlen(word);
  return word;
}

/* Is W the option that gives nvcc its host compiler, and that a program that may be run? */
static bool is_host_compiler(const struct ccargs *a, const struct cc_word *w, cc_is_program *is_program,
                             void *user) {
  size_t n;
  const char *name = name_of(a->args[w->arg], &n);
  return a->ccbin && begins(name, n, "ccbin compiler-bindir") && strcmp(w->value, a->ccbin) == 0 &&
         is_program(w->value, user);
}

/* Does W, the option WORD of no role that is known, reach too far? Its name says so, or its value;
 * without a value, the whole word. */
static bool option_reaches(const char *word, const struct cc_word *w) {
  size_t n;
  const char *name = name_of(word, &n);
  if (w->pair && begins(name, n, near))
    return false;
  return begins(name, n, far) || strncmp(word, "-Wa,", 4) == 0 || !is_switch(*w->value ? w->value : word);
}

static bool is_source(const struct ccargs *a, const struct cc_word *w) {
  for (size_t i = 0; i < a->ninputs; i++)
    if (a->inputs[i].arg == w->arg)
      return a->inputs[i].kind == CC_IN_SOURCE || a->inputs[i].kind == CC_IN_LIBRARY;
  return false;
}

static bool reaches(const struct ccargs *a, const struct cc_word *w, cc_is_program *is_program, void *user) {
  const char *word = a->args[w->arg];
  switch (w->role) {
  case CC_ROLE_COMPILE:
  case CC_ROLE_LANGUAGE:
  case CC_ROLE_DIR:
  case CC_ROLE_FORCED:
  case CC_ROLE_MACRO:
  case CC_ROLE_EFFORT:
  case CC_ROLE_END:
  case CC_ROLE_OUTPUT: /* this and the next are taken off a recorded line */
  case CC_ROLE_DEPFILE:
    return false;
  case CC_ROLE_FILE:
    return *word == '@' || !is_source(a, w);
  case CC_ROLE_PATH:
    return strncmp(word, "-L", 2) != 0 && !is_host_compiler(a, w, is_program, user);
  default:
    return option_reaches(word, w) && !is_host_compiler(a, w, is_program, user);
  }
}

const char *ccargs_reaches(const struct ccargs *a, cc_is_program *is_program, void *user) {
  /* relocatable device code is another form of the same object */
  const char *side = a->side_output == a->rdc ? NULL : a->side_output;
  for (size_t i = 0; i < a->nwords && !side; i++)
    if (reaches(a, &a->words[i], is_program, user))
      return a->args[a->words[i].arg];
  return side;
}
