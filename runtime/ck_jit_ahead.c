/* ck_jit_ahead.c - compiles kernels ahead of their calls, beside a compile that a call waits for.
 *
 * A call that finds no entry starts its compile, and waits. Meanwhile this thread is idle, and
 * perhaps the machine. So this process starts a helper, ckjit-compile --ahead, with the commands
 * that other calls would start: for the other kernels of the call's row (ck_jit_together.h), or
 * those that were called soon before or after it in the past. With a process's first compile it
 * adds all that the library's calls waited for before (ck_jit_record.h), because after an upgrade
 * the same kernels are called again; or, if nothing is recorded, with the second late unit all
 * others. The helper starts as many compiles as processors and memory allow and ends with this
 * process. Nobody waits for it. When one of these kernels is called, its entry exists, or its
 * compile waits for the helper's by the lock that all compiles of a key share, or it was not
 * begun and is compiled as usual: so a helper that fails costs nothing.
 *
 * It needs no thread and no child: the started process forks, and its first half ends at once.
 */
#include "ck_jit_ahead.h"
#include "ck_jit_artefact.h"
#include "ck_jit_compile.h"
#include "ck_jit_flight.h"
#include "ck_jit_jobs.h"
#include "ck_jit_lazy.h"
#include "ck_jit_lookup.h"
#include "ck_jit_manifest.h"
#include "ck_jit_protocol.h"
#include "ck_jit_record.h"
#include "ck_jit_settings.h"
#include "ck_jit_spawn.h"
#include "ck_jit_table.h"
#include "ck_jit_together.h"
#include "ck_jit_unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The commands for the helper: for each the number of its words, then its words, all with their
 * NUL. */
struct ckjit_list {
  struct ckjit_text text;
  struct ckjit_text blobs; /* their numbers, four bytes each */
  unsigned n;
};

static bool ckjit_list_has(const struct ckjit_list *list, uint32_t blob) {
  for (size_t i = 0; i + sizeof blob <= list->blobs.len; i += sizeof blob)
    if (memcmp(list->blobs.data + i, &blob, sizeof blob) == 0)
      return true;
  return false;
}

static void ckjit_list_add(struct ckjit_list *list, uint32_t blob, const struct ckjit_text *words) {
  size_t n = 0;
  ckjit_add_bytes(&list->blobs, (const char *)&blob, sizeof blob);
  for (size_t i = 0; i < words->len; i++)
    n += !words->data[i];
  ckjit_addf(&list->text, "%zu", n);
  ckjit_add_bytes(&list->text, "", 1);
  ckjit_add_bytes(&list->text, words->data, words->len);
  list->n++;
}

/* Whether the entry of W, a blob other than the called one, exists or is being compiled. */
static bool ckjit_is_had(const struct ckjit_wanted *w) {
  return ckjit_has_readonly_entry(w) || ckjit_has_entry(w) || ckjit_is_locked(w);
}

/* Add BLOB to LIST, unless it exists or is being compiled; W is the called blob. */
static void ckjit_add_blob_ahead(struct ckjit_list *list, const struct ckjit_wanted *w,
                                 const struct ckjit_recorded *recorded, uint32_t blob) {
  struct ckjit_text words = {0}, why = {0};
  struct ckjit_wanted other = *w; /* nothing in it is freed */
  if (ckjit_is_lazy_unit(blob) || blob == w->blob || ckjit_list_has(list, blob) ||
      ckjit_is_loaded(blob) || ckjit_is_flying(blob))
    return;
  ckjit_want_other(&other, blob);
  bool had = ckjit_is_had(&other);
  if (!had && ckjit_per_kernel(&other)) {
    ckjit_want_apart(&other);
    had = ckjit_is_had(&other);
  }
  if (!had && ckjit_command(&other, &words, &why)) {
    if (other.apart)
      ckjit_record_kernels(&words, recorded, &other);
    if (ckjit_whole(&words))
      ckjit_list_add(list, blob, &words);
  }
  ckjit_text_free(&words);
  ckjit_text_free(&why);
}

/* W is being compiled without its kernels. Add those of its kernels that were launched in the past.
 * Returns their number. */
