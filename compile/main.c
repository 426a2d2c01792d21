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
 *     options      what is to be compiled            task.c, command.c
 *     inputs       what the key was made from?       inputs.c
 *     lock         whose turn it is                  lock.c
 *     parts        of a blob with -fgpu-rdc          fragments.c
 *     launched     by ccache and its like            launched.c
 *     passes       side by side, where it can be     passes.c
 *     run          the compiler, its output a log    run.c
 *     place        check, seal, fsync, rename        place.c
 *                  or into a descriptor              unlinked.c
 *     export       or: in a form without ckjit       compile/export/export.c
 *     tidy         what is stale or too much         core/cache/cachedir.c
 *
 * All but the options is done by a child of the process that was started, which tidies up where the child is
 * killed (keeper.c).
 *
 * docs/formats.md has the command line. Exit status: 0 the file is there, 1 it could not be made, 2 wrong
 * command line.
 */
#include "compile.h"
#include "compile/cuda/cuda.h"
#include "compile/export/export.h"
#include "fragments.h"
#include "passes.h"
#include "core/cc/compiler.h"
#include "core/files/home.h"
#include "core/base/env.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/trace.h"

#include <fcntl.h>
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
    "  --output-fd FD       write it into the open descriptor FD instead, and leave nothing behind\n"
    "  --root DIR           what {root} in flags and names stands for; default CK_JIT_ROOT, else the "
    "directory of\n"
    "                       the manifest or of this program\n"
    "  --link-flags FLAGS   put behind the source\n"
    "  --add-flags FLAGS    put behind the blob's flags; what is made has another build id, and the same "
    "key\n"
    "  --arch LIST          offload architectures, ';' between; default: those of this machine's GPUs\n"
    "  --build-id HEX       48 hexadecimal digits; default: from the manifest's key, or from what is "
    "compiled\n"
    "  --cache              SO is the plain name of a cache entry: lock, look it up, never evict another's\n"
    "  --hipcc PROGRAM      the compiler; default CK_JIT_HIPCC or CK_JIT_NVCC, the manifest's, the one on\n"
    "                       the PATH, ROCm's or CUDA's\n"
    "  --kind KIND          of compiler: hip or cuda; default: as the manifest's or --hipcc is\n"
    "  --per-kernel HEX     of CUDA: leave each kernel for its first launch; where that cannot be, the\n"
    "                       build id is HEX\n"
    "  --kernel NAME --entry SO   the kernel of that mangled name, from an entry made with --per-kernel\n"
    "  --inputs FILE        what the key was made from: what was changed since is refused, or stored apart\n"
    "  --format FORMAT      make something that needs no ckjit: so, obj, code-object, bitcode or asm\n"
    "  --symbol [OLD=]NAME  with --format: call it NAME; may be repeated\n"
    "  --soname NAME        with --format so: what it is called by who links with it\n"
    "  --built-for LIST     with --format: the architectures of the library, for the message about a kernel\n"
    "                       that has no code for one\n"
    "  --part FILE          with --format: join these, made of several kernels, or of one for each\n"
    "                       architecture, in place of the source; may be repeated\n"
    "  --probe              with --format: make nothing, ask whether the compiler knows the architectures\n"
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
    ADD_FLAGS,
    OUTPUT_FD,
    ARCH,
    BUILD_ID,
    CACHE,
    HIPCC,
    KIND,
    PER_KERNEL,
    KERNEL,
    ENTRY,
    INPUTS,
    FORMAT,
    SYMBOL,
    SONAME,
    BUILT_FOR,
    PART,
    PROBE,
    VERBOSE,
    HELP,
    VERSION
  };
  static const struct option table[] = {{"blob-source", required_argument, NULL, SOURCE},
                                        {"blob-flags", required_argument, NULL, FLAGS},
                                        {"blob", required_argument, NULL, BLOB},
                                        {"manifest", required_argument, NULL, MANIFEST},
                                        {"output", required_argument, NULL, OUTPUT},
                                        {"root", required_argument, NULL, ROOT},
                                        {"link-flags", required_argument, NULL, LINK},
                                        {"arch", required_argument, NULL, ARCH},
                                        {"build-id", required_argument, NULL, BUILD_ID},
                                        {"cache", no_argument, NULL, CACHE},
                                        {"hipcc", required_argument, NULL, HIPCC},
                                        {"inputs", required_argument, NULL, INPUTS},
                                        {"format", required_argument, NULL, FORMAT},
                                        {"symbol", required_argument, NULL, SYMBOL},
                                        {"soname", required_argument, NULL, SONAME},
                                        {"built-for", required_argument, NULL, BUILT_FOR},
                                        {"part", required_argument, NULL, PART},
                                        {"probe", no_argument, NULL, PROBE},
                                        {"verbose", no_argument, NULL, VERBOSE},
                                        {"help", no_argument, NULL, HELP},
                                        {"version", no_argument, NULL, VERSION},
                                        {"add-flags", required_argument, NULL, ADD_FLAGS},
                                        {"output-fd", required_argument, NULL, OUTPUT_FD},
                                        {"kind", required_argument, NULL, KIND},
                                        {"per-kernel", required_argument, NULL, PER_KERNEL},
                                        {"kernel", required_argument, NULL, KERNEL},
                                        {"entry", required_argument, NULL, ENTRY},
                                        {NULL, 0, NULL, 0}};
  for (int c; (c = options_next(argc, argv, "", table, "ckjit-compile --help")) != -1;) {
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
    case ADD_FLAGS:
      o->add_flags = optarg;
      break;
    case OUTPUT_FD:
      o->output_fd = compile_unlinked_option(optarg);
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
    case PER_KERNEL:
      o->per_kernel = optarg;
      break;
    case KERNEL:
      o->kernel = optarg;
      break;
    case ENTRY:
      o->entry = optarg;
      break;
    case KIND:
      if (!compiler_named(optarg))
        die(EXIT_USAGE, "--kind '%s': expected hip or cuda", optarg);
      o->kind = optarg;
      break;
    case INPUTS:
      o->inputs = optarg;
      break;
    case FORMAT:
      if (!(o->format = export_format_parse(optarg)))
        die(EXIT_USAGE, "--format '%s': expected " EXPORT_FORMATS, optarg);
      break;
    case SYMBOL:
      argv_add(&o->symbols, optarg);
      break;
    case SONAME:
      o->soname = optarg;
      break;
    case BUILT_FOR:
      o->built = optarg;
      break;
    case PART:
      argv_add(&o->parts, optarg);
      break;
    case PROBE:
      o->probe = true;
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
    }
  }
  if (optind < argc)
    die(EXIT_USAGE, "unexpected argument '%s'; try --help", argv[optind]);
}

