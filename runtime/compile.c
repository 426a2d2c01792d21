/* ckjit-compile - compile one blob into a shared object, usually into the cache of a running library.
 *
 * The runtime (ck_jit_runtime.c) starts it when a kernel is called that the cache does not hold;
 * ckjit-prebuild starts many; it is made to be used by hand as well, for the command in an error message must
 * be one that can be repeated.
 *
 * It is a process of its own, and a small one, so that waiting for a lock, running the compiler, cleaning up
 * after it and dying do not happen in the inference job. Of all processes that want one key, one compiles;
 * the others wait here and then find the entry, or get the failure that they waited for. A call that comes
 * after a failure compiles again.
 *
 *     options      what is to be compiled            compile_task.c, compile_command.c
 *     inputs       what the key was made from?       compile_inputs.c
 *     lock         whose turn it is                  compile_lock.c
 *     launched     by ccache and its like            compile_launched.c
 *     passes       side by side, where it can be     compile_passes.c
 *     run          the compiler, its output a log    compile_run.c
 *     place        check, seal, fsync, rename        compile_place.c
 *     tidy         what is stale or too much         core/cachedir.c
 *
 * All but the options is done by a child of the process that was started, which tidies up where the child is
 * killed (compile_keeper.c).
 *
 * docs/formats.md has the command line. Exit status: 0 the file is there, 1 it could not be made, 2 wrong
 * command line.
 */
#include "compile.h"
#include "compile_passes.h"
#include "core/home.h"
#include "core/env.h"
#include "core/path.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char usage[] =
    "usage: ckjit-compile --blob-source FILE --blob-flags FLAGS --output SO [OPTION…]\n"
    "       ckjit-compile --blob STEM [--manifest FILE] --output SO [OPTION…]\n"
    "Compile one kernel blob into a shared object.\n"
    "\n"
    "  --blob-source FILE   the blob's source (direct mode)\n"
    "  --blob-flags FLAGS   its compiler flags, one word, quoted as in a response file\n"
    "  --blob BLOB          look the blob up in a manifest: its stem, base name, source path or cached .so\n"
    "  --manifest FILE      the manifest; default CK_JIT_MANIFEST, else ck_jit_manifest.json in the root\n"
    "  --output SO          the shared object to make\n"
    "  --root DIR           what {root} in flags and names stands for; default CK_JIT_ROOT, else the "
    "directory of\n"
    "                       the manifest or of this program\n"
    "  --link-flags FLAGS   put behind the source\n"
    "  --arch LIST          offload architectures, ';' between; default: those of this machine's GPUs\n"
    "  --build-id HEX       48 hexadecimal digits; default: from the manifest's key, or from what is "
    "compiled\n"
    "  --cache              SO is the plain name of a cache entry: lock, look it up, never evict another's\n"
    "  --hipcc PROGRAM      the compiler; default CK_JIT_HIPCC, the manifest's, hipcc on the PATH, ROCm's\n"
    "  --inputs FILE        what the key was made from: what was changed since is refused, or stored apart\n"
    "  --verbose            say what is run\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 the file is there; 1 it could not be made; 2 the command line is wrong.\n"
    "\n"
    "Environment:\n";

static void read_options(struct compile_options *o, int argc, char **argv) {
  enum {
    SOURCE = 256,
    FLAGS,
    BLOB,
    MANIFEST,
    OUTPUT,
    ROOT,
    LINK,
    ARCH,
    BUILD_ID,
    CACHE,
    HIPCC,
    INPUTS,
    VERBOSE,
    HELP,
    VERSION
  };
  static const struct option table[] = {
      {"blob-source", required_argument, NULL, SOURCE}, {"blob-flags", required_argument, NULL, FLAGS},
      {"blob", required_argument, NULL, BLOB},          {"manifest", required_argument, NULL, MANIFEST},
      {"output", required_argument, NULL, OUTPUT},      {"root", required_argument, NULL, ROOT},
      {"link-flags", required_argument, NULL, LINK},    {"arch", required_argument, NULL, ARCH},
      {"build-id", required_argument, NULL, BUILD_ID},  {"cache", no_argument, NULL, CACHE},
      {"hipcc", required_argument, NULL, HIPCC},        {"inputs", required_argument, NULL, INPUTS},
      {"verbose", no_argument, NULL, VERBOSE},          {"help", no_argument, NULL, HELP},
      {"version", no_argument, NULL, VERSION},          {NULL, 0, NULL, 0}};
  for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    switch (c) {
    case SOURCE:
      o->source = optarg;
      break;
    case FLAGS:
      o->flags = optarg;
      break;
    case BLOB:
      o->blob = optarg;
      break;
    case MANIFEST:
      o->manifest = optarg;
      break;
    case OUTPUT:
      o->output = optarg;
      break;
    case ROOT:
      o->root = optarg;
      break;
    case LINK:
      o->link = optarg;
      break;
    case ARCH:
      o->arch = optarg;
      break;
    case BUILD_ID:
      o->build_id = optarg;
      break;
    case CACHE:
      o->cache = true;
      break;
    case HIPCC:
      o->hipcc = optarg;
      break;
    case INPUTS:
      o->inputs = optarg;
      break;
    case VERBOSE:
      o->verbose = true;
      break;
    case HELP:
      fputs(usage, stdout);
      env_help(stdout, ENV_RUNTIME);
      exit(EXIT_OK);
    case VERSION:
      puts("ckjit-compile " CKJIT_VERSION);
      exit(EXIT_OK);
    default:
      exit(EXIT_USAGE); /* getopt has said what is wrong */
    }
  }
  if (optind < argc)
    die(EXIT_USAGE, "unexpected argument '%s'; try --help", argv[optind]);
}

