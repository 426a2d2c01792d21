/* flags.c - see flags.h. core/cc/ccargs.h has the role of each word; this module derives from it
 * the words of the compiles that ckjit makes of a recorded one. nvcc has no options for one of its
 * passes alone: ckjit-nvcc, which runs one, stands before it then, and words for it are options of
 * ckjit-nvcc.
 */
#include "flags.h"

#include "core/cc/ccargs.h"
#include "core/device/rdc.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/files/sourcetext.h"

/* Does word W of A influence the code? Other words name an output, or ask for an object; or they
 * stand after the source and concern other files. */
static bool is_code(const struct ccargs *a, const struct cc_word *w) {
  switch (w->role) {
  case CC_ROLE_COMPILE:
  case CC_ROLE_OUTPUT:
  case CC_ROLE_DEPFILE:
  case CC_ROLE_END:
    return false;
  case CC_ROLE_FILE:
    for (size_t i = 0; i < a->ninputs; i++)
      if (a->inputs[i].kind == CC_IN_SOURCE && a->inputs[i].arg == w->arg)
        return false;
    return true;
  case CC_ROLE_LANGUAGE:
    return !a->source || a->source->arg > w->arg;
  default:
    return strcmp(a->args[w->arg], "-pipe") != 0;
  }
}

static void add_word(struct argv *out, const struct ccargs *a, const struct cc_word *w) {
  argv_add(out, a->args[w->arg]);
  if (w->pair)
    argv_add(out, a->args[w->arg + 1]);
}

void flags_code(struct argv *out, const struct record *r) {
  for (size_t i = 0; i < r->cc.nwords; i++)
    if (is_code(&r->cc, &r->cc.words[i]))
      add_word(out, &r->cc, &r->cc.words[i]);
}

char *flags_below(const char *path, const struct argv *bases) {
  for (size_t i = 0; i < bases->n; i++) {
    const char *below = path_below(path, bases->args[i]);
    if (below)
      return i ? xasprintf("+%zu/%s", i, below) : xstrdup(below);
  }
  return NULL;
}

char *flags_rooted(const char *path, const struct argv *bases) {
  autofree char *below = flags_below(path, bases);
  return below ? xasprintf("{root}/%s", below) : xstrdup(path);
}

/* The value of W, the path of an option of R, absolute and rooted. A compiler stays where it is:
 * sources are kept, and no programs. free() it. */
static char *place(const struct cc_word *w, const struct record *r, const struct argv *bases) {
  bool program = r->cc.ccbin && strcmp(w->value, r->cc.ccbin) == 0;
  autofree char *full = path_abs_in(r->cwd, w->value);
  return program ? xstrdup(full) : flags_rooted(full, bases);
}

/* Is the value of W a place in the directory CWD of the compile? Else it is looked for in the
 * directories of headers, or below the sysroot. */
static bool is_placed(const struct cc_word *w, const char *cwd) {
  if (!*w->value || *w->value == '=')
    return false;
  if (w->role != CC_ROLE_FORCED)
    return w->role == CC_ROLE_DIR || w->role == CC_ROLE_PATH;
  autofree char *full = path_join(cwd, w->value);
  return file_exists(full);
}

/* ---- what hides functions ---- */

/* Returns W's word about the visibility of the host's functions, which dlsym must find: the value
 * of -fvisibility=. NULL: none. -fvisibility-ms-compat is the same option to clang and gcc: the
 * last of both counts. */
static const char *visibility_in(const struct cc_word *w, const char *word) {
  bool wrapped = w->role == CC_ROLE_HOST || (w->pair && strcmp(word, "-Xarch_host") == 0);
  const char *text = wrapped ? w->value : word;
  if (strcmp(text, "-fvisibility-ms-compat") == 0)
    return "hidden";
  return str_starts(text, "-fvisibility=") ? text + strlen("-fvisibility=") : NULL;
}

/* Is W a list for nvcc's host compiler with a visibility among other words? */
static bool is_list_with_visibility(const struct cc_word *w, const char *word) {
  if (w->role != CC_ROLE_HOST)
    return false;
  const char *at = strstr(w->value, "-fvisibility");
  if (!at || str_starts(at, "-fvisibility-inlines"))
    return false;
  const char *alone = visibility_in(w, word);
  return !alone || strchr(alone, ',');
}

/* Would the command hide the blob's functions? The last of several options counts; *LIST: it, or an
 * earlier one, is in a list, from which it is not taken. */
static bool hides(const struct record *r, bool *list) {
  bool hidden = false;
  *list = false;
  for (size_t i = 0; i < r->cc.nwords; i++) {
    const struct cc_word *w = &r->cc.words[i];
    const char *word = r->cc.args[w->arg], *value = visibility_in(w, word);
    if (is_list_with_visibility(w, word))
      *list = hidden = true;
    else if (value)
      hidden = strcmp(value, "hidden") == 0 || strcmp(value, "internal") == 0;
  }
  return hidden;
}

bool flags_hide(const struct record *r) {
  bool list;
  return hides(r, &list);
}

