/* inplace.c - objects that nvcc or hipcc has compiled after all, in the places of those in the build that were recorded: a link that cannot be lazy becomes stock's,
 * and the next make finds objects and no stubs.
 *
 *     k.o, a stub or a lazy unit          replaced
 *     libk.a(k.o)                         exchanged, whatever other members are called so (archive.c)
 *     `ld -r` of stubs, and code          the stubs leave it, and their objects are joined with the code
 *     `ld -r` of lazy units               they have host code, which cannot be told from other code. But if `ld -r` of what the build has compiled
 *                                         gives the same file again, nothing else is in it, and the other objects are joined in the same way
 */
#include "link.h"

#include "archive.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/vec.h"
#include "core/files/stubobj.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void link_run_tool(const struct argv *args) {
  struct job job = {.args = args->args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.output.len)
    fwrite(job.output.data, 1, job.output.len, stderr);
  char *text = argv_join(args->args);
  if (job.status)
    die(EXIT_FAILED, "%s ended with status %d\ncommand: %s", args->args[0], job.status, text);
  buf_free(&job.output);
  free(text);
}

void link_replace(const char *file, const char *from) {
  struct stat st;
  bool known = stat(file, &st) == 0;
  char *tmp = path_beside(file, ".ckjit-tmp");
  bool done = file_copy(from, tmp) && rename(tmp, file) == 0;
  if (!done)
    die(EXIT_FAILED, "%s: cannot be replaced by what it stands for: %s", file, strerror(errno));
  if (known)
    utimensat(AT_FDCWD, file, (struct timespec[]){st.st_atim, st.st_mtim}, 0);
  free(tmp);
}

struct places {
  struct link *l;
  char *const *objects;
  const char *why, *file; /* file: which is being written */
  size_t *list, n;        /* the numbers of the records in one object … */
  bool others;            /* … and there are records that are no objects' to be put */
};

static _Noreturn void die_of(const struct places *p) {
  size_t i = 0;
  while (i + 1 < p->n && p->l->line.records[p->list[i]].kind != RECORD_UNIT)
    i++;
  die(EXIT_FAILED,
      "%s: the unit %s cannot be lazy in this link: %s; and it cannot be taken out of %s: compile it again with "
      "CK_JIT_UNITS=0",
      p->l->line.output, p->l->line.records[p->list[i]].source, p->why, p->file);
}

static bool has_unit(const struct places *p) {
  bool has = false;
  for (size_t i = 0; i < p->n; i++)
    has |= p->l->line.records[p->list[i]].kind == RECORD_UNIT;
  return has;
}

/* ---- ld -r ---- */

/* Is OUTPUT, what `ld -r` makes of FILES, the LEN BYTES? False also if ld fails. */
static bool is_joined(const struct argv *files, const char *output, const void *bytes, size_t len) {
  struct argv ld = {0};
  argv_add(&ld, "ld");
  argv_add(&ld, "-r");
  argv_add(&ld, "-o");
  argv_add(&ld, output);
  argv_add_all(&ld, files->args);
  struct job job = {.args = ld.args};
  pool_run(&job, 1, 1, NULL, NULL);
  size_t n;
  char *found = job.status ? NULL : file_read(output, &n);
  bool is = found && n == len && memcmp(found, bytes, len) == 0;
  free(found);
  buf_free(&job.output);
  argv_free(&ld);
  return is;
}

/* `ld -r -o WHOLE` of P's objects, and of REST unless it is NULL. */
static void join(const struct places *p, const char *rest, const char *whole) {
  struct argv ld = {0};
  argv_add(&ld, "ld");
  argv_add(&ld, "-r");
  argv_add(&ld, "-o");
  argv_add(&ld, whole);
  if (rest)
    argv_add(&ld, rest);
  for (size_t i = 0; i < p->n; i++)
    argv_add(&ld, p->objects[p->list[i]]);
  link_run_tool(&ld);
  argv_free(&ld);
}

