/* ck_jit_load.c - loads the file of a compiled blob. */
#include "ck_jit_load.h"
#include "ck_jit_entry.h"
#include "ck_jit_file.h"
#include "ck_jit_imports.h"
#include "ck_jit_symbols.h"
#include "ck_jit_unlinked.h"

#include <dlfcn.h>
#include <link.h>

/* ---- mapped objects ---- */

struct ckjit_mapped {
  const struct link_map *map;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  enum ckjit_kind kind;
  bool found;
};

CKJIT_READS_LINKER static int ckjit_mapped_look(struct dl_phdr_info *info, size_t size,
                                                void *user) {
  struct ckjit_mapped *m = user;
  (void)size;
  if (!ckjit_is_object(info, m->map))
    return 0;
  for (int i = 0; i < info->dlpi_phnum && !m->found; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_NOTE)
      m->found = ckjit_note_find((const unsigned char *)(info->dlpi_addr + p->p_vaddr), p->p_filesz,
                                 p->p_align, m->id, &m->kind);
  }
  return 1;
}

bool ckjit_mapped_is(void *handle, const uint8_t want[CKJIT_BUILD_ID_SIZE]) {
  struct ckjit_mapped m = {0};
  struct link_map *map;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
    return false;
  m.map = map;
  dl_iterate_phdr(ckjit_mapped_look, &m);
  return m.found && memcmp(m.id, want, sizeof m.id) == 0;
}

/* ---- loading ---- */

/* PATH in another spelling: SPELLING times "./" before its last part, then "./" or "/" for each bit
 * of NUMBER. */
static void ckjit_spell(struct ckjit_text *name, const char *path, int spelling, uint64_t number) {
  const char *base = strrchr(path, '/') + 1;
  ckjit_text_clear(name);
  ckjit_add_bytes(name, path, (size_t)(base - path));
  for (int i = 0; i < spelling; i++)
    ckjit_add(name, "./");
  for (uint64_t bits = number; bits; bits >>= 1)
    ckjit_add(name, bits & 1 ? "./" : "/");
  ckjit_add(name, base);
}

/* PATH as a separate object, which no other library of this process has. */
static void *ckjit_load_copy(const char *path, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                             struct ckjit_text *why) {
  const char *base = strrchr(path, '/') + 1;
  struct stat st;
  void *handle = NULL;
  int from = ckjit_open_named(path, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st), to = -1;
  if (from >= 0)
    to = ckjit_unlinked_copy(from, (uint64_t)st.st_size, base, strlen(base), why);
  if (to >= 0)
    handle = ckjit_unlinked_load(to, want, why);
  if (!handle && !why->len)
    ckjit_addf(why, "another library has loaded it, and it cannot be copied: %s", strerror(errno));
  if (from >= 0)
    close(from);
  if (to >= 0)
    close(to);
  return handle;
}

void *ckjit_load(const char *path, uint64_t number, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                 struct ckjit_text *why) {
  enum { SPELLINGS = 8 };
  struct ckjit_text name = {0};
  void *handle = NULL;
  /* glibc returns an object that it has already if the name is the same, even if the file has been
   * replaced. Another spelling of the name makes it look at the file. */
  for (int spelling = 0; spelling < SPELLINGS && !handle; spelling++) {
    ckjit_spell(&name, path, spelling, number);
    if (!ckjit_whole(&name)) {
      ckjit_add(why, "out of memory");
      break;
    }
    handle = dlopen(name.data, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char *error = dlerror();
      ckjit_add(why, error ? error : "the dynamic linker gave no reason");
      break;
    }
    if (!ckjit_mapped_is(handle, want)) {
      dlclose(handle); /* another object with this name, or a file that was replaced this instant */
      handle = NULL;
    }
  }
  if (!handle && !why->len)
    ckjit_addf(why, "%s is in use with other content", path);
  ckjit_text_free(&name);
  const enum ckjit_imported imported = handle ? ckjit_import(handle, why) : CKJIT_IMPORTS_DONE;
  if (imported != CKJIT_IMPORTS_DONE) {
    dlclose(handle);
    handle = imported == CKJIT_IMPORTS_TAKEN ? ckjit_load_copy(path, want, why) : NULL;
  }
  return handle;
}

void *ckjit_load_kept(const char *path, int fd, uint64_t number,
                      const uint8_t want[CKJIT_BUILD_ID_SIZE], struct ckjit_text *why) {
  void *handle = ckjit_unlinked_at(fd) ? ckjit_unlinked_load(fd, want, why)
                                       : ckjit_load(path, number, want, why);
  close(fd);
  return handle;
}
