/* bugreport.c - `report`: what a bug report about a compile needs, as one file.
 *
 * It has the log of the last failed compile of a kernel, with the command; the kernel's text as
 * ckjit keeps it (of an ordinary unit preprocessed, of a blob the source, with the headers that are
 * the library's own); its row of the manifest; the names and digests of all files that its key is
 * made of; the versions and settings that `doctor` prints; and the variables that ckjit and
 * compilers read. It has no other variable: an environment holds passwords and tokens.
 *
 * What cannot be found is left out, and said: the reader of a report knows best what he lacks. */
#include "cache.h"
#include "help.h"
#include "prebuild.h"
#include "where.h"
#include "core/base/jsonread.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/vec.h"
#include "core/cache/artefact.h"
#include "core/cache/cachedir.h"
#include "core/cache/inputs.h"
#include "core/cc/ccenv.h"
#include "core/files/sourcetext.h"
#include "core/files/unittext.h"
#include "tarfile.h"
#include "tell/findings.h"

#include <dirent.h>
#include <jansson.h>

/* ---- members ---- */

struct member {
  char *name, *bytes;
  size_t len;
};

struct report {
  struct request *r;
  char *stem, *log; /* log: its file; NULL: there is none */
  const struct manifest_blob *blob;
  struct member *members;
  size_t n;
};

/* Add the LEN BYTES, which the report owns from then on; NULL: nothing. A name that is too long for
 * a tar is cut at its beginning. */
static void add(struct report *p, char *name, char *bytes, size_t len) {
  enum { LONGEST = 250 };
  size_t n = strlen(name);
  if (n > LONGEST)
    memmove(name, name + n - LONGEST, LONGEST + 1);
  if (bytes)
    vec_push(p->members, p->n, (struct member){name, bytes, len});
  else
    free(name);
}

static void add_file(struct report *p, char *name, const char *file) {
  size_t len = 0;
  char *bytes = file_read(file, &len);
  add(p, name, bytes, len);
}

static void add_json(struct report *p, const char *name, json_t *value) {
  char *text = json_dumps(value, JSON_INDENT(1));
  add(p, xstrdup(name), text, text ? strlen(text) : 0);
  json_decref(value);
}

/* ---- which compile ---- */

/* The file in DIR that was written last and ends with ".log"; free() it. NULL: there is none. */
static char *newest_log(const char *dir) {
  struct timespec last = {0};
  char *newest = NULL;
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    struct stat st;
    autofree char *file = path_join(dir, e->d_name);
    bool later = str_ends(e->d_name, ".log") && lstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
                 (st.st_mtim.tv_sec > last.tv_sec ||
                  (st.st_mtim.tv_sec == last.tv_sec && st.st_mtim.tv_nsec >= last.tv_nsec));
    if (later) {
      last = st.st_mtim;
      newest = xstrdup(file);
    }
  }
  if (d)
    closedir(d);
  return newest;
}

/* The kernel of the log FILE: "STEM.log", without a cache "STEM.so.log". */
static char *stem_of(const char *file) {
  char *stem = path_stem(file);
  if (str_ends(stem, ".so"))
    stem[strlen(stem) - strlen(".so")] = 0;
  return stem;
}

static void choose(struct report *p) {
  struct request *r = p->r;
  autofree char *logs = path_join(r->cache, CKJIT_LOGS);
  const char *name = r->names.n ? r->names.args[0] : NULL;
  if (r->names.n > 1)
    die_usage(r, "expected one kernel, or the log of one");
  if (name && str_ends(name, ".log") && file_exists(name))
    p->log = xstrdup(name);
  else if (!name && !(p->log = newest_log(logs)))
    die(EXIT_FAILED,
        "report: the cache %s has no log of a failed compile; name a kernel, or the file of a log",
        r->cache);
  p->stem = p->log ? stem_of(p->log) : path_stem(name);
  if (name && !p->log && strcmp(path_base(name), name) == 0 && !str_ends(name, ".so"))
    p->stem = xstrdup(name);
  autofree char *log = xasprintf("%s/%s.log", logs, p->stem);
  if (!p->log && file_exists(log))
    p->log = xstrdup(log);
}