/* FILE without its stubs, as REST. */
static void put_rest(const char *file, const char *rest) {
  struct argv copy = {0};
  argv_add(&copy, "objcopy");
  argv_add(&copy, "--remove-section=" STUB_SECTION);
  argv_add(&copy, "--remove-section=" STUB_GUARD);
  argv_add(&copy, "--strip-symbol=" STUB_SYMBOL);
  argv_add(&copy, file);
  argv_add(&copy, rest);
  link_run_tool(&copy);
  argv_free(&copy);
}

/* What is to be in place of an object, the LEN BYTES, that P's records were found in. free() it. */
static char *joined(const struct places *p, const void *bytes, size_t len) {
  char *base = xasprintf("%s/objs/joined-%zu", p->l->dir, p->list[0]), *whole = xasprintf("%s.whole.o", base),
       *rest = xasprintf("%s.rest.o", base), *copy = xasprintf("%s.o", base);
  struct argv outputs = {0};
  for (size_t i = 0; i < p->n; i++) {
    const struct record *r = &p->l->line.records[p->list[i]];
    argv_add_own(&outputs, path_abs_in(r->cwd, r->output));
  }
  if (p->others || (has_unit(p) && !is_joined(&outputs, copy, bytes, len)))
    die_of(p);
  if (!file_write(copy, bytes, len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", copy, strerror(errno));
  bool alone = has_unit(p) || linkline_only_records(copy);
  if (!alone)
    put_rest(copy, rest);
  join(p, alone ? NULL : rest, whole);
  unlink(copy);
  unlink(rest);
  argv_free(&outputs);
  free(copy);
  free(rest);
  free(base);
  return whole;
}

/* ---- one object ---- */

static bool note_record(const char *line, size_t len, const char *member, void *user) {
  struct places *p = user;
  size_t i = linkline_find_record(&p->l->line, p->l->moved.from ? &p->l->moved : NULL, line, len);
  (void)member;
  if (i < p->l->line.nrecords && p->objects[i])
    vec_push(p->list, p->n, i);
  else
    p->others = true;
  return true;
}

/* Is the object, N BYTES, the one that was compiled when P's one record, a lazy unit's, was written? It may have another name by now: copied, then what was compiled is there, too; or
 * moved. */
static bool is_compiled(const struct places *p, const void *bytes, size_t n) {
  const struct record *r = &p->l->line.records[p->list[0]];
  char *output = path_abs_in(r->cwd, r->output);
  size_t len;
  char *there = r->kind == RECORD_UNIT ? file_read(output, &len) : NULL;
  bool is = r->kind == RECORD_UNIT && (!there || (len == n && memcmp(there, bytes, n) == 0));
  free(there);
  free(output);
  return is;
}

/* What is to be in place of the object, N BYTES; NULL: it stays. In an archive an object with one unit is that unit's. */
static char *other_object(const void *bytes, size_t n, void *user) {
  struct places *p = user;
  p->n = 0;
  p->others = false;
  if (!stub_records_bytes(bytes, n, note_record, p) || !p->n)
    return NULL;
  bool one = p->n == 1 && !p->others;
  return one && has_unit(p) ? xstrdup(p->objects[p->list[0]]) : joined(p, bytes, n);
}

static void put_file(struct places *p) {
  size_t len;
  char *bytes = file_read(p->file, &len), *other = NULL;
  p->n = 0;
  p->others = false;
  if (bytes && stub_records_bytes(bytes, len, note_record, p) && p->n) {
    bool one = p->n == 1 && !p->others;
    other = one && (is_compiled(p, bytes, len) || linkline_only_records(p->file))
                ? xstrdup(p->objects[p->list[0]])
                : joined(p, bytes, len);
    link_replace(p->file, other);
  }
  free(other);
  free(bytes);
}

void link_put_objects(struct link *l, char *const *objects, const char *why) {
  struct places p = {.l = l, .objects = objects, .why = why};
  struct argv done = {0};
  char *archive = path_join(l->dir, "objs/archive.a");
  for (size_t i = 0; i < l->line.nrecords; i++) {
    p.file = l->line.files.args[i];
    if (!objects[i] || argv_has(&done, p.file))
      continue;
    argv_add(&done, p.file);
    if (*l->line.members.args[i])
      archive_exchange(p.file, archive, other_object, &p);
    else
      put_file(&p);
  }
  unlink(archive);
  argv_free(&done);
  free(archive);
  free(p.list);
}
