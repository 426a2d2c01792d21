/* ask.c - asks the real compiler whether it accepts the options of a unit.
 *
 * A build that misspells an option, or asks for an architecture that this compiler does not have,
 * fails at its first file. If that file were recorded, the build would fail at the link step, or at
 * a user's first call. No table can tell what each compiler accepts (`-mllvm -x=1`, `-std=c++26`,
 * `--offload-arch=gfx950`), and a table that sends unknown options to the compiler would make
 * nothing lazy on the day a build uses a new flag. So the compiler itself is asked, by compiling an
 * empty file with the options.
 *
 * All units of a library have the same options, so it is asked once. Options that it accepts are
 * kept as an entry of the include cache (core/cc/depcache.h) without files. Options that it rejects
 * are not: the real compiler gets the unit and reports the error, and it is asked again after the
 * user has corrected it.
 */
#include "wrap.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cc/depcache.h"
#include "core/cc/deps.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASKING ".options" /* in the work directory: temporary files of a question */

/* .cu and .hip are CUDA to some compilers, HIP to hipcc, and unknown to gcc, which warns and exits
 * with 0 */
static bool in_doubt(const struct call *c) {
  return c->cc.doubt || (c->cc.source->lang != CC_LANG_CXX && !compiler_is_hipcc(c->kind));
}

static const char *suffix_of(const char *file) {
  const char *dot = strrchr(path_base(file), '.');
  return dot ? dot : "";
}

/* A warning may concern any word of the command line, such as two definitions of one macro. */
static bool warnings_are_errors(const struct ccargs *a, char *const *args) {
  for (size_t i = 0; i < a->nwords; i++)
    if (strstr(args[a->words[i].arg], "-errors") || strstr(args[a->words[i].arg], "-Werror") ||
        strstr(a->words[i].value, "-Werror"))
      return true;
  return false;
}

/* The question: the command line without names of files, directories and macros, which differ from
 * unit to unit and do not change the answer. Relative names in the rest depend on the current
 * directory. */
static void put_question(struct buf *out, const struct call *c) {
  const struct ccargs *a = &c->cc;
  char *const *args = c->args.args;
  bool all = warnings_are_errors(a, args);
  struct stat st = {0};
  if (stat(c->compiler, &st)) /* a compiler that was replaced is asked again */
    st.st_size = 0;
  buf_printf(out, "options\n%lld %lld.%09ld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
             st.st_mtim.tv_nsec);
  const char *const head[] = {c->compiler, c->name, c->cwd, suffix_of(a->source->text)};
  for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
    argv_quote(out, head[i]);
    buf_putc(out, '\n');
  }
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    bool own = (w->role == CC_ROLE_OUTPUT && w->value == a->output) ||
               (w->role == CC_ROLE_FILE && args[w->arg] == a->source->text) ||
               (w->role == CC_ROLE_DEPFILE && a->deps.wanted);
    if (own || (w->sure && !all && (w->role == CC_ROLE_DIR || w->role == CC_ROLE_MACRO)))
      continue;
    argv_quote(out, args[w->arg]);
    if (w->pair) {
      buf_putc(out, ' ');
      argv_quote(out, args[w->arg + 1]);
    }
    buf_putc(out, '\n');
  }
}

/* The call with other SOURCE and OUTPUT. Its depfile is written beside OUTPUT. */
static void question_command(struct argv *v, const struct call *c, const char *source,
                             const char *output) {
  const struct ccargs *a = &c->cc;
  argv_add(v, c->compiler);
  if (!a->output)
    argv_add_words(v, "-o", output, NULL);
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    const char *word = c->args.args[w->arg];
    bool names_depfile = w->role == CC_ROLE_DEPFILE && a->deps.wanted && strcmp(word, "-MD") != 0 &&
                         strcmp(word, "-MMD") != 0 && strcmp(word, "-MP") != 0;
    if (names_depfile)
      continue;
    bool moved = w->role == CC_ROLE_OUTPUT;
    argv_add(v, word == a->source->text ? source : moved ? "-o" : word);
    if (w->pair || moved)
      argv_add(v, moved ? output : c->args.args[w->arg + 1]);
  }
}

/* Whether the command exits with 0. Its input is empty, and its output is discarded, except
 * standard output if there is a file for that, TO. Files that it leaves in TMPDIR, as clang does
 * for HIP's device passes, stay in TEMPORARY. */
static bool succeeds(const struct call *c, const struct argv *command, const char *temporary,
                     const char *to) {
  pid_t pid = fork();
  if (pid == 0) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
      dup2(null, fd);
    int out = to ? open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (out >= 0)
      dup2(out, STDOUT_FILENO);
    home_leave(c->home);
    if (dir_make(temporary))
      setenv("TMPDIR", temporary, 1);
    execv(c->compiler, command->args);
    _exit(127);
  }
  int status = -1;
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* With options for its own programs (-Xclang -fsyntax-only, -mllvm --help) a compiler may succeed
 * and make nothing. So does a compiler other than hipcc for a source that it takes for a linker
 * input. */