/* Read the manifest, if one is known, and find the kernel's row. */
static void find_blob(struct report *p) {
  struct request *r = p->r;
  struct artefact_name a;
  autofree char *file = where_manifest(r, WHERE_KNOWN);
  char *err = NULL;
  if (file && !(r->m = manifest_open(file, &err)))
    die(EXIT_FAILED, "%s", err);
  if (!r->m)
    return;
  r->root = where_root(r, r->m);
  artefact_stem_read(&a, p->stem);
  autofree char *stem = xstrndup(p->stem, a.stem);
  p->blob = manifest_find(r->m, p->stem);
  if (!p->blob)
    p->blob = manifest_find(r->m, stem);
}

/* ---- its text ---- */

struct unit_file {
  struct report *report;
  const char *file;
};

static void add_text(const char *arch, const char *digest, void *user) {
  struct unit_file *u = user;
  autofree char *err = NULL;
  size_t len = 0;
  (void)digest;
  if (str_starts(arch, UNITTEXT_FRONT))
    return;
  char *text = unittext_read(u->file, arch, &len, &err);
  add(u->report, xasprintf("source/%s.%s.ii", u->report->blob->stem, arch), text, len);
}

/* The source of a blob as it was compiled: of the build if it is kept, else the file. */
static void add_source(struct report *p, const char *source, const char *inputs) {
  size_t len = 0;
  autofree char *dir = inputs ? path_dir(inputs) : NULL,
                *kept = dir ? path_join(dir, SOURCETEXT_FILE) : NULL;
  char *text = kept ? sourcetext_read(kept, source, &len) : NULL;
  if (!text)
    text = file_read_text(source, &len);
  add(p, xasprintf("source/%s", path_base(source)), text, len);
}

/* The directory that PROGRAM's bin/ is in, "/usr" and "/" aside; free() it. */
static char *home_of(const char *program) {
  autofree char *real = realpath(program, NULL), *bin = path_dir(real ? real : program);
  char *home = path_dir(bin);
  return strcmp(home, "/usr") != 0 && strcmp(home, "/") != 0 ? home : NULL;
}

