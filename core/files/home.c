/* home.c - see home.h.
 *
 * One table of keys gives the order in which the file is written, and the keys that the reader
 * accepts. The reader is strict: an unknown key, or one that must occur once and does not, is an
 * error with file and line, because a wrapper that guesses would compile with the wrong compiler.
 *
 * Leaving the home undoes what the profile did to the environment, so that child processes find the
 * real compilers. Directories on the PATH are compared by device and inode: the build may have
 * written the home's path in another spelling.
 */
#include "home.h"
#include "abi/ck_jit_trust.h"
#include "core/base/env.h"
#include "core/base/path.h"

#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT = 1 };
static const char format_key[] = "ckjit-home";

struct key {
  const char *name;
  /* the field is a struct argv, else a char * that must be given exactly once */
  bool list;
  size_t field;
};

static const struct key keys[] = {
    {"real_home", false, offsetof(struct home, real_home)},
    {"real_compiler", false, offsetof(struct home, real_compiler)},
    {"real_cxx", false, offsetof(struct home, real_cxx)},
    {"work", false, offsetof(struct home, work)},
    {"link", false, offsetof(struct home, link)},
    {"home_var", true, offsetof(struct home, home_vars)},
    {"kind", true, offsetof(struct home, kind)},
    {"keep", true, offsetof(struct home, keep)},
    {"judge", true, offsetof(struct home, judge)},
    {"units", true, offsetof(struct home, units)},
    {"front", true, offsetof(struct home, front)},
    {"machine", true, offsetof(struct home, machine)},
    {"clang", true, offsetof(struct home, clang)},
    {"compiler", true, offsetof(struct home, compilers)},
    {"cxx", true, offsetof(struct home, cxx)},
    {"tool", true, offsetof(struct home, tools)},
    {"reader", true, offsetof(struct home, readers)},
    {"editor", true, offsetof(struct home, editors)},
    {"yes", true, offsetof(struct home, yes)},
    {"no", true, offsetof(struct home, no)},
    {"family", true, offsetof(struct home, family)},
    {"dispatcher", true, offsetof(struct home, dispatcher)},
    {"generated", true, offsetof(struct home, generated)},
    {"harmless", true, offsetof(struct home, harmless)},
};
enum { NKEYS = sizeof keys / sizeof keys[0] };

static char **text_field(const struct home *h, const struct key *k) {
  return (char **)((char *)(uintptr_t)h + k->field);
}

static struct argv *list_field(const struct home *h, const struct key *k) {
  return (struct argv *)((char *)(uintptr_t)h + k->field);
}

char *home_find(void) {
  autofree char *bin = path_self_dir();
  return path_dir(bin);
}

/* Read the line KEY=VALUE into H. */
static bool take_line(struct home *h, const char *line, size_t len, char **err) {
  const char *eq = memchr(line, '=', len);
  if (!eq)
    return err_fail(err, "expected key=value, found '%.*s'; set the home up again with ckjit home",
                    (int)len, line);
  size_t name_len = (size_t)(eq - line), value_len = len - name_len - 1;
  for (size_t i = 0; i < NKEYS; i++) {
    const struct key *k = &keys[i];
    if (strlen(k->name) != name_len || memcmp(k->name, line, name_len) != 0)
      continue;
    if (k->list) {
      argv_add_own(list_field(h, k), xstrndup(eq + 1, value_len));
    } else {
      char **field = text_field(h, k);
      if (*field)
        return err_fail(err, "a second '%s'", k->name);
      *field = xstrndup(eq + 1, value_len);
    }
    return true;
  }
  return err_fail(err, "unknown key '%.*s'", (int)name_len, line);
}

/* Check the first line, which states the format. */
static bool take_format(const char *line, size_t len, char **err) {
  if (len < sizeof format_key || memcmp(line, format_key, sizeof format_key - 1) != 0)
    return err_fail(err, "expected %s=%d", format_key, FORMAT);
  if (len != sizeof format_key + 1 || line[len - 1] != '0' + FORMAT)
    return err_fail(
        err, "this ckjit reads %s=%d and found '%.*s'; set the home up again with ckjit home",
        format_key, FORMAT, (int)len, line);
  return true;
}