bool flags_host_is_gcc(const struct record *r) {
  autofree char *ccbin = r->compiler_kind->whole ? record_ccbin(r) : NULL;
  const char *name = ccbin ? path_base(ccbin) : "g++";
  return r->compiler_kind->whole && !strstr(name, "clang") && (strstr(name, "g++") || strstr(name, "gcc"));
}

void flags_blob(struct argv *out, const struct record *r, const struct argv *bases) {
  bool list, hidden = hides(r, &list);
  for (size_t i = 0; i < r->cc.nwords; i++) {
    const struct cc_word *w = &r->cc.words[i];
    const char *word = r->cc.args[w->arg];
    if ((r->copy_of && w->arg < SOURCETEXT_WORDS) || !is_code(&r->cc, w) || cc_is_arch(w) ||
        w->role == CC_ROLE_EFFORT || (hidden && visibility_in(w, word) && !is_list_with_visibility(w, word)))
      continue;
    autofree char *value = is_placed(w, r->cwd) ? place(w, r, bases) : xstrdup(w->value);
    if (!w->pair) {
      argv_addf(out, "%.*s%s", (int)(strlen(word) - strlen(w->value)), word, value);
    } else {
      argv_add(out, word);
      argv_add(out, value);
    }
  }
  if (hidden && list) /* -Xcompiler -fPIC,-fvisibility=hidden */
    argv_add(out, "-Xcompiler=-fvisibility=default");
  /* gcc makes a visible variable that any object may have unique in the process. */
  if (hidden && flags_host_is_gcc(r))
    argv_add(out, "-Xcompiler=-fno-gnu-unique");
}

void flags_archs(struct argv *out, const struct record *r) {
  compiler_archs(out, &r->cc);
}

bool flags_has_device(const struct record *r) {
  return compiler_has_device(r->compiler_kind, &r->cc);
}

bool flags_is_hip(const struct record *r) {
  return r->compiler_kind->clang && flags_has_device(r);
}

char *flags_hip_arch(const struct record *r) {
  if (!flags_is_hip(r))
    return NULL;
  autofree_argv archs = {0};
  flags_archs(&archs, r);
  return xstrdup(archs.n ? archs.args[0] : "");
}

bool flags_is_rdc(const struct record *r) {
  return rdc_is_asked(&r->cc);
}

/* ---- one of the passes ---- */

enum cc_pass { PASS_HOST, PASS_HOST_TEXT, PASS_WHOLE, PASS_DEVICE_TEXT };

/* Appends the program, after ckjit-nvcc if it is nvcc. */
static void add_pass(struct argv *out, const struct record *r, enum cc_pass pass) {
  static const char *const options[] = {"--host", "--host-text", "--whole"};
  if (r->compiler_kind->whole) {
    char *program = install_program("ckjit-nvcc");
    if (!program)
      die(EXIT_FAILED,
          "ckjit-nvcc, which makes one pass of an nvcc compile, is not installed beside this program; run "
          "`make install` again");
    argv_add_own(out, program);
    argv_add(out, options[pass]);
  }
  argv_add(out, r->compiler);
}

/* Append what makes it one pass, if it is not nvcc. */
static void end_pass(struct argv *out, const struct record *r, enum cc_pass pass) {
  if (flags_is_hip(r))
    argv_add(out, pass == PASS_DEVICE_TEXT ? "--offload-device-only" : "--offload-host-only");
}

void flags_whole(struct argv *out, const struct record *r) {
  add_pass(out, r, PASS_WHOLE);
  flags_code(out, r);
}

void flags_host(struct argv *out, const struct record *r) {
  add_pass(out, r, PASS_HOST);
  flags_code(out, r);
  end_pass(out, r, PASS_HOST);
}

void flags_word(struct argv *out, const struct record *r, const char *word) {
  if (r->compiler_kind->whole)
    argv_addf(out, "--word=%s", word);
  else
    argv_add(out, word);
}

void flags_text(struct argv *out, const struct record *r, const char *arch) {
  enum cc_pass pass = arch ? PASS_DEVICE_TEXT : PASS_HOST_TEXT;
  add_pass(out, r, pass);
  for (size_t i = 0; i < r->cc.nwords; i++)
    if (is_code(&r->cc, &r->cc.words[i]) && !(arch && cc_is_arch(&r->cc.words[i])))
      add_word(out, &r->cc, &r->cc.words[i]);
  end_pass(out, r, pass);
  if (arch && *arch)
    compiler_add_arch(out, r->cc.dialect, arch, strlen(arch));
  flags_word(out, r, "-w");
  if (!r->compiler_kind->whole)
    argv_add(out, "-E");
}

void flags_quote(struct argv *out, const struct record *r) {
  autofree char *dir = path_dir(record_place(r));
  flags_word(out, r, "-iquote");
  flags_word(out, r, dir);
}

char *flags_alike(const struct record *r, const char *preamble) {
  autofree_argv flags = {0};
  flags_code(&flags, r);
  autofree char *dir = path_dir(r->source), *joined = argv_join(flags.args);
  return xasprintf("%s\n%s\n%s\n%s", r->cwd, dir, joined, preamble);
}
