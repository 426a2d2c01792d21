/* ahead.c - what is compiled ahead of time: at the link, as the build asked for it, device side
 * included. */
#include "link.h"

#include "flags.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/pool.h"

/* Does OBJECT, the host side of a dispatcher, refer to device code? Then it has kernels. */
static bool wants_device_code(const char *object) {
  struct elf_symbols all;
  struct elf_symbol s;
  bool found = false;
  elf_symbols_open(&all, object, SHT_SYMTAB);
  while (!found && elf_symbols_next(&all, &s))
    found = str_starts(s.name, "__hip_fatbin") || strcmp(s.name, "__hipRegisterFatBinary") == 0 ||
            (s.section == SHN_UNDEF && strstr(s.name, "__device_stub_"));
  elf_symbols_close(&all);
  return found;
}

void link_compile_ahead(struct link *l) {
  autofree struct step *steps = xcalloc(l->nblobs + l->ndispatchers + l->fragments.n, sizeof *steps);
  size_t n = 0;
  for (size_t i = 0; i < l->fragments.n && link_wants_fragments(l); i++) {
    const struct record *r = l->fragments.list[i].record;
    const struct blob *b = l->fragments.list[i].blob;
    if (b && b->fate != BLOB_UNUSED) /* below */
      continue;
    autofree char *object = xasprintf("%s/objs/fragment-%zu-%s.o", l->dir, i, r->stem);
    steps[n++] = link_whole_step(r, object);
    link_put_object(l, r, object);
    l->ahead++;
  }
  for (size_t i = 0; i < l->ndispatchers; i++) {
    struct dispatcher *d = &l->dispatchers[i];
    if (!d->recorded && !(flags_has_device(d->record) && wants_device_code(d->object)))
      continue;
    link_record_dispatcher(l, d, d->recorded ? NULL : xstrdup("it defines kernels"));
    steps[n++] = link_whole_step(d->record, d->object);
  }
  for (size_t i = 0; i < l->nblobs; i++) {
    struct blob *b = &l->blobs[i];
    if (b->fate != BLOB_WANTED && b->fate != BLOB_AHEAD)
      continue;
    steps[n] = link_ahead_step(l, b);
    link_put_object(l, b->record, steps[n++].object);
    l->ahead++;
  }
  link_run_whole(l, steps, n);
}

void link_recheck_rdc(struct link *l) {
  if (l->no_rdc)
    return;
  for (size_t i = 0; i < l->nblobs && !l->no_rdc; i++)
    if (l->blobs[i].rdc && l->blobs[i].fate == BLOB_AHEAD)
      l->no_rdc =
          xasprintf("%s is compiled ahead of time: %s", record_place(l->blobs[i].record), l->blobs[i].reason);
  for (size_t i = 0; i < l->ndispatchers && !l->no_rdc; i++)
    if (flags_is_rdc(l->dispatchers[i].record) && wants_device_code(l->dispatchers[i].object))
      l->no_rdc = xasprintf("the dispatcher %s defines kernels", record_place(l->dispatchers[i].record));
  if (!l->no_rdc)
    return;
  link_give_up_rdc(l);
  units_free(&l->units);
  link_compile_units(l);
}
