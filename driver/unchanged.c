/* unchanged.c - see unchanged.h.
 *
 * aiter's build always does all its work. Its generator writes each source anew, it copies and
 * translates all of them, and ninja then finds every one newer than its object. So a second build
 * takes as long as the first, with the same result. A user who runs `full` again for an unchanged
 * checkout saves that time only if the build is not started.
 *
 * That is right if none of its inputs and none of its results has changed. built.h has the facts
 * that are known before a build. After one, this file writes down the rest as digests, a line each:
 * the environment (its values may be secret), ckjit's own files, Python, the headers of the system,
 * the list of kernels that were linked in, and all files below the work directory from which the
 * libraries and an install are made. toolchain_stamp() identifies a file, by the time of the last
 * change among others, which nobody sets back by accident. In doubt the library is built.
 *
 * `quick` replaces two of these files by what a build would make of the same runtime, and updates
 * the digest of the work directory, if all else was unchanged. With another runtime, or in another
 * environment, it leaves the digest alone: the next call builds. */
#include "unchanged.h"
#include "built.h"
#include "core/base/childenv.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/install.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cache/inputs.h"
#include "core/base/memofile.h"
#include "core/cache/toolchain.h"
#include "core/cc/deps.h"
#include "core/files/record.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMO "left 3" /* its name */

/* ---- digests ---- */

static void put_stamp(struct argv *lines, const char *file) {
  char stamp[STAMP_SIZE];
  toolchain_stamp(stamp, file);
  argv_addf(lines, "%s %s", stamp, file);
}

/* The digest of LINES, in any order; frees them. */
static char *digest_lines(struct argv *lines) {
  autofree_buf b = {0};
  buf_puts(&b, "");
  argv_unique(lines);
  for (size_t i = 0; i < lines->n; i++)
    buf_printf(&b, "%s\n", lines->args[i]);
  char *hex = xmalloc(DIGEST_HEX);
  digest_bytes(hex, b.data, b.len);
  argv_free(lines);
  return hex;
}

/* Add a line for each of FILES. */
static void put_stamps(struct argv *lines, const struct argv *files) {
  for (size_t i = 0; i < files->n; i++)
    put_stamp(lines, files->args[i]);
}

static char *digest_files(const struct argv *files) {
  struct argv lines = {0};
  put_stamps(&lines, files);
  return digest_lines(&lines);
}

/* Append all files below DIR, except the one named EXCEPT and those whose names COUNTS refuses (it
 * may be NULL). Links are not followed out of it: their targets are the checkout's, or the
 * system's. */
static void put_tree(struct argv *files, const char *dir, const char *except,
                     bool (*counts)(const char *name)) {
  DIR *d = opendir(dir);
  if (!d)
    argv_add(files, dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
        strcmp(e->d_name, except) == 0)
      continue;
    struct stat st;
    autofree char *path = path_join(dir, e->d_name);
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
      put_tree(files, path, except, counts);
    else if (!counts || counts(e->d_name))
      argv_add(files, path);
  }
  if (d)
    closedir(d);
}

/* ---- inputs beside the checkout ---- */

/* Does the variable NAME, N bytes, affect the result of a build? Variables that differ from one
 * shell, terminal, login or batch job to the next do not, nor do those of ckjit-build itself, which
 * has handled them. Python's own files stand for VIRTUAL_ENV. */
