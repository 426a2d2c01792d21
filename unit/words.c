/* words.c - which calls are accepted, and the words of the commands into which one is taken apart.
 *
 * Each command has the call's own words, some omitted and some added. The host side is compiled
 * from its preprocessed text, so words for the preprocessor are omitted there, and -undef is added:
 * without it a name such as `linux` that a header has undefined would be a macro again. -nogpuinc
 * omits the headers that clang puts before each source, because the text has them. clang's own mode
 * for preprocessed text, `-x hip-cpp-output`, expects host and devices bundled in one file.
 *
 * A false warning is worse than a missing one, and with -Werror it sends the unit to the real
 * compiler: names that only the bodies of kernels use seem unused to the host pass, with -pedantic
 * clang warns of each line marker, and the preprocessor has already printed the text of #pragma
 * message. These warnings are disabled there. Each command uses only some of the call's words: the
 * compiler's warnings about the others are replaced by those for the whole call (texts.c).
 */
#include "unit.h"
#include "cuda.h"
#include "core/base/path.h"
#include "core/cc/cc1.h"

/* ---- the call ---- */

/* Words with which a call goes to the real compiler. They make another output, or concern passes in
 * a way that is not handled here, or change the form of a preprocessed text; or the compiler's
 * messages are the purpose. */
static const char *const refused[] = {
    "-v", "-H", "-P", "-C", "-CC", "-undef", "--", "-m32", NULL,
};
static const char *const refused_starts[] = {
    "-Xclang",
    "-Xarch_",
    "-Xoffload",
    "-Xpreprocessor",
    "-include-pch",
    "-fmodules",
    "-fplugin",
    "-fpass-plugin",
    "-flto",
    "-fsanitize",
    "-fprofile",
    "-fcoverage",
    "-ftest-coverage",
    "-fcs-profile",
    "-fopenmp-targets",
    "-foffload",
    "-fembed",
    "-cuid=",
    "-fuse-cuid",
    "--offload-",
    "--no-offload-",
    "--cuda-",
    "--no-cuda-",
    "--amdgpu-target",
    "--gpu-",
    "--no-gpu-",
    "-target",
    "--target",
    "-d",
    "-fdirectives-only",
    "-frewrite-",
    "-fminimize-whitespace",
    "-fkeep-system-includes",
    "-traditional",
    "-ftime-report",
    "-Rpass",
    "-frecord-",
    "-grecord-",
    "-gembed-source",
    "-Wp,-M",
    NULL,
};

/* How the devices' code is bundled, compressed (as CK's own CMake asks) and embedded: a unit's
 * passes do none of this. The host pass gets the word as well, and fails if it does not know it. */
static bool is_bundling(const char *word) {
  static const char *const words[] = {"--offload-compress", "--no-offload-compress",
                                      "--offload-new-driver", "--no-offload-new-driver"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i]) == 0)
      return true;
  return str_starts(word, "--offload-compression-level=") || str_starts(word, "--offload-jobs=");
}

static bool is_refused(const struct cc_word *w, const char *word) {
  if (cc_is_arch(w) || is_bundling(word))
    return false;
  for (const char *const *r = refused; *r; r++)
    if (strcmp(word, *r) == 0)
      return true;
  for (const char *const *r = refused_starts; *r; r++)
    if (str_starts(word, *r))
      return true;
  return false;
}

/* gfx942, gfx90a:xnack-; not native, nor a list. */
static bool is_plain_arch(const char *arch) {
  return str_starts(arch, "gfx") && !strchr(arch, ',');
}

bool unit_take_call(struct unit *u) {
  const struct ccargs *a = &u->record.cc;
  if (unit_is_cuda(u))
    return unit_cuda_take(u);
  for (size_t i = 0; i < a->nwords; i++)
    if (is_refused(&a->words[i], a->args[a->words[i].arg]))
      return unit_not_lazy(u, "%s is among its options", a->args[a->words[i].arg]);
  return unit_take_target(u, is_plain_arch, "--offload-arch=");
}

