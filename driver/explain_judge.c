/* explain_judge.c - how a command line would be recorded, without running it.
 *
 * The wrapper itself is asked, so there is one judge. A fake home is made in a temporary directory,
 * with nothing in it but its configuration and the wrapper, and `judge=only` in the configuration:
 * the wrapper then prints the record of its call, and ends. Records of one compiler share a home.
 *
 * A recorded command line has the options that the environment gave to the call. So variables that
 * become options, or that keep a call from being recorded, are removed before it is judged again.
 */
#include "explain.h"
#include "profile.h"
#include "core/base/childenv.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/vec.h"
#include "core/cc/ccenv.h"
#include "core/files/home.h"

#include <unistd.h>

/* A home for one compiler. */
struct asked {
  const char *compiler;
  const struct compiler *kind;
  /* the wrapper, under the compiler's name */
  char *program;
};

struct judge {
  char *dir; /* temporary; contains the homes */
  const char *profile, *home;
  struct asked *homes;
  size_t n;
};

static void judge_open(struct judge *j, const char *profile, const char *home) {
  const char *base = getenv("TMPDIR");
  *j = (struct judge){.profile = profile, .home = home};
  j->dir = xasprintf("%s/ckjit-explain-XXXXXX", base && *base ? base : "/tmp");
  if (!dir_make_temporary(j->dir))
    die(EXIT_FAILED, "cannot make a directory %s: %s; set TMPDIR to one that can be written to",
        j->dir, strerror(errno));
}

/* Replace the lists of H by which units are judged by those of profile P. */
static void take_lists(struct home *h, const struct profile *p) {
  h->yes = p->yes;
  h->no = p->no;
  h->family = p->families;
  h->dispatcher = p->dispatchers;
  h->generated = p->generated;
  h->harmless = p->harmless_types;
}

static struct home *home_open(const char *dir) {
  char *err;
  struct home *h = home_read(dir, &err);
  if (!h)
    die(EXIT_FAILED, "%s", err);
  return h;
}

/* Make a new home H, which is taken over, below J's directory, and return its program NAME. */
static char *home_place(struct judge *j, struct home *h, const char *name) {
  char *err, *dir = xasprintf("%s/%zu", j->dir, j->n), *bin = path_join(dir, "bin"),
             *program = path_join(bin, name);
  autofree char *wrapper = install_program("ckjit-wrap");
  if (!wrapper)
    die(EXIT_FAILED, "ckjit-wrap, the compiler wrapper, is not installed beside this program; run "
                     "`make install` again");
  h->dir = dir;
  h->work = path_join(dir, "work");
  argv_free(&h->judge);
  argv_add(&h->judge, "only");
  if (!dir_make(bin) || !file_copy(wrapper, program))
    die(EXIT_FAILED, "%s: cannot write: %s; set TMPDIR to a directory with room", program,
        strerror(errno));
  if (!home_write(h, &err))
    die(EXIT_FAILED, "%s", err);
  return program;
}

/* A home whose compiler is COMPILER, of KIND, for a record: like J's home, or by the profile. */
static char *home_of_compiler(struct judge *j, const char *compiler, const struct compiler *kind) {
  if (!file_is_program(compiler))
    die(EXIT_FAILED,
        "%s: the recorded compiler %s; judge on the machine of the build, or where it is installed "
        "too",
        compiler, path_which_why(compiler));
  struct home *h = j->home ? home_open(j->home) : xcalloc(1, sizeof *h);
  if (!j->home || j->profile) {
    struct profile *p = profile_open(j->profile ? j->profile : kind->home);
    take_lists(h, p);
  }
  const struct compiler *of_home = compiler_of_home(kind->home);
  h->real_home = xstrdup(j->dir); /* no compiler of the same name is there */
  h->real_compiler = xstrdup(compiler);
  h->real_cxx = xstrdup(compiler);
  if (!h->link)
    h->link = xstrdup("");
  argv_free(&h->kind);
  argv_add(&h->kind, of_home->kind);
  argv_free(&h->compilers);
  argv_add_words(&h->compilers, of_home->name, CLANG_NAME, NULL);
  argv_free(&h->cxx);
  argv_free(&h->tools);
  argv_free(&h->clang);
  return home_place(j, h, kind->wrapper);
}