static bool variable_counts(const char *name, size_t n) {
  static const char *const others[] = {
      "_", "SHLVL", "PWD", "OLDPWD", "PS1", "PROMPT_COMMAND", "HISTFILE", "LS_COLORS", "MAIL",
      "HOSTNAME",
      /* terminals */
      "TERM", "TERM_*", "COLUMNS", "LINES", "COLORTERM", "NO_COLOR", "WINDOWID", "VTE_VERSION",
      "TMUX", "TMUX_PANE", "STY", "WINDOW", "KONSOLE_*", "ITERM_*", "VSCODE_*",
      /* logins */
      "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "SSH_*", "GPG_*", "XDG_SESSION_*",
      "XDG_RUNTIME_DIR", "XDG_VTNR", "XDG_SEAT", "DBUS_*", "DESKTOP_*", "KRB5CCNAME", "SUDO_*",
      "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT",
      /* batch jobs and services */
      "SLURM*", "PBS_*", "LSB_*", "SGE_*", "JOB_ID", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_*",
      /* ckjit-build's own */
      "MAX_JOBS", "CK_JIT_JOBS", "CK_JIT_SUMMARY", "CK_JIT_TRACE", "CK_JIT_AITER_DIR", "TMPDIR",
      NULL};
  autofree char *text = xstrndup(name, n);
  bool counts = true;
  for (const char *const *o = others; *o && counts; o++)
    counts = fnmatch(*o, text, 0) != 0;
  return counts;
}

/* Append NAME=VALUE of each variable that counts. */
static void put_variables(struct argv *all) {
  for (char **e = environ; *e; e++)
    if (variable_counts(*e, strcspn(*e, "=")))
      argv_add(all, *e);
}

static char *environment(void) {
  struct argv all = {0};
  put_variables(&all);
  return digest_lines(&all);
}

static const char variable_fact[] = "variable ";

/* Append a line for each variable, to name the one that changed: with 16 bits of a digest, because
 * values may be secret. The digest of all decides. */
static void put_variable_facts(struct argv *facts) {
  autofree_argv all = {0};
  put_variables(&all);
  for (size_t i = 0; i < all.n; i++) {
    char hex[DIGEST_HEX];
    digest_bytes(hex, all.args[i], strlen(all.args[i]));
    argv_addf(facts, "%s%.*s %.4s", variable_fact, (int)strcspn(all.args[i], "=\n"), all.args[i],
              hex);
  }
}

/* A ckjit that was compiled again, with the same version, may record and link differently. */
static void put_ckjit(struct argv *files) {
  static const char *const programs[] = {"ckjit-build", "ckjit-link", "ckjit-wrap",
                                         "ckjit-compile"};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    char *file = install_program(programs[i]);
    if (file)
      argv_add_own(files, file);
  }
  autofree char *runtime = install_share("runtime");
  char *named = getenv("CK_JIT_RUNTIME_SRC");
  put_tree(files, runtime, "", NULL);
  if (named && *named)
    argv_add(files, named);
}

/* Not bytecode: each import of a module writes it. */
static bool is_module(const char *name) {
  return str_ends(name, ".py") || str_ends(name, ".so") || str_ends(name, ".pth");
}

/* Python, the modules that it finds, each by its stamp, because one may be edited in place, and
 * ninja. */
static void put_python(struct argv *files) {
  static const char script[] = "import sys\nprint(sys.executable, *sys.path, sep='\\n')";
  char *const command[] = {"python3", "-c", (char *)script, NULL};
  struct job job = {.args = command};
  pool_run(&job, 1, 1, NULL, NULL);
  for (const char *s = job.output.len ? job.output.data : ""; *s;) {
    size_t n = strcspn(s, "\n");
    autofree char *path = xstrndup(s, n);
    argv_add(files, path);
    if (file_is_dir(path))
      put_tree(files, path, "", is_module);
    s += n + (s[n] == '\n');
  }
  buf_free(&job.output);
  autofree char *ninja = path_which("ninja");
  argv_add(files, ninja ? ninja : "ninja");
}

/* Append FILE unless it is below the work directory, all of which counts anyway. */
static void put_outside(struct argv *files, const struct full *f, const char *file) {
  if (file[0] == '/' && !path_within(file, f->tmp))
    argv_add(files, file);
}

/* The headers that are inputs of the keys of the library in DIR, and those that must not exist. */
static void put_inputs(struct argv *files, const struct full *f, const char *dir) {
  autofree char *lists = path_join(dir, INPUTS_DIR);
  DIR *d = opendir(lists);
  for (struct dirent *e; d && (e = readdir(d));) {
    autofree char *file = path_join(lists, e->d_name), *err = NULL;
    struct inputs *in = file_is_regular(file) ? inputs_read(file, &err) : NULL;
    for (size_t i = 0; in && i < in->nheaders; i++)
      put_outside(files, f, in->header[i].path);
    inputs_free(in);
  }
  if (d)
    closedir(d);
}

