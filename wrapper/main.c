/* main.c - ckjit-wrap, the program that each name in a fake home's bin/ starts.
 *
 * A build against the fake home calls it thousands of times: hipcc for each blob, c++ for host
 * files and the link, hipconfig for the version. It distinguishes
 *
 *     blob          a unit of kernels: recorded, a stub object written, no compiler started
 *     dispatcher    recorded the same way; the post-build linker rewrites and compiles it
 *     fragment      device functions alone, with -fgpu-rdc: recorded, and compiled when a kernel
 *                   needs them
 *     unit          an ordinary unit, if the home has lazy units: ckjit-unit
 *     link          inputs include stub objects: the post-build linker
 *     symbols       nm or objcopy of stub objects: they get their symbols first
 *     host, other   everything else: the real program, by exec, with unchanged arguments
 *
 * If in doubt, it is the last. A recorded call takes a few system calls, so there is no shell here,
 * no YAML and no dynamic linking (Makefile), and the source is read once.
 */
#include "wrap.h"
#include "core/cc/ccenv.h"
#include "core/cc/ccheader.h"
#include "core/cc/deps.h"
#include "core/cc/takes.h"
#include "core/cxx/cxxunit.h"
#include "core/cxx/definitions.h"
#include "core/cxx/fragment.h"
#include "core/base/ids.h"
#include "core/base/path.h"
#include "core/device/rdc.h"
#include "core/files/storable.h"
#include "core/files/stubobj.h"

#include <fcntl.h>
#include <limits.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first of LIST that TEXT matches; NULL if there is none. */
static const char *globs(const struct argv *list, const char *text) {
  for (size_t i = 0; i < list->n; i++)
    if (fnmatch(list->args[i], text, 0) == 0)
      return list->args[i];
  return NULL;
}

static struct home *find_home(void) {
  autofree char *dir = home_find();
  char *err;
  struct home *h = home_read(dir, &err);
  if (!h)
    die(EXIT_FAILED, "%s", err);
  return h;
}

/* Ends the program if the home does not know the name. */
static bool is_cxx_name(const struct call *c) {
  if (argv_has(&c->home->compilers, c->name))
    return false;
  if (argv_has(&c->home->cxx, c->name) || strcmp(c->name, "ckjit-cxx") == 0)
    return true;
  die(EXIT_FAILED,
      "'%s' is not one of the names that %s/" HOME_FILE " gives to compilers and tools", c->name,
      c->home->dir);
}

static const struct compiler *compilers_of(const struct home *h) {
  const char *kind = h->kind.n ? h->kind.args[0] : NULL;
  const struct compiler *c = compiler_of_home(kind);
  if (!c)
    die(EXIT_FAILED,
        "%s/" HOME_FILE ": unknown kind of compiler '%s'; set the home up again with ckjit home",
        h->dir, kind);
  return c;
}

/* Is FILE, judging by its name, something else than a regular file: standard output, /dev/null of a
 * flag probe, /dev/fd/63? */
static bool is_stream(const char *file) {
  return strcmp(file, "-") == 0 || str_starts(file, "/dev/");
}

/* Is there a -x among ARGS? */
static bool says_language(char *const *args) {
  for (; *args; args++)
    if (str_starts(*args, "-x"))
      return true;
  return false;
}

/* hipcc puts `-x hip` before a source if it has seen no -x, and it does not read response files. So
 * if only one of the two, source or -x, is in a response file, the language is not what it seems.
 * Unless it is HIP either way, as in CMake's Ninja files with CMAKE_NINJA_FORCE_RESPONSE_FILE. */
static bool is_language_hidden(const struct call *c) {
  if (!compiler_is_hipcc(c->kind))
    return false;
  bool source_seen = false;
  for (char **arg = c->argv + 1; *arg; arg++)
    source_seen |= strcmp(*arg, c->cc.source->text) == 0;
  bool seen = says_language(c->argv + 1), said = says_language(c->args.args);
  return source_seen ? said && !seen && !wrap_says_hip(c->args.args) : !said;
}

