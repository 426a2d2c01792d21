/* place.c - gives a compiled blob its name: completely or not at all, without taking another
 * process's name.
 *
 * The compiler writes into a separate directory beside the output, .tmp-<build id>-<owner>-XXXXXX,
 * which no look-up reads. Only its owner removes it, or others after its owner is gone
 * (core/cache/owned.c). The result is checked, written through to the disk and renamed: a reader
 * sees all of it or nothing, even after a crash. In the cache the first process gets the plain name
 * (RENAME_NOREPLACE). A process that finds it taken uses the name with the build id, which no other
 * process can use.
 */
#include "place.h"
#include "unlinked.h"
#include "abi/ck_jit_abi.h"
#include "abi/ck_jit_machine.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/cache/fresh.h"
#include "core/cache/lastlook.h"
#include "core/cache/owned.h"
#include "core/cache/placing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- is it there? ---- */

char *place_object(const struct compile_task *f) {
  return xasprintf("%s/" CKJIT_FRAGMENTS "/%s.o", f->dir, f->hex);
}

/* An object of .fragments, followed by its build id and its seal. Tools that read an object follow
 * its section table and do not see these. An object that exists counts as used now. */
static bool object_is_there(const struct compile_task *f) {
  autofree char *path = place_object(f);
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct stat st;
  const off_t behind = sizeof id + sizeof(struct ckjit_seal);
  autoclose fd = ckjit_open_cached(path, O_RDONLY, 0, CKJIT_ENTRY_MOST, NULL);
  bool there = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !ckjit_owner_check(&st) &&
               st.st_size > behind && ckjit_pread_all(fd, id, sizeof id, (uint64_t)(st.st_size - behind)) &&
               memcmp(id, f->id, sizeof id) == 0 && !ckjit_seal_check(fd, (uint64_t)st.st_size);
  if (there)
    futimens(fd, NULL); /* when it was used last */
  return there;
}

static bool is_found(const struct compile_task *t) {
  char path[PATH_MAX];
  const char *why;
  return t->fragment ? object_is_there(t)
                     : ckjit_entry_find(path, t->dir, t->stem, strlen(t->stem), t->id, &why);
}

/* Did another machine make it, and this one not see it yet? */
static bool is_seen_late(const struct compile_task *t) {
  autofree char *object = t->fragment ? place_object(t) : NULL;
  return object ? fresh_file(object) : fresh_entry(t->dir, t->stem, t->id);
}

bool place_has(const struct compile_task *t) {
  return is_found(t) || (is_seen_late(t) && is_found(t));
}

/* ---- the temporary directory ---- */

char *place_temporary(const struct compile_task *t, char **err) {
  if (t->output_fd >= 0)
    return unlinked_temporary(t, err);
  const char *start = t->cache ? CKJIT_TEMPORARY : CKJIT_BESIDE;
  autofree char *prefix = xasprintf("%s/%s%s", t->dir, start, t->hex);
  char *dir = NULL;
  if (!t->cache || dir_make_own(t->dir)) {
    /* Removes the remains of killed predecessors: in a cache only those of this key; the rest goes
     * when we are done (cachedir_tidy). */
    if (!t->cache || lastlook_is_due(t->dir))
      owned_sweep(t->dir, t->cache ? path_base(prefix) : start);
    dir = owned_make(prefix);
  }
  int error = errno;
  if (dir)
    return dir;
  autofree char *in_cache = t->cache ? cachedir_why("write to the cache directory", t->dir, error) : NULL;
  if (in_cache)
    task_fail(t, err, "%s", in_cache);
  else
    task_fail(t, err, "cannot write to %s: %s", t->dir, strerror(error));
  return NULL;
}

/* ---- the result ---- */

/* fsync may be interrupted on a network file system. */
static int sync_fd(int fd) {
  int r;
  while ((r = fsync(fd)) && errno == EINTR)
    ;
  return r;
}

/* Appends the seal of ck_jit_entry.h after the SIZE bytes of FD. */
static bool seal(int fd, uint64_t size) {
  struct ckjit_seal s = {.size = size};
  memcpy(s.magic, CKJIT_SEAL_MAGIC, sizeof s.magic);
  if (!ckjit_xxh64(fd, size, &s.hash))
    return false;
  ssize_t n;
  while ((n = pwrite(fd, &s, sizeof s, (off_t)size)) < 0 && errno == EINTR)
    ;
  if (n >= 0 && n < (ssize_t)sizeof s)
    errno = ENOSPC; /* the file system took a part and has no room for the rest */
  return n == (ssize_t)sizeof s;
}

static mode_t current_umask(void) {
  mode_t mask = umask(0);
  umask(mask);
  return mask;
}

/* Has E initialisers of C++ variables? Both gcc and clang name the function so; clang has another one for each
 * variable of which any object may have a copy. */
static bool has_initialisers(const struct elf *e) {
  struct elf_symtab t;
  struct elf_symbol sym;
  bool has = false, symbols = elf_symtab(e, SHT_SYMTAB, &t);
  for (size_t i = 0; symbols && i < t.count && !has; i++)
    has = elf_symbol(&t, i, &sym) &&
          (str_starts(sym.name, "_GLOBAL__sub_I_") || str_starts(sym.name, "__cxx_global_var_init"));
  return has;
}

/* May the runtime exchange what SYM, of the dynamic symbols, refers to: a variable that the object
 * defines, as others may? */
static bool is_exchanged(const struct elf_symbol *sym) {
  return sym->section != SHN_UNDEF && (sym->type == STT_OBJECT || sym->type == STT_TLS) &&
         sym->bind != STB_LOCAL;
}

