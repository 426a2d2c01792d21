/* inplace.c - puts objects that nvcc or hipcc has compiled after all into the places of recorded
 * ones in the build: a link that cannot be lazy becomes an ordinary link, and the next make finds
 * objects and no stubs.
 *
 *     k.o, a stub or a lazy unit          replaced
 *     libk.a(k.o)                         exchanged, even if other members have the same name (archive.c)
 *     `ld -r` of stubs, and code          the stubs leave it, and their objects are joined with the code
 *     `ld -r` of lazy units               they have host code, which cannot be told from other code. But if `ld -r` of the build's compiled
 *                                         objects gives the same file again, nothing else is in it, and the other objects are joined in the same way
 */
#include "link.h"

#include "archive.h"

#include "core/base/ar.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/vec.h"
#include "core/cache/key.h"
#include "core/files/stubobj.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The program NAME of binutils that knows the objects of L: those of another machine need the cross
 * compiler's own. free() it. */
static char *binutil(const struct link *l, const char *name) {
  const struct ckjit_machine *machine = link_machine(l);
  if (machine == &CKJIT_OWN)
    return xstrdup(name);
  autofree char *question = xasprintf("-print-prog-name=%s", name);
  char *args[] = {l->line.compiler, question, NULL};
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  char *answer =
      job.status || !job.output.len ? xstrdup("") : xstrndup(job.output.data, strcspn(job.output.data, "\n"));
  if (!file_is_program(answer)) { /* nvcc and clang know none */
    free(answer);
    answer = xasprintf("%s-linux-gnu-%s", machine->name, name);
  }
  buf_free(&job.output);
  return answer;
}