/* Read all of TEXT into H; on failure *LINE is the line. */
static bool take_text(struct home *h, const char *text, size_t len, unsigned *line, char **err) {
  const char *p = text, *end = text + len;
  for (*line = 1; p < end; ++*line) {
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    size_t n = nl ? (size_t)(nl - p) : 0;
    if (!nl || memchr(p, 0, n)) {
      *err = xstrdup(nl ? "a NUL byte" : "the file ends within a line");
      return false;
    }
    if (!(*line > 1 ? take_line(h, p, n, err) : take_format(p, n, err)))
      return false;
    p = nl + 1;
  }
  if (*line == 1) {
    *err = xstrdup("the file is empty");
    return false;
  }
  for (size_t i = 0; i < NKEYS; i++)
    if (!keys[i].list && !*text_field(h, &keys[i]))
      return err_fail(err, "no '%s' in it", keys[i].name);
  return true;
}

/* Why FILE, of the home DIR, must not be read: the programs that it names must be as trustworthy as
 * the home's wrapper, which the user runs. Owner and mode may be those of the wrapper: the user's
 * PATH may name a home in an image that another user made, or with all permissions. NULL: it may be
 * read, or does not exist. */
static const char *untrusted(const char *dir, const char *file) {
  struct stat st, wrapper;
  autofree char *program = path_join(dir, "bin/ckjit-cxx");
  const struct stat *as = stat(program, &wrapper) == 0 ? &wrapper : NULL;
  if (stat(file, &st))
    return NULL;
  if (!ckjit_owner_is_trusted_as(&st, as))
    return ckjit_owner_why(&st);
  static const mode_t bits[] = {S_IWOTH, S_IWGRP};
  for (int i = 0; i < 2; i++)
    if (st.st_mode & bits[i] && !ckjit_writers_are_those_of(&st, as, bits[i]))
      return "is writable by others; chmod go-w it";
  return NULL;
}

struct home *home_read(const char *dir, char **err) {
  autofree char *file = path_join(dir, HOME_FILE);
  const char *foreign = untrusted(dir, file);
  if (foreign) {
    *err =
        xasprintf("%s: %s; expected a file of root's, of user %ld or of the owner of the home's "
                  "bin/ckjit-cxx, that nobody else can write to [ckjit help untrusted-directory]",
                  file, foreign, (long)geteuid());
    return NULL;
  }
  size_t len;
  autofree char *text = file_read(file, &len);
  if (!text) {
    *err = xasprintf("%s: %s; a fake home is set up with ckjit home", file, strerror(errno));
    return NULL;
  }
  struct home *h = xcalloc(1, sizeof *h);
  h->dir = xstrdup(dir);
  unsigned line;
  char *why;
  if (!take_text(h, text, len, &line, &why)) {
    *err = xasprintf("%s:%u: %s", file, line, why);
    free(why);
    home_free(h);
    h = NULL;
  }
  return h;
}

static bool put(struct buf *out, const char *name, const char *value, char **err) {
  if (strchr(value, '\n'))
    return err_fail(err, "%s: a newline in '%s' cannot be written to " HOME_FILE, name, value);
  buf_printf(out, "%s=%s\n", name, value);
  return true;
}

bool home_wants_units(const struct home *h) {
  const char *set = getenv("CK_JIT_UNITS");
  return set && *set ? env_flag("CK_JIT_UNITS") : h->units.n > 0;
}

bool home_wants_late(const struct home *h) {
  const char *set = getenv("CK_JIT_UNITS");
  return home_wants_units(h) && !argv_has(&h->units, UNITS_BUILD) &&
         !(set && strcmp(set, UNITS_BUILD) == 0);
}

void home_unit_options(const struct home *h, struct argv *v) {
  if (argv_has(&h->units, UNITS_ALL))
    argv_add(v, "--any-price");
  if (argv_has(&h->front, FRONT_BUILD))
    argv_add(v, "--front");
}

