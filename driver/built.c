/* built.c - see built.h.
 *
 * A work directory is used again and again, with other options, after an upgrade of the compiler,
 * for another checkout. The files that the post-build linker reuses there are right only if the
 * same compiler made them from the same words, and a library of an earlier call is not what this
 * call asked for. So each library has a file with the facts of its build. To add a fact, add a row
 * to `names` and a line to built_facts().
 */
#include "built.h"
#include "checkout.h"
#include "qola.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/base/memofile.h"
#include "core/cache/toolchain.h"
#include "core/cc/ccenv.h"

#define MEMO "built 2" /* its name */

static const struct {
  const char *name, *words;
  bool shown; /* its value is shown to people */
  /* it counts as a difference; otherwise it is shown with the next */
  bool alone;
} names[] = {
    {"ckjit", "ckjit", true, true},
    {"archs", "architectures", true, true},
    {"bf16", "--ck-tile-bf16", true, true},
    {"profile", "the profile", false, true},
    {"compiler", "compiler", true, true},
    {"compiler-files", "the compiler's files", false, true},
    {"cxx", "C++ compiler", true, true},
    {"cxx-files", "the C++ compiler's files", false, true},
    {"variables", "variables", true, true},
    {"checkout", "checkout", true, true},
    {"commit", "commit", true, false},
    {"contents", "the checkout's files", false, true},
    {"ck", "the files of CK_DIR", false, true},
    {"qola", "QoLA's files or the manifest", false, true},
};
enum { NAMES = sizeof names / sizeof *names };

/* ---- the facts ---- */

void built_add(struct argv *facts, const char *name, const char *value) {
  struct buf line = {0};
  buf_printf(&line, "%s ", name);
  lines_escape(&line, value);
  argv_add_own(facts, line.data);
}

/* Add a digest of all files of PROGRAM. */
static void add_toolchain(struct argv *facts, const char *fact, const struct full *f,
                          const char *program, const struct compiler *kind, const char *arch) {
  struct inputs in = {0};
  autofree char *name = xstrdup(program);
  for (char *p = name; *p; p++)
    if (*p == '/')
      *p = '-';
  /* Use the post-build linker's own memo, which saves hashing. */
  autofree char *memo = xasprintf("%s/.compilers/%s%s", f->tmp, name, arch ? "" : ".host");
  toolchain_read(&in, program, kind, arch, NULL, memo);
  built_add(facts, fact, in.compiler);
}

/* The variables that influence a build beside its command line: those of compilers, and those that
 * builds read. */
static void add_variables(struct argv *facts, const struct compiler *kind) {
  static const char *const own[] = {
      "CFLAGS",       "CXXFLAGS",       "CPPFLAGS",
      "LDFLAGS",      "HIPFLAGS",       "HIPCC_LINK_FLAGS_APPEND",
      "LIBRARY_PATH", "C_INCLUDE_PATH", "CK_DIR",
      "ENABLE_CK",    "AITER_META_DIR", "CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT"};
  autofree_argv set = {0};
  for (const struct cc_variable *v = ccenv; v->name; v++) {
    enum { MATTERS = CCENV_BEFORE | CCENV_BEHIND | CCENV_BENDS | CCENV_ADDS | CCENV_KEYED };
    const char *value = (v->what & MATTERS) && ccenv_is_read(v, kind) ? getenv(v->name) : NULL;
    if (value && *value)
      argv_addf(&set, "%s=%s", v->name, value);
  }
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    const char *value = getenv(own[i]);
    if (value && *value)
      argv_addf(&set, "%s=%s", own[i], value);
  }
  argv_unique(&set);
  autofree char *text = set.n ? argv_join(set.args) : xstrdup("(none)");
  built_add(facts, "variables", text);
}

void built_facts(struct argv *facts, const struct full *f) {
  char profile[DIGEST_HEX];
  autofree char *commit = checkout_commit(f->aiter);
  autofree char *first = xstrndup(f->archs, strcspn(f->archs, ";"));
  digest_file(profile, f->profile->file);
  built_add(facts, "ckjit", CKJIT_VERSION);
  built_add(facts, "archs", f->archs);
  built_add(facts, "bf16", f->bf16);
  built_add(facts, "profile", profile);
  built_add(facts, "compiler", f->tools.compiler);
  add_toolchain(facts, "compiler-files", f, f->tools.compiler, f->tools.kind, first);
  built_add(facts, "cxx", f->tools.cxx);
  add_toolchain(facts, "cxx-files", f, f->tools.cxx, compiler_of_kind("c++"), NULL);
  add_variables(facts, f->tools.kind);
  built_add(facts, "checkout", f->aiter);
  built_add(facts, "commit", *commit ? commit : "(none)");
  if (f->api[QOLA]) {
    autofree char *qola = qola_digest(f);
    built_add(facts, "qola", qola);
  }
}

/* ---- the file ---- */

bool built_read(struct argv *facts, const char *dir) {
  autofree char *file = path_join(dir, BUILT_FILE);
  return memofile_load(facts, file, MEMO);
}

void built_write(const struct argv *facts, const char *dir) {
  autofree char *file = path_join(dir, BUILT_FILE);
  if (!dir_make(dir) || !memofile_store(file, MEMO, facts))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
}

/* ---- differences ---- */

/* The value of a fact, encoded; NULL if FACTS lacks it. */
static const char *value_of(const struct argv *facts, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < facts->n; i++)
    if (strncmp(facts->args[i], name, n) == 0 && facts->args[i][n] == ' ')
      return facts->args[i] + n + 1;
  return NULL;
}

char *built_difference(const struct argv *was, const struct argv *is, const char *except) {
  struct buf out = {0};
  autofree_buf beside = {0};
  for (int i = 0; i < NAMES; i++) {
    const char *a = value_of(was, names[i].name), *b = value_of(is, names[i].name);
    if (!b || (a && strcmp(a, b) == 0) || (except && strcmp(except, names[i].name) == 0))
      continue;
    struct buf *to = names[i].alone ? &out : &beside;
    if (to->len)
      buf_puts(to, "; ");
    if (names[i].shown)
      buf_printf(to, "%s %s, now %s", names[i].words, a ? a : "(not known)", b);
    else
      buf_printf(to, "%s changed", names[i].words);
  }
  if (out.len && beside.len)
    buf_printf(&out, "; %s", beside.data);
  return out.data;
}

void built_require_alike(const struct library *libs, size_t n, const char *work) {
  autofree_argv first = {0};
  bool known = n && built_read(&first, libs[0].dir);
  for (size_t i = 1; i < n && known; i++) {
    autofree_argv other = {0};
    char *difference =
        built_read(&other, libs[i].dir) ? built_difference(&first, &other, NULL) : NULL;
    if (difference)
      die(EXIT_FAILED,
          "%s: %s and %s are of different builds, and are not installed together: %s; build one of "
          "them again, with `ckjit full --tmp-dir %s`",
          work, path_base(libs[0].state->out_so), path_base(libs[i].state->out_so), difference,
          work);
  }
}
