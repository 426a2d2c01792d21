/* options.c - the command line of ckjit-compile.
 *
 * It is a public interface: the runtime and ckjit-prebuild call it, and an error message repeats it
 * for a user to run (docs/formats.md). Two modes say what is compiled: a source with its flags, or
 * a blob of a manifest; a kernel of CUDA is a third, and one of a lazy unit is of the first.
 */
#include "options.h"
#include "core/base/env.h"
#include "core/base/options.h"
#include "core/base/path.h"

#include "abi/ck_jit_entry.h"

#include <fcntl.h>

static void add_symbol(void *into, const char *option, const char *value) {
  struct compile_options *o = into;
  autofree char *old = NULL;
  if (!export_symbol_parse(value, &old))
    die(EXIT_USAGE, "%s '%s': expected NAME or OLD=NAME, NAME of letters, digits and _ . $", option, value);
  argv_add(&o->symbols, value);
}

enum { BUILD_ID_DIGITS = 2 * CKJIT_BUILD_ID_SIZE };
#define INTO(kind, member) kind##_INTO(struct compile_options, member)
static const struct option_row rows[] = {
    {"blob-source", "FILE", INTO(PATH, source), "the blob's source (direct mode)",
     .excludes = "blob entry manifest"},
    {"blob-flags", "FLAGS", INTO(WORDS, flags),
     "its compiler flags, one argument, quoted as in a response file", .needs = "blob-source"},
    {"blob", "BLOB", INTO(PATH, blob),
     "a blob of the manifest: its stem, base name, source path or cached .so", .excludes = "entry"},
    {"manifest", "FILE", INTO(PATH, manifest),
     "the manifest (default: $CK_JIT_MANIFEST, else ck_jit_manifest.json in the root)"},
    {"output", "SO", INTO(PATH, output), "the shared object to write", .excludes = "output-fd"},
    {"output-fd", "FD", INTO(NUMBER, output_fd),
     "write to the open descriptor FD instead, and keep no other file", .least = 3},
    {"root", "DIR", INTO(TEXT, root),
     "replaces {root} in flags and names (default: $CK_JIT_ROOT, else the directory of the manifest or of this program)"},
    {"bundle", "FILE", INTO(PATH, bundle),
     "a library with a bundle, or a bundle: unpack and verify in the root what its kernels are compiled from"},
    {"link-flags", "FLAGS", INTO(WORDS, link), "linker flags, after the source"},
    {"add-flags", "FLAGS", INTO(WORDS, add_flags),
     "further flags, after the blob's. The output has the same key but another build id",
     .excludes = "cache"},
    {"arch", "LIST", INTO(TEXT, arch),
     "offload architectures, separated by ';' (default: this machine's GPUs)"},
    {"build-id", "HEX", INTO(HEX, build_id),
     "48 hexadecimal digits (default: a hash of the manifest's key, or of the input)",
     .least = BUILD_ID_DIGITS},
    {"cache", NULL, INTO(FLAG, cache),
     "SO is the plain name of a cache entry: lock it, look it up, keep other installs'", .needs = "output",
     .excludes = "format"},
    {"hipcc", "PROGRAM", INTO(PATH, hipcc),
     "the compiler (default: $CK_JIT_HIPCC or $CK_JIT_NVCC, the manifest's, the one on the PATH, ROCm's or CUDA's)"},
    {"build-hipcc", "PROGRAM", INTO(TEXT, build_hipcc),
     "the build's compiler, instead of the manifest's: used if it exists, and only root and the user could have put it "
     "there"},
    {"kind", "KIND", INTO(CHOICE, kind),
     "kind of compiler: hip, cuda, clang or c++ (default: the manifest's, or the one that --hipcc's name suggests)",
     .words = "hip cuda clang c++"},
    {"function", "HASH", INTO(HEX, function),
     "HIP, with --cache: the called function, as the FNV-1a hash of its mangled name, 16 hexadecimal digits. If it "
     "launches nothing, the kernels are not compiled",
     .least = 16, .needs = "cache"},
    {"likely", NULL, INTO(FLAG, likely),
     "with --function: it probably launches nothing: start the device pass once that is known",
     .needs = "function"},
    {"per-kernel", "HEX", INTO(HEX, per_kernel),
     "CUDA: compile each kernel at its first launch. If that is impossible, compile the whole blob with build id HEX",
     .least = BUILD_ID_DIGITS, .needs = "build-id cache"},
    {"kernel", "NAME", INTO(TEXT, kernel),
     "compile the kernel of that mangled name, or all for '*'. HIP: of a unit whose text is the source",
     .needs = "build-id"},
    {"entry", "SO", INTO(PATH, entry), "CUDA: from this entry, which --per-kernel wrote", .needs = "kernel"},
    {"inputs", "FILE", INTO(PATH, inputs),
     "the key's inputs. A changed source is refused; with a changed compiler or system header the result is stored "
     "under another build id"},
    {"format", "FORMAT", INTO(CHOICE, format),
     "write a file that needs no ckjit: so, obj, code-object, bitcode or asm",
     .words = "so obj code-object bitcode asm"},
    {"symbol", "[OLD=]NAME", OPTION_CALL, 0, "with --format: rename a function; may be repeated",
     .needs = "format", .call = add_symbol},
    {"soname", "NAME", INTO(TEXT, soname), "with --format so: the DT_SONAME", .needs = "format"},
    {"built-for", "LIST", INTO(TEXT, built),
     "with --format: the library's architectures, tried if a kernel is empty", .needs = "format"},
    {"host-target", "TRIPLE", INTO(TEXT, host_target),
     "with --format so or obj: compile the host side for the machine of this triple", .needs = "format"},
    {"part", "FILE", INTO(LIST, parts),
     "with --format: join these files instead of compiling the source: one for each kernel, or one for each "
     "architecture; may be repeated",
     .needs = "format"},
    {"probe", NULL, INTO(FLAG, probe),
     "with --format: write nothing, check that the compiler supports the architectures", .needs = "format"},
    {"unless-busy", NULL, INTO(FLAG, unless_busy),
     "with --cache: leave the blob to another process that is compiling it, and end with the process that started this "
     "one",
     .needs = "cache"},
    {"look", NULL, INTO(FLAG, look),
     "with --cache: compile nothing: succeed if the cache has what a compile here would make",
     .needs = "cache"},
    {"used-by", "LIBRARY", INTO(TEXT, used_by),
     "with --cache: record for the next upgrade that a call of LIBRARY waited for it", .needs = "cache"},
    {"ahead", "PID", INTO(NUMBER, ahead),
     "run compiles in the background while process PID waits for one, and end with it", .least = 1,
     .needs = "list-fd"},
    {"list-fd", "FD", INTO(NUMBER, list_fd), "read their commands from the open descriptor FD", .least = 3,
     .needs = "ahead"},
    {"together", "N", INTO(NUMBER, together),
     "run the first N in any case, the others unless another process works on such a list", .needs = "ahead"},
    {"detach", NULL, INTO(FLAG, detach), "continue after that process has ended", .needs = "ahead"},
    {"progress", NULL, INTO(FLAG, progress),
     "print on standard output which process compiles it and since when: this one, or the one that it waits for"},
    {"verbose", NULL, INTO(FLAG, verbose), "print the commands"},
    {0},
};

