/* quick.c - `ckjit quick`: compiles the runtime again and links each library again with it.
 *
 * For work on the runtime, and for distributing a fix of it: all other objects, which took minutes
 * or hours, are reused. The state file of the link step has the commands (core/files/state.h). A
 * library is linked under another name and renamed, so that it never changes under a process that
 * has it mapped. */
#include "abi/ck_jit_access.h"
#include "common.h"
#include "built.h"
#include "deploy.h"
#include "libraries.h"
#include "unchanged.h"
#include "core/base/env.h"
#include "core/base/install.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/statusline.h"
#include "core/cache/owned.h"
#include "core/cc/launcher.h"

#include <unistd.h>

struct quick {
  /* absolute; the last two are NULL if not given */
  char *tmp, *aiter, *install_dir;
  bool verbose;
  struct argv launcher; /* CK_JIT_COMPILER_LAUNCHER's words */
};

static const struct option_row rows[] = {
    {"tmp-dir", "DIR", ABSOLUTE_INTO(struct quick, tmp), "the work directory of the full build"},
    {"aiter-dir", "DIR", ABSOLUTE_INTO(struct quick, aiter),
     "aiter checkout, for include directories that a runtime given with CK_JIT_RUNTIME_SRC may "
     "need (default: $CK_JIT_AITER_DIR)"},
    {"install-dir", "DIR", ABSOLUTE_INTO(struct quick, install_dir),
     "replace the libraries there; install everything if DIR has none yet"},
    {"verbose", NULL, FLAG_INTO(struct quick, verbose), "show the commands"},
    {0},
};
static const struct option_page page = {
    .where = "ckjit quick --help",
    .usage = "ckjit quick --tmp-dir DIR [OPTION…]",
    .text = "Compile the runtime again and relink the libraries of a full build with it.",
    .rows = rows,
};

static void parse(struct quick *q, char **argv) {
  const char *aiter = env_get("CK_JIT_AITER_DIR");
  q->aiter = aiter ? path_abs(aiter) : NULL;
  no_arguments("quick", options_read(&page, q, argv), q->tmp ? NULL : "--tmp-dir");
  if (!q->tmp)
    usage_error("quick", "--tmp-dir DIR is missing: the work directory of a full build");
  if (q->aiter && !file_is_dir(q->aiter))
    die(EXIT_FAILED, "--aiter-dir %s: no such directory; expected a checkout of aiter", q->aiter);
}

/* The source of the runtime. */
static char *find_runtime(void) {
  const char *named = env_get("CK_JIT_RUNTIME_SRC");
  char *source = named ? path_abs(named) : install_share("runtime/ck_jit_runtime.c");
  if (!ckjit_may(source, R_OK))
    die(EXIT_FAILED, "%s: cannot read the runtime's source: %s%s", source, strerror(errno),
        named ? "; CK_JIT_RUNTIME_SRC names it" : "; run `make install` again");
  return source;
}

/* Add -I for the three include directories, each from its variable or from the aiter checkout. */
static void add_includes(const struct quick *q, struct argv *command) {
  static const struct {
    const char *variable, *below;
  } dirs[] = {
      {"CK_JIT_CK_INCLUDE", "3rdparty/composable_kernel/include"},
      {"CK_JIT_AITER_INCLUDE", "csrc/include"},
      {"CK_JIT_ROCM_INCLUDE", NULL},
  };
  for (int i = 0; i < 3; i++) {
    const char *named = env_get(dirs[i].variable);
    if (named)
      argv_addf(command, "-I%s", named);
    else if (q->aiter && dirs[i].below)
      argv_addf(command, "-I%s/%s", q->aiter, dirs[i].below);
  }
}

/* ---- a library being linked ---- */

#define TEMPORARY ".ckjit-tmp-quick"

struct quick_link {
  const struct state *state;
  /* temporary directories, beside the runtime's object and beside the library */
  char *obj_dir, *so_dir;
  char *obj, *so; /* the new object and library in them */
  struct argv compile, link;
};

/* Every object except the runtime's must still exist. The linker would report it too, but without
 * advice. */
static void check_objects(const struct state *s) {
  for (size_t i = 0; i < s->all_objs.n; i++) {
    const char *obj = s->all_objs.args[i];
    if (obj[0] == '/' && strcmp(obj, s->runtime_obj) != 0 && !file_exists(obj))
      die(EXIT_FAILED, "%s, an object of %s, is gone; run `ckjit full` again", obj, s->out_so);
  }
}

/* A word of a command with the output's name replaced by the temporary one. */
static void add_word(struct argv *out, const char *word, const char *name, const char *instead) {
  argv_add(out, strcmp(word, name) == 0 ? instead : word);
}

/* Make a new directory beside FILE, for the replacement of FILE; *NAME: its path there, with FILE's
 * base name. Removes remains of a killed `quick`. free() both. */
static char *make_beside(const char *file, char **name) {
  autofree char *dir = path_dir(file), *prefix = path_join(dir, TEMPORARY);
  owned_sweep(dir, TEMPORARY);
  char *made = owned_make(prefix);
  if (!made)
    die(EXIT_FAILED, "%s: cannot make a directory beside it: %s", file, strerror(errno));
  *name = path_join(made, path_base(file));
  return made;
}