/* Whether the object has no name, would overwrite the source (`-x hip -c x.o`), or a name means
 * something else to a program that the compiler starts: clang 15 takes the source of `-- -x.cu` for
 * an option, and the object of `-o@x.o` for a response file; hipcc has a shell expand it. */
static bool has_bad_names(const struct call *c) {
  autofree char *output = ccargs_output(&c->cc), *to = path_abs_in(c->cwd, output);
  autofree char *from = path_abs_in(c->cwd, c->cc.source->text);
  return !*output || strcmp(from, to) == 0 || c->cc.source->text[0] == '-' || *output == '@' ||
         (c->cc.deps.file && c->cc.deps.file[0] == '@') || compiler_expands(c->kind, output);
}

/* A link of this object would fail, while a link without ckjit would not: a name in Latin-1, in a
 * directory of one; or a name to which hipcc would not write, because the output is then named
 * after the source, in the work directory. */
static bool has_names_that_links_lack(const struct call *c) {
  bool lacks = !word_is_storable(c->cwd) || !word_is_storable(c->home->dir) ||
               !word_is_storable(c->work) || compiler_expands(c->kind, c->work) ||
               compiler_expands(c->kind, path_base(c->cc.source->text));
  for (size_t i = 0; i < c->args.n && !lacks; i++)
    lacks = !word_is_storable(c->args.args[i]);
  return lacks;
}

/* -fgpu-rdc, alone and for HIP: an object with device code that is linked later. That is handled
 * (docs/fragments.md), so it is no reason to leave the call to the real compiler. */
static bool is_rdc(const struct call *c) {
  const struct ccargs *a = &c->cc;
  return a->rdc && a->side_output == a->rdc && compiler_has_device(c->kind, a) && rdc_is_asked(a);
}

/* The same for nvcc, with no other action: not a blob, but maybe a lazy unit (docs/fragments.md,
 * "CUDA"). */
static bool is_cuda_rdc(const struct call *c) {
  const struct ccargs *a = &c->cc;
  return c->kind->links && a->rdc && a->side_output == a->rdc;
}

/* Notes KIND, because of RULE; TEXT, unless NULL, is the word or name that it concerns. */
static enum record_kind because(struct call *c, enum record_kind kind, enum rule rule,
                                const char *text) {
  c->why = (struct reason){.rule = rule};
  if (text)
    reason_text(&c->why, text, strlen(text));
  return kind;
}

/* Whether the call compiles one existing C++ file into one object file and makes nothing else. Only
 * such a call can be recorded. RULE_NONE: it does; else the rule that prevents it, with the word
 * that it concerns in *TEXT. */
static enum rule is_no_unit(const struct call *c, const char **text) {
  const struct ccargs *a = &c->cc;
  *text = a->source ? a->source->text : NULL;
  if (a->from_stdin)
    return RULE_STREAM;
  if (a->mode != CC_COMPILE || a->nsources != 1)
    return RULE_SOURCES;
  const char *const files[] = {a->source->text, a->output, a->deps.file};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    if (files[i] && is_stream(files[i])) {
      *text = files[i];
      return RULE_STREAM;
    }
  enum cc_lang lang = a->source->lang;
  if (lang != CC_LANG_CXX && lang != CC_LANG_HIP && lang != CC_LANG_CUDA)
    return RULE_LANGUAGE;
  if (a->side_output && !is_rdc(c)) {
    *text = a->side_output;
    return RULE_OUTPUTS;
  }
  if ((*text = a->machine))
    return RULE_MACHINE;
  if ((*text = ccargs_unfollowed(a, c->cwd)))
    return RULE_OPTION_FILE;
  *text = a->source->text;
  if (ccenv_is_bent(c->kind))
    return RULE_ENVIRONMENT;
  if (c->unclear)
    return RULE_RESPONSE_FILE;
  for (size_t i = 0; i < a->ninputs; i++)
    if (a->inputs[i].kind == CC_IN_FILE) {
      *text = a->inputs[i].text;
      return RULE_INPUTS;
    }
  if (has_bad_names(c))
    return RULE_NAME;
  if (is_language_hidden(c))
    return RULE_LANGUAGE;
  /* stat before open: opening a FIFO would take its content from the real compiler */
  struct stat st;
  return stat(a->source->text, &st) ? RULE_UNREADABLE
         : S_ISREG(st.st_mode)      ? RULE_NONE
                                    : RULE_STREAM;
}