/* Append the files that RULE, the text of a depfile, names. */
static void put_rule(struct argv *files, const struct full *f, const char *rule) {
  autofree_argv names = {0};
  deps_read(&names, rule);
  for (size_t i = 0; i < names.n; i++)
    put_outside(files, f, names.args[i]);
}

/* The headers of the files that the link compiled: dispatchers, forwarding units, the runtime. */
static void put_depfiles(struct argv *files, const struct full *f, const char *dir) {
  autofree char *objs = path_join(dir, "objs");
  DIR *d = opendir(objs);
  for (struct dirent *e; d && (e = readdir(d));) {
    autofree char *file = path_join(objs, e->d_name);
    size_t len;
    autofree char *text = str_ends(e->d_name, ".d") ? file_read(file, &len) : NULL;
    if (text)
      put_rule(files, f, text);
  }
  if (d)
    closedir(d);
}

/* The headers of a unit that the real compiler has compiled, by ckjit's own scan. */
static void put_unit(struct argv *files, const struct full *f, const char *shadow,
                     struct record *r) {
  record_scan(r);
  autofree char *source = r->cc.source ? path_abs_in(r->cwd, r->cc.source->text) : NULL;
  size_t len;
  autofree char *text = source && path_within(source, shadow) ? file_read(source, &len) : NULL;
  if (text) {
    autofree_argv names = {0};
    deps_list(&names, &r->cc, r->cwd, text, len, NULL);
    for (size_t i = 0; i < names.n; i++)
      put_outside(files, f, names.args[i]);
  }
}

static void put_host_units(struct argv *files, const struct full *f, const char *shadow) {
  autofree char *log = path_join(f->tmp, RECORD_FILE);
  size_t len;
  autofree char *text = file_read(log, &len);
  for (const char *p = text, *nl; p && (nl = strchr(p, '\n')); p = nl + 1) {
    struct record r;
    autofree char *err = NULL;
    if (record_parse(p, (size_t)(nl - p), &r, &err)) {
      if (r.kind == RECORD_HOST)
        put_unit(files, f, shadow, &r);
      record_free(&r);
    }
  }
}

/* ---- the file ---- */

static char *left_file(const struct full *f, int api) {
  autofree char *dir = library_dir(f, api);
  return path_join(dir, LEFT_FILE);
}

/* Append a line for each file of the work directory that API's build has left. */
static void put_work(struct argv *lines, const struct full *f, int api) {
  autofree_argv files = {0};
  autofree char *dir = library_dir(f, api), *shadow = shadow_of(f, api),
                *log = path_join(f->tmp, RECORD_FILE);
  put_tree(&files, dir, LEFT_FILE, NULL);
  put_tree(&files, shadow, "", NULL);
  put_stamps(lines, &files);
  argv_addf(lines, "%d %s", file_exists(log), log);
}

static char *work(const struct full *f, int api) {
  struct argv lines = {0};
  put_work(&lines, f, api);
  return digest_lines(&lines);
}

static char *aot_list(const struct full *f) {
  struct argv lines = {0};
  if (f->aot.names.n)
    argv_add_all(&lines, f->aot.names.args);
  argv_addf(&lines, "%d", f->aot.given);
  return digest_lines(&lines);
}

/* The inputs of a build beside the checkout and the work directory. */
struct outside {
  struct argv ckjit, python, headers;
};

/* All of them but the headers: the build has stored the names of those for the next call. */
static void find_outside(struct outside *o) {
  put_ckjit(&o->ckjit);
  put_python(&o->python);
}