static const char *program_for(struct judge *j, const struct record *r) {
  for (size_t i = 0; i < j->n; i++)
    if (strcmp(j->homes[i].compiler, r->compiler) == 0 && j->homes[i].kind == r->compiler_kind)
      return j->homes[i].program;
  struct asked a = {.compiler = r->compiler, .kind = r->compiler_kind};
  a.program = home_of_compiler(j, r->compiler, r->compiler_kind);
  vec_push(j->homes, j->n, a);
  return a.program;
}

/* This process's environment, without variables that would change a call in the temporary home. */
static void judge_environment(struct argv *env, bool recorded) {
  static const char *const ours[] = {"CK_JIT_TMP_DIR", "CK_JIT_HIPCC", "CK_JIT_NVCC", "CK_JIT_CXX"};
  childenv_copy(env);
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    childenv_unset(env, ours[i]);
  for (const struct cc_variable *v = ccenv; v->name && recorded; v++)
    if (v->what & (CCENV_BEFORE | CCENV_BEHIND | CCENV_BENDS | CCENV_ADDS))
      childenv_unset(env, v->name);
}

/* The record that the wrapper printed at the end of JOB's output. False with *WHY, a line, if there
 * is none. */
static bool read_answer(const struct job *job, struct record *r, char **why) {
  const char *text = job->output.data ? job->output.data : "";
  const char *line = strstr(text, "{\"ckjit\":");
  if (!job->status && line) {
    bool read = record_parse(line, strcspn(line, "\n") + 1, r, why);
    if (read && r->why.rule == RULE_UNIT) /* without the members of a unit's record */
      r->kind = RECORD_UNIT;
    return read;
  }
  *why = xasprintf("the wrapper ends with status %d: %.*s", job->status, (int)strcspn(text, "\n"),
                   text);
  return false;
}

/* Take over the verdict of ANSWER, which is freed, for X. */
static void take_verdict(struct explained *x, struct record *answer) {
  if (answer->kind != RECORD_UNIT || !x->record.not_lazy) { /* else ckjit-unit has refused it */
    x->record.kind = answer->kind;
    x->record.why = answer->why;
  }
  x->judged = true;
  record_free(answer);
}

/* Was it decided by something that only the call could see, and that its record lacks? */
static bool is_final(enum rule rule) {
  return rule == RULE_ENVIRONMENT || rule == RULE_RESPONSE_FILE || rule == RULE_OBJECT ||
         rule == RULE_UNIT || rule == RULE_LATE;
}

void explain_judge(struct explanation *e, const char *profile, const char *home, bool missing) {
  struct judge j;
  judge_open(&j, profile, home);
  autofree_argv env = {0};
  autofree struct argv *commands = xcalloc(e->n + 1, sizeof *commands);
  autofree struct job *jobs = xcalloc(e->n + 1, sizeof *jobs);
  size_t n = 0;
  judge_environment(&env, true);
  for (size_t i = 0; i < e->n; i++) {
    struct explained *x = &e->units[i];
    enum rule rule = x->record.why.rule;
    if (x->record.kind == RECORD_LINK || (missing && rule != RULE_NONE) || is_final(rule))
      continue;
    if (!file_exists(x->source)) {
      warn("%s: is gone, so it is not judged again; the verdict is that of the build", x->source);
      continue;
    }
    argv_add(&commands[n], program_for(&j, &x->record));
    argv_add_all(&commands[n], x->record.args.args);
    jobs[n] =
        (struct job){.args = commands[n].args, .cwd = x->record.cwd, .env = env.args, .user = x};
    n++;
  }
  pool_run(jobs, n, 0, NULL, NULL);
  for (size_t i = 0; i < n; i++) {
    struct explained *x = jobs[i].user;
    struct record r;
    autofree char *why = NULL;
    if (read_answer(&jobs[i], &r, &why))
      take_verdict(x, &r);
    else
      warn("%s: is not judged again: %s; the verdict is that of the build", x->source, why);
  }
  dir_remove(j.dir);
}

