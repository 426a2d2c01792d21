/* ckjit-nvcc - runs one pass of an nvcc compile, like hipcc's --offload-host-only and
 * --offload-device-only -E.
 *
 *     ckjit-nvcc PASS NVCC ARGUMENTS OF AN NVCC COMPILE
 *
 *     PASS  --host           compiles the host's side into an object without device code
 *           --host-text      preprocesses the host's side
 *           --whole          compiles everything with nvcc itself; only the environment is cleaned
 *
 * The arguments are nvcc's, and in addition -MD, -MF FILE, --word=WORD: an argument for the host's
 * compiler, and --devices: FILE lists what the devices' sides read as well. A WORD
 * that says how far to optimise (-O0) is for the compile alone: the text, and what it includes, are
 * those of the build's own pass. The post-build linker compiles forwarding units and dispatchers
 * with this tool. nvcc itself has no such options, but it prints its steps (core/cc/nvcc.h). The
 * steps that are needed are run unchanged, in a directory of temporary files that is removed at the
 * end.
 *
 * Exit status: that of the step that failed; 1 if no step failed; 2 if the command line is wrong.
 */
#include "core/base/childenv.h"
#include "core/cc/ccenv.h"
#include "core/cc/deps.h"
#include "core/cc/nvcc.h"
#include "core/base/ids.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/streams.h"
#include "core/base/vec.h"

#include <unistd.h>

enum pass { PASS_HOST, PASS_HOST_TEXT, PASS_WHOLE };

struct call {
  enum pass pass;
  const char *nvcc;
  struct argv args, words; /* for nvcc; for the host's compiler */
  bool devices;
  const char *depfile, *output;
  char *temporary;
  struct argv env;
  struct nvcc_plan plan;
};

static void read_options(struct call *c, char **argv) {
  static const char *const passes[] = {"--host", "--host-text", "--whole"};
  enum { PASSES = sizeof passes / sizeof *passes };
  size_t pass = 0;
  while (argv[1] && pass < PASSES && strcmp(argv[1], passes[pass]) != 0)
    pass++;
  if (!argv[1] || pass == PASSES || !argv[2])
    die(EXIT_USAGE, "expected [--color=WHEN] --host|--host-text|--whole NVCC ARGUMENTS; "
                    "ckjit-link starts this program");
  c->pass = (enum pass)pass;
  c->nvcc = options_path(argv[1], argv[2]);
  for (char **arg = argv + 3; *arg; arg++) {
    if (str_starts(*arg, "--word="))
      argv_add(&c->words, *arg + strlen("--word="));
    else if (strcmp(*arg, "--devices") == 0)
      c->devices = true;
    else if (strcmp(*arg, "-MF") == 0 && arg[1])
      c->depfile = options_path("-MF", *++arg);
    else if (strcmp(*arg, "-o") == 0 && arg[1])
      c->output = options_path("-o", *++arg);
    else if (strcmp(*arg, "-MD") != 0 && strcmp(*arg, "-c") != 0)
      argv_add(&c->args, *arg);
  }
  if (!c->output && c->pass != PASS_WHOLE)
    die(EXIT_USAGE, "%s: -o FILE is missing", argv[1]);
}

/* What the environment adds is in the recorded arguments already. */
static _Noreturn void become_nvcc(const struct call *c, char **argv) {
  execvp(c->nvcc, argv + 2);
  die(EXIT_FAILED, "%s: cannot be started: %s", c->nvcc, strerror(errno));
}

static void remove_temporary(void);
static struct call *current;