/* Does the unit of C define functions, and nothing that runs or is visible before one of them is
 * called, nor memory of the device for other units of a device link? If that is in doubt, the link
 * asks the preprocessor; but a macro of an installed package that stands at namespace scope is
 * taken to register something. */
static bool is_late(const struct call *c, const struct cxx_unit *u) {
  struct definitions d;
  struct reason why;
  bool late = definitions_read(&d, &u->scan, &why);
  bool memory = c->cc.rdc && fragment_has_memory(c->text, c->len, &d.macros.device);
  late = late ||
         (d.doubt && (why.rule != RULE_MACRO || (u->unclear && !deps_is_installed(u->unclear))));
  definitions_free(&d);
  return late && !memory;
}

/* Does the link decide about the unit of C, which is not late? With -fgpu-rdc only the link knows
 * whether its units can be lazy, and a unit whose host side the build has made is compiled again if
 * they cannot: Kokkos has four. One that surely has a variable for others is never lazy. */
static bool is_for_link(struct call *c, const struct cxx_unit *u) {
  autofree char *variable = c->cc.rdc ? definitions_device_variable(&u->scan) : NULL;
  return c->cc.rdc && !variable && wrap_has_device_words(c);
}

/* The verdict on a unit: first what the profile forces, then the content, then the profile's
 * families. If there is still a doubt, it is a host source. */
static enum record_kind judge(struct call *c) {
  const struct home *h = c->home;
  const char *base = path_base(c->cc.source->text);
  c->text = file_read_text(c->cc.source->text, &c->len);
  if (!c->text) /* the compiler reports it */
    return because(c, RECORD_HOST, RULE_UNREADABLE, c->cc.source->text);
  if (memchr(c->text, 0, c->len)) /* its record could not keep it */
    return because(c, RECORD_HOST, RULE_NOT_READ, NULL);
  const char *glob;
  if ((glob = globs(&h->no, base)))
    return because(c, RECORD_HOST, RULE_NO, glob);
  if ((glob = globs(&h->dispatcher, base)))
    return because(c, RECORD_DISPATCHER, RULE_DISPATCHER, glob);
  if ((glob = globs(&h->yes, base)))
    return because(c, RECORD_BLOB, RULE_YES, glob);
  if (c->cc.rdc) {
    struct fragment_text f;
    bool fragment = fragment_read(&f, c->text, c->len);
    fragment_free(&f);
    if (fragment)
      return because(c, RECORD_FRAGMENT, RULE_FRAGMENT, NULL);
  }
  struct cxx_unit u;
  bool late = wrap_wants_late(c);
  cxx_unit_read(&u, c->cc.source->text, c->text, c->len, &h->harmless, late, cc_header_find,
                &(struct cc_headers){&c->cc, NULL});
  enum cxx_verdict verdict = u.verdict;
  c->why = u.why;
  if (verdict == CXX_BLOB)
    return RECORD_BLOB;
  if (late && (is_late(c, &u) ? wrap_may_have_kernels(c) : is_for_link(c, &u)))
    return because(c, RECORD_BLOB, RULE_LATE, NULL);
  if (verdict != CXX_UNSURE || !(glob = globs(&h->family, base)))
    return RECORD_HOST;
  if (!h->generated.n)
    return because(c, RECORD_BLOB, RULE_FAMILY, glob);
  autofree char *path = path_abs_in(c->cwd, c->cc.source->text);
  bool generated = globs(&h->generated, path);
  return generated ? because(c, RECORD_BLOB, RULE_FAMILY, glob) : RECORD_HOST;
}