/* ---- a command ---- */

/* The fake home that contains PROGRAM, a path; NULL if none does. free() it. */
static char *fake_home_of(const char *program) {
  autofree char *real = realpath(program, NULL), *bin = real ? path_dir(real) : NULL;
  char *dir = bin ? path_dir(bin) : NULL;
  autofree char *conf = dir ? path_join(dir, HOME_FILE) : NULL;
  return conf && file_exists(conf) ? dir : NULL;
}

static _Noreturn void none_of_ours(const char *name, const char *whose,
                                   const struct argv *compilers, const struct argv *cxx) {
  struct argv all = {0};
  argv_add_all(&all, compilers->args);
  if (cxx->n)
    argv_add_all(&all, cxx->args);
  char *names = argv_join(all.args);
  die(EXIT_FAILED,
      "'%s' is not one of the compilers of %s, so no build through ckjit records its calls; "
      "expected %s (`compilers` and `cxx` of the profile), without a launcher before it",
      name, whose, names);
}

/* A home in which NAME stands for COMPILER, a real one. */
static char *home_of_name(struct judge *j, const char *name, const char *compiler) {
  struct profile *p = profile_open(j->profile ? j->profile : compiler_by_name(name)->home);
  if (!argv_has(&p->compilers, name) && !argv_has(&p->cxx, name)) {
    char *whose = xasprintf("profile %s", p->file);
    none_of_ours(name, whose, &p->compilers, &p->cxx);
  }
  struct home *h = xcalloc(1, sizeof *h);
  take_lists(h, p);
  h->real_home = xstrdup(j->dir);
  h->real_compiler = xstrdup(compiler);
  h->real_cxx = xstrdup(compiler);
  h->link = xstrdup("");
  argv_add(&h->kind, compiler_of_home(p->kind)->kind);
  h->compilers = p->compilers;
  h->cxx = p->cxx;
  return home_place(j, h, name);
}

/* The same, with the settings of a home that the build uses, except for the profile if one is
 * given. */
static char *home_like(struct judge *j, const char *name, const char *home) {
  struct home *h = home_open(home);
  if (!argv_has(&h->compilers, name) && !argv_has(&h->cxx, name) && strcmp(name, "ckjit-cxx") != 0)
    none_of_ours(name, home, &h->compilers, &h->cxx);
  if (j->profile) {
    struct profile *p = profile_open(j->profile);
    take_lists(h, p);
  }
  return home_place(j, h, name);
}

void explain_command(struct explanation *e, const char *profile, char **command) {
  autofree char *program = path_which(command[0]);
  if (!program)
    die(EXIT_FAILED, "%s: the compiler of the command %s; give its path", command[0],
        path_which_why(command[0]));
  struct judge j;
  judge_open(&j, profile, NULL);
  autofree char *home = fake_home_of(program);
  char *why = NULL;
  const char *name = path_base(command[0]);
  autofree char *wrapper = home ? home_like(&j, name, home) : home_of_name(&j, name, program);
  autofree_argv env = {0}, words = {0};
  judge_environment(&env, false);
  argv_add(&words, wrapper);
  argv_add_all(&words, command + 1);
  struct job job = {.args = words.args, .env = env.args};
  struct record r;
  pool_run(&job, 1, 1, NULL, NULL);
  if (!read_answer(&job, &r, &why))
    die(EXIT_FAILED, "%s: cannot be judged: %s", command[0], why);
  bool other = r.kind == RECORD_OTHER;
  explain_add(e, &r);
  if (e->n)
    e->units[0].judged = true;
  else
    die(EXIT_FAILED,
        "%s: this command compiles no source into an object%s; expected one with -c and a source",
        command[0], other ? "" : ", and links nothing");
  dir_remove(j.dir);
}
