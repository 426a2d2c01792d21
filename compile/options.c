/* options.c - the command line of ckjit-compile.
 *
 * It is a public interface: the runtime and ckjit-prebuild call it, and an error message repeats it for a
 * user to run (docs/formats.md). Two modes say what is compiled: a source with its flags, or a blob of a
 * manifest; a kernel of CUDA is a third, and one of a lazy unit is of the first. What goes together is checked here, before anything is read.
 */
#include "options.h"
#include "unlinked.h"
#include "core/base/env.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/suggest.h"
#include "core/cc/compiler.h"

#include "abi/ck_jit_entry.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: ckjit-compile --blob-source FILE --blob-flags FLAGS --output SO [OPTION…]\n"
    "       ckjit-compile --blob BLOB [--manifest FILE] --output SO [OPTION…]\n"
    "       ckjit-compile --kernel NAME --entry SO --build-id HEX --output SO [OPTION…]\n"
    "       ckjit-compile --kernel NAME --blob-source TEXT --blob-flags FLAGS --build-id HEX\n"
    "                     --output SO [OPTION…]\n"
    "       ckjit-compile --ahead PID --list-fd FD\n"
    "\n"
    "Compile one blob of a library into a shared object.\n"
    "\n"
    "  --blob-source FILE   the blob's source (direct mode)\n"
    "  --blob-flags FLAGS   its compiler flags, one argument, quoted as in a response file\n"
    "  --blob BLOB          a blob of the manifest: its stem, base name, source path or cached .so\n"
    "  --manifest FILE      the manifest (default: $CK_JIT_MANIFEST, else ck_jit_manifest.json in the\n"
    "                       root)\n"
    "  --output SO          the shared object to write\n"
    "  --output-fd FD       write to the open descriptor FD instead, and keep no other file\n"
    "  --root DIR           replaces {root} in flags and names (default: $CK_JIT_ROOT, else the directory\n"
    "                       of the manifest or of this program)\n"
    "  --link-flags FLAGS   linker flags, after the source\n"
    "  --add-flags FLAGS    further flags, after the blob's. The output has the same key but another\n"
    "                       build id\n"
    "  --arch LIST          offload architectures, separated by ';' (default: this machine's GPUs)\n"
    "  --build-id HEX       48 hexadecimal digits (default: a hash of the manifest's key, or of the\n"
    "                       input)\n"
    "  --cache              SO is the plain name of a cache entry: lock it, look it up, keep other\n"
    "                       installs'\n"
    "  --hipcc PROGRAM      the compiler (default: $CK_JIT_HIPCC or $CK_JIT_NVCC, the manifest's, the one\n"
    "                       on the PATH, ROCm's or CUDA's)\n"
    "  --build-hipcc PROGRAM\n"
    "                       the build's compiler, instead of the manifest's: used if it exists, and only\n"
    "                       root and the user could have put it there\n"
    "  --kind KIND          kind of compiler: hip, cuda, clang or c++ (default: the manifest's, or the\n"
    "                       one that --hipcc's name suggests)\n"
    "  --function HASH      HIP, with --cache: the called function, as the FNV-1a hash of its mangled\n"
    "                       name, 16 hexadecimal digits. If it launches nothing, the kernels are not\n"
    "                       compiled\n"
    "  --likely             with --function: it probably launches nothing: start the device pass once that\n"
    "                       is known\n"
    "  --per-kernel HEX     CUDA: compile each kernel at its first launch. If that is impossible, compile\n"
    "                       the whole blob with build id HEX\n"
    "  --kernel NAME        compile the kernel of that mangled name, or all for '*'. HIP: of a unit whose\n"
    "                       text is the source\n"
    "  --entry SO           CUDA: from this entry, which --per-kernel wrote\n"
    "  --inputs FILE        the key's inputs. A changed source is refused; with a changed compiler or\n"
    "                       system header the result is stored under another build id\n"
    "  --format FORMAT      write a file that needs no ckjit: so, obj, code-object, bitcode or asm\n"
    "  --symbol [OLD=]NAME  with --format: rename a function; may be repeated\n"
    "  --soname NAME        with --format so: the DT_SONAME\n"
    "  --built-for LIST     with --format: the library's architectures, tried if a kernel is empty\n"
    "  --part FILE          with --format: join these files instead of compiling the source: one for each\n"
    "                       kernel, or one for each architecture; may be repeated\n"
    "  --probe              with --format: write nothing, check that the compiler supports the\n"
    "                       architectures\n"
    "  --unless-busy        with --cache: leave the blob to another process that is compiling it, and end\n"
    "                       with the process that started this one\n"
    "  --used-by LIBRARY    with --cache: record for the next upgrade that a call of LIBRARY waited for\n"
    "                       it\n"
    "  --ahead PID          run compiles in the background while process PID waits for one, and end with\n"
    "                       it\n"
    "  --list-fd FD         read their commands from the open descriptor FD\n"
    "  --together N         run the first N in any case, the others unless another process works on such\n"
    "                       a list\n"
    "  --detach             continue after that process has ended\n"
    "  --progress           print on standard output which process compiles it and since when: this one,\n"
    "                       or the one that it waits for\n"
    "  --verbose            print the commands\n"
    "  --color WHEN         colour messages: never, always or auto (default: on a terminal, unless\n"
    "                       NO_COLOR is set)\n"
    "  --help, --version\n"
    "\n"
    "Exit status: 0 the file was written; 1 it could not be; 2 the command line is wrong.\n"
    "\n"
    "Environment:\n";

