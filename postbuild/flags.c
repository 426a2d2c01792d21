#include "flags.h"

#include "core/cc/ccargs.h"
#include "core/device/rdc.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/files/stubobj.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Says where something goes or that it is an object, not what it is; or is behind the source and about other
 * files. */
static bool is_placing(const struct ccargs *a, const struct cc_word *w, const char *word) {
  switch (w->role) {
  case CC_ROLE_COMPILE:
  case CC_ROLE_OUTPUT:
  case CC_ROLE_DEPFILE:
  case CC_ROLE_END:
    return true;
  case CC_ROLE_FILE:
    for (size_t i = 0; i < a->ninputs; i++)
      if (a->inputs[i].kind == CC_IN_SOURCE && a->inputs[i].arg == w->arg)
        return true;
    return false;
  case CC_ROLE_LANGUAGE:
    return a->source && a->source->arg < w->arg;
  default:
    return strcmp(word, "-pipe") == 0;
  }
}

void flags_scan(struct ccargs *a, const struct record *r) {
  ccargs_scan(a, compiler_dialect(r->compiler), r->args.args);
}

void flags_code(struct argv *out, const struct record *r) {
  struct ccargs a;
  flags_scan(&a, r);
  for (size_t i = 0; i < a.nwords; i++) {
    const struct cc_word *w = &a.words[i];
    if (is_placing(&a, w, r->args.args[w->arg]))
      continue;
    argv_add(out, r->args.args[w->arg]);
    if (w->pair)
      argv_add(out, r->args.args[w->arg + 1]);
  }
  ccargs_free(&a);
}

char *flags_rooted(const char *path, const char *base) {
  const char *below = base && *base ? path_below(path, base) : NULL;
  return below ? xasprintf("{root}/%s", below) : xstrdup(path);
}

/* PATH of an option, absolute and rooted */
static char *place(const char *path, const char *cwd, const char *base) {
  char *full = path_abs_in(cwd, path), *out = flags_rooted(full, base);
  free(full);
  return out;
}

/* whether the value of W is to be read from the record's directory: what has no such place is looked for in
 * the directories of headers, or below the sysroot */
static bool is_placed(const struct cc_word *w, const char *cwd) {
  if (!*w->value || *w->value == '=')
    return false;
  if (w->role != CC_ROLE_FORCED)
    return w->role == CC_ROLE_DIR || w->role == CC_ROLE_PATH;
  char *full = path_join(cwd, w->value);
  bool there = file_exists(full);
  free(full);
  return there;
}

/* What would hide the function from dlsym. Of a list for the host's compiler only that word goes. */
static bool hides(const struct cc_word *w, const char *word) {
  return strcmp(w->role == CC_ROLE_HOST ? w->value : word, "-fvisibility=hidden") == 0;
}

void flags_blob(struct argv *out, const struct record *r, const char *base) {
  struct argv code = {0};
  struct ccargs a;
  flags_code(&code, r);
  ccargs_scan(&a, compiler_dialect(r->compiler), code.args);
  for (size_t i = 0; i < a.nwords; i++) {
    const struct cc_word *w = &a.words[i];
    const char *word = code.args[w->arg];
    if (hides(w, word) || w->role == CC_ROLE_EFFORT)
      continue;
    if (compiler_is_arch(r->compiler, w, code.args)) {
      i += strcmp(word, "--offload-arch") == 0; /* its value is a word of its own to ccargs */
      continue;
    }
    char *value = is_placed(w, r->cwd) ? place(w->value, r->cwd, base) : xstrdup(w->value);
    if (!w->pair) {
      argv_addf(out, "%.*s%s", (int)(strlen(word) - strlen(w->value)), word, value);
    } else {
      argv_add(out, word);
      argv_add(out, value);
    }
    free(value);
  }
  ccargs_free(&a);
  argv_free(&code);
}

void flags_archs(struct argv *out, const struct record *r) {
  compiler_archs(out, r->compiler, r->args.args);
}

/* -lNAME of a library that lies in DIR is one of the build's own: where the build is gone, so is it */
static bool library_in(const char *dir, const char *name) {
  static const char *const suffix[] = {".so", ".a"};
  bool found = false;
  for (size_t i = 0; i < COUNT(suffix) && !found; i++) {
    char *file = xasprintf("%s/lib%s%s", dir, name, suffix[i]);
    found = file_exists(file);
    free(file);
  }
  return found;
}

