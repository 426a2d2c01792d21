/* words.c - which calls are taken, and the words of the commands that one is taken apart into.
 *
 * All of them are the call's own words, with some left out and some added. The host's side is compiled from its
 * preprocessed text, so what only the preprocessor reads is left out there, and -undef is added: without it a name such
 * as `linux` that a header has undefined would be a macro again. -nogpuinc leaves out the headers that clang puts before
 * each source, which the text has. clang's own way for a preprocessed text, `-x hip-cpp-output`, wants host and devices
 * bundled in one file.
 *
 * A false warning is worse than none, and with -Werror it sends the unit to the real compiler: what only the bodies of kernels
 * use seems unused to the host's pass, with -pedantic clang warns of each line marker, and the preprocessor has said what a #pragma message has it say.
 * These warnings are off in it. Of the call's words
 * each command uses but some: what the compiler says of that is not the user's, who is told what it says of the whole call (texts.c).
 */
#include "unit.h"
#include "cuda.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which calls ---- */

/* Words with which a call goes to the real compiler. They have the driver make something else, or they concern passes in a way that is not
 * looked into here, or they change what a preprocessed text looks like; or the compiler's output is the point. */
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

/* How the compiler packs what the devices' passes made into one file, which a unit's passes do not do. CK's own CMake gives it to each unit
 * if the compiler knows it; the host's pass is given it as well, and fails if it does not. */
static bool is_compression(const char *word) {
  return strcmp(word, "--offload-compress") == 0 || strcmp(word, "--no-offload-compress") == 0 ||
         str_starts(word, "--offload-compression-level=");
}

static bool is_refused(const struct cc_word *w, const char *word) {
  if (cc_is_arch(w) || is_compression(word))
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
  struct stat st;
  if (unit_is_cuda(u))
    return unit_cuda_take(u);
  for (size_t i = 0; i < a->nwords; i++)
    if (is_refused(&a->words[i], a->args[a->words[i].arg]))
      return unit_not_lazy(u, "%s is among its options", a->args[a->words[i].arg]);
  compiler_archs(&u->record.archs, a);
  if (!u->record.archs.n)
    return unit_not_lazy(u, "the call names no architecture");
  for (size_t i = 0; i < u->record.archs.n; i++)
    if (!is_plain_arch(u->record.archs.args[i]))
      return unit_not_lazy(u, "--offload-arch=%s is not one architecture", u->record.archs.args[i]);
  u->output = ccargs_output(a);
  if (lstat(u->output, &st) == 0 && !S_ISREG(st.st_mode))
    return unit_not_lazy(u, "%s is no regular file", u->output);
  return true;
}

/* ---- the commands ---- */

enum {
  OUTPUTS = 1u << CC_ROLE_OUTPUT | 1u << CC_ROLE_COMPILE,
  DEPFILES = 1u << CC_ROLE_DEPFILE,
  ARCHS = 1u << CC_ROLE_ARCH,
  PREPROCESSOR = 1u << CC_ROLE_DIR | 1u << CC_ROLE_MACRO | 1u << CC_ROLE_FORCED,
  SOURCE = 1u << CC_ROLE_FILE | 1u << CC_ROLE_LANGUAGE,
};

/* Append the call's words but those with the roles of LEFT_OUT. */
static void add_words(struct argv *v, const struct unit *u, unsigned left_out) {
  const struct ccargs *a = &u->record.cc;
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    const char *word = a->args[w->arg];
    bool packs = is_compression(word) && !(left_out & SOURCE); /* unused by the preprocessor, which says so */
    if (left_out & 1u << w->role || ((left_out & PREPROCESSOR) && str_starts(word, "-Wp,")) || packs)
      continue;
    argv_add(v, word);
    if (w->pair)
      argv_add(v, a->args[w->arg + 1]);
  }
}

/* The words for the depfile that the build asked for, with another name. Its target is the object, as is is given. */
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

/* The driver of clang 22 has no depfile written by a device's pass; the front end writes one. */
static void add_device_depfile_words(struct argv *v, const char *depfile) {
  const char *const words[] = {"-dependency-file", depfile, "-MT", "text", "-sys-header-deps"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    argv_add(v, "-Xclang");
    argv_add(v, words[i]);
  }
}

void unit_preprocess_words(struct argv *v, const struct unit *u, const char *arch, const char *text,
                           const char *depfile) {
  argv_add(v, u->record.compiler);
  add_words(v, u, OUTPUTS | DEPFILES | (arch ? ARCHS : 0));
  argv_add(v, arch ? "--offload-device-only" : "--offload-host-only");
  argv_add(v, arch ? "-Qunused-arguments" : "-Wno-error=" UNIT_UNUSED_WORDS);
  if (arch)
    argv_addf(v, "--offload-arch=%s", arch);
  if (arch)
    add_device_depfile_words(v, depfile);
  else
    add_depfile_words(v, u, depfile);
  if (!arch && message_is_colored())
    argv_add(v, "-fcolor-diagnostics");
  argv_add(v, "-E");
  argv_add(v, "-o");
  argv_add(v, text);
}

/* Both passes are told the cuid in the front end's own words: the driver tells one that runs alone nothing, or something else. */
static void add_cuid(struct argv *v, const struct unit *u) {
  argv_add(v, "-fuse-cuid=none");
  argv_add(v, "-Xclang");
  argv_addf(v, "-cuid=%s", u->cuid);
}

/* The names of files in debug information are the build's. */
static void add_debug_words(struct argv *v, const struct unit *u, const char *text) {
  const char *source = u->record.cc.source->text;
  char *dir = path_dir(text);
  if (argv_has_prefix(&u->record.args, "-g"))
    argv_addf(v, "-fdebug-prefix-map=%s/=%.*s", dir, (int)(path_base(source) - source), source);
  free(dir);
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
  add_debug_words(v, u, text);
  add_cuid(v, u);
  const char *const rest[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", stand_in, "-c", text, "-o",
                              object};
  for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
    argv_add(v, rest[i]);
}

/* The last N bytes of WORD are a path: make it absolute. */
static char *absolute_value(const struct unit *u, const char *word, const char *value) {
  char *path = path_abs_in(u->record.cwd, value);
  char *whole = xasprintf("%.*s%s", (int)(strlen(word) - strlen(value)), word, path);
  free(path);
  return whole;
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
    if (left_out & 1u << w->role || str_starts(word, "-Wp,") || is_compression(word))
      continue;
    /* A first launch is in another directory than the build's. */
    bool path = w->role == CC_ROLE_PATH && *w->value;
    argv_add_own(v, path && !next ? absolute_value(u, word, w->value) : xstrdup(word));
    if (next)
      argv_add_own(v, path ? absolute_value(u, next, next) : xstrdup(next));
  }
  if (*u->cuid)
    add_cuid(v, u);
}