const struct ckjit_machine *home_machine(const struct home *h) {
  const struct ckjit_machine *m = h->machine.n ? ckjit_machine_named(h->machine.args[0]) : NULL;
  return m ? m : &CKJIT_OWN;
}

bool home_write(const struct home *h, char **err) {
  autofree_buf out = {0};
  buf_printf(&out, "%s=%d\n", format_key, FORMAT);
  bool ok = true;
  for (size_t i = 0; ok && i < NKEYS; i++) {
    if (!keys[i].list) {
      const char *value = *text_field(h, &keys[i]);
      ok = put(&out, keys[i].name, value ? value : "", err);
      continue;
    }
    const struct argv *list = list_field(h, &keys[i]);
    for (size_t j = 0; ok && j < list->n; j++)
      ok = put(&out, keys[i].name, list->args[j], err);
  }
  autofree char *file = path_join(h->dir, HOME_FILE);
  return ok && (file_write(file, out.data, out.len, 0644) ||
                err_fail(err, "%s: %s", file, strerror(errno)));
}

void home_free(struct home *h) {
  if (!h)
    return;
  for (size_t i = 0; i < NKEYS; i++) {
    if (keys[i].list)
      argv_free(list_field(h, &keys[i]));
    else
      free(*text_field(h, &keys[i]));
  }
  free(h->dir);
  free(h);
}

/* ---- leaving ---- */

static bool same_file(const struct stat *a, const char *path) {
  struct stat b;
  return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Remove the fake home's bin from PATH, in any spelling. */
void home_leave_path(const struct home *h) {
  const char *path = getenv("PATH");
  autofree char *bin = path_join(h->dir, "bin");
  struct stat st;
  if (!path || stat(bin, &st))
    return;
  autofree_buf out = {0};
  buf_add(&out, "", 0);
  bool first = true;
  for (const char *p = path;; p++) {
    size_t n = strcspn(p, ":");
    autofree char *dir = xstrndup(p, n);
    /* An empty entry is the current directory. */
    if (!same_file(&st, n ? dir : ".")) {
      if (!first)
        buf_putc(&out, ':');
      buf_add(&out, dir, n);
      first = false;
    }
    p += n;
    if (!*p)
      break;
  }
  if (first) /* no other entry; an empty PATH would mean the current directory */
    unsetenv("PATH");
  else
    setenv("PATH", out.data, 1);
}

/* "NAME": unset it, as before the fake home; "NAME=VALUE": set it. */
static void reset_variable(const char *text) {
  size_t n = strcspn(text, "=");
  autofree char *name = xstrndup(text, n);
  if (text[n])
    setenv(name, text + n + 1, 1);
  else
    unsetenv(name);
}

void home_leave(const struct home *h) {
  for (size_t i = 0; i < h->home_vars.n; i++)
    reset_variable(h->home_vars.args[i]);
  home_leave_path(h);
}

struct home *home_active(void) {
  /* The variables of the profiles of ckjit. A build that exports others also exports one of
   * these. */
  static const char *const vars[] = {"ROCM_PATH", "ROCM_HOME", "HIP_PATH", "CUDA_HOME",
                                     "CUDA_PATH"};
  for (size_t i = 0; i < sizeof vars / sizeof *vars; i++) {
    const char *dir = secure_getenv(vars[i]);
    autofree char *conf = dir && *dir ? path_join(dir, HOME_FILE) : NULL, *err = NULL;
    struct home *h = conf && file_exists(conf) ? home_read(dir, &err) : NULL;
    if (h)
      return h;
  }
  return NULL;
}

void home_leave_any(void) {
  struct home *h = home_active();
  if (h)
    home_leave(h);
  home_free(h);
}

char *home_default_place(void) {
  const char *data = getenv("XDG_DATA_HOME"), *user = getenv("HOME");
  if (data && *data == '/')
    return xasprintf("%s/ckjit/homes", data);
  return user && *user == '/' ? xasprintf("%s/.local/share/ckjit/homes", user) : NULL;
}