static void check_options(const struct compile_options *o) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!o->kernel != !o->entry || (o->kernel && (o->source || o->blob || !o->build_id)))
    die(EXIT_USAGE, "--kernel goes with --entry and --build-id, and without --blob-source and --blob");
  if (!o->kernel && !o->source == !o->blob)
    die(EXIT_USAGE, "exactly one of --blob-source and --blob is needed; try --help");
  if (o->per_kernel && (!ckjit_build_id_parse(id, o->per_kernel) || !o->build_id || !o->cache))
    die(EXIT_USAGE, "--per-kernel '%s': expected %d hexadecimal digits, beside --build-id and --cache",
        o->per_kernel, 2 * CKJIT_BUILD_ID_SIZE);
  if (o->source && o->manifest)
    die(EXIT_USAGE, "--manifest goes with --blob, not with --blob-source");
  if (o->blob && o->flags)
    die(EXIT_USAGE, "--blob-flags goes with --blob-source; a manifest has its own");
  if (!o->output && o->output_fd < 0)
    die(EXIT_USAGE, "--output is missing");
  if (o->output && o->output_fd >= 0)
    die(EXIT_USAGE, "--output and --output-fd: expected one of them");
  if (o->cache && !o->output)
    die(EXIT_USAGE, "--cache goes with --output, not with --output-fd");
  if (o->cache && o->add_flags)
    die(EXIT_USAGE, "--add-flags goes without --cache: the library would not find what is made with them");
  if (o->format ? o->cache : o->soname || o->built || o->symbols.n || o->parts.n || o->probe)
    die(EXIT_USAGE, o->format ? "--cache does not go with --format: a cache holds what ckjit loads"
                              : "--symbol, --soname, --built-for, --part and --probe go with --format");
  for (size_t i = 0; i < o->symbols.n; i++) {
    char *old;
    if (!export_symbol_parse(o->symbols.args[i], &old))
      die(EXIT_USAGE, "--symbol '%s': expected NAME or OLD=NAME, NAME of letters, digits and _ . $",
          o->symbols.args[i]);
    free(old);
  }
  if (o->format && o->output_fd >= 0)
    die(EXIT_USAGE, "--output-fd does not go with --format");
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

/* The message of a link that failed, with what no fragment defines before what the linker says. */
static char *with_missing(const struct parts *p, const struct compile_task *t, char *why) {
  if (!why || !p->missing.len)
    return why;
  char *whole =
      xasprintf("%s: device functions are missing; no fragment that it may use defines them, so a source is "
                "missing in the library's link, or a tag (docs/fragments.md):\n%s%s",
                t->stem, p->missing.data, why);
  free(why);
  return whole;
}