static unsigned ckjit_add_own_kernels(struct ckjit_list *list, const struct ckjit_wanted *w,
                                      const struct ckjit_recorded *recorded) {
  struct ckjit_text words = {0}, why = {0};
  unsigned n = 0;
  if (w->apart && ckjit_command(w, &words, &why) &&
      (n = ckjit_record_kernels(&words, recorded, w)) > 0) {
    ckjit_add_bytes(&words, CKJIT_OWN_COMPILE, sizeof CKJIT_OWN_COMPILE);
    if (ckjit_whole(&words))
      ckjit_list_add(list, w->blob, &words);
  }
  ckjit_text_free(&words);
  ckjit_text_free(&why);
  return n;
}

/* Put TEXT into a file without a name; -1 on failure. */
static int ckjit_file_of(const struct ckjit_text *text) {
  int fd = ckjit_whole(text) ? (int)syscall(SYS_memfd_create, "ckjit", 1u /* MFD_CLOEXEC */) : -1;
  if (fd >= 0 && (ckjit_write_file(fd, text->data, text->len) || lseek(fd, 0, SEEK_SET))) {
    close(fd);
    return -1;
  }
  return fd;
}

/* Start the helper with LIST, whose first command names the program. TOGETHER of them are needed at
 * once. */
static void ckjit_start_helper(const struct ckjit_list *list, unsigned together,
                               char **environment) {
  char pid[32], number[16], first[16], ahead[] = "--ahead", list_fd[] = "--list-fd",
                                       needed[] = "--together", detach[] = "--detach";
  const char *count = ckjit_whole(&list->text);
  int file = ckjit_file_of(&list->text), status;
  struct ckjit_text output = {0};
  if (file < 0 || !count)
    return;
  snprintf(pid, sizeof pid, "%ld", (long)getpid());
  snprintf(number, sizeof number, "%d", CKJIT_RESULT_FD);
  snprintf(first, sizeof first, "%u", together);
  char *args[] = {list->text.data + strlen(count) + 1,
                  ahead,
                  pid,
                  list_fd,
                  number,
                  needed,
                  first,
                  ckjit_warms() == CKJIT_WARM_DETACHED ? detach : NULL,
                  NULL};
  ckjit_run(args, environment, file, NULL, &output, &status, NULL);
  ckjit_text_free(&output);
  close(file);
}

/* Add the blobs that were called soon before or after W's. */
static void ckjit_add_near(struct ckjit_list *list, const struct ckjit_wanted *w,
                           const struct ckjit_recorded *recorded) {
  size_t at = 0, first, end;
  while (at < recorded->n && recorded->blobs[at] != w->blob)
    at++;
  for (first = at; first && first < recorded->n && recorded->follows[first]; first--)
    ;
  for (end = at + 1; end < recorded->n && recorded->follows[end]; end++)
    ;
  for (size_t i = first; at < recorded->n && i < end; i++)
    ckjit_add_blob_ahead(list, w, recorded, recorded->blobs[i]);
}

/* Add the blobs that are needed at once: those of the row of W's call, or, without a table, those
 * of past calls. */
static void ckjit_add_together(struct ckjit_list *list, const struct ckjit_wanted *w,
                               const struct ckjit_recorded *recorded) {
  const struct ckjit_row *row = ckjit_row_of(w->blob);
  for (uint32_t i = 0; row && i < row->n; i++)
    ckjit_add_blob_ahead(list, w, recorded, row->blobs[i]);
  if (!row || row->n < 2)
    ckjit_add_near(list, w, recorded);
}

/* Late units are sources that somebody wrote, of which a job uses a good part: of llama.cpp's 45 a
 * model calls 15, one after the other, and each takes seconds. So the second one that a process
 * misses starts the host sides of all, if no record says what will be called. There must be
 * processors to spare. A library with more units, such as ComposableKernel's instances, is not of
 * that kind. Returns their number. */
static int ckjit_units_begun; /* it has; atomic */