struct places {
  struct link *l;
  char *const *objects;
  const char *why, *file; /* file: which is being written */
  /* the numbers of the records in one object … */
  size_t *list, n;
  /* … and there are records that are no objects' to be put */
  bool others;
  /* the objects are joined with what is there, and nothing leaves it */
  bool joins;
  /* For this link alone: an object may keep content that has records. */
  bool copies;
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

/* ---- the way back ---- */

/* Where the lazy unit's object is kept that the object of N BYTES replaced; free() it. */
static char *kept(const struct link *l, const void *bytes, size_t n) {
  char digest[DIGEST_HEX];
  digest_bytes(digest, bytes, n);
  return xasprintf("%s/" REPLACED_DIR "/%s.o", l->work, digest);
}

/* Keep the object of a lazy unit, N BYTES, that OTHER replaces. Failure costs the way back. */
static void keep_lazy(const struct link *l, const void *bytes, size_t n, const char *other) {
  size_t len;
  autofree char *dir = path_join(l->work, REPLACED_DIR), *with = file_read(other, &len),
                *file = with ? kept(l, with, len) : NULL;
  if (file && dir_make_work(dir))
    file_write(file, bytes, n, 0666);
}

/* what link_put_back has done */
struct back {
  struct link *l;
  struct timespec time; /* of the file that is looked into */
  bool any;
};

/* What was put there keeps the time of what it replaced. A later file is the build's: one that was
 * compiled with CK_JIT_UNITS=0 has the same content. */
static char *lazy_object(const void *bytes, size_t n, void *user) {
  const struct back *b = user;
  char *file = kept(b->l, bytes, n);
  if (file_exists(file) && file_changed_since(file, b->time))
    return file;
  free(file);
  return NULL;
}

static bool put_back(const char *file, const struct cc_input *in, void *user) {
  struct back *b = user;
  struct stat st;
  size_t len;
  (void)in;
  autofree char *bytes = path_is_shared(file) || stat(file, &st) ? NULL : file_read(file, &len),
                *other = NULL, *work = path_join(b->l->dir, "objs/archive.a");
  if (!bytes)
    return true;
  b->time = st.st_mtim;
  if (ar_open(&(struct ar){0}, bytes, len)) {
    b->any |= archive_exchange(file, work, lazy_object, b) > 0;
    unlink(work);
  } else if ((other = lazy_object(bytes, len, b))) {
    archive_replace(file, other);
    b->any = true;
  }
  return true;
}

bool link_put_back(struct link *l) {
  struct back b = {.l = l};
  autofree char *dir = path_join(l->work, REPLACED_DIR);
  if (file_is_dir(dir))
    ccargs_link_files(&l->line.scan, put_back, &b);
  return b.any;
}

/* ---- ld -r ---- */

/* Is OUTPUT, what `ld -r` makes of FILES, the LEN BYTES? False also if ld fails. */
static bool is_joined(const struct link *l, const struct argv *files, const char *output, const void *bytes,
                      size_t len) {
  autofree_argv ld = {0};
  argv_add_own(&ld, binutil(l, "ld"));
  argv_add(&ld, "-r");
  argv_add(&ld, "-o");
  argv_add(&ld, output);
  argv_add_all(&ld, files->args);
  struct job job = {.args = ld.args};
  pool_run(&job, 1, 1, NULL, NULL);
  size_t n;
  autofree char *found = job.status ? NULL : file_read(output, &n);
  bool is = found && n == len && memcmp(found, bytes, len) == 0;
  buf_free(&job.output);
  return is;
}

/* `ld -r -o WHOLE` of P's objects, and of REST unless it is NULL, whose weak functions are not
 * taken if they have them too. */
static void join(const struct places *p, const char *rest, const char *whole) {
  autofree_argv ld = {0};
  argv_add_own(&ld, binutil(p->l, "ld"));
  argv_add(&ld, "-r");
  argv_add(&ld, "-o");
  argv_add(&ld, whole);
  for (size_t i = 0; i < p->n; i++)
    argv_add(&ld, p->objects[p->list[i]]);
  if (rest)
    argv_add(&ld, rest);
  archive_tool(&ld);
}

static bool has_section(const char *file, const char *name) {
  size_t len, i = 1;
  autofree char *bytes = file_read(file, &len);
  struct elf e;
  struct elf_section s;
  return bytes && elf_open(&e, bytes, len, NULL) && elf_find(&e, name, &i, &s);
}

/* Have objcopy make weak what OBJECT defines. */
static void weaken(struct argv *copy, const char *object) {
  struct elf_symbols all;
  struct elf_symbol s;
  elf_symbols_open(&all, object, SHT_SYMTAB);
  while (elf_symbols_next(&all, &s))
    if (s.type == STT_FUNC && s.section != SHN_UNDEF && s.bind != STB_LOCAL)
      argv_addf(copy, "--weaken-symbol=%s", s.name);
  elf_symbols_close(&all);
}

/* FILE without its stubs, as REST. It may define what P's objects define, in name alone
 * (symbols.c). */
static void put_rest(const struct places *p, const char *file, const char *rest) {
  autofree_argv copy = {0};
  bool names = has_section(file, STUBS_NAMES);
  argv_add_own(&copy, binutil(p->l, "objcopy"));
  argv_add(&copy, "--remove-section=" STUB_SECTION);
  argv_add(&copy, "--remove-section=" STUB_GUARD);
  argv_add(&copy, "--strip-symbol=" STUB_SYMBOL);
  for (size_t i = 0; i < p->n && names; i++)
    weaken(&copy, p->objects[p->list[i]]);
  argv_add(&copy, file);
  argv_add(&copy, rest);
  archive_tool(&copy);
}

/* Are the functions that OBJECT defines among those of the LEN BYTES, with which it was joined
 * before? */
static bool is_there(const char *object, const char *bytes, size_t len) {
  struct elf_symbols all;
  struct elf_symbol wanted, s;
  struct elf e;
  struct elf_symtab t;
  bool found = true;
  elf_symbols_open(&all, object, SHT_SYMTAB);
  bool symbols = elf_open(&e, bytes, len, NULL) && elf_symtab(&e, SHT_SYMTAB, &t);
  while (found && elf_symbols_next(&all, &wanted)) {
    if (wanted.type != STT_FUNC)
      continue;
    found = false;
    for (size_t i = 0; symbols && i < t.count && !found; i++)
      found = elf_symbol(&t, i, &s) && s.section != SHN_UNDEF && strcmp(s.name, wanted.name) == 0;
  }
  elf_symbols_close(&all);
  return found;
}

/* An object, the LEN BYTES, with P's objects joined to it, in the file WHOLE; false: it stays, for
 * they are in it. */
static bool join_to(const struct places *p, const void *bytes, size_t len, const char *copy,
                    const char *whole) {
  struct places lacking = *p;
  lacking.list = NULL;
  lacking.n = 0;
  for (size_t i = 0; i < p->n; i++)
    if (!is_there(p->objects[p->list[i]], bytes, len))
      vec_push(lacking.list, lacking.n, p->list[i]);
  if (lacking.n && !file_write(copy, bytes, len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", copy, strerror(errno));
  if (lacking.n)
    join(&lacking, copy, whole);
  unlink(copy);
  free(lacking.list);
  return lacking.n > 0;
}

/* P's objects joined in WHOLE with what is left of an object, the LEN BYTES, when their records are
 * out of it. */
static void take_out(const struct places *p, const void *bytes, size_t len, const char *base,
                     const char *copy, const char *whole) {
  autofree char *rest = xasprintf("%s.rest.o", base);
  autofree_argv outputs = {0};
  for (size_t i = 0; i < p->n; i++) {
    const struct record *r = &p->l->line.records[p->list[i]];
    argv_add_own(&outputs, path_abs_in(r->cwd, r->output));
  }
  if ((p->others && (!p->copies || has_unit(p))) ||
      (has_unit(p) && !is_joined(p->l, &outputs, copy, bytes, len)))
    die_of(p);
  if (!file_write(copy, bytes, len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", copy, strerror(errno));
  bool alone = has_unit(p) || linkline_only_records(copy);
  if (!alone)
    put_rest(p, copy, rest);
  join(p, alone ? NULL : rest, whole);
  unlink(copy);
  unlink(rest);
}

/* Returns the object that replaces the one, the LEN BYTES, in which P's records were found. NULL:
 * it stays. free() it. */
static char *joined(const struct places *p, const void *bytes, size_t len) {
  autofree char *base = xasprintf("%s/objs/joined-%zu", p->l->dir, p->list[0]);
  char *whole = xasprintf("%s.whole.o", base);
  autofree char *copy = xasprintf("%s.o", base);
  if (!p->joins) {
    take_out(p, bytes, len, base, copy, whole);
  } else if (!join_to(p, bytes, len, copy, whole)) {
    free(whole);
    whole = NULL;
  }
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

/* Is the object, N BYTES, the one that was compiled when P's one record, a lazy unit's, was
 * written? It may have another name now: copied, and the original exists too; or moved. */
static bool is_compiled(const struct places *p, const void *bytes, size_t n) {
  const struct record *r = &p->l->line.records[p->list[0]];
  autofree char *output = path_abs_in(r->cwd, r->output);
  size_t len;
  autofree char *there = r->kind == RECORD_UNIT ? file_read(output, &len) : NULL;
  return r->kind == RECORD_UNIT && (!there || (len == n && memcmp(there, bytes, n) == 0));
}

/* The object of P's one record, which replaces the one, N BYTES; free() it. */
static char *other_alone(const struct places *p, const void *bytes, size_t n) {
  char *other = xstrdup(p->objects[p->list[0]]);
  if (has_unit(p) && !p->copies)
    keep_lazy(p->l, bytes, n, other);
  return other;
}

/* Returns the object that replaces this one, N BYTES; NULL: it stays. In an archive an object with
 * one unit is that unit's. */
static char *other_object(const void *bytes, size_t n, void *user) {
  struct places *p = user;
  p->n = 0;
  p->others = false;
  if (!stub_records_bytes(bytes, n, note_record, p) || !p->n)
    return NULL;
  bool one = p->n == 1 && !p->others && !p->joins;
  return one && (has_unit(p) || linkline_is_only_records(bytes, n)) ? other_alone(p, bytes, n)
                                                                    : joined(p, bytes, n);
}

static void put_file(struct places *p) {
  size_t len;
  autofree char *bytes = file_read(p->file, &len), *other = NULL;
  p->n = 0;
  p->others = false;
  if (bytes && stub_records_bytes(bytes, len, note_record, p) && p->n) {
    bool one = p->n == 1 && !p->others && !p->joins;
    other = one && (is_compiled(p, bytes, len) || linkline_only_records(p->file)) ? other_alone(p, bytes, len)
                                                                                  : joined(p, bytes, len);
    if (other)
      archive_replace(p->file, other);
  }
}

/* Write a COPY of the object P->file with other parts; false: it has none of these. */
static bool copy_object(struct places *p, const char *copy) {
  size_t len;
  autofree char *bytes = file_read(p->file, &len), *other = bytes ? other_object(bytes, len, p) : NULL;
  if (other && !file_copy(other, copy))
    die(EXIT_FAILED, "%s: cannot write: %s", copy, strerror(errno));
  return other != NULL;
}

bool link_copy_container(struct link *l, const char *file, bool archive, const char *copy,
                         char *const *objects) {
  struct places p = {
      .l = l, .objects = objects, .why = "it is compiled as without ckjit", .file = file, .copies = true};
  bool any = archive ? archive_copy(file, copy, other_object, &p) > 0 : copy_object(&p, copy);
  free(p.list);
  return any;
}

static void put_objects(struct places *p) {
  struct link *l = p->l;
  autofree_argv done = {0};
  autofree char *archive = path_join(l->dir, "objs/archive.a");
  for (size_t i = 0; i < l->line.nrecords; i++) {
    p->file = l->line.files.args[i];
    if (!p->objects[i] || argv_has(&done, p->file))
      continue;
    argv_add(&done, p->file);
    if (*l->line.members.args[i])
      archive_exchange(p->file, archive, other_object, p);
    else
      put_file(p);
  }
  unlink(archive);
  free(p->list);
}

void link_put_whole(struct link *l, char *const *objects, const char *why) {
  autofree struct step *steps = xcalloc(l->line.nrecords + 1, sizeof *steps);
  size_t n = 0;
  for (size_t i = 0; i < l->line.nrecords; i++)
    if (objects[i])
      steps[n++] = link_whole_step(&l->line.records[i], objects[i]);
  link_run_whole(l, steps, n);
  link_put_compiled(l, objects, why);
}

void link_put_compiled(struct link *l, char *const *objects, const char *why) {
  put_objects(&(struct places){.l = l, .objects = objects, .why = why});
}

void link_join_objects(struct link *l, char *const *objects) {
  put_objects(
      &(struct places){.l = l, .objects = objects, .why = "its symbols are asked for", .joins = true});
}