/* Link the parts of T in TEMPORARY into FILE; PARTS holds them if they are in the cache. */
static char *link_parts(struct parts *parts, struct compile_task *t, const char *temporary, const char *file,
                        const char *log) {
  struct argv command = {0};
  char *why = NULL;
  if (!t->cache)
    why = parts_make(parts, t, temporary);
  if (!why && !parts_hold(parts, t, temporary))
    why = xasprintf(
        "%s: an object that it is linked of was removed this moment; CK_JIT_CACHE_MAX_SIZE may be too small "
        "for one kernel",
        t->stem);
  if (!why && parts_linked_before(parts, t, file)) {
    if (t->verbose)
      note("%s: the same %zu parts were linked before", t->stem, parts->objects.n);
    return NULL;
  }
  if (!why) {
    compile_command_link(&command, t, file, &parts->objects);
    if (t->verbose) {
      char *text = argv_join(command.args);
      note("%s: linking %zu parts, %zu of them compiled now: %s", t->stem, parts->objects.n, parts->compiled,
           text);
      free(text);
    }
    why = with_missing(parts, t, compile_run(t, &command, log));
  }
  argv_free(&command);
  return why;
}

void compile_say(const struct compile_task *t, const struct argv *command) {
  char *text = argv_join(command->args);
  note("%s: %s", t->stem, text);
  free(text);
}

/* Our turn: compile into a temporary directory, then give the result its name. */
static char *compile(struct compile_task *t, bool locked) {
  struct parts parts = {0};
  bool of_parts = parts_are_needed(t);
  if (of_parts && t->format)
    return xasprintf("%s: it is linked of fragments (-fgpu-rdc), which are not exported; give its library to "
                     "`ckjit-prebuild build` and take the file from the cache",
                     t->stem);
  /* Before there is a directory of ours: each part has one while it is made, and one at a time is looked
   * after. */
  char *temporary, *why = of_parts && t->cache ? parts_make(&parts, t, NULL) : NULL;
  if (!why)
    why = compile_temporary(&temporary, t, locked);
  if (why) {
    parts_free(&parts);
    return why;
  }
  char *file = xasprintf("%s/%s.so", temporary, t->stem), *log = xasprintf("%s/log", temporary);
  struct argv command = {0}, suspects = {0};
  if (!t->kernel)
    compile_command(&command, t, file);
  if (t->verbose && !t->format && !of_parts && !t->launcher.n && !t->kernel && !t->per_kernel)
    compile_say(t, &command);
  compile_stop_catch(temporary);
  compile_keeper_removes(temporary);
  compile_deadline(t->timeout);
  bool apart = t->per_kernel && compile_cuda(t, temporary, file);
  if (t->per_kernel && !apart) { /* whole, then, and so called */
    t->per_kernel = false;
    compile_inputs_identify(t);
    argv_free(&command);
    compile_command(&command, t, file);
    argv_add(&command, "--split-compile=0"); /* all processors for what somebody waits for */
  }
  if (t->kernel)
    why = compile_cuda_kernel(t, temporary, file);
  else if (apart)
    why = NULL;
  else if (t->format)
    why = compile_export(t, temporary, file);
  else if (of_parts)
    why = link_parts(&parts, t, temporary, file, log);
  else if (!compile_launched(t, temporary, file) &&
           (t->launcher.n || !compile_passes(t, &command, temporary, file, &suspects)))
    why = compile_run(t, &command, log);
  for (size_t i = 0; i < suspects.n && !why; i++)
    unlink(suspects.args[i]);
  uint64_t start = trace_now();
  if (!why)
    why = compile_inputs_again(t);
  if (!why)
    why = compile_inputs_made(t, file);
  if (!why && !t->probe)
    why = t->format ? compile_export_place(t, file) : compile_place(t, file);
  if (!why) {
    compile_trace_span("place", start, "0");
    if (t->cache)
      compile_time_record(t);
    if (of_parts)
      parts_remember(&parts, t);
  } else if (!t->format) { /* of an export nothing is left but the message */
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
  parts_free(&parts);
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
      note("%s: it is in the cache", t->stem);
    puts(CKJIT_MADE_BY_OTHERS);
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
  uint64_t start = trace_now();
  long starter = getppid();
  make_sane();
  home_leave_any();
  struct compile_options options = {.output_fd = -1};
  read_options(&options, argc, argv);
  check_options(&options);
  compile_keeper(options.output_fd >= 0);

  struct compile_task task = {0};
  compile_trace_start(starter, start);
  char *why = compile_task_read(&task, &options);
  compile_trace_task(&task);
  if (!why && task.cache)
    why = cachedir_open(task.dir);
  if (!why && !(task.cache && compile_entry_is_there(&task))) {
    start = trace_now();
    why = compile_inputs_check(&task);
    compile_trace_span("inputs", start, why ? why : "0");
  }
  if (!why)
    why = task.cache ? compile_into_cache(&task) : compile(&task, false);
  if (!why)
    compile_inputs_tell(&task);
  compile_task_free(&task);
  compile_trace_end(why ? why : "0");
  if (why)
    die(EXIT_FAILED, "%s", why);
  return EXIT_OK;
}
