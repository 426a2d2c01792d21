/* note.c - finds the runtime in a loaded library, by the note of abi/ck_jit_api.h. */
#include "internal.h"

#include "abi/ck_jit_note.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* The dynamic linker writes its own data under locks that ThreadSanitizer does not know. */
#define READS_LINKER __attribute__((no_sanitize_thread))

struct note_search {
  const struct link_map *map;
  bool found;      /* a note of ckjit */
  uint32_t format; /* its content */
  const unsigned char *distance;
};

/* Search N bytes of notes for ckjit's. */
static void look_at_notes(struct note_search *s, const unsigned char *notes, size_t n,
                          size_t align) {
  struct ckjit_note note;
  while (!s->found && ckjit_note_next(&notes, &n, align, &note)) {
    s->found = note.type == CKJIT_API_NOTE && note.owner_len == sizeof CKJIT_API_OWNER &&
               note.desc_len >= 8 &&
               memcmp(note.owner, CKJIT_API_OWNER, sizeof CKJIT_API_OWNER) == 0;
    if (s->found) {
      memcpy(&s->format, note.desc, sizeof s->format);
      s->distance = note.desc + 4;
    }
  }
}

/* The dynamic section identifies an object: names may be the same, or empty. */
READS_LINKER static int look_at_object(struct dl_phdr_info *info, size_t size, void *user) {
  struct note_search *s = user;
  (void)size;
  bool ours = false;
  for (int i = 0; i < info->dlpi_phnum; i++)
    ours |= info->dlpi_phdr[i].p_type == PT_DYNAMIC &&
            info->dlpi_addr + info->dlpi_phdr[i].p_vaddr == (ElfW(Addr))s->map->l_ld;
  for (int i = 0; i < info->dlpi_phnum && ours; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_NOTE)
      look_at_notes(s, (const unsigned char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz,
                    p->p_align);
  }
  return ours;
}

int note_find(void *dl, const char *name, struct ckjit_api *api, char **error) {
  struct link_map *map = NULL;
  struct note_search s = {0};
  if (dlinfo(dl, RTLD_DI_LINKMAP, &map))
    return fail(error, CKJIT_E_OPEN, "%s: the dynamic linker does not know it: %s", name,
                dlerror());
  s.map = map;
  dl_iterate_phdr(look_at_object, &s);
  if (!s.found)
    return fail(
        error, CKJIT_E_NOT_CKJIT,
        "%s: ckjit has not linked this library, or an older ckjit has: it has no ELF note of "
        "owner '" CKJIT_API_OWNER "' (readelf -n prints them)",
        name);
  if (s.format != CKJIT_API_FORMAT)
    return fail(
        error, CKJIT_E_VERSION,
        "%s: its runtime has format %u, this libckjit.so (%s) format %d: link the library again "
        "with the ckjit of this libckjit.so, or use the libckjit.so of its ckjit",
        name, s.format, ckjit_version(), CKJIT_API_FORMAT);
  int32_t distance;
  memcpy(&distance, s.distance, sizeof distance);
  void (*ask)(struct ckjit_api *) =
      (void (*)(struct ckjit_api *))(uintptr_t)(s.distance + distance);
  ask(api);
  return CKJIT_OK;
}