/* Did nvcc generate the source, for its host compiler, which is the home's if CMake takes
 * CUDAHOSTCXX? Then it is not a unit of the build, and its file is gone before explain can show
 * it. */
static bool is_of_nvcc(const struct call *c) {
  const struct ccargs *a = &c->cc;
  if (a->mode != CC_COMPILE || a->nsources != 1)
    return false;
  const char *base = path_base(a->source->text);
  return str_ends(base, ".cudafe1.cpp") || strcmp(base, "link.stub") == 0;
}

/* Has a directory of PATH one of the names in which CMake, Meson, waf or SCons test a compiler? */
static bool is_in_probe_directory(const char *path) {
  static const char *const globs[] = {"CMakeScratch",  "CMakeTmp",      "CompilerId*",
                                      "meson-private", ".conf_check_*", ".sconf_temp*"};
  for (const char *p = path; *p; p += strspn(p, "/")) {
    char name[NAME_MAX + 1];
    size_t n = strcspn(p, "/");
    snprintf(name, sizeof name, "%.*s", (int)n, p);
    for (size_t i = 0; i < sizeof globs / sizeof globs[0]; i++)
      if (fnmatch(globs[i], name, 0) == 0)
        return true;
    p += n;
  }
  return false;
}

/* Does the call test the compiler, as a configure script or CMake's try_compile does? It only asks
 * whether the compiler takes the text, so the compiler answers. */
static bool is_probe(const struct call *c) {
  const struct cc_input *source = c->cc.source;
  if (!source)
    return false;
  autofree char *path = path_abs_in(c->cwd, source->text);
  return fnmatch("conftest*.*", path_base(path), 0) == 0 || is_in_probe_directory(path) ||
         is_in_probe_directory(c->cwd);
}

static enum record_kind kind_of(struct call *c) {
  const struct ccargs *a = &c->cc;
  const char *text;
  if (is_of_nvcc(c) || is_probe(c))
    return RECORD_OTHER;
  enum rule rule = is_no_unit(c, &text);
  c->compiles = rule == RULE_NONE;
  if (rule == RULE_NONE) {
    enum record_kind kind = judge(c);
    const char *takes = kind == RECORD_HOST ? NULL : takes_file(c->text, c->len);
    if (takes)
      return because(c, RECORD_HOST, RULE_TAKES, takes);
    if (has_names_that_links_lack(c)) {
      c->compiles = false; /* It is not a lazy unit either. */
      return kind == RECORD_HOST ? kind : because(c, RECORD_HOST, RULE_NAME, a->source->text);
    }
    return kind == RECORD_HOST || wrap_ask(c) ? kind : because(c, RECORD_HOST, RULE_REFUSED, NULL);
  }
  /* The processor of the host does not matter for a kernel of a unit. */
  if (rule == RULE_MACHINE) {
    c->compiles = true;
    return because(c, RECORD_HOST, rule, text);
  }
  if (rule == RULE_OUTPUTS && is_cuda_rdc(c)) {
    const char *glob = globs(&c->home->no, path_base(a->source->text));
    c->compiles = true;
    return because(c, RECORD_HOST, glob ? RULE_NO : rule, glob ? glob : text);
  }
  if (a->mode == CC_LINK || a->mode == CC_RELOCATABLE)
    return a->nsources ? because(c, RECORD_LINK, RULE_LINKS, NULL) : RECORD_LINK;
  bool probe = a->from_stdin || (a->source && is_stream(a->source->text)) ||
               (a->output && is_stream(a->output));
  return a->mode == CC_COMPILE && !probe ? because(c, RECORD_HOST, rule, text) : RECORD_OTHER;
}