/* The dynamic linker does not run the initialisers of E, in BYTES, which may call what is open. */
static void defer_initialisers(const struct elf *e, unsigned char *bytes) {
  struct elf_section s;
  for (size_t i = 1; elf_section(e, i, &s); i++)
    for (uint64_t at = 0; s.type == SHT_DYNAMIC && s.data && at + sizeof(Elf64_Dyn) <= s.size;
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn *d = (Elf64_Dyn *)(void *)(bytes + (s.data - bytes) + at);
      if (d->d_tag == DT_INIT_ARRAY)
        d->d_tag = CKJIT_DT_INIT_ARRAY;
      else if (d->d_tag == DT_INIT_ARRAYSZ)
        d->d_tag = CKJIT_DT_INIT_ARRAYSZ;
    }
}

/* What the SIZE bytes of FD do not define, the library that loads them does
 * (runtime/ck_jit_imports.h). False with errno. */
static bool leave_open(int fd, uint64_t size) {
  struct elf e;
  struct elf_symtab t;
  struct elf_symbol sym;
  autofree unsigned char *bytes = xmalloc(size); /* not mapped: a network file system may take it away */
  bool read = ckjit_pread_all(fd, bytes, size, 0);
  bool has = read && elf_open(&e, bytes, size, NULL) && ckjit_machine_of(e.machine) &&
             elf_symtab(&e, SHT_DYNSYM, &t);
  bool late = has && has_initialisers(&e);
  for (size_t i = 1; has && i < t.count; i++) {
    Elf64_Sym *at = (Elf64_Sym *)(void *)(bytes + (t.table.data - bytes)) + i;
    if (!elf_symbol(&t, i, &sym))
      continue;
    late |= is_exchanged(&sym);
    /* not one of the program's that has the same name */
    if (is_exchanged(&sym) && sym.bind == STB_GLOBAL)
      at->st_other = (unsigned char)((at->st_other & ~3) | STV_PROTECTED);
    if (sym.section != SHN_UNDEF || sym.bind != STB_GLOBAL || sym.type == STT_TLS)
      continue;
    at->st_info = ELF64_ST_INFO(STB_WEAK, sym.type);
    at->st_size = CKJIT_IMPORTED;
  }
  if (late)
    defer_initialisers(&e, bytes);
  return read && (!has || !(errno = ckjit_write_file(fd, bytes, size)));
}

/* Check what the compiler made, seal it, give it its mode and write it through. */
static bool finish(const struct compile_task *t, const char *file, char **err) {
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct stat st;
  autoclose fd = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return task_fail(t, err, "the compiler %s succeeded but made no output", t->compiler);
  const char *wrong =
      fstat(fd, &st) ? "cannot be examined" : ckjit_elf_read(fd, (uint64_t)st.st_size, id, &kind);
  if (!wrong && memcmp(id, t->id, sizeof id) != 0)
    wrong = "has another build id than requested";
  if (wrong)
    return task_fail(t, err, "the output of the compiler %s %s; its linker must support --build-id=0xHEX",
                     t->compiler, wrong);
  return (leave_open(fd, (uint64_t)st.st_size) && seal(fd, (uint64_t)st.st_size) &&
          !fchmod(fd, (0755 & ~current_umask()) | 0500) && !sync_fd(fd)) ||
         task_fail(t, err, "cannot write %s: %s", file, strerror(errno));
}

/* Give FILE its name in T's cache. */
static bool place_in_cache(struct compile_task *t, const char *file, char **err) {
  int error = placing_rename(t->placed, t->dir, t->stem, t->id, file);
  if (error == ENAMETOOLONG)
    return task_fail(t, err, "the name of its cache entry is too long");
  if (error)
    return task_fail(t, err, "cannot make %s/%s: %s", t->dir, t->placed, strerror(error));
  return placing_sync_dir(t->dir) || task_fail(t, err, "cannot write %s: %s", t->dir, strerror(errno));
}

/* Any object will do: that of a source may have no device code. */
static bool is_object(const char *file) {
  size_t len;
  autofree char *bytes = file_read(file, &len);
  struct elf e;
  return bytes && elf_open(&e, bytes, len, NULL) && e.type == ET_REL;
}

/* Appends the build id and the seal to FILE, sets its mode and writes it through. */
static bool seal_object(const struct compile_task *t, const char *file) {
  struct stat st;
  autoclose fd = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  return fd >= 0 && fstat(fd, &st) == 0 &&
         pwrite(fd, t->id, sizeof t->id, st.st_size) == (ssize_t)sizeof t->id &&
         seal(fd, (uint64_t)st.st_size + sizeof t->id) && fchmod(fd, 0600 & ~current_umask()) == 0 &&
         sync_fd(fd) == 0;
}

static bool place_fragment(const struct compile_task *t, const char *file, char **err) {
  if (!is_object(file))
    return task_fail(t, err, "the output of the compiler %s is not an object file", t->compiler);
  autofree char *path = place_object(t), *dir = path_dir(path);
  bool done = cachedir_open(dir, err);
  if (done && !seal_object(t, file))
    done = task_fail(t, err, "cannot write %s: %s", file, strerror(errno));
  if (done && (rename(file, path) || !placing_sync_dir(dir)))
    done = task_fail(t, err, "cannot make %s: %s", path, strerror(errno));
  return done;
}

bool place_result(struct compile_task *t, const char *file, char **err) {
  if (t->fragment)
    return place_fragment(t, file, err);
  if (!finish(t, file, err))
    return false;
  if (t->output_fd >= 0)
    return unlinked_place(t, file, err);
  if (t->cache)
    return place_in_cache(t, file, err);
  return rename(file, t->output) == 0 || task_fail(t, err, "cannot make %s: %s", t->output, strerror(errno));
}