static uint64_t number_option(const char *option, const char *text, uint64_t least, uint64_t most) {
  uint64_t n;
  char *err;
  if (!number_read(option, text, least, most, &n, &err))
    die(EXIT_USAGE, "%s", err);
  return n;
}

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
    BUILD_HIPCC,
    KIND,
    FUNCTION,
    LIKELY,
    PER_KERNEL,
    KERNEL,
    ENTRY,
    UNLESS_BUSY,
    AHEAD,
    LIST_FD,
    USED_BY,
    DETACH,
    TOGETHER,
    INPUTS,
    FORMAT,
    SYMBOL,
    SONAME,
    BUILT_FOR,
    PART,
    PROBE,
    PROGRESS,
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
                                        {"build-hipcc", required_argument, NULL, BUILD_HIPCC},
                                        {"inputs", required_argument, NULL, INPUTS},
                                        {"format", required_argument, NULL, FORMAT},
                                        {"symbol", required_argument, NULL, SYMBOL},
                                        {"soname", required_argument, NULL, SONAME},
                                        {"built-for", required_argument, NULL, BUILT_FOR},
                                        {"part", required_argument, NULL, PART},
                                        {"probe", no_argument, NULL, PROBE},
                                        {"progress", no_argument, NULL, PROGRESS},
                                        {"verbose", no_argument, NULL, VERBOSE},
                                        {"help", no_argument, NULL, HELP},
                                        {"version", no_argument, NULL, VERSION},
                                        {"add-flags", required_argument, NULL, ADD_FLAGS},
                                        {"output-fd", required_argument, NULL, OUTPUT_FD},
                                        {"kind", required_argument, NULL, KIND},
                                        {"likely", no_argument, NULL, LIKELY},
                                        {"per-kernel", required_argument, NULL, PER_KERNEL},
                                        {"function", required_argument, NULL, FUNCTION},
                                        {"kernel", required_argument, NULL, KERNEL},
                                        {"entry", required_argument, NULL, ENTRY},
                                        {"unless-busy", no_argument, NULL, UNLESS_BUSY},
                                        {"ahead", required_argument, NULL, AHEAD},
                                        {"list-fd", required_argument, NULL, LIST_FD},
                                        {"used-by", required_argument, NULL, USED_BY},
                                        {"detach", no_argument, NULL, DETACH},
                                        {"together", required_argument, NULL, TOGETHER},
                                        {NULL, 0, NULL, 0}};
  static const char *const kinds[] = {"hip", "cuda", "clang", "c++", NULL};
  for (int c; (c = options_next(argc, argv, "", table, "ckjit-compile --help")) != -1;) {
    switch (c) {
    case SOURCE:
      o->source = options_path("--blob-source", optarg);
      break;
    case FLAGS:
      o->flags = optarg;
      break;
    case BLOB:
      o->blob = options_path("--blob", optarg);
      break;
    case MANIFEST:
      o->manifest = options_path("--manifest", optarg);
      break;
    case OUTPUT:
      o->output = options_path("--output", optarg);
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
      o->output_fd = unlinked_option(optarg);
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
      o->hipcc = options_path("--hipcc", optarg);
      break;
    case BUILD_HIPCC:
      o->build_hipcc = optarg;
      break;
    case FUNCTION:
      o->function = optarg;
      break;
    case LIKELY:
      o->likely = true;
      break;
    case PER_KERNEL:
      o->per_kernel = optarg;
      break;
    case KERNEL:
      o->kernel = optarg;
      break;
    case ENTRY:
      o->entry = options_path("--entry", optarg);
      break;
    case UNLESS_BUSY:
      o->unless_busy = true;
      break;
    case AHEAD:
      o->ahead = (pid_t)number_option("--ahead", optarg, 1, INT_MAX);
      break;
    case USED_BY:
      o->used_by = optarg;
      break;
    case DETACH:
      o->detach = true;
      break;
    case TOGETHER:
      o->together = (size_t)number_option("--together", optarg, 0, INT_MAX);
      break;
    case LIST_FD:
      o->list_fd = (int)number_option("--list-fd", optarg, 3, INT_MAX);
      break;
    case KIND:
      o->kind = compiler_of_kind(optarg);
      if (!o->kind)
        die(EXIT_USAGE, "--kind '%s': expected %s%s", optarg, one_of(kinds), did_you_mean(optarg, kinds));
      break;
    case INPUTS:
      o->inputs = options_path("--inputs", optarg);
      break;
    case FORMAT:
      if (!(o->format = export_format_parse(optarg)))
        die(EXIT_USAGE, "--format '%s': expected %s%s", optarg, one_of(export_format_names),
            did_you_mean(optarg, export_format_names));
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
    case PROGRESS:
      o->progress = true;
      break;
    case VERBOSE:
      o->verbose = true;
      break;
    case HELP:
      fputs(usage, stdout);
      env_help(stdout, ENV_RUNTIME);
      exit(streams_answered());
    case VERSION:
      puts("ckjit-compile " CKJIT_VERSION);
      exit(streams_answered());
    }
  }
  if (optind < argc)
    die(EXIT_USAGE,
        o->blob || o->source ? "unexpected argument '%s'; see ckjit-compile --help"
                             : "unexpected argument '%s'; did you mean '--blob %s'? See ckjit-compile --help",
        argv[optind], argv[optind]);
}