/* ---- the commands ---- */

enum {
  OUTPUTS = 1u << CC_ROLE_OUTPUT | 1u << CC_ROLE_COMPILE,
  DEPFILES = 1u << CC_ROLE_DEPFILE,
  ARCHS = 1u << CC_ROLE_ARCH,
  PREPROCESSOR = 1u << CC_ROLE_DIR | 1u << CC_ROLE_MACRO | 1u << CC_ROLE_FORCED,
  SOURCE = 1u << CC_ROLE_FILE | 1u << CC_ROLE_LANGUAGE,
};

/* Does WORD say whether device code is linked? */
static bool says_linked(const char *word) {
  static const char *const words[] = {"-fgpu-rdc", "-fno-gpu-rdc", "-fcuda-rdc", "-fno-cuda-rdc"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(word, words[i]) == 0)
      return true;
  return false;
}

/* Append the call's words except those with the roles of LEFT_OUT. */
static void add_words(struct argv *v, const struct unit *u, unsigned left_out) {
  const struct ccargs *a = &u->record.cc;
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    const char *word = a->args[w->arg];
    /* the preprocessor would warn that it is unused */
    bool bundles = is_bundling(word) && !(left_out & SOURCE);
    /* the new driver has no code that registers kernels of a linked unit */
    bool registers = (left_out & SOURCE) && unit_is_linked(u) && strstr(word, "offload-new-driver");
    if (left_out & 1u << w->role || ((left_out & PREPROCESSOR) && str_starts(word, "-Wp,")) ||
        bundles || registers)
      continue;
    argv_add(v, word);
    if (w->pair)
      argv_add(v, a->args[w->arg + 1]);
  }
}

/* The words for the depfile that the build requested, with another name. Its target is the object
 * as given. */
static void add_depfile_words(struct argv *v, const struct unit *u, const char *depfile) {
  const struct ccargs *a = &u->record.cc;
  if (!a->deps.wanted)
    argv_add(v, "-MD");
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    if (w->role != CC_ROLE_DEPFILE || w->value == a->deps.file)
      continue;
    argv_add(v, a->args[w->arg]);
    if (w->pair)
      argv_add(v, a->args[w->arg + 1]);
  }
  argv_add(v, "-MF");
  argv_add(v, depfile);
  if (!a->deps.ntargets) {
    argv_add(v, "-MQ");
    argv_add(v, u->output);
  }
}

void unit_preprocess_words(struct argv *v, const struct unit *u, const char *arch, const char *text,
                           const char *depfile) {
  const struct argv *pass = steps_pass(&u->steps, arch);
  if (pass) {
    cc1_text(v, pass, text, depfile, arch || !u->record.cc.deps.wanted);
    return;
  }
  argv_add(v, u->record.compiler);
  add_words(v, u, OUTPUTS | DEPFILES | (arch ? ARCHS : 0));
  argv_add(v, arch ? "--offload-device-only" : "--offload-host-only");
  argv_add(v, "-Qunused-arguments");
  if (arch)
    argv_addf(v, "--offload-arch=%s", arch);
  if (arch)
    cc1_depfile(v, depfile);
  else
    add_depfile_words(v, u, depfile);
  if (!arch && message_is_colored())
    argv_add(v, "-fcolor-diagnostics");
  argv_add(v, "-E");
  argv_add(v, "-o");
  argv_add(v, text);
}

/* Both passes get the cuid in the front end's own words: the driver passes no cuid, or another one,
 * to a pass that runs alone. */
static void add_cuid(struct argv *v, const struct unit *u) {
  argv_add(v, "-fuse-cuid=none");
  argv_add(v, "-Xclang");
  argv_addf(v, "-cuid=%s", u->cuid);
}