static unsigned ckjit_add_late_units(struct ckjit_list *list, const struct ckjit_wanted *w,
                                     const struct ckjit_recorded *recorded, bool first) {
  enum { MISSED = 2, UNITS_MOST = 100, JOBS = 4 };
  static int known;       /* the record had something when the process began; atomic */
  static unsigned missed; /* atomic */
  unsigned before = list->n;
  uint32_t end = ckjit_facts.blobs - ckjit_facts.lazy_units;
  if (first)
    __atomic_store_n(&known, recorded->n > 0, __ATOMIC_RELAXED);
  if (!ckjit_is_late_unit(w->blob) || ckjit_facts.late_units > UNITS_MOST || ckjit_jobs() < JOBS ||
      __atomic_add_fetch(&missed, 1, __ATOMIC_RELAXED) != MISSED ||
      __atomic_load_n(&known, __ATOMIC_RELAXED))
    return 0;
  for (uint32_t row = end - ckjit_facts.late_units; row < end; row++)
    ckjit_add_blob_ahead(list, w, recorded, row);
  __atomic_store_n(&ckjit_units_begun, 1, __ATOMIC_RELAXED);
  return list->n - before;
}

void ckjit_record_call(struct ckjit_wanted *w) {
  struct ckjit_text missing = {0};
  bool others;
  if (__atomic_load_n(&ckjit_units_begun, __ATOMIC_RELAXED) && ckjit_is_late_unit(w->blob) &&
      !ckjit_has_readonly_entry(w))
    ckjit_compile(w, &missing, &others);
  ckjit_text_free(&missing);
}

/* W, a kernel of a lazy unit, is being compiled. A program that has launched that many kernels of
 * one unit tries them all (CK's tuning does), and each compile runs the front end anew. So compile
 * the whole unit: the first launches of the other kernels find it. Combinations (ck_jit_protocol.h)
 * would not be in it. */
static void ckjit_unit_ahead(const struct ckjit_wanted *w) {
  struct ckjit_list list = {0};
  struct ckjit_text words = {0}, why = {0};
  struct ckjit_wanted whole = *w;
  uint32_t *n = &ckjit_blob_states[w->blob].compiled;
  if (strcmp(w->kernel, CKJIT_UNIT_WHOLE) == 0 || strstr(w->kernel, CKJIT_CHOICE) ||
      __atomic_add_fetch(n, 1, __ATOMIC_RELAXED) != ckjit_unit_kernels())
    return;
  whole.kernel_stem = (struct ckjit_text){0}; /* the rest is W's */
  ckjit_want_other(&whole, w->blob);
  if (!ckjit_is_had(&whole) && ckjit_command(&whole, &words, &why) && ckjit_whole(&words)) {
    ckjit_tell(w, "compiling the whole unit in the background");
    ckjit_list_add(&list, w->blob, &words);
    ckjit_start_helper(&list, 0, *w->environment);
  }
  ckjit_text_free(&whole.kernel_stem);
  ckjit_text_free(&words);
  ckjit_text_free(&why);
  ckjit_text_free(&list.text);
  ckjit_text_free(&list.blobs);
}

#if CKJIT_LAZY
/* Add KERNEL of the lazy unit ROW, unless it exists or is being compiled, as the kernel W is. */
static void ckjit_add_unit_kernel(struct ckjit_list *list, const struct ckjit_wanted *w,
                                  uint32_t row, const char *kernel) {
  struct ckjit_text words = {0}, why = {0};
  struct ckjit_wanted other = *w;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  other.kernel_stem = (struct ckjit_text){0}; /* the rest is W's */
  other.apart = false;
  ckjit_want_other(&other, row); /* the whole unit */
  bool had = ckjit_is_had(&other);
  ckjit_artefact_id(id, CKJIT_KIND_KERNEL, ckjit_blobs[row].key, other.archs);
  if (!had && strcmp(kernel, CKJIT_UNIT_WHOLE) != 0)
    had = !ckjit_want_kernel(&other, id, NULL, kernel) || ckjit_is_had(&other);
  if (!had && ckjit_command(&other, &words, &why) && ckjit_whole(&words))
    ckjit_list_add(list, row, &words);
  ckjit_text_free(&other.kernel_stem);
  ckjit_text_free(&words);
  ckjit_text_free(&why);
}