/* Else -I"x would be an option of its own kind of name, and the compiler's message a riddle. */
static void check_quotes(const char *option, const char *flags) {
  struct argv words = {0};
  if (flags && !argv_split(&words, flags, strlen(flags)))
    die(EXIT_USAGE, "%s '%s': a quote is not closed", option, flags);
  argv_free(&words);
}

/* A cache is made where it is not; the directory of a file is the user's business, as with a compiler's -o. */
static void check_directory(const char *output) {
  char *dir = path_dir(output);
  if (!file_is_dir(dir))
    die(EXIT_FAILED, "--output %s: directory %s does not exist; create it, or name another file", output,
        dir);
  free(dir);
}

static void check_options(const struct compile_options *o) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!o->ahead != (o->list_fd < 0) || (!o->ahead && (o->together || o->detach)))
    die(EXIT_USAGE, "--ahead, --list-fd, --together and --detach go together");
  if (o->used_by && !o->cache)
    die(EXIT_USAGE, "--used-by goes with --cache");
  if (o->ahead)
    return;
  if (o->unless_busy && !o->cache)
    die(EXIT_USAGE, "--unless-busy goes with --cache");
  if ((o->entry && !o->kernel) || (o->kernel && (!!o->entry + !!o->source + !!o->blob != 1 || !o->build_id)))
    die(EXIT_USAGE, "--kernel goes with --build-id, and one of --entry, --blob-source and --blob");
  if (!o->kernel && !o->source == !o->blob)
    die(EXIT_USAGE,
        "expected --blob-source FILE or --blob STEM, and one of them only; see ckjit-compile --help");
  if (o->per_kernel && (!ckjit_build_id_parse(id, o->per_kernel) || !o->build_id || !o->cache))
    die(EXIT_USAGE, "--per-kernel '%s': expected %d hexadecimal digits, beside --build-id and --cache",
        o->per_kernel, 2 * CKJIT_BUILD_ID_SIZE);
  uint8_t hash[8];
  if (o->function && (!ckjit_hex_parse(hash, sizeof hash, o->function) || !o->cache))
    die(EXIT_USAGE, "--function '%s': expected %zu hexadecimal digits, beside --cache", o->function,
        2 * sizeof hash);
  if (o->likely && !o->function)
    die(EXIT_USAGE, "--likely goes with --function");
  if (o->source && o->manifest)
    die(EXIT_USAGE, "--manifest goes with --blob, not with --blob-source");
  if (o->blob && o->flags)
    die(EXIT_USAGE, "--blob-flags goes with --blob-source; a manifest has its own");
  if (!o->output && o->output_fd < 0)
    die(EXIT_USAGE, "--output SO is missing: the shared object to make");
  if (o->output && o->output_fd >= 0)
    die(EXIT_USAGE, "--output and --output-fd: expected one of them");
  if (o->cache && !o->output)
    die(EXIT_USAGE, "--cache goes with --output, not with --output-fd");
  if (o->cache && o->add_flags)
    die(EXIT_USAGE, "--add-flags cannot be combined with --cache: the library would not find the result");
  if (o->format ? o->cache : o->soname || o->built || o->symbols.n || o->parts.n || o->probe)
    die(EXIT_USAGE, o->format ? "--cache cannot be combined with --format: a cache is for what ckjit loads"
                              : "--symbol, --soname, --built-for, --part and --probe need --format");
  for (size_t i = 0; i < o->symbols.n; i++) {
    char *old;
    if (!export_symbol_parse(o->symbols.args[i], &old))
      die(EXIT_USAGE, "--symbol '%s': expected NAME or OLD=NAME, NAME of letters, digits and _ . $",
          o->symbols.args[i]);
    free(old);
  }
  check_quotes("--blob-flags", o->flags);
  check_quotes("--link-flags", o->link);
  check_quotes("--add-flags", o->add_flags);
  if (o->output && file_is_dir(o->output))
    die(EXIT_FAILED, "--output %s: is a directory; expected the name of the file to make", o->output);
  if (o->output && !o->cache)
    check_directory(o->output);
  if (o->cache && !str_ends(o->output, ".so"))
    die(EXIT_USAGE, "--output '%s': with --cache it is the name of a cache entry, <stem>.so", o->output);
  if (o->build_id && !ckjit_build_id_parse(id, o->build_id))
    die(EXIT_USAGE, "--build-id '%s': expected %d hexadecimal digits", o->build_id, 2 * CKJIT_BUILD_ID_SIZE);
}

void compile_options_read(struct compile_options *o, int argc, char **argv) {
  *o = (struct compile_options){.output_fd = -1, .list_fd = -1};
  read_options(o, argc, argv);
  check_options(o);
}

void compile_options_free(struct compile_options *o) {
  argv_free(&o->symbols);
  argv_free(&o->parts);
}