/* The names of files in debug information are the build's. */
static void add_debug_words(struct argv *v, const struct unit *u, const char *text) {
  const char *source = u->record.cc.source->text;
  autofree char *dir = path_dir(text);
  if (argv_has_prefix(&u->record.args, "-g"))
    argv_addf(v, "-fdebug-prefix-map=%s/=%.*s", dir, (int)(path_base(source) - source), source);
}

void unit_host_words(struct argv *v, const struct unit *u, const char *text, const char *stand_in,
                     const char *object) {
  static const char *const own[] = {"-x",
                                    "hip",
                                    "-nogpuinc",
                                    "-undef",
                                    "--offload-host-only",
                                    "-Qunused-arguments",
                                    "-Wno-unknown-warning-option",
                                    "-Wno-gnu-line-marker",
                                    "-Wno-#pragma-messages",
                                    "-Wno-unused-parameter",
                                    "-Wno-unused-function",
                                    "-Wno-unused-member-function",
                                    "-Wno-unused-const-variable",
                                    "-Wno-unused-local-typedef",
                                    "-Wno-unused-private-field",
                                    "-Wno-unneeded-internal-declaration",
                                    "-Wno-undefined-internal"};
  argv_add(v, u->record.compiler);
  add_words(v, u, OUTPUTS | DEPFILES | PREPROCESSOR | SOURCE);
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    argv_add(v, own[i]);
  if (message_is_colored())
    argv_add(v, "-fcolor-diagnostics");
  if (unit_is_linked(u))
    argv_add(v, "--no-offload-new-driver");
  add_debug_words(v, u, text);
  add_cuid(v, u);
  const char *const rest[] = {
      "-Xclang", "-fcuda-include-gpubinary", "-Xclang", stand_in, "-c", text, "-o", object};
  for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
    argv_add(v, rest[i]);
}

/* The value at the end of WORD is a path: make it absolute. */
static char *absolute_value(const struct unit *u, const char *word, const char *value) {
  autofree char *path = path_abs_in(u->record.cwd, value);
  return xasprintf("%.*s%s", (int)(strlen(word) - strlen(value)), word, path);
}

void unit_device_words(struct unit *u) {
  if (unit_is_cuda(u)) {
    unit_cuda_device_words(u);
    return;
  }
  const struct ccargs *a = &u->record.cc;
  struct argv *v = &u->record.device;
  unsigned left_out = OUTPUTS | DEPFILES | PREPROCESSOR | SOURCE | ARCHS;
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    const char *word = a->args[w->arg], *next = w->pair ? a->args[w->arg + 1] : NULL;
    if (left_out & 1u << w->role || str_starts(word, "-Wp,") || is_bundling(word) ||
        says_linked(word))
      continue;
    /* A first launch runs in another directory than the build. */
    bool path = w->role == CC_ROLE_PATH && *w->value;
    argv_add_own(v, path && !next ? absolute_value(u, word, w->value) : xstrdup(word));
    if (next)
      argv_add_own(v, path ? absolute_value(u, next, next) : xstrdup(next));
  }
  if (unit_is_linked(u))
    argv_add(v, u->record.compiler_kind->links);
  if (*u->cuid)
    add_cuid(v, u);
}

void unit_front_words(struct argv *v, const struct unit *u, const char *arch, const char *text,
                      const char *bitcode) {
  static const char *const own[] = {"-x",
                                    "hip",
                                    "-nogpuinc",
                                    "-undef",
                                    "-w",
                                    "--offload-device-only",
                                    "--no-gpu-bundle-output",
                                    "-emit-llvm",
                                    "-Xclang",
                                    "-disable-llvm-passes",
                                    "-c",
                                    "-o"};
  argv_add(v, u->record.compiler);
  argv_add_all(v, u->record.device.args);
  argv_addf(v, "--offload-arch=%s", arch);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    argv_add(v, own[i]);
  argv_add(v, bitcode);
  argv_add(v, text);
}
