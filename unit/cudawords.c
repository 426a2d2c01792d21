/* cudawords.c - which options of nvcc are accepted, and the words of its commands. nvcc's steps
 * have their own words. */
#include "cuda.h"
#include "core/base/path.h"
#include "core/cc/cicc.h"
#include "core/files/unitkey.h"

/* nvcc's options with which a call goes to the real compiler: they make another file than the
 * object, or its device code is not taken apart. Options that the wrapper knows to write more files
 * do not arrive here. */
static const char *const refused[] = {
    "-G",    "--device-debug", "-objtemp",     "--objdir-as-tempdir",
    "-v",    "--verbose",      "-gen-opt-lto", "--gen-opt-lto",
    "-dopt", "--dopt",         "-opt-info",    "--optimization-info",
    NULL,
};

/* First parts of options of the host's compiler that write other files, or produce another kind of
 * text. */
static const char *const refused_of_host[] = {
    "-M",
    "-Wp,-M",
    "--coverage",
    "-coverage",
    "-fprofile",
    "-ftest-coverage",
    "-save-temps",
    "-flto",
    "-E",
    "-S",
    "-P",
    "-C",
    "-x",
    "-traditional",
    "-fdirectives-only",
    "-fsanitize",
    "-gsplit-dwarf",
    "-fdump",
    "-fplugin",
    "-dump",
    "-d",
    "-fmodules",
    "-undef",
    "-o",
    NULL,
};

/* The first word of LIST, separated by commas, that begins with one of refused_of_host; NULL: none
 * does. */
static const char *refused_in(const char *list) {
  for (const char *p = list; *p; p += *p == ',') {
    for (const char *const *r = refused_of_host; *r; r++)
      if (str_starts(p, *r))
        return list;
    p += strcspn(p, ",");
  }
  return NULL;
}

static bool is_refused(const char *word) {
  size_t n = strcspn(word, "=");
  for (const char *const *r = refused; *r; r++)
    if (strlen(*r) == n && strncmp(word, *r, n) == 0)
      return true;
  return false;
}

const char *unit_cuda_refused(const struct ccargs *a) {
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    if (w->role == CC_ROLE_HOST && refused_in(w->value))
      return w->value;
    if (is_refused(a->args[w->arg]))
      return a->args[w->arg];
  }
  return NULL;
}

enum {
  OUTPUTS = 1u << CC_ROLE_OUTPUT | 1u << CC_ROLE_COMPILE | 1u << CC_ROLE_DEPFILE,
  NOT_OF_DEVICE = OUTPUTS | 1u << CC_ROLE_DIR | 1u << CC_ROLE_MACRO | 1u << CC_ROLE_FORCED |
                  1u << CC_ROLE_FILE | 1u << CC_ROLE_LANGUAGE | 1u << CC_ROLE_ARCH |
                  1u << CC_ROLE_CODE | 1u << CC_ROLE_GENCODE | 1u << CC_ROLE_EFFORT,
};

static bool says_linked(const char *word) {
  static const char *const words[] = {"-dc", "--device-c", "-rdc", "--relocatable-device-code"};
  size_t n = strcspn(word, "=");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == n && strncmp(word, words[i], n) == 0)
      return true;
  return false;
}

/* Append the call's words except those with the roles of LEFT_OUT. ABSOLUTE: a first launch runs in
 * another directory than the build. */
static void add_words(struct argv *v, const struct unit *u, unsigned left_out, bool absolute) {
  const struct ccargs *a = &u->record.cc;
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    const char *word = a->args[w->arg], *value = w->pair ? a->args[w->arg + 1] : w->value;
    if (says_linked(word)) /* once, below: nvcc takes -rdc once, and no -dc beside -c */
      continue;
    if (left_out & 1u << w->role)
      continue;
    autofree char *path =
        absolute && w->role == CC_ROLE_PATH && *value ? path_abs_in(u->record.cwd, value) : NULL;
    if (path && !w->pair)
      argv_addf(v, "%.*s%s", (int)(strlen(word) - strlen(value)), word, path);
    else
      argv_add(v, word);
    if (w->pair)
      argv_add(v, path ? path : value);
  }
  if (a->rdc)
    argv_add(v, "-rdc=true");
}

void unit_cuda_call_words(struct argv *v, const struct unit *u) {
  add_words(v, u, OUTPUTS, false);
}

void unit_cuda_module_id(struct buf *id, const struct unit *u) {
  cicc_put_module_id(id, u->cuid, u->record.cc.source->text);
}

void unit_cuda_device_words(struct unit *u) {
  add_words(&u->record.device, u, NOT_OF_DEVICE, true);
  if (!*u->cuid)
    return;
  autofree_buf id = {0};
  unit_cuda_module_id(&id, u);
  argv_addf(&u->record.device, UNITKEY_MODULE "%s", id.data);
}
