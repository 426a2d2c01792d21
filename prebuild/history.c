/* history.c - `log`: the history of a cache: each compile that ended there, the newest last.
 *
 * The cache's file of times is the history (core/cache/times.h). What a kernel takes of a GPU, and
 * the version of the compiler, are read from the entry, as long as the cache has it. */
#include "cache.h"
#include "entrycode.h"
#include "prebuild.h"
#include "core/base/jsonread.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/cache/artefact.h"
#include "core/cache/times.h"

#include <time.h>

/* one compile, with what its entry says */
struct logged {
  const struct times_row *row;
  bool detailed; /* COMPILE is known */
  struct times_compile compile;
  char *version; /* NULL: unknown */
  struct resources_list code;
};

/* Is the entry STEM one of those that are asked for, by its own name or by its blob's? */
static bool is_wanted(const struct request *r, const char *stem) {
  struct artefact_name a;
  artefact_stem_read(&a, stem);
  for (size_t i = 0; i < r->names.n; i++) {
    const char *name = r->names.args[i];
    if (strcmp(stem, name) == 0 || (strlen(name) == a.stem && memcmp(stem, name, a.stem) == 0))
      return true;
  }
  return !r->names.n;
}

static void read_entry(const struct request *r, struct logged *l) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX];
  if (l->detailed && l->row->ms != TIMES_FAILED && ckjit_build_id_parse(id, l->compile.build_id) &&
      cache_find_stem(r, l->row->stem, id, path))
    entrycode_read(&l->code, &l->version, path);
}

static void add_when(struct buf *line, const struct times_compile *c) {
  char text[32] = "?";
  struct tm tm;
  time_t when = (time_t)c->ended;
  if (localtime_r(&when, &tm))
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
  buf_puts(line, text);
}

/* "gfx90a: 128 registers, 12 spills; …": an architecture once, the kernel with the most spills,
 * then registers, for all that the entry has of it. */
static void add_code(struct buf *line, const struct resources_list *code) {
  autofree_argv archs = {0};
  for (size_t i = 0; i < code->n; i++) {
    const struct resources *worst = &code->list[i];
    if (argv_has(&archs, worst->arch))
      continue;
    argv_add(&archs, worst->arch);
    for (size_t k = i + 1; k < code->n; k++) {
      const struct resources *other = &code->list[k];
      const int64_t *a = other->of, *b = worst->of;
      if (strcmp(other->arch, worst->arch) == 0 &&
          (a[RESOURCE_SPILLS] > b[RESOURCE_SPILLS] ||
           (a[RESOURCE_SPILLS] == b[RESOURCE_SPILLS] &&
            a[RESOURCE_REGISTERS] > b[RESOURCE_REGISTERS])))
        worst = other;
    }
    buf_printf(line, "%s%s: %lld registers, %lld spills", archs.n > 1 ? "; " : "", worst->arch,
               (long long)worst->of[RESOURCE_REGISTERS], (long long)worst->of[RESOURCE_SPILLS]);
  }
}

static void print_line(const struct logged *l) {
  autofree_buf line = {0};
  if (l->detailed)
    add_when(&line, &l->compile);
  else
    buf_puts(&line, "?");
  buf_printf(&line, "\t%s\t", l->row->stem);
  if (l->detailed)
    buf_printf(&line, "%.1f s", (double)l->compile.took / 1e3);
  if (l->row->ms == TIMES_FAILED)
    buf_puts(&line, ", failed");
  else
    buf_printf(&line, "%s%.1f CPU-seconds", l->detailed ? ", " : "", (double)l->row->ms / 1e3);
  buf_printf(&line, "\t%s", l->detailed ? l->compile.compiler : "?");
  if (l->version)
    buf_printf(&line, ", %s", l->version);
  buf_puts(&line, "\t");
  add_code(&line, &l->code);
  puts(line.data);
}

/* The kernels of CODE, each once. */
static json_t *kernels(const struct resources_list *code) {
  json_t *list = json_array();
  autofree_argv names = {0};
  for (size_t i = 0; i < code->n; i++)
    argv_add_once(&names, xstrdup(code->list[i].kernel));
  for (size_t i = 0; i < names.n; i++)
    json_array_append_new(list, json_pack("{s:o,s:o}", "symbol", json_printable(names.args[i]),
                                          "code", entrycode_json(code, names.args[i])));
  return list;
}

static void print_json(const struct logged *l) {
  const struct times_compile *c = l->detailed ? &l->compile : NULL;
  bool failed = l->row->ms == TIMES_FAILED;
  json_t *o = json_object();
  json_object_set_new(o, "kernel", json_printable(l->row->stem));
  json_object_set_new(o, "result", json_string(failed ? "failed" : "made"));
  json_object_set_new(o, "ended", c ? json_integer((json_int_t)c->ended) : json_null());
  json_object_set_new(o, "seconds", c ? json_real((double)c->took / 1e3) : json_null());
  json_object_set_new(o, "processor_seconds",
                      failed ? json_null() : json_real((double)l->row->ms / 1e3));
  json_object_set_new(o, "build_id", json_printable(c ? c->build_id : NULL));
  json_object_set_new(o, "compiler", json_printable(c ? c->compiler : NULL));
  json_object_set_new(o, "version", json_printable(l->version));
  json_object_set_new(o, "kernels", kernels(&l->code));
  autofree char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(12));
  puts(line);
  json_decref(o);
}

int prebuild_log(struct request *r) {
  struct times times = {0};
  autofree char *file = path_join(r->cache, TIMES_FILE);
  char *err = NULL;
  bool there = cache_open(r) && file_exists(file);
  if (there && !times_read(&times, file, TIMES_EACH, &err))
    die(EXIT_FAILED, "%s", err);
  if (!there && file_is_dir(r->cache))
    note("nothing has been compiled into %s yet", r->cache);
  for (size_t i = 0; i < times.n; i++) {
    struct logged l = {.row = &times.rows[i]};
    if (!is_wanted(r, l.row->stem))
      continue;
    l.detailed = times_compile(&times.rows[i], &l.compile);
    read_entry(r, &l);
    if (r->json)
      print_json(&l);
    else
      print_line(&l);
  }
  streams_answered();
  return EXIT_OK;
}