/* Is the header PATH the system's or the compiler's, below HOME? The reader has these. */
static bool is_systems(const char *path, const char *home) {
  static const char *const places[] = {"/usr/include", "/usr/lib", "/usr/lib64", "/usr/share"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (path_within(path, places[i]))
      return true;
  return home && path_within(path, home);
}

/* The list of inputs in FILE, and those of its headers that are the library's own. */
static void add_headers(struct report *p, const char *file) {
  static const char root[] = "{root}/";
  autofree char *err = NULL;
  struct inputs *in = inputs_read(file, &err);
  autofree char *home = in ? home_of(in->program) : NULL;
  add_file(p, xstrdup("inputs.txt"), file);
  for (size_t i = 0; in && i < in->nheaders; i++) {
    const char *path = in->header[i].path;
    bool below = str_starts(path, root);
    autofree char *header = manifest_expand(path, p->r->root);
    if (below || !is_systems(header, home))
      add_file(p, xasprintf("headers/%s", path + (below ? strlen(root) : 1)), header);
  }
  inputs_free(in);
}

static json_t *words(const struct argv *list) {
  json_t *array = json_array();
  for (size_t i = 0; i < list->n; i++)
    json_array_append_new(array, json_printable(list->args[i]));
  return array;
}

static void add_row(struct report *p) {
  const struct manifest *m = p->r->m;
  const struct manifest_group *g = &m->groups[p->blob->group];
  const char *compiler = manifest_compiler(m, g);
  json_t *row = json_object();
  json_object_set_new(row, "kernel", json_printable(p->stem));
  json_object_set_new(row, "source", json_printable(p->blob->source));
  json_object_set_new(row, "unit", json_boolean(p->blob->unit));
  json_object_set_new(row, "compiler", json_printable(compiler ? compiler : ""));
  json_object_set_new(row, "compiler_kind", json_string(manifest_kind(m, g)->kind));
  json_object_set_new(row, "flags", words(&g->flags));
  json_object_set_new(row, "link", words(&g->link));
  json_object_set_new(row, "archs", words(&g->archs));
  json_object_set_new(row, "libraries", words(&m->libraries));
  add_json(p, "kernel.json", row);
}

static void add_kernel(struct report *p) {
  if (!p->blob)
    return;
  const struct manifest_group *g = &p->r->m->groups[p->blob->group];
  autofree char *source = manifest_expand(p->blob->source, p->r->root),
                *inputs = manifest_inputs(p->r->m, g, p->r->root), *err = NULL;
  add_row(p);
  if (p->blob->unit)
    unittext_each(source, add_text, &(struct unit_file){p, source}, &err);
  else
    add_source(p, source, inputs);
  if (inputs && !p->blob->unit)
    add_headers(p, inputs);
}

/* ---- its surroundings ---- */

/* The variables of the two tables, and no other. */
static void add_environment(struct report *p) {
  json_t *all = json_object();
  for (const struct env_var *v = env_table; v->name; v++)
    if (getenv(v->name))
      json_object_set_new(all, v->name, json_printable(getenv(v->name)));
  for (const struct cc_variable *v = ccenv; v->name; v++)
    if (!(v->what & (CCENV_LIFE | CCENV_LAUNCHER | CCENV_WITHHELD)) && getenv(v->name))
      json_object_set_new(all, v->name, json_printable(getenv(v->name)));
  add_json(p, "environment.json", all);
}

static void fill(struct archive *to, void *report) {
  const struct report *p = report;
  for (size_t i = 0; i < p->n; i++)
    archive_add(to, p->members[i].name, p->members[i].bytes, p->members[i].len);
}

static bool has(const struct report *p, const char *start) {
  for (size_t i = 0; i < p->n; i++)
    if (str_starts(p->members[i].name, start))
      return true;
  return false;
}

static void print_members(const struct report *p, const char *output, uint64_t written) {
  size_t headers = 0;
  for (size_t i = 0; i < p->n; i++) {
    autofree char *size = human_size(p->members[i].len);
    if (str_starts(p->members[i].name, "headers/"))
      headers++;
    else
      printf("%s\t%s\n", p->members[i].name, size);
  }
  if (headers)
    printf("headers/\t%zu %s\n", headers, noun(headers, "file", "files"));
  autofree char *size = human_size(written);
  printf("%s, %s: unpack it with tar, and look at it before you send it. It has file names and "
         "source text\n",
         output, size);
}

int prebuild_report(struct request *r) {
  struct report p = {.r = r};
  choose(&p);
  find_blob(&p);
  autofree char *output =
      r->output ? xstrdup(r->output) : xasprintf("ckjit-report-%s.tar.zst", p.stem);
  if (p.log)
    add_file(&p, xstrdup("log.txt"), p.log);
  add_kernel(&p);
  if (!p.n)
    die(EXIT_FAILED, "report: %s: no log of a failed compile in %s, and %s; nothing was written",
        p.stem, r->cache, r->m ? "its library does not have it" : "its library is not known");
  char *machine = doctor_json(r);
  add(&p, xstrdup("machine.json"), machine, machine ? strlen(machine) : 0);
  add_environment(&p);
  uint64_t written = archive_write("report", output, fill, &p);
  if (!has(&p, "log.txt"))
    note("%s: it has no log: no compile of it has failed in %s", p.stem, r->cache);
  if (!has(&p, "source/"))
    note("%s: it has no source: %s; name the library's manifest by --manifest", p.stem,
         p.blob ? "that is gone"
         : r->m ? "the library does not have it"
                : "the library is not known");
  if (written)
    print_members(&p, output, written);
  streams_answered();
  return EXIT_OK;
}