/* Is the unit ROW that of the N bytes at STEM, which may be of an earlier build? */
static bool ckjit_is_unit_of(uint32_t row, const char *stem, size_t n) {
  size_t len, source = ckjit_unit_source(stem, n);
  const char *own = ckjit_stem_of(row, &len);
  return source && len == n && memcmp(own, stem, source) == 0;
}

/* Add the kernels of lazy units that were launched in the past, the newest first. Of a unit of
 * which a process compiles that many, all are compiled at once. */
static void ckjit_add_unit_kernels(struct ckjit_list *list, const struct ckjit_wanted *w,
                                   const struct ckjit_recorded *recorded) {
  for (uint32_t row = ckjit_facts.blobs - ckjit_facts.lazy_units; row < ckjit_facts.blobs; row++) {
    const char *names[CKJIT_USED_KERNELS];
    size_t n = 0, most = ckjit_unit_kernels();
    for (size_t i = recorded->nlines; i-- > 0;) {
      const struct ckjit_used *u = &recorded->lines[i];
      bool whole = u->kernel_len == 1 && *u->kernel == *CKJIT_UNIT_WHOLE;
      if (!u->kernel_len || !ckjit_is_unit_of(row, u->stem, u->stem_len))
        continue;
      const char *name = whole ? CKJIT_UNIT_WHOLE : ckjit_lazy_name(row, u->kernel, u->kernel_len);
      if (name && (row != w->blob || !w->kernel || strcmp(name, w->kernel) != 0))
        names[n++] = name;
    }
    if (most && n >= most)
      names[0] = CKJIT_UNIT_WHOLE;
    for (size_t i = 0; i < (most && n >= most ? 1 : n); i++)
      ckjit_add_unit_kernel(list, w, row, names[i]);
  }
}
#else
static void ckjit_add_unit_kernels(struct ckjit_list *list, const struct ckjit_wanted *w,
                                   const struct ckjit_recorded *recorded) {
  (void)list, (void)w, (void)recorded;
}
#endif

void ckjit_ahead(const struct ckjit_wanted *w) {
  static int begun; /* this process has had its first compile; atomic */
  struct ckjit_list list = {0};
  bool unit = ckjit_is_lazy_unit(w->blob);
  if (w->unlinked || (!unit && w->kernel) || ckjit_warms() == CKJIT_WARM_NOT || ckjit_jobs() < 2)
    return;
  if (unit && w->kernel)
    ckjit_unit_ahead(w);
  bool first = !__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED);
  if (unit && !first)
    return;
  struct ckjit_recorded *recorded = malloc(sizeof *recorded); /* too large for a small stack */
  if (!recorded)
    return;
  ckjit_record_read(recorded, w);
  unsigned kernels = unit ? 0 : ckjit_add_own_kernels(&list, w, recorded), own = list.n;
  if (!unit)
    ckjit_add_together(&list, w, recorded);
  unsigned together = list.n;
  for (size_t i = recorded->n; first && i-- > 0;)
    ckjit_add_blob_ahead(&list, w, recorded, recorded->blobs[i]);
  if (first)
    ckjit_add_unit_kernels(&list, w, recorded);
  unsigned beside = together - own, before = list.n - together,
           units = ckjit_add_late_units(&list, w, recorded, first);
  if (own)
    ckjit_tell(w, "compiling with it %u previously launched kernel%s", kernels,
               kernels == 1 ? "" : "s");
  if (beside)
    ckjit_tell(w, "compiling in parallel with it %u other kernel%s", beside,
               beside == 1 ? "" : "s");
  if (before)
    ckjit_tell(w, "compiling ahead of their calls %u previously called kernel%s", before,
               before == 1 ? "" : "s");
  if (units)
    ckjit_tell(w, "compiling ahead of their calls the host side of %u other unit%s of its library",
               units, units == 1 ? "" : "s");
  if (list.n)
    ckjit_start_helper(&list, together, *w->environment);
  ckjit_record_free(recorded);
  free(recorded);
  ckjit_text_free(&list.text);
  ckjit_text_free(&list.blobs);
}