static void end_of_page(void) {
  puts("\n"
       "Exit status: 0 the file was written; 1 it could not be; 2 the command line is wrong.\n"
       "\n"
       "Environment:");
  env_help(stdout, ENV_RUNTIME);
}

static const struct option_page page = {
    .where = "ckjit-compile --help",
    .usage = "ckjit-compile --blob-source FILE --blob-flags FLAGS --output SO [OPTION…]\n"
             "       ckjit-compile --blob BLOB [--manifest FILE] --output SO [OPTION…]\n"
             "       ckjit-compile --kernel NAME --entry SO --build-id HEX --output SO [OPTION…]\n"
             "       ckjit-compile --kernel NAME --blob-source TEXT --blob-flags FLAGS --build-id HEX\n"
             "                     --output SO [OPTION…]\n"
             "       ckjit-compile --ahead PID --list-fd FD",
    .text = "Compile one blob of a library into a shared object.",
    .rows = rows,
    .end = end_of_page,
    .version = "ckjit-compile",
};

/* A cache is made where it is not; the directory of a file is the user's business, as with a
 * compiler's -o. */
static void check_directory(const char *output) {
  autofree char *dir = path_dir(output);
  if (!file_is_dir(dir))
    die(EXIT_FAILED, "--output %s: directory %s does not exist; create it, or name another file", output,
        dir);
}

void compile_options_read(struct compile_options *o, char **argv) {
  *o = (struct compile_options){.output_fd = -1, .list_fd = -1};
  char **operands = options_read(&page, o, argv);
  if (*operands)
    die(EXIT_USAGE,
        o->blob || o->source ? "unexpected argument '%s'; see ckjit-compile --help"
                             : "unexpected argument '%s'; did you mean '--blob %s'? See ckjit-compile --help",
        *operands, *operands);
  if (o->ahead)
    return;
  if (!o->source && !o->blob && !o->entry)
    die(EXIT_USAGE,
        "expected --blob-source FILE or --blob STEM, and one of them only; see ckjit-compile --help");
  if (o->output_fd >= 0 && fcntl(o->output_fd, F_SETFD, FD_CLOEXEC))
    die(EXIT_USAGE, "--output-fd '%d': expected the number of an open descriptor, 3 or more", o->output_fd);
  if (!o->output && o->output_fd < 0)
    die(EXIT_USAGE, "--output SO is missing: the shared object to make");
  if (o->output && file_is_dir(o->output))
    die(EXIT_FAILED, "--output %s: is a directory; expected the name of the file to make", o->output);
  if (o->output && !o->cache)
    check_directory(o->output);
  if (o->cache && !str_ends(o->output, ".so"))
    die(EXIT_USAGE, "--output '%s': with --cache it is the name of a cache entry, <stem>.so", o->output);
}

void compile_options_free(struct compile_options *o) {
  argv_free(&o->symbols);
  argv_free(&o->parts);
}