/* a directory of temporary files; its name is also what nvcc makes names of */
static void open_temporary(struct call *c) {
  const char *tmp = getenv("TMPDIR");
  c->temporary = xasprintf("%s/ckjit-nvcc.XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!dir_make_temporary(c->temporary))
    die(EXIT_FAILED, "%s: cannot make a directory for temporary files: %s", c->temporary,
        strerror(errno));
  current = c;
  atexit(remove_temporary);
  pool_before_signal = remove_temporary;
  childenv_copy(&c->env);
  childenv_set(&c->env, "TMPDIR", c->temporary);
}

static void remove_temporary(void) {
  if (current)
    dir_remove(current->temporary);
  current = NULL;
}

/* The steps of `nvcc -c` with these arguments. */
static void make_plan(struct call *c) {
  autofree_argv command = {0};
  char *said = NULL;
  argv_add(&command, c->nvcc);
  argv_add_all(&command, c->args.args);
  argv_add_words(&command, "-c", "-o", c->output, NULL);
  int status = nvcc_plan_ask(&c->plan, &command, c->env.args, &said);
  if (status) {
    fwrite(said, 1, strlen(said), stderr); /* nvcc's own words */
    exit(status);
  }
  if (said)
    die(EXIT_FAILED, "%s --dryrun: %s", c->nvcc, said);
  nvcc_environment(&c->plan, &c->env);
}

static struct nvcc_step *step_of(struct call *c, enum nvcc_kind kind) {
  if (!c->plan.first[kind])
    die(EXIT_FAILED, "%s --dryrun: " NVCC_UNKNOWN_STEPS, c->nvcc);
  return c->plan.first[kind];
}

/* Run the N STEPS side by side. */
static void run(const struct call *c, struct nvcc_step *const *steps, size_t n) {
  autofree struct job *jobs = xcalloc(n, sizeof *jobs);
  for (size_t i = 0; i < n; i++)
    jobs[i] = (struct job){.args = steps[i]->words.args, .env = c->env.args};
  pool_run(jobs, n, 0, NULL, NULL);
  for (size_t i = 0; i < n; i++) {
    if (jobs[i].output.len)
      fwrite(jobs[i].output.data, 1, jobs[i].output.len, stderr);
    if (jobs[i].status)
      exit(jobs[i].status);
    buf_free(&jobs[i].output);
  }
}

/* Run the steps that read the source, and write what they read to the depfile. */
static void read_source(struct call *c) {
  autofree struct nvcc_step **steps = NULL;
  autofree_argv files = {0}, depfiles = {0};
  autofree_buf rule = {0};
  size_t n = 0;
  vec_push(steps, n, step_of(c, NVCC_HOST_TEXT));
  for (size_t i = 0; c->devices && i < c->plan.n; i++)
    if (c->plan.steps[i].kind == NVCC_DEVICE_TEXT)
      vec_push(steps, n, &c->plan.steps[i]);
  for (size_t i = 0; i < n; i++) {
    struct argv *words = &steps[i]->words;
    argv_addf(&depfiles, "%s/%zu.d", c->temporary, i);
    for (size_t k = 0; k < c->words.n; k++)
      if (!str_starts(c->words.args[k], "-O"))
        argv_add(words, c->words.args[k]);
    argv_add_words(words, "-MD", "-MF", depfiles.args[i], "-MT", c->output, NULL);
  }
  run(c, steps, n);
  for (size_t i = 0; i < n; i++) {
    size_t len;
    autofree char *text = file_read(depfiles.args[i], &len);
    autofree_argv own = {0};
    deps_read(&own, text ? text : "");
    for (size_t k = 0; k < own.n; k++)
      argv_add_once(&files, xstrdup(own.args[k]));
  }
  deps_put_name(&rule, c->output);
  deps_put_files(&rule, &files, files.n);
  if (c->depfile && !file_write(c->depfile, rule.data, rule.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", c->depfile, strerror(errno));
}

/* What cudafe++ makes includes what cicc says of the device's side: of a unit without kernels,
 * nothing. */
static void write_no_stub(const struct nvcc_step *front) {
  const char *stub = nvcc_value(front, "--stub_file_name");
  autofree char *dir = path_dir(front->output), *file = stub ? path_abs_in(dir, stub) : NULL;
  if (file && !file_write(file, "", 0, 0600))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
}

static void compile_host(struct call *c) {
  struct nvcc_step *front = step_of(c, NVCC_FRONT), *host = step_of(c, NVCC_HOST);
  read_source(c);
  run(c, &front, 1);
  write_no_stub(front);
  argv_add_all(&host->words, c->words.args);
  run(c, &host, 1);
}

static void preprocess(struct call *c) {
  free(nvcc_exchange_value(&step_of(c, NVCC_HOST_TEXT)->words, "-o", c->output));
  read_source(c);
}

int main(int argc, char **argv) {
  program_name = "ckjit-nvcc";
  ids_settle();
  streams_open(false);
  struct call c = {0};
  if (argc < 1)
    return EXIT_USAGE;
  if (argv[1] && str_starts(argv[1], "--color=") && message_color(argv[1] + strlen("--color=")))
    argv++;
  read_options(&c, argv);
  ccenv_clean();
  if (c.pass == PASS_WHOLE)
    become_nvcc(&c, argv);
  open_temporary(&c);
  make_plan(&c);
  if (c.pass == PASS_HOST)
    compile_host(&c);
  else
    preprocess(&c);
  remove_temporary();
  nvcc_plan_free(&c.plan);
  return EXIT_OK;
}
