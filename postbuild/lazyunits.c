/* lazyunits.c - the work of a link for its lazy units.
 *
 * Their objects are linked as they are. The library's tables get a row for each (manifest.c), and
 * its runtime the part that knows HIP, or CUDA. The calls to wrap are those of all objects of the
 * link: an ordinary object may launch a kernel of a template that a lazy unit instantiates. They
 * are looked for by name in the bytes of the inputs, whole archives included. A superfluous name is
 * harmless: then a function is wrapped that nobody calls.
 *
 * A unit whose object asks for something that excludes late kernels is compiled as without ckjit,
 * and its object leaves the link. ckjit-unit makes no such objects; `ld -r` can.
 */
#include "link.h"

#include "core/base/ar.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/gpucalls.h"
#include "core/files/summary.h"
#include "core/files/unitkernels.h"
#include "core/files/unittext.h"

/* ---- the list ---- */

void lazy_units_add(struct lazy_units *u, const struct record *r, const char *file, const char *member) {
  bool again = false;
  for (size_t i = 0; i < u->n && !again; i++)
    again = strcmp(u->list[i].record->key, r->key) == 0;
  char *stem = again ? NULL : unit_stem(r->stem, r->key);
  vec_push(u->list, u->n,
           (struct lazy_unit){.record = r,
                              .file = file,
                              .member = member,
                              .stem = stem,
                              .linked = compiler_links_kernels(r->compiler_kind, &r->device)});
}

void lazy_units_make(struct lazy_units *u, struct record *r, const char *object) {
  lazy_units_add(u, r, xstrdup(object), "");
  u->list[u->n - 1].made = true;
}

size_t lazy_units_made(const struct lazy_units *u) {
  size_t n = 0;
  for (size_t i = 0; i < u->n; i++)
    n += u->list[i].made && !u->list[i].why;
  return n;
}

/* Has it kernels? One of -rdc=true may have none. */
static bool lazy_unit_has_kernels(const struct lazy_unit *u) {
  autofree_argv kernels = {0};
  autofree char *err = NULL;
  return !u->linked || !unittext_kernels(u->record->device_text, &kernels, &err) || kernels.n;
}

bool lazy_unit_is_row(const struct lazy_unit *u) {
  return u->stem && (!u->why || u->listed) && lazy_unit_has_kernels(u);
}

size_t lazy_units_rows(const struct lazy_units *u) {
  size_t n = 0;
  for (size_t i = 0; i < u->n; i++)
    n += lazy_unit_is_row(&u->list[i]);
  return n;
}

void lazy_units_free(struct lazy_units *u) {
  for (size_t i = 0; i < u->n; i++) {
    struct lazy_unit *one = &u->list[i];
    if (one->own) { /* linkedunits.c's: a copy, but for these */
      free(one->record->key);
      free(one->record->device_text);
      free((struct record *)one->record);
    }
    if (one->made) {
      record_free((struct record *)one->record);
      free((struct record *)one->record);
      free((char *)one->file);
    }
    free(one->stem);
    free(one->why);
  }
  free(u->list);
}

/* ---- those that cannot stay lazy ---- */

/* U is compiled as without ckjit, because of WHY, which is taken over. So are all with its key,
 * which share a row. */
static void give_up(struct lazy_units *all, const struct lazy_unit *u, char *why) {
  for (size_t i = 0; i < all->n; i++)
    if (!all->list[i].why && strcmp(all->list[i].record->key, u->record->key) == 0)
      all->list[i].why = xstrdup(why);
  free(why);
}

void link_settle_lazy_units(struct link *l) {
  const struct record *first = l->nblobs ? l->blobs[0].record : l->lazy.n ? l->lazy.list[0].record : NULL;
  for (size_t i = 0; i < l->lazy.n; i++) {
    const struct lazy_unit *u = &l->lazy.list[i];
    const struct record *r = u->record;
    autofree char *name = *u->member ? NULL : calls_obstacle(u->file);
    if (name)
      give_up(&l->lazy, u, xasprintf("its host code calls %s", name));
    else if (strcmp(r->compiler, first->compiler) != 0 || r->compiler_kind != first->compiler_kind)
      give_up(&l->lazy, u,
              xasprintf("it is compiled by %s (%s), others by %s (%s)", r->compiler, r->compiler_kind->kind,
                        first->compiler, first->compiler_kind->kind));
  }
}

void link_give_up_lazy_units(struct link *l, const char *why) {
  for (size_t i = 0; i < l->lazy.n; i++)
    give_up(&l->lazy, &l->lazy.list[i], xstrdup(why));
}