static bool is_recorded(enum record_kind kind) {
  return kind == RECORD_BLOB || kind == RECORD_DISPATCHER || kind == RECORD_FRAGMENT;
}

static bool holds_no_stub(const char *file, const struct cc_input *in, void *user) {
  (void)in;
  *(bool *)user = stub_in_file(file);
  return !*(bool *)user;
}

/* Does a partial link unpack device code, for which it needs our help? */
static bool links_device_code(const struct call *c) {
  return c->cc.rdc && (argv_has(&c->args, "--hip-link") || compiler_is_hipcc(c->kind));
}

/* nvcc's other ways to a mode of that name do not make an object from objects. */
static bool is_device_link(const struct call *c) {
  return argv_has(&c->args, "-dlink") || argv_has(&c->args, "--device-link");
}

/* Any input decides, wherever it comes from; the output's name does not. A plain `-r` of stubs
 * makes a stub without our help. */
static bool links_stubs(const struct call *c) {
  bool any = false;
  const char *out = c->cc.output ? c->cc.output : "a.out";
  if (!*out || str_ends(out, "/"))
    return false; /* nothing can be linked there; the linker reports it */
  bool device = c->cc.mode == CC_DEVICE && c->kind->links && is_device_link(c);
  if (c->cc.mode == CC_LINK || device || (c->cc.mode == CC_RELOCATABLE && links_device_code(c)))
    ccargs_link_files(&c->cc, holds_no_stub, &any);
  return any;
}

/* The kind of record for C. ckjit-unit, which is not asked here, may still refuse a unit. */
static enum record_kind judged(struct call *c) {
  enum record_kind kind = kind_of(c);
  return kind == RECORD_HOST && wrap_is_lazy_unit(c) ? because(c, RECORD_HOST, RULE_UNIT, NULL)
                                                     : kind;
}

int main(int argc, char **argv) {
  program_name = "ckjit-wrap";
  ids_settle();
  if (argc < 1)
    die(EXIT_USAGE, "started without a name");
  message_color_of_compiler(argv + 1);
  wrap_trace_start();
  struct call c = {.name = path_base(argv[0]), .argv = argv};
  c.home = find_home();
  if (argv_has(&c.home->tools, c.name))
    wrap_exec_tool(&c);
  if (argv_has(&c.home->readers, c.name) || argv_has(&c.home->editors, c.name))
    wrap_exec_symbols(&c);

  c.of_home = is_cxx_name(&c) ? NULL : compilers_of(c.home);
  wrap_compiler(&c);
  wrap_find_work(&c);
  wrap_arguments(&c);
  ccargs_scan(&c.cc, c.kind->dialect, c.args.args);
  if (c.home->judge.n)
    return wrap_say(&c, judged(&c));

  struct call compile;
  if (wrap_is_question(&c, &compile)) {
    enum record_kind asked = kind_of(&compile);
    if (is_recorded(asked))
      return wrap_answer(&c, &compile);
    if (asked == RECORD_HOST && wrap_is_lazy_unit(&compile))
      return wrap_answer_unit(&c, &compile);
  }
  enum record_kind kind = kind_of(&c);
  if (is_recorded(kind)) {
    if (wrap_record(&c, kind)) {
      wrap_trace(&c, "record", "0");
      return EXIT_OK;
    }
    kind = because(&c, RECORD_HOST, RULE_OBJECT, NULL);
  }
  c.what = kind == RECORD_HOST ? "host compile" : kind == RECORD_LINK ? "link" : "other";
  if (kind == RECORD_HOST && wrap_is_lazy_unit(&c))
    wrap_exec_unit(&c);
  wrap_note(&c, kind);
  if (links_stubs(&c))
    wrap_exec_link(&c, c.kind->kind, NULL);
  wrap_exec_compiler(&c);
}
