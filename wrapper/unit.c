/* unit.c - an ordinary unit in a home with `units=lazy`: ckjit-unit gets the call, and the real
 * compiler if ckjit-unit does not take it.
 *
 * The unit is a source of HIP or CUDA that is not a blob, and that the call compiles to one object
 * and nothing else. With a launcher, which stores the object and may give it to another build, the
 * object contains the device's text. A unit with nvcc's -rdc=true leaves a file beside its text
 * which is in no object, so with a launcher such a unit goes to the real compiler.
 */
#include "wrap.h"
#include "core/base/path.h"
#include "core/cc/deps.h"
#include "core/cc/kernelwords.h"
#include "core/cxx/definitions.h"

/* One word of a command line holds up to 128 KiB, here the record. */
enum { MAX_RECORD = 120 * 1024 };

bool wrap_says_hip(char *const *args) {
  for (; *args; args++)
    if (str_starts(*args, "-x") && strcmp(*args, "-xhip") != 0 &&
        !((*args)[2] == 0 && args[1] && strcmp(args[1], "hip") == 0))
      return false;
  return true;
}

/* hipcc compiles each C++ source as HIP, unless a -x says otherwise. */
static bool has_device(const struct call *c) {
  if (c->kind->unit != CC_LANG_NONE && (!c->cc.source || c->cc.source->lang != c->kind->unit))
    return false;
  return compiler_has_device(c->kind, &c->cc) &&
         (!compiler_is_hipcc(c->kind) || wrap_says_hip(c->args.args));
}

/* The word that has the compiler treat warnings as errors, unless it only concerns nvcc's host
 * compiler, which compiles a lazy unit in the build; NULL: there is none. */
static const char *word_for_errors(const struct call *c) {
  static const char *const marks[] = {"-Werror",    "-pedantic-errors", "diag-error",
                                      "diag_error", "promote_warnings", "warning-as-error"};
  for (size_t i = 0; i < c->cc.nwords; i++) {
    const struct cc_word *w = &c->cc.words[i];
    const char *word = c->cc.args[w->arg];
    if (w->role == CC_ROLE_HOST || w->role == CC_ROLE_FILE)
      continue;
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
      if ((word[0] == '-' && strstr(word, marks[k])) || (w->pair && strstr(w->value, marks[k])))
        return word;
  }
  return NULL;
}

/* A call that asks for errors of warnings wants them at the build. How fragments are linked
 * with a sanitizer's device code was not tested. */
bool wrap_wants_late(const struct call *c) {
  return home_wants_late(c->home) && c->kind->kernels_apart && has_device(c) &&
         !word_for_errors(c) && !(c->cc.rdc && argv_has_prefix(&c->args, "-fsanitize=")) &&
         !argv_has(&c->args, "--offload-host-only") && !argv_has(&c->args, "--cuda-host-only");
}

bool wrap_has_device_words(struct call *c) {
  autofree_argv files = {0};
  argv_add(&files, c->cc.source->text);
  bool has = kernelwords_in(&files, c->cc.rdc);
  argv_free(&files);
  if (has)
    return true;
  autofree char *cache = path_join(c->work, DEPS_CACHE);
  struct ccargs all = c->cc;
  all.deps = (struct cc_deps){.wanted = true, .system = true};
  deps_list(&files, &all, c->cwd, c->text, c->len, cache);
  has = kernelwords_in(&files, c->cc.rdc);
  if (!has)
    c->not_lazy = xasprintf(KERNELWORDS_NONE, c->cc.rdc ? "__device__" : "__global__");
  return has;
}

bool wrap_may_have_kernels(struct call *c) {
  enum cc_lang lang = c->cc.source->lang;
  return c->kind->unit != CC_LANG_NONE || lang == CC_LANG_HIP || lang == CC_LANG_CUDA ||
         wrap_has_device_words(c);
}

/* The variable of C's source that all kernels of a device link share; NULL: its text has none.
 * free() it. ckjit-unit would find it when the preprocessor has run, a tenth of the compile of a
 * small unit. */
static char *shared_variable(const struct call *c) {
  size_t len;
  autofree char *text = file_read_text(c->cc.source->text, &len);
  if (!text)
    return NULL;
  struct cxx_scan s;
  cxx_scan(&s, text, len);
  char *name = definitions_device_variable(&s);
  cxx_scan_free(&s);
  return name;
}

bool wrap_is_lazy_unit(struct call *c) {
  if (c->not_lazy || !c->compiles || !home_wants_units(c->home) || !has_device(c) ||
      c->why.rule == RULE_NO || c->why.rule == RULE_REFUSED || c->why.rule == RULE_UNREADABLE)
    return false;
  autofree_argv reads = {0};
  ccargs_reads(&reads, &c->cc, c->cwd);
  if (reads.n)
    c->not_lazy = xasprintf("an option has the compiler read %s", reads.args[0]);
  if (c->not_lazy)
    return false;
  if (c->cc.rdc && !c->kind->links)
    c->not_lazy = xasprintf("%s is among its options", c->cc.rdc);
  else if (c->cc.rdc && wrap_is_launched())
    c->not_lazy = "its device code is linked, and ccache or sccache is in front of the compiler";
  autofree char *variable = c->cc.rdc && !c->not_lazy ? shared_variable(c) : NULL;
  if (variable)
    c->not_lazy = xasprintf(
        "it has the device variable %s, which all kernels of a device link share", variable);
  const char *word = c->not_lazy ? NULL : word_for_errors(c);
  if (word)
    c->not_lazy =
        xasprintf("%s asks for errors of warnings, and those of its kernels come later", word);
  return !c->not_lazy;
}

void wrap_exec_unit(struct call *c) {
  char *dir = path_dir(c->home->link), *program = path_join(dir, "ckjit-unit");
  struct buf record = {0};
  wrap_format(&record, c, RECORD_HOST);
  record.data[record.len - 1] = 0; /* its newline */
  if (record.len > MAX_RECORD)
    c->not_lazy = "its command line is too long";
  else if (!file_is_program(program))
    c->not_lazy = "there is no ckjit-unit beside ckjit-link";
  if (c->not_lazy)
    return;
  struct argv v = {0};
  argv_add(&v, program);
  home_unit_options(c->home, &v);
  argv_add_words(&v, "--work", c->work, "--record", NULL);
  argv_add_own(&v, record.data);
  if (wrap_is_launched())
    argv_add(&v, "--embed");
  argv_add(&v, "--");
  argv_add_all(&v, c->argv);
  wrap_become(c, program, v.args);
}