/* Can the object of U leave the link? Not if a device link of nvcc's that may be over has it, nor out
 * of what `ld -r` made of others as well. */
static bool can_leave(const struct link *l, const struct lazy_unit *u) {
  size_t same = 0;
  for (size_t i = 0; i < l->line.nrecords && !u->made; i++)
    same += strcmp(l->line.files.args[i], u->file) == 0 && strcmp(l->line.members.args[i], u->member) == 0;
  return !(u->linked && u->record->compiler_kind->runtime == RUNTIME_CUDA) && same <= 1;
}

static void check_leaves(const struct link *l, const struct lazy_unit *u) {
  if (!can_leave(l, u))
    die(EXIT_FAILED,
        "%s: the unit %s cannot be lazy in this link: %s; and it cannot be taken out of %s: compile it again with "
        "CK_JIT_UNITS=0",
        l->line.output, record_place(u->record), u->why, u->file);
}

/* If one of HIP's units with -fgpu-rdc is compiled ahead of time, its device code is linked by the
 * build, and so is that of all others. */
static void give_up_linked(struct link *l) {
  const struct lazy_unit *first = NULL;
  for (size_t i = 0; i < l->lazy.n && !first; i++)
    if (l->lazy.list[i].linked && l->lazy.list[i].why)
      first = &l->lazy.list[i];
  for (size_t i = 0; i < l->lazy.n && first; i++)
    if (l->lazy.list[i].linked && !l->lazy.list[i].why)
      give_up(&l->lazy, &l->lazy.list[i],
              xasprintf("its device code is linked with that of %s, which is compiled ahead of time",
                        record_place(first->record)));
}

void link_compile_lazy_ahead(struct link *l) {
  give_up_linked(l);
  autofree struct step *steps = xcalloc(l->lazy.n + 1, sizeof *steps);
  size_t n = 0;
  for (size_t i = 0; i < l->lazy.n; i++) {
    const struct lazy_unit *u = &l->lazy.list[i];
    if (!u->why) {
      if (u->made)
        link_put_object(l, u->record, u->file);
      continue;
    }
    autofree char *object = xasprintf("%s/objs/unit-%zu-%s.o", l->dir, i, u->record->stem);
    check_leaves(l, u);
    steps[n++] = link_whole_step(u->record, object);
    link_put_object(l, u->record, object);
    l->ahead++;
  }
  link_run_whole(l, steps, n);
}

/* ---- those of --aot-list ---- */

/* All with U's key are of the list. */
static void want_ahead(struct link *l, const struct lazy_unit *u, const char *name) {
  const char *key = u->record->key;
  bool leave = true;
  for (size_t i = 0; i < l->lazy.n; i++)
    if (strcmp(l->lazy.list[i].record->key, key) == 0)
      leave &= can_leave(l, &l->lazy.list[i]);
  if (!leave)
    buf_printf(&l->stays, SUMMARY_STAYS "%s: its unit cannot be taken out of %s\n", name, u->file);
  for (size_t i = 0; i < l->lazy.n && leave; i++)
    if (!l->lazy.list[i].why && strcmp(l->lazy.list[i].record->key, key) == 0) {
      l->lazy.list[i].why = xstrdup("--aot-list has it");
      l->lazy.list[i].listed = true;
    }
}

static bool want_those(struct link *l, const char *name, bool old) {
  bool any = false;
  for (size_t i = 0; i < l->lazy.n; i++) {
    const struct lazy_unit *u = &l->lazy.list[i];
    if (!u->stem || !unitkernel_means(name, u->stem, u->record->device_text, old))
      continue;
    if (!u->why)
      want_ahead(l, u, name);
    any = true;
  }
  return any;
}

bool link_want_lazy_unit(struct link *l, const char *name) {
  return want_those(l, name, false) || want_those(l, name, true);
}

/* ---- the calls that are wrapped ---- */

/* of clang 18 and later: the variable that holds the handle of a unit with -fgpu-rdc, which its
 * device link defines */
#define HANDLE "__hip_gpubin_handle_"
enum { MAX_HANDLE = 100 };

/* which of the calls of a runtime there are */
struct called {
  enum gpu_runtime runtime;
  struct argv handles; /* of HIP's linked units */
  bool is[CALLS_MAX];
};

static bool may_be_called(const struct called *c, const struct gpu_call *call) {
  return call->runtime == c->runtime && call->is >= CALL_TAKES;
}

/* Does one of the objects in N BYTES, one or an archive of some, leave NAME undefined? The GPU's own
 * runtime, as an archive, does not. */