/* Is what -lNAME finds in the directory DIR an archive of stubs? *FOUND: it is there at all. */
static bool is_stubs(const char *dir, const char *name, bool *found) {
  char *shared = xasprintf("%s/lib%s.so", dir, name), *archive = xasprintf("%s/lib%s.a", dir, name);
  bool stubs = !file_exists(shared) && stub_in_file(archive);
  *found = stubs || file_exists(shared) || file_exists(archive);
  free(shared);
  free(archive);
  return stubs;
}

/* -lNAME that is an archive of this build's stubs: there is nothing in it for a compiled blob, and beside the
 * output of the link, called libNAME.so, it would be that. */
static bool finds_stubs(char *const *args, const char *cwd, const char *name) {
  bool found = false, stubs = false;
  for (size_t i = 0; args[i] && !found; i++) {
    const char *dir = str_starts(args[i], "-L") ? (args[i][2] ? args[i] + 2 : args[++i]) : NULL;
    if (!args[i])
      break;
    if (!dir)
      continue;
    char *full = path_abs_in(cwd, dir);
    stubs = is_stubs(full, name, &found);
    free(full);
  }
  return stubs;
}

/* Words TEXT of a linker that nvcc calls, with commas between: each -rpath of them as g++ is told. *NEXT: the
 * word behind them is the directory of one. */
static void add_rpaths(struct argv *out, const char *text, bool *next) {
  for (const char *p = text; *p; p += strspn(p, ",")) {
    size_t n = strcspn(p, ","), dashes = strspn(p, "-");
    bool is = dashes && str_starts(p + dashes, "rpath");
    const char *value = is ? p + dashes + strlen("rpath") : p;
    if (*next || (is && *value == '='))
      argv_addf(out, "-Wl,-rpath,%.*s", (int)(p + n - value - (*next ? 0 : 1)), *next ? p : value + 1);
    *next = !*next && is && value == p + n;
    p += n;
  }
}

/* VALUE of -Xcompiler without the quotes and backslashes that keep its commas; free() it */
static char *unquoted(const char *value) {
  struct buf b = {0};
  buf_add(&b, "", 0);
  for (; *value; value++)
    if (!strchr("\\\"'", *value))
      buf_putc(&b, *value);
  return b.data;
}

/* What g++ would be told in place of ARGS of nvcc's, as far as it is about libraries; CUDA's runtime:
 * *CUDART. */
static void libraries_of_nvcc(struct argv *out, char *const *args, char **cudart) {
  struct ccargs a;
  bool next = false;
  ccargs_scan(&a, CC_NVCC, args);
  for (size_t i = 0; i < a.ninputs; i++)
    if (a.inputs[i].kind == CC_IN_LIBDIR || a.inputs[i].kind == CC_IN_LIBRARY)
      argv_addf(out, "-%c%s", a.inputs[i].kind == CC_IN_LIBDIR ? 'L' : 'l', a.inputs[i].text);
  for (size_t i = 0; i < a.nwords; i++) {
    const struct cc_word *w = &a.words[i];
    const char *word = args[w->arg] + strspn(args[w->arg], "-");
    char *host = w->role == CC_ROLE_HOST ? unquoted(w->value) : NULL;
    if (w->role == CC_ROLE_LINKER)
      add_rpaths(out, w->value, &next);
    else if (host && str_starts(host, "-Wl,"))
      add_rpaths(out, host + strlen("-Wl,"), &next);
    else if (*w->value && str_starts(word, "cudart") && (w->pair || word[strlen("cudart")] == '=')) {
      free(*cudart);
      *cudart = xstrdup(w->value);
    }
    free(host);
  }
  ccargs_free(&a);
}

static void libraries_of_gcc(struct argv *out, char *const *args, const char *cwd, const char *base) {
  struct argv own = {0}; /* directories of the build itself */
  for (size_t i = 0; args[i]; i++) {
    const char *dir = str_starts(args[i], "-L") ? (args[i][2] ? args[i] + 2 : args[i + 1]) : NULL;
    if (dir) {
      char *full = path_abs_in(cwd, dir);
      if (base && *base && path_within(full, base))
        argv_add(&own, full);
      else
        argv_addf(out, "-L%s", full);
      free(full);
      i += args[i][2] ? 0 : 1;
      if (!args[i])
        break;
    } else if (str_starts(args[i], "-l") && args[i][2]) {
      bool ours = finds_stubs(args, cwd, args[i] + 2);
      for (size_t k = 0; k < own.n; k++)
        ours |= library_in(own.args[k], args[i] + 2);
      if (!ours)
        argv_add(out, args[i]);
    } else if (str_starts(args[i], "-Wl,-rpath,") || str_starts(args[i], "-Wl,-rpath=")) {
      argv_add(out, args[i]);
    }
  }
  argv_free(&own);
}