static void check_options(const struct compile_options *o) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!o->source == !o->blob)
    die(EXIT_USAGE, "exactly one of --blob-source and --blob is needed; try --help");
  if (o->source && o->manifest)
    die(EXIT_USAGE, "--manifest goes with --blob, not with --blob-source");
  if (o->blob && o->flags)
    die(EXIT_USAGE, "--blob-flags goes with --blob-source; a manifest has its own");
  if (!o->output)
    die(EXIT_USAGE, "--output is missing");
  if (o->cache && !str_ends(o->output, ".so"))
    die(EXIT_USAGE, "--output '%s': with --cache it is the name of a cache entry, <stem>.so", o->output);
  if (o->build_id && !ckjit_build_id_parse(id, o->build_id))
    die(EXIT_USAGE, "--build-id '%s': expected %d hexadecimal digits", o->build_id, 2 * CKJIT_BUILD_ID_SIZE);
}

/* Whoever starts us may have closed the standard streams, ignore SIGCHLD (then there is no exit status to
 * wait for) or go away while we write to it. */
static void make_sane(void) {
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
      exit(EXIT_FAILED);
  if (getauxval(AT_SECURE))
    clearenv(); /* the compiler reads more of it than we do */
  char *cwd = getcwd(NULL, 0);
  if (!cwd && chdir("/"))
    exit(EXIT_FAILED);
  free(cwd);
  signal(SIGCHLD, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
}

void compile_say(const struct compile_task *t, const struct argv *command) {
  char *text = argv_join(command->args);
  warn("%s: %s", t->stem, text);
  free(text);
}

/* Our turn: compile into a temporary directory, then give the result its name. */
static char *compile(struct compile_task *t, bool locked) {
  char *temporary, *why = compile_temporary(&temporary, t, locked);
  if (why)
    return why;
  char *file = xasprintf("%s/%s.so", temporary, t->stem), *log = xasprintf("%s/log", temporary);
  struct argv command = {0}, suspects = {0};
  compile_command(&command, t, file);
  if (t->verbose && !t->launcher.n)
    compile_say(t, &command);
  compile_stop_catch(temporary);
  compile_keeper_removes(temporary);
  compile_deadline(t->timeout);
  bool made = t->launcher.n ? compile_launched(t, temporary, file)
                            : compile_passes(t, &command, temporary, file, &suspects);
  if (!made)
    why = compile_run(t, &command, log);
  for (size_t i = 0; i < suspects.n && !why; i++)
    unlink(suspects.args[i]);
  if (!why)
    why = compile_inputs_again(t);
  if (!why)
    why = compile_inputs_made(t, file);
  if (!why)
    why = compile_place(t, file);
  if (why) {
    char *kept = compile_keep_log(t, log);
    char *whole = kept ? xasprintf("%s\nlog: %s", why, kept) : xstrdup(why);
    free(kept);
    free(why);
    why = whole;
  }
  compile_stop_release();
  dir_remove(temporary);
  compile_keeper_removes("");
  argv_free(&command);
  argv_free(&suspects);
  free(temporary);
  free(file);
  free(log);
  return why;
}

/* What others left behind, and what is too much. */
static void tidy_cache(const struct compile_task *t) {
  cachedir_sweep(t->dir);
  cachedir_limit(t->dir, &t->limits, t->placed);
}

/* In our turn, or by somebody else. */
static char *compile_into_cache(struct compile_task *t) {
  struct compile_lock lock;
  char *why = NULL;
  switch (compile_lock_enter(&lock, t, &why)) {
  case COMPILE_READY:
    if (t->verbose)
      warn("%s: it is in the cache", t->stem);
    break;
  case COMPILE_OURS:
    why = compile(t, lock.fd >= 0);
    compile_lock_leave(&lock, why);
    tidy_cache(t);
    break;
  case COMPILE_FAILED:
    break;
  }
  return why;
}

int main(int argc, char **argv) {
  program_name = "ckjit-compile";
  make_sane();
  home_leave_any();
  struct compile_options options = {0};
  read_options(&options, argc, argv);
  check_options(&options);
  compile_keeper();

  struct compile_task task = {0};
  char *why = compile_task_read(&task, &options);
  if (!why && task.cache)
    why = cachedir_open(task.dir);
  if (!why && !(task.cache && compile_entry_is_there(&task)))
    why = compile_inputs_check(&task);
  if (!why)
    why = task.cache ? compile_into_cache(&task) : compile(&task, false);
  if (!why)
    compile_inputs_tell(&task);
  compile_task_free(&task);
  if (why)
    die(EXIT_FAILED, "%s", why);
  return EXIT_OK;
}