/* Append a line for each thing that is compared by digest. */
static void put_facts(struct argv *facts, const struct full *f, int api, const struct outside *o) {
  struct {
    const char *name;
    char *digest;
  } of[] = {{"environment", environment()},
            {"ckjit", digest_files(&o->ckjit)},
            {"python", digest_files(&o->python)},
            {"headers", digest_files(&o->headers)},
            {"list", aot_list(f)},
            {"work", work(f, api)}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    argv_addf(facts, "%s %s", of[i].name, of[i].digest);
  put_variable_facts(facts);
}

void unchanged_forget(const struct full *f, int api) {
  autofree char *file = left_file(f, api);
  unlink(file);
}

bool unchanged_is_known(const struct full *f, int api) {
  autofree char *file = left_file(f, api);
  return file_exists(file);
}

/* Was one of FILES written after WHEN? Then nobody knows which of its texts the build has read. */
static bool written_since(const struct argv *files, struct timespec when) {
  bool written = false;
  for (size_t i = 0; i < files->n && !written; i++)
    written = !file_is_dir(files->args[i]) && file_changed_since(files->args[i], when);
  return written;
}

static const char header_fact[] = "header ";

static void write_left(const struct full *f, int api, const struct argv *facts,
                       const struct argv *files) {
  autofree char *file = left_file(f, api);
  autofree_argv all = {0};
  argv_add_all(&all, facts->args);
  for (size_t i = 0; i < files->n; i++) {
    struct buf line = {0};
    buf_puts(&line, header_fact);
    lines_escape(&line, files->args[i]);
    argv_add_own(&all, line.data);
  }
  memofile_store(file, MEMO, &all);
}

void unchanged_write(const struct full *f, int api) {
  autofree char *dir = library_dir(f, api), *shadow = shadow_of(f, api);
  struct outside o = {0};
  autofree_argv facts = {0};
  struct argv *files = &o.headers;
  put_inputs(files, f, dir);
  put_depfiles(files, f, dir);
  put_host_units(files, f, shadow);
  argv_unique(files);
  find_outside(&o);
  put_facts(&facts, f, api, &o);
  if (!written_since(files, f->began) && !written_since(&o.ckjit, f->began) &&
      !written_since(&o.python, f->began))
    write_left(f, api, &facts, files);
}

/* ---- the comparison ---- */

/* The facts, and the names of headers, in the file; false if there is none, or of another
 * version. */
static bool read_left(const struct full *f, int api, struct argv *facts, struct argv *files) {
  autofree char *file = left_file(f, api);
  autofree_argv all = {0};
  bool ours = memofile_load(&all, file, MEMO);
  for (size_t i = 0; i < all.n; i++) {
    const char *name = all.args[i] + strlen(header_fact);
    if (str_starts(all.args[i], header_fact))
      argv_add_own(files, lines_unescape(name, strlen(name)));
    else
      argv_add(facts, all.args[i]);
  }
  return ours;
}

/* Append to NAMES the variables whose lines in ONE are not in OTHER. */
static void put_changed_names(struct argv *names, const struct argv *one,
                              const struct argv *other) {
  for (size_t i = 0; i < one->n; i++)
    if (str_starts(one->args[i], variable_fact) && !argv_has(other, one->args[i])) {
      const char *name = one->args[i] + strlen(variable_fact);
      argv_add_own(names, xstrndup(name, (size_t)(strrchr(name, ' ') - name)));
    }
}

/* "environment variable X changed"; free() it. */
static char *environment_change(const struct argv *was, const struct argv *is) {
  enum { MOST = 5 };
  autofree_argv names = {0};
  struct buf b = {0};
  put_changed_names(&names, is, was);
  put_changed_names(&names, was, is);
  argv_unique(&names);
  buf_printf(&b, names.n ? "environment %s " : "the environment",
             noun(names.n, "variable", "variables"));
  for (size_t i = 0; i < names.n && i < MOST; i++)
    buf_printf(&b, "%s%s", i ? ", " : "", names.args[i]);
  if (names.n > MOST)
    buf_printf(&b, " and %zu more", names.n - MOST);
  buf_puts(&b, " changed");
  return b.data;
}

/* The words for the first of IS that WAS lacks; NULL if there is none. free() them. */
static char *first_other(const struct argv *was, const struct argv *is) {
  static const char *const words[][2] = {
      {"ckjit ", "ckjit's own files changed"},
      {"python ", "Python, its modules or ninja changed"},
      {"headers ", "headers of the system changed"},
      {"list ", "other kernels are to be linked in"},
      {"work ", "files in the work directory changed"},
  };
  for (size_t i = 0; i < is->n; i++) {
    if (argv_has(was, is->args[i]))
      continue;
    if (str_starts(is->args[i], "environment "))
      return environment_change(was, is);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
      if (str_starts(is->args[i], words[k][0]))
        return xstrdup(words[k][1]);
  }
  return NULL;
}

char *unchanged_why_not(const struct full *f, int api, const char *contents, const char *ck) {
  autofree char *dir = library_dir(f, api), *state = path_join(dir, STATE_FILE);
  char *why = NULL;
  autofree_argv was = {0}, now = {0}, left = {0}, is = {0};
  struct outside o = {0};
  if (!file_exists(state) || !read_left(f, api, &left, &o.headers) || !built_read(&was, dir)) {
    why = xstrdup("");
  } else {
    argv_add_all(&now, f->facts.args);
    built_add(&now, "contents", contents);
    if (ck)
      built_add(&now, "ck", ck);
    why = built_difference(&was, &now, NULL);
  }
  if (!why) {
    find_outside(&o);
    put_facts(&is, f, api, &o);
    why = first_other(&left, &is);
  }
  return why;
}

/* ---- for `quick` ---- */

/* The library of a full build that LIB is, in F's work directory; -1: none. */
static int api_of(const struct full *f, const struct library *lib) {
  for (int i = 0; i < APIS; i++) {
    autofree char *dir = library_dir(f, i);
    if (strcmp(dir, lib->dir) == 0)
      return i;
  }
  return -1;
}

/* The digest of LINES without those of the files that `quick` replaces. */
static char *digest_of_rest(const struct argv *lines, const struct library *lib) {
  struct argv rest = {0};
  for (size_t i = 0; i < lines->n; i++) {
    const char *file = strchr(lines->args[i], '/');
    if (!file ||
        (strcmp(file, lib->state->runtime_obj) != 0 && strcmp(file, lib->state->out_so) != 0))
      argv_add(&rest, lines->args[i]);
  }
  return digest_lines(&rest);
}

/* Does FACTS have DIGEST for NAME? */
static bool digest_is(const struct argv *facts, const char *name, const char *digest) {
  autofree char *fact = xasprintf("%s %s", name, digest);
  return argv_has(facts, fact);
}

char *unchanged_before_quick(const char *tmp, const struct library *lib) {
  struct full f = {.tmp = (char *)tmp};
  autofree_argv left = {0}, headers = {0}, files = {0}, lines = {0};
  int api = api_of(&f, lib);
  if (api < 0 || env_get("CK_JIT_RUNTIME_SRC") || !read_left(&f, api, &left, &headers))
    return NULL;
  put_ckjit(&files);
  put_work(&lines, &f, api);
  char *rest = digest_of_rest(&lines, lib);
  bool same = digest_is(&left, "environment", environment()) &&
              digest_is(&left, "ckjit", digest_files(&files)) &&
              digest_is(&left, "work", digest_lines(&lines));
  return same ? rest : NULL;
}

void unchanged_behind_quick(const char *tmp, const struct library *lib, const char *rest) {
  struct full f = {.tmp = (char *)tmp};
  autofree_argv left = {0}, headers = {0}, lines = {0};
  int api = api_of(&f, lib);
  if (rest && read_left(&f, api, &left, &headers)) {
    put_work(&lines, &f, api);
    autofree char *is = digest_of_rest(&lines, lib), *work = digest_lines(&lines);
    for (size_t i = 0; i < left.n; i++)
      if (str_starts(left.args[i], "work "))
        left.args[i] = xasprintf("work %s", work);
    if (strcmp(is, rest) == 0)
      write_left(&f, api, &left, &headers);
  }
}