void flags_libraries(struct argv *out, enum cc_dialect dialect, char *const *args, const char *cwd,
                     const char *base) {
  struct argv words = {0};
  char *cudart = NULL;
  if (dialect == CC_NVCC)
    libraries_of_nvcc(&words, args, &cudart);
  else
    argv_add_all(&words, args);
  if (words.n)
    libraries_of_gcc(out, words.args, cwd, base);
  if (cudart)
    argv_addf(out, "-cudart=%s", cudart);
  free(cudart);
  argv_free(&words);
}

const struct compiler *flags_kind(const struct record *r) {
  const struct compiler *kind = compiler_of(r->compiler);
  if (!kind || kind->dialect == CC_NVCC)
    return kind;
  struct ccargs a;
  flags_scan(&a, r);
  bool hip = (a.source && a.source->lang == CC_LANG_HIP) || str_starts(path_base(r->compiler), kind->name);
  ccargs_free(&a);
  return hip ? kind : NULL;
}

bool flags_is_hip(const struct record *r) {
  const struct compiler *kind = flags_kind(r);
  return kind && kind->dialect == CC_GNU;
}

char *flags_hip_arch(const struct record *r) {
  if (!flags_is_hip(r))
    return NULL;
  struct argv archs = {0};
  flags_archs(&archs, r);
  char *first = xstrdup(archs.n ? archs.args[0] : "");
  argv_free(&archs);
  return first;
}

bool flags_is_rdc(const struct record *r) {
  return rdc_is_asked(r->args.args);
}

/* ---- one of the passes ---- */

enum cc_pass { PASS_HOST, PASS_HOST_TEXT, PASS_DEVICE_TEXT, PASS_WHOLE };

static bool is_nvcc(const struct record *r) {
  return compiler_dialect(r->compiler) == CC_NVCC;
}

/* The program, and what makes it one pass; for nvcc, which has no such options, ours. */
static void add_pass(struct argv *out, const struct record *r, enum cc_pass pass) {
  static const char *const options[] = {"--host", "--host-text", "--device-text", "--whole"};
  if (is_nvcc(r)) {
    char *program = install_program("ckjit-nvcc");
    if (!program)
      die(EXIT_FAILED,
          "ckjit-nvcc, which makes one pass of an nvcc compile, is not installed beside this program; run "
          "`make install` again");
    argv_add_own(out, program);
    argv_add(out, options[pass]);
  }
  argv_add(out, r->compiler);
}

/* The same behind the flags. */
static void end_pass(struct argv *out, const struct record *r, enum cc_pass pass) {
  if (flags_is_hip(r))
    argv_add(out, pass == PASS_DEVICE_TEXT ? "--offload-device-only" : "--offload-host-only");
}

void flags_whole(struct argv *out, const struct record *r) {
  add_pass(out, r, PASS_WHOLE);
  flags_code(out, r);
}

void flags_host(struct argv *out, const struct record *r) {
  add_pass(out, r, PASS_HOST);
  flags_code(out, r);
  end_pass(out, r, PASS_HOST);
}

void flags_word(struct argv *out, const struct record *r, const char *word) {
  if (is_nvcc(r))
    argv_addf(out, "--word=%s", word);
  else
    argv_add(out, word);
}

void flags_text(struct argv *out, const struct record *r, const char *arch) {
  enum cc_pass pass = arch ? PASS_DEVICE_TEXT : PASS_HOST_TEXT;
  struct argv code = {0};
  struct ccargs a;
  add_pass(out, r, pass);
  flags_code(&code, r);
  ccargs_scan(&a, compiler_dialect(r->compiler), code.args);
  for (size_t i = 0; i < a.nwords; i++) {
    const struct cc_word *w = &a.words[i];
    if (compiler_is_arch(r->compiler, w, code.args)) {
      i += strcmp(code.args[w->arg], "--offload-arch") == 0; /* as in flags_blob */
      continue;
    }
    argv_add(out, code.args[w->arg]);
    if (w->pair)
      argv_add(out, code.args[w->arg + 1]);
  }
  ccargs_free(&a);
  argv_free(&code);
  end_pass(out, r, pass);
  if (arch && *arch)
    compiler_add_arch(out, r->compiler, arch, strlen(arch));
  flags_word(out, r, "-w");
  if (!is_nvcc(r))
    argv_add(out, "-E");
}
