/* stubobj.c - see stubobj.h.
 *
 * The writer runs once for each blob of a build. A stub is a fixed layout of sections, one of which
 * holds the record. Another refers to a hidden symbol, which must be in the same link and which
 * only ckjit-link defines. Without it a linker that knows nothing of ckjit, `g++ -shared` with the
 * real g++, would make a library without a kernel, and its user would notice only when it is
 * loaded. The linker prints the symbol's name. GNU ld complains about the symbol alone, but with
 * --gc-sections only if a section that stays refers to it, as lld and mold always do. `ld -r` keeps
 * both.
 *
 * The reader sees every input of a link, most of which are no stubs and some of which are large. So
 * it looks at the first bytes of a file and maps only ELF relocatables and archives. Inside an
 * archive each member is searched on its own; the members of a thin archive are opened as files.
 * Sizes and offsets are checked before use: a link may be run on a truncated file, which must be an
 * error that names it.
 */
#include "stubobj.h"
#include "core/base/ar.h"
#include "core/base/elf.h"
#include "core/base/elfwrite.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Older versions of glibc's elf.h lack it. The linker drops the section from its output, unless the
 * output is relocatable. */
#ifndef SHF_EXCLUDE
#define SHF_EXCLUDE (1U << 31)
#endif
#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

/* ---- writing ---- */

enum { SEC_NULL, SEC_RECORD, SEC_GUARD, SEC_RELA, NSECTIONS, SEC_SYMTAB = NSECTIONS + ELF_SYMTAB };
enum { SYM_NULL, SYM_GUARD, NSYMBOLS };

static const char strtab[] = "\0" STUB_SYMBOL;
static const char guard[4];

/* Write the object with SYM, whose name is STUB_SYMBOL, and the records LINES. GNU ld honours
 * SHF_GNU_RETAIN only for ELFOSABI_GNU. */
static void build_object(struct buf *out, const struct ckjit_machine *machine, const char *lines,
                         size_t len, Elf64_Sym sym) {
  const Elf64_Sym symtab[NSYMBOLS] = {{0}, sym};
  const Elf64_Rela rela = {.r_info = ELF64_R_INFO((uint64_t)SYM_GUARD, machine->relative32)};
  struct elf_part parts[NSECTIONS + ELF_LAST] = {
      [SEC_RECORD] =
          {STUB_SECTION,
           lines,
           {.sh_type = SHT_PROGBITS, .sh_flags = SHF_EXCLUDE, .sh_size = len, .sh_addralign = 1}},
      [SEC_GUARD] = {STUB_GUARD,
                     guard,
                     {.sh_type = SHT_PROGBITS,
                      .sh_flags = SHF_ALLOC | SHF_GNU_RETAIN,
                      .sh_size = sizeof guard,
                      .sh_addralign = sizeof guard}},
      [SEC_RELA] = {".rela" STUB_GUARD,
                    &rela,
                    {.sh_type = SHT_RELA,
                     .sh_flags = SHF_INFO_LINK,
                     .sh_size = sizeof rela,
                     .sh_link = SEC_SYMTAB,
                     .sh_info = SEC_GUARD,
                     .sh_addralign = 8,
                     .sh_entsize = sizeof rela}},
  };
  const struct elf_last last = {.symbols = symtab,
                                .symbols_size = sizeof symtab,
                                .locals = SYM_GUARD,
                                .names = strtab,
                                .names_size = sizeof strtab,
                                .property = machine->property,
                                .property_size = machine->property_size};
  elf_write_last(out, machine->elf, parts, NSECTIONS, &last, 1);
  out->data[EI_OSABI] = ELFOSABI_GNU;
}

/* Open a new file if the path is a regular file or does not exist; other files, such as a FIFO, are
 * written to. A symbolic link is left alone: clang replaces it, gcc writes through it. In a fresh
 * build the first try succeeds. */
static int open_output(const char *path) {
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  int fd = open(path, flags | O_EXCL, 0666);
  if (fd >= 0 || errno != EEXIST)
    return fd;
  struct stat st;
  if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1)
    unlink(path);
  return open(path, flags | O_TRUNC, 0666);
}

static bool write_object(const char *out_path, const struct ckjit_machine *machine,
                         const char *lines, size_t len, Elf64_Sym sym) {
  int fd = open_output(out_path);
  if (fd < 0)
    return false;
  autofree_buf object = {0};
  build_object(&object, machine, lines, len, sym);
  return file_fill(fd, out_path, object.data, object.len);
}

bool stub_write(const char *out_path, const struct ckjit_machine *machine, const char *lines,
                size_t len) {
  return write_object(out_path, machine, lines, len,
                      (Elf64_Sym){.st_name = 1,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
                                  .st_other = STV_HIDDEN});
}

bool stub_write_allowed(const char *out_path, const struct ckjit_machine *machine) {
  return write_object(out_path, machine, NULL, 0,
                      (Elf64_Sym){.st_name = 1,
                                  .st_info = ELF64_ST_INFO(STB_WEAK, STT_OBJECT),
                                  .st_other = STV_HIDDEN,
                                  .st_shndx = SEC_GUARD,
                                  .st_size = sizeof guard});
}

/* ---- reading ---- */

enum outcome {
  MORE,    /* no error, continue */
  STOP,    /* the callback ended the search */
  DAMAGED, /* *err has the reason */
};

struct stub_search {
  /* the caller's name of the file; for messages */
  const char *path;
  /* NULL: pass the lines of records to EACH; else the sections of that name to WHOLE */
  const char *section;
  stub_line *each;
  stub_section *whole;
  void *user;
  char **err; /* NULL: not wanted */
};

static enum outcome damaged(const struct stub_search *s, const char *what) {
  if (s->err)
    *s->err = xasprintf("%s: %s", s->path, what);
  return DAMAGED;
}