static void prepare(struct quick_link *r, const struct quick *q, const struct state *s,
                    const char *source) {
  *r = (struct quick_link){.state = s};
  r->obj_dir = make_beside(s->runtime_obj, &r->obj);
  r->so_dir = make_beside(s->out_so, &r->so);
  argv_add_all(&r->compile, q->launcher.args);
  for (size_t i = 0; i < s->runtime_cc.n; i++) {
    const char *word = s->runtime_cc.args[i];
    if (strcmp(word, STATE_RUNTIME_SRC) == 0)
      argv_add(&r->compile, source);
    else
      add_word(&r->compile, word, s->runtime_obj, r->obj);
  }
  if (env_get("CK_JIT_RUNTIME_SRC"))
    add_includes(q, &r->compile);
  autofree_argv objs = {0}, words = {0};
  for (size_t i = 0; i < s->all_objs.n; i++)
    add_word(&objs, s->all_objs.args[i], s->runtime_obj, r->obj);
  state_link(&words, &s->link, &objs);
  for (size_t i = 0; i < words.n; i++)
    add_word(&r->link, words.args[i], s->out_so, r->so);
}

/* Compile, or link, all libraries at the same time; false if one failed. */
static bool run_all(const struct quick *q, struct quick_link *relinks, size_t n, bool link) {
  autofree struct job *jobs = xcalloc(n, sizeof *jobs);
  for (size_t i = 0; i < n; i++) {
    const struct argv *command = link ? &relinks[i].link : &relinks[i].compile;
    jobs[i].args = command->args;
    if (q->verbose) {
      autofree char *text = argv_join(command->args);
      puts(text);
    }
  }
  fflush(stdout);
  size_t failed = pool_run(jobs, n, 0, NULL, NULL);
  for (size_t i = 0; i < n; i++) {
    if (jobs[i].status)
      status_line_clear();
    if (jobs[i].output.len && (jobs[i].status || q->verbose))
      fwrite(jobs[i].output.data, 1, jobs[i].output.len, stderr);
    if (jobs[i].status) {
      autofree char *text = argv_join(jobs[i].args);
      complain("%s: %s ended with status %d: %s", relinks[i].state->out_so,
               link ? "the link" : "the compile of the runtime", jobs[i].status, text);
    }
  }
  return failed == 0;
}

/* Called after all of them are linked: libraries of one process must not have runtimes of two
 * versions. */
static bool put_in_place(const struct quick_link *r) {
  if (rename(r->obj, r->state->runtime_obj) || rename(r->so, r->state->out_so)) {
    complain("cannot replace %s: %s", r->state->out_so, strerror(errno));
    return false;
  }
  return true;
}

static void clean_up(struct quick_link *relinks, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (relinks[i].obj_dir)
      owned_remove(relinks[i].obj_dir);
    if (relinks[i].so_dir)
      owned_remove(relinks[i].so_dir);
  }
}

static bool make_all(const struct quick *q, const struct library *libs, size_t n) {
  autofree char *source = find_runtime();
  struct quick_link *relinks = xcalloc(n, sizeof *relinks);
  for (size_t i = 0; i < n; i++)
    check_objects(libs[i].state);
  for (size_t i = 0; i < n; i++)
    prepare(&relinks[i], q, libs[i].state, source);
  bool ok = run_all(q, relinks, n, false) && run_all(q, relinks, n, true);
  for (size_t i = 0; i < n && ok; i++)
    ok = put_in_place(&relinks[i]);
  clean_up(relinks, n);
  return ok;
}

/* Libraries that are unchanged since `full` are not built again by the next `full`. */
static bool relink_all(const struct quick *q, const struct library *libs, size_t n) {
  autofree char **rests = xcalloc(n, sizeof *rests);
  for (size_t i = 0; i < n; i++)
    rests[i] = unchanged_before_quick(q->tmp, &libs[i]);
  bool ok = make_all(q, libs, n);
  for (size_t i = 0; i < n && ok; i++)
    unchanged_behind_quick(q->tmp, &libs[i], rests[i]);
  return ok;
}

/* The sources need not be copied again if the install tree has them all. */
static void install(const struct quick *q, const struct library *libs, size_t n) {
  bool there = true;
  for (size_t i = 0; i < n; i++)
    there = there && deploy_has(q->install_dir, path_base(libs[i].state->out_so));
  if (there)
    deploy_libraries(libs, n, q->install_dir);
  else
    deploy_tree(libs, n, q->install_dir);
}

int build_quick(char **argv) {
  struct quick q = {0};
  double started = ckjit_seconds();
  size_t n;
  parse(&q, argv);
  char *err;
  if (!launcher_read(&q.launcher, &err))
    die(EXIT_FAILED, "%s", err);
  struct library *libs = libraries_open(q.tmp, &n);
  if (q.install_dir)
    require_writable_dir(q.install_dir, "--install-dir");
  if (q.install_dir)
    built_require_alike(libs, n, q.tmp);
  step_begin(q.verbose, "compiling the runtime, and linking");
  bool ok = relink_all(&q, libs, n);
  if (ok && q.install_dir)
    install(&q, libs, n);
  for (size_t i = 0; i < n && ok; i++)
    step_done("relinked", started, "%s", libs[i].state->out_so);
  return ok ? EXIT_OK : EXIT_FAILED;
}
