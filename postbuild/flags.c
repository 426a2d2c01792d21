#include "flags.h"

#include "core/ccargs.h"
#include "core/path.h"
#include "core/stubobj.h"

#include <stdlib.h>
#include <string.h>

/* Options whose value is a directory or a file that the compiler reads, joined or as the next word. */
static const char *const path_options[] = {
    "-isystem",  "-iquote",    "-idirafter", "-include-pch", "-include", "-imacros",
    "-isysroot", "--sysroot=", "-I",         "-L",           "-B"};
/* Options whose next word is theirs, whatever it looks like. */
static const char *const pair_options[] = {"-Xclang",     "-mllvm",
                                           "-Xlinker",    "-Xpreprocessor",
                                           "-Xassembler", "-Xoffload-linker",
                                           "-Xarch_host", "-Xarch_device",
                                           "-x",          "-D",
                                           "-U",          "--param",
                                           "-target"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* the length of the option that WORD starts with, 0 for none */
static size_t path_option(const char *word) {
  for (size_t i = 0; i < COUNT(path_options); i++)
    if (str_starts(word, path_options[i]))
      return strlen(path_options[i]);
  return 0;
}

static bool is_pair(const char *word) {
  for (size_t i = 0; i < COUNT(pair_options); i++)
    if (strcmp(word, pair_options[i]) == 0)
      return true;
  return false;
}

/* Words of WORD that say where something goes, not what it is: 1, or 2 with a value behind; 0: none of these.
 */
static size_t placing_words(const char *word) {
  static const char *const alone[] = {"-c", "-MD", "-MMD", "-MP", "-MG", "-MV", "-pipe"};
  static const char *const valued[] = {"-MF", "-MT", "-MQ", "-o", "--output"};
  for (size_t i = 0; i < COUNT(alone); i++)
    if (strcmp(word, alone[i]) == 0)
      return 1;
  for (size_t i = 0; i < COUNT(valued); i++) {
    if (strcmp(word, valued[i]) == 0)
      return 2;
    if (str_starts(word, valued[i]))
      return 1;
  }
  return str_starts(word, "-Wp,-MD,") || str_starts(word, "-Wp,-MMD,") ? 1 : 0;
}

void flags_code(struct argv *out, const struct record *r) {
  struct ccargs a;
  ccargs_scan(&a, r->args.args);
  for (size_t i = 0; i < r->args.n; i++) {
    const char *word = r->args.args[i];
    bool input = false;
    for (size_t k = 0; k < a.ninputs; k++)
      input |= a.inputs[k].kind == CC_IN_SOURCE && a.inputs[k].arg == i;
    size_t drop = input || strcmp(word, "--") == 0 ? 1 : placing_words(word);
    if (drop) {
      i += drop - 1;
      continue;
    }
    argv_add(out, word);
    if (is_pair(word) && i + 1 < r->args.n)
      argv_add(out, r->args.args[++i]);
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

void flags_blob(struct argv *out, const struct record *r, const char *base) {
  struct argv code = {0};
  flags_code(&code, r);
  for (size_t i = 0; i < code.n; i++) {
    const char *word = code.args[i];
    if (is_pair(word) && i + 1 < code.n) {
      argv_add(out, word);
      argv_add(out, code.args[++i]);
      continue;
    }
    if (str_starts(word, "--offload-arch=") || strcmp(word, "-fvisibility=hidden") == 0)
      continue;
    if (strcmp(word, "--offload-arch") == 0) {
      i++;
      continue;
    }
    size_t n = path_option(word);
    if (!n) {
      argv_add(out, word);
    } else if (word[n]) {
      char *p = place(word + n, r->cwd, base);
      argv_addf(out, "%.*s%s", (int)n, word, p);
      free(p);
    } else {
      argv_add(out, word);
      if (i + 1 < code.n)
        argv_add_own(out, place(code.args[++i], r->cwd, base));
    }
  }
  argv_free(&code);
}

static void add_once(struct argv *v, const char *word) {
  for (size_t i = 0; i < v->n; i++)
    if (strcmp(v->args[i], word) == 0)
      return;
  argv_add(v, word);
}

void flags_archs(struct argv *out, const struct record *r) {
  for (size_t i = 0; i < r->args.n; i++) {
    const char *word = r->args.args[i];
    if (str_starts(word, "--offload-arch="))
      add_once(out, word + strlen("--offload-arch="));
    else if (strcmp(word, "--offload-arch") == 0 && i + 1 < r->args.n)
      add_once(out, r->args.args[++i]);
  }
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

void flags_libraries(struct argv *out, char *const *args, const char *cwd, const char *base) {
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

bool flags_is_hip(const struct record *r) {
  struct ccargs a;
  ccargs_scan(&a, r->args.args);
  bool hip = (a.source && a.source->lang == CC_LANG_HIP) || str_starts(path_base(r->compiler), "hipcc");
  ccargs_free(&a);
  return hip;
}