static bool may_make_nothing(const struct call *c) {
  for (size_t i = 0; i < c->cc.nwords; i++)
    if (str_starts(c->args.args[c->cc.words[i].arg], "-X") ||
        strcmp(c->args.args[c->cc.words[i].arg], "-mllvm") == 0)
      return true;
  return !compiler_is_hipcc(c->kind);
}

/* Whether the object exists and is not empty (or is missing, if MAY_BE_MISSING), and its directory
 * has no file that no option accounts for. */
static bool made_object_only(const char *object, const char *source, bool may_be_missing) {
  struct stat st;
  bool made = stat(object, &st) == 0 ? st.st_size > 0 : may_be_missing;
  autofree char *dir = path_dir(object);
  DIR *d = made ? opendir(dir) : NULL;
  for (struct dirent *e; d && (e = readdir(d));)
    made = made && (e->d_name[0] == '.' || strcmp(e->d_name, path_base(object)) == 0 ||
                    strcmp(e->d_name, path_base(source)) == 0 || strcmp(e->d_name, "x.d") == 0);
  if (d)
    closedir(d);
  return made;
}

/* A stub object is for the machine of the home's compiler: with --target= the machine may be
 * another. An object that is not an ELF file (bitcode) does not show it. */
static bool of_home_machine(const struct call *c, const char *object) {
  size_t len;
  autofree char *bytes = file_read(object, &len);
  struct elf e;
  bool other = bytes && elf_open(&e, bytes, len, NULL) && e.machine != home_machine(c->home)->elf;
  return !other;
}

static bool ask(const struct call *c) {
  char *asking = path_join(c->work, ASKING), *dir = xasprintf("%s/ask-XXXXXX", asking);
  if (!dir_make_work(asking) || !dir_make_temporary(dir))
    return true; /* as below */
  char *source = xasprintf("%s/x%s", dir, suffix_of(c->cc.source->text)),
       *object = path_join(dir, "x.o");
  char *temporary = path_join(dir, ".tmp"); /* its name is not that of an output */
  if (!file_write(source, "", 0, 0666))
    return true; /* recording will fail there as well, with a message */
  struct argv command = {0};
  question_command(&command, c, source, object);
  bool taken = succeeds(c, &command, temporary, NULL) &&
               made_object_only(object, source, !may_make_nothing(c));
  taken = taken && of_home_machine(c, object);
  dir_remove(dir);
  return taken;
}

/* ---- headers ---- */

/* Appends the words of C that show which files it reads, the source among them or not. */
static void put_words(struct argv *v, const struct call *c, bool source) {
  const struct ccargs *a = &c->cc;
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    const char *word = c->args.args[w->arg];
    if (w->role == CC_ROLE_COMPILE || w->role == CC_ROLE_OUTPUT || w->role == CC_ROLE_DEPFILE ||
        (!source && a->source && w->arg == a->source->arg))
      continue;
    argv_add(v, word);
    if (w->pair)
      argv_add(v, c->args.args[w->arg + 1]);
  }
}

/* Appends the files that the real compiler reads for C, a unit, to FILES: it is asked (-M). Returns
 * false if it gives no answer. For deps_write, with the call as USER. */
static bool wrap_ask_headers(void *user, struct argv *files) {
  const struct call *c = user;
  char *asking = path_join(c->work, ASKING), *dir = xasprintf("%s/ask-XXXXXX", asking);
  if (!dir_make(asking) || !mkdtemp(dir))
    return false;
  char *temporary = path_join(dir, ".tmp"), *rule = path_join(dir, "rule");
  struct argv command = {0};
  argv_add_words(&command, c->compiler, "-M", "-w", NULL);
  /* The compiler's depfile is that of the host pass. */
  if (c->kind->clang && compiler_has_device(c->kind, &c->cc))
    argv_add(&command, "--offload-host-only");
  put_words(&command, c, true);
  size_t before = files->n, len;
  autofree char *text = succeeds(c, &command, temporary, rule) ? file_read(rule, &len) : NULL;
  if (text)
    deps_read(files, text);
  dir_remove(dir);
  return files->n > before;
}

bool wrap_write_depfile(const struct call *c) {
  struct argv words = {0};
  struct stat st = {0};
  char *cache = path_join(c->work, DEPS_CACHE);
  if (stat(c->compiler, &st)) /* a compiler that was replaced is asked again */
    st.st_size = 0;
  argv_addf(&words, "%s %lld %lld.%09ld", c->compiler, (long long)st.st_size,
            (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  put_words(&words, c, false);
  char *identity = argv_join(words.args);
  return deps_write(&c->cc, c->text ? c->text : "", c->len, cache,
                    &(struct deps_asker){wrap_ask_headers, (void *)c, identity});
}

bool wrap_ask(const struct call *c) {
  if (!in_doubt(c))
    return true;
  struct buf question = {0};
  struct deps none = {0};
  put_question(&question, c);
  char *answers = path_join(c->work, DEPS_CACHE);
  if (depcache_read(answers, &question, &none) == DEPCACHE_HIT)
    return true;
  bool taken = ask(c);
  if (taken)
    depcache_write(answers, &question, &none);
  return taken;
}