/* Search the record sections of one object. */
static enum outcome search_object(const struct stub_search *s, const unsigned char *data,
                                  size_t size, const char *member) {
  struct elf e;
  if (!elf_magic(data, size))
    return MORE;
  char *why;
  if (!elf_open(&e, data, size, s->err ? &why : NULL)) {
    if (s->err) {
      *s->err = member ? xasprintf("%s(%s): %s", s->path, member, why)
                       : xasprintf("%s: %s", s->path, why);
      free(why);
    }
    return DAMAGED;
  }
  if (e.type != ET_REL)
    return MORE;
  struct elf_section section;
  for (size_t i = 1; s->section && elf_find(&e, s->section, &i, &section); i++) {
    if (!section.data)
      return damaged(s, "truncated: a section is after the end of the file");
    if (!s->whole(&e, section.data, section.size, member, s->user))
      return STOP;
  }
  for (size_t i = 1; !s->section && elf_find(&e, STUB_SECTION, &i, &section); i++) {
    if (!section.data)
      return damaged(s, "truncated: the record of a stub is after the end of the file");
    const char *p = (const char *)section.data, *end = p + section.size;
    while (p < end) {
      const char *nl = memchr(p, '\n', (size_t)(end - p));
      if (!nl)
        return damaged(s, "a stub's record does not end with a newline");
      if (!s->each(p, (size_t)(nl - p), member, s->user))
        return STOP;
      p = nl + 1;
    }
  }
  return MORE;
}

static enum outcome search_file(const struct stub_search *s, const char *path, const char *member);

static enum outcome search_archive(const struct stub_search *s, struct ar *a) {
  struct ar_member m;
  autofree char *why = NULL;
  enum outcome r = MORE;
  while (r == MORE && ar_next(a, &m, s->err ? &why : NULL)) {
    autofree char *name = xstrndup(m.name, m.name_len),
                  *file = a->thin ? ar_member_file(s->path, &m) : NULL;
    r = file ? search_file(s, file, name)
             : search_object(s, (const unsigned char *)m.data, m.size, name);
    if (file && r == DAMAGED && s->err && !*s->err)
      *s->err = xasprintf("%s: its member %s: %s", s->path, file, strerror(errno));
  }
  if (r != MORE || !s->err || !why)
    return r;
  *s->err = xasprintf("%s: %s", s->path, why);
  return DAMAGED;
}

/* The type of a file by its first bytes. All others (shared libraries, linker scripts, bitcode) are
 * not mapped. */
enum shape { FOREIGN, OBJECT, ARCHIVE };

static enum shape shape_of(const unsigned char *first, size_t n) {
  if (elf_magic(first, n) && n >= 18)
    return (first[16] | first[17] << 8) == ET_REL ? OBJECT : FOREIGN;
  return ar_open(&(struct ar){0}, first, n) ? ARCHIVE : FOREIGN;
}

/* MEMBER is set for a member of a thin archive; it must be an object, since archives do not nest.
 * DAMAGED with errno and no message if the file cannot be read. */
static enum outcome search_file(const struct stub_search *s, const char *path, const char *member) {
  struct stat st;
  /* A FIFO on a link line is for the linker; opening it here would consume its data. */
  if (stat(path, &st))
    return DAMAGED;
  if (!S_ISREG(st.st_mode))
    return MORE;
  autoclose fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return DAMAGED;
  unsigned char first[18];
  ssize_t n = pread(fd, first, sizeof first, 0);
  enum shape shape = n < 0 ? FOREIGN : shape_of(first, (size_t)n);
  void *map = MAP_FAILED;
  size_t size = (size_t)st.st_size;
  if (shape == OBJECT || (shape != FOREIGN && !member))
    map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (n < 0)
    return DAMAGED;
  if (shape == FOREIGN || (member && shape != OBJECT))
    return MORE;
  if (map == MAP_FAILED)
    return DAMAGED;
  struct ar a;
  enum outcome r =
      ar_open(&a, map, size) ? search_archive(s, &a) : search_object(s, map, size, member);
  munmap(map, size);
  return r;
}

static bool search_all(const struct stub_search *s) {
  *s->err = NULL;
  if (search_file(s, s->path, NULL) != DAMAGED)
    return true;
  if (!*s->err)
    *s->err = xasprintf("%s: %s", s->path, strerror(errno));
  return false;
}

bool stub_records_file(const char *path, stub_line *each, void *user, char **err) {
  return search_all(&(struct stub_search){.path = path, .each = each, .user = user, .err = err});
}

bool stub_records_bytes(const void *bytes, size_t n, stub_line *each, void *user) {
  return search_object(&(struct stub_search){.path = "", .each = each, .user = user}, bytes, n,
                       NULL) != DAMAGED;
}

bool stub_sections_file(const char *path, const char *section, stub_section *each, void *user,
                        char **err) {
  return search_all(&(struct stub_search){
      .path = path, .section = section, .whole = each, .user = user, .err = err});
}

static bool found(const char *line, size_t len, const char *member, void *user) {
  (void)line;
  (void)len;
  (void)member;
  *(bool *)user = true;
  return false;
}

bool stub_in_file(const char *path) {
  bool any = false;
  struct stub_search s = {.path = path, .each = found, .user = &any};
  search_file(&s, path, NULL);
  return any;
}

const struct ckjit_machine *stub_machine(const char *path) {
  Elf64_Half machine = 0;
  autoclose fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool read_ = fd >= 0 && pread(fd, &machine, sizeof machine, offsetof(Elf64_Ehdr, e_machine)) ==
                              sizeof machine;
  return read_ ? ckjit_machine_of(machine) : NULL;
}