static bool is_left_undefined(const char *bytes, size_t n, const char *name) {
  const char *end = bytes + n;
  struct elf e;
  struct elf_symtab t;
  struct elf_symbol s;
  for (const char *p = bytes; (p = memmem(p, (size_t)(end - p), ELFMAG, SELFMAG)); p++) {
    bool symbols = elf_open(&e, p, (size_t)(end - p), NULL) && elf_symtab(&e, SHT_SYMTAB, &t);
    for (size_t i = 0; symbols && i < t.count; i++)
      if (elf_symbol(&t, i, &s) && s.section == SHN_UNDEF && strcmp(s.name, name) == 0)
        return true;
  }
  return false;
}

/* Note in CALLED the handles that objects in N BYTES leave undefined. */
static void look_for_handles(const char *bytes, size_t n, struct called *called) {
  const char *end = bytes + n;
  for (const char *p = bytes; (p = memmem(p, (size_t)(end - p), HANDLE, sizeof HANDLE - 1));) {
    size_t len = strnlen(p, (size_t)(end - p));
    char *name = xstrndup(p, len);
    if (len < MAX_HANDLE && is_left_undefined(bytes, n, name))
      argv_add_once(&called->handles, name);
    else
      free(name);
    p += len;
  }
}

/* Notes in CALLED which of the calls an object in N BYTES makes. Their texts are searched first. One
 * name may be the end of another there: cudaGetKernel, which not every release has, of
 * __cudaGetKernel. */
static void look_for_calls(const char *bytes, size_t n, struct called *called) {
  static const char *const begins[] = {[RUNTIME_HIP] = "hip", [RUNTIME_CUDA] = "cuda"};
  const char *end = bytes + n, *begin = begins[called->runtime];
  bool named[CALLS_MAX] = {0};
  for (const char *p = bytes; (p = memmem(p, (size_t)(end - p), begin, strlen(begin))); p++)
    for (size_t i = 0; i < gpu_calls_n; i++) {
      if (!may_be_called(called, &gpu_calls[i]))
        continue;
      const char *name = gpu_calls[i].name;
      size_t before = (size_t)(strstr(name, begin) - name), size = strlen(name) + 1;
      named[i] |= (size_t)(p - bytes) >= before && (size_t)(end - p) >= size - before &&
                  memcmp(p - before, name, size) == 0;
    }
  for (size_t i = 0; i < gpu_calls_n; i++)
    called->is[i] |= named[i] && !called->is[i] && is_left_undefined(bytes, n, gpu_calls[i].name);
  if (called->runtime == RUNTIME_HIP)
    look_for_handles(bytes, n, called);
}

/* The members of a thin archive are separate files. */
static bool look_for_calls_in(const char *file, const struct cc_input *in, void *called) {
  size_t len = 0;
  autofree char *bytes = path_is_shared(file) ? NULL : file_read(file, &len);
  struct ar a;
  struct ar_member m;
  if (bytes)
    look_for_calls(bytes, len, called);
  if (bytes && ar_open(&a, bytes, len) && a.thin)
    while (ar_next(&a, &m, NULL)) {
      autofree char *member = ar_member_file(file, &m);
      look_for_calls_in(member, in, called);
    }
  return true;
}

void link_wrap_calls(struct link *l) {
  autofree_buf lines = {0};
  if (!lazy_units_rows(&l->lazy))
    return;
  struct called called = {.runtime = l->lazy.list[0].record->compiler_kind->runtime};
  ccargs_link_files(&l->line.scan, look_for_calls_in, &called);
  /* an ordinary object may launch a kernel that a lazy unit instantiates */
  for (size_t i = 0; i < l->line.nrecords; i++)
    if (l->objects[i])
      look_for_calls_in(l->objects[i], NULL, &called);
  buf_puts(&lines,
           "/* Which calls of this library come to the runtime, written by ckjit-link: do not edit. */\n");
  for (size_t i = 0; i < gpu_calls_n; i++) {
    if (called.is[i])
      calls_put(&lines, &gpu_calls[i]);
    if (called.is[i] || (gpu_calls[i].runtime == called.runtime && gpu_calls[i].is == CALL_REGISTERS))
      compiler_add_linker_option(&l->command, l->line.scan.dialect, "--wrap", gpu_calls[i].name);
  }
  for (size_t i = 0; i < called.handles.n; i++) /* another object's device link may define it */
    buf_printf(&lines, "__attribute__((weak, visibility(\"hidden\"))) void *%s;\n", called.handles.args[i]);
  argv_free(&called.handles);
  autofree char *file = path_join(l->dir, LINK_CALLS);
  if (!file_update(file, lines.data, lines.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", file, strerror(errno));
}
