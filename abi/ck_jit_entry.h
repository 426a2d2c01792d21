/* ck_jit_entry.h - a compiled blob in the cache: its name, its build id, and whether it may be loaded.
 *
 * The cache is flat and its names are readable: <cache>/<stem>.so. But a name says nothing about the content.
 * Two installs with different CK share a cache directory, a compiler is upgraded, a machine has other GPUs;
 * and what is found here is executed. So the content decides: the build id that the linker wrote into the
 * file must be the wanted one, which is the blob's key (source, headers, flags, compiler; computed when the
 * library was built) and a hash of the architectures. Where the plain name holds another's code the entry is
 * <stem>.<build id>.so: the first comer has the plain name, and nobody evicts anybody, as two installs that
 * overwrote one another in turn would do for ever.
 *
 * A file is loaded only if it is complete (a file that was cut short maps well and raises SIGBUS much later),
 * unchanged since it was made (the seal behind its last byte), of this machine's ABI, of the wanted build id,
 * regular, no symbolic link, owned by the user or root, and writable by no one else.
 *
 * One owner of these facts for the runtime, ckjit-compile and ckjit-prebuild. libc only, no allocation, no
 * state, thread-safe. The ELF reader takes any bytes: every offset is checked against the file before use.
 */
#ifndef CK_JIT_ENTRY_H
#define CK_JIT_ENTRY_H

#include "ck_jit_abi.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* names within the cache directory that are not entries */
#define CKJIT_LOCKS ".locks" /* <hex>: lock file of one compile; <hex>.failed: why the last one failed */
#define CKJIT_LOGS ".logs"   /* <stem>.log: output of a failed compile */
#define CKJIT_COMPILERS ".compilers" /* what ckjit-compile has learnt of compilers (compile/variant.c) */
#define CKJIT_PCH ".pch"             /* precompiled headers of ckjit-compile (compile/pch.c) */
#define CKJIT_FRAGMENTS ".fragments" /* objects that blobs are linked of (compile/object.c) */
#define CKJIT_TEMPORARY ".tmp-"      /* start of each temporary name */

/* how ckjit-compile says under which build id it stored what it made, where that is not the one asked for: a
 * line of its output */
#define CKJIT_STORED "ckjit-compile: build id "
/* likewise: another process made the entry, and this one compiled nothing */
#define CKJIT_MADE_BY_OTHERS "ckjit-compile: made by another process"

/* behind the architectures in the build id of an entry without kernels. Another number where what is made of
 * the same bitcode changes: 2, variables that another kernel writes are read */
#define CKJIT_APART ";kernels 2"

/* Whether VALUE, that of a variable which switches something, says yes: set, and not 0, no, off or false. */
static inline bool ckjit_is_on(const char *value) {
  return value && *value && strcmp(value, "0") != 0 && strcasecmp(value, "no") != 0 &&
         strcasecmp(value, "off") != 0 && strcasecmp(value, "false") != 0;
}

/* ---- build ids ---- */

/* OUT = KEY, then the FNV-1a of ARCHS (a ';' list, in the order given to the compiler), big endian. */
static inline void ckjit_build_id(uint8_t out[CKJIT_BUILD_ID_SIZE], const uint8_t key[CKJIT_KEY_SIZE],
                                  const char *archs) {
  uint64_t h = ckjit_fnv1a(archs, strlen(archs));
  memcpy(out, key, CKJIT_KEY_SIZE);
  for (int i = 0; i < 8; i++)
    out[CKJIT_KEY_SIZE + i] = (uint8_t)(h >> (56 - 8 * i));
}

static inline void ckjit_build_id_hex(char hex[CKJIT_BUILD_ID_HEX_SIZE],
                                      const uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  static const char digit[] = "0123456789abcdef";
  for (int i = 0; i < CKJIT_BUILD_ID_SIZE; i++) {
    hex[2 * i] = digit[id[i] >> 4];
    hex[2 * i + 1] = digit[id[i] & 15];
  }
  hex[2 * CKJIT_BUILD_ID_SIZE] = 0;
}

/* False where TEXT is not exactly 48 hexadecimal digits. */
static inline bool ckjit_build_id_parse(uint8_t id[CKJIT_BUILD_ID_SIZE], const char *text) {
  if (strlen(text) != 2 * CKJIT_BUILD_ID_SIZE)
    return false;
  for (int i = 0; i < 2 * CKJIT_BUILD_ID_SIZE; i++) {
    int c = text[i], v;
    if (c >= '0' && c <= '9')
      v = c - '0';
    else if ((c | 32) >= 'a' && (c | 32) <= 'f')
      v = (c | 32) - 'a' + 10;
    else
      return false;
    id[i / 2] = (uint8_t)(i % 2 ? id[i / 2] | v : v << 4);
  }
  return true;
}

/* ---- names ---- */

/* The stem of a source or of a cached file: its base name without the last extension, not terminated. */
static inline const char *ckjit_stem(const char *source, size_t *n) {
  const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source, *dot = strrchr(base, '.');
  *n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  return base;
}

/* Write DIR/STEM.so, or with HEX its keyed name, to OUT. False where it does not fit. A keyed name that would
 * pass NAME_MAX is made of the stem's start: the digits alone make it unique. */
static inline bool ckjit_entry_path(char out[PATH_MAX], const char *dir, const char *stem, size_t n,
                                    const char *hex) {
  if (hex && n > NAME_MAX - 4 - 2 * CKJIT_BUILD_ID_SIZE)
    n = NAME_MAX - 4 - 2 * CKJIT_BUILD_ID_SIZE;
  int len = hex ? snprintf(out, PATH_MAX, "%s/%.*s.%s.so", dir, (int)n, stem, hex)
                : snprintf(out, PATH_MAX, "%s/%.*s.so", dir, (int)n, stem);
  return len > 0 && len < PATH_MAX;
}

/* ---- what is in the file ---- */

static inline bool ckjit_pread_all(int fd, void *to, size_t n, uint64_t offset) {
  char *p = (char *)to;
  while (n) {
    ssize_t r = pread(fd, p, n, (off_t)offset);
    if (r < 0 && errno == EINTR)
      continue;
    if (r <= 0)
      return false;
    p += r;
    offset += (uint64_t)r;
    n -= (size_t)r;
  }
  return true;
}

/* ---- the seal ---- */

/* Behind the ELF file stand 24 bytes: a magic, the length of what is before them and its XXH64. The dynamic
 * linker does not look there. A copy that lost blocks, a disk that lost bits and a file that a crash left
 * full of zeros all have the right length; the seal tells. It keeps out accidents. Attackers are kept out by
 * owner and mode. */
#define CKJIT_SEAL_MAGIC "ckjitEN1"
struct ckjit_seal {
  char magic[8];
  uint64_t size, hash; /* little endian, as all of the file */
};

static inline uint64_t ckjit_rotate(uint64_t x, int n) {
  return x << n | x >> (64 - n);
}

static inline uint64_t ckjit_word64(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline uint64_t ckjit_xxh_round(uint64_t lane, uint64_t word) {
  return ckjit_rotate(lane + word * 0xc2b2ae3d27d4eb4fu, 31) * 0x9e3779b185ebca87u;
}

/* What is left of N bytes, fewer than 32, mixed into H. */
static inline uint64_t ckjit_xxh_end(uint64_t h, const unsigned char *p, size_t n) {
  const uint64_t p1 = 0x9e3779b185ebca87u, p2 = 0xc2b2ae3d27d4eb4fu, p3 = 0x165667b19e3779f9u,
                 p4 = 0x85ebca77c2b2ae63u, p5 = 0x27d4eb2f165667c5u;
  for (; n >= 8; p += 8, n -= 8)
    h = ckjit_rotate(h ^ ckjit_xxh_round(0, ckjit_word64(p)), 27) * p1 + p4;
  if (n >= 4) {
    uint32_t word;
    memcpy(&word, p, sizeof word);
    h = ckjit_rotate(h ^ word * p1, 23) * p2 + p3;
    p += 4;
    n -= 4;
  }
  for (; n; p++, n--)
    h = ckjit_rotate(h ^ *p * p5, 11) * p1;
  h = (h ^ h >> 33) * p2;
  h = (h ^ h >> 29) * p3;
  return h ^ h >> 32;
}

/* The XXH64 (seed 0) of the first SIZE bytes of FD. False where they cannot be read. Source: the XXH64
 * specification, github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md; no library of it may be linked into
 * the user's. */
static inline bool ckjit_xxh64(int fd, uint64_t size, uint64_t *hash) {
  enum { CHUNK = 16 * 1024 }; /* of a thread's stack; a multiple of 32 */
  const uint64_t p1 = 0x9e3779b185ebca87u, p2 = 0xc2b2ae3d27d4eb4fu, p4 = 0x85ebca77c2b2ae63u,
                 p5 = 0x27d4eb2f165667c5u;
  uint64_t lane[4] = {p1 + p2, p2, 0, -p1}, h = p5;
  unsigned char bytes[CHUNK];
  size_t n = 0, done = 0;
  for (uint64_t at = 0; at < size; at += n) {
    n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
    if (!ckjit_pread_all(fd, bytes, n, at))
      return false;
    for (done = 0; n - done >= 32; done += 32)
      for (int i = 0; i < 4; i++)
        lane[i] = ckjit_xxh_round(lane[i], ckjit_word64(bytes + done + 8 * i));
  }
  if (size >= 32) {
    h = ckjit_rotate(lane[0], 1) + ckjit_rotate(lane[1], 7) + ckjit_rotate(lane[2], 12) +
        ckjit_rotate(lane[3], 18);
    for (int i = 0; i < 4; i++)
      h = (h ^ ckjit_xxh_round(0, lane[i])) * p1 + p4;
  }
  *hash = ckjit_xxh_end(h + size, bytes + done, n - done);
  return true;
}

/* NULL where the SIZE bytes of FD end with a seal that is right, else what is wrong. */
static inline const char *ckjit_seal_check(int fd, uint64_t size) {
  struct ckjit_seal seal;
  uint64_t hash;
  if (size < sizeof seal || !ckjit_pread_all(fd, &seal, sizeof seal, size - sizeof seal) ||
      memcmp(seal.magic, CKJIT_SEAL_MAGIC, sizeof seal.magic) != 0 || seal.size != size - sizeof seal)
    return "is cut short, or was not made by ckjit: it has no seal";
  if (!ckjit_xxh64(fd, seal.size, &hash) || hash != seal.hash)
    return "is damaged: its content is not what its seal says";
  return NULL;
}

/* ---- the ELF file ---- */

/* Find the build id among N bytes of notes. Offsets are rounded from the start of each note, as in glibc: a
 * segment of 8-byte alignment (.note.gnu.property beside others) pads differently from one of 4. */
static inline bool ckjit_note_find(const unsigned char *notes, size_t n, size_t align,
                                   uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  size_t mask = align == 8 ? 7 : 3;
  while (n >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr h;
    memcpy(&h, notes, sizeof h);
    size_t desc = (sizeof h + (size_t)h.n_namesz + mask) & ~mask;
    if (desc > n || h.n_descsz > n - desc)
      return false;
    if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(notes + sizeof h, "GNU", 4) == 0 &&
        h.n_descsz == CKJIT_BUILD_ID_SIZE) {
      memcpy(id, notes + desc, CKJIT_BUILD_ID_SIZE);
      return true;
    }
    size_t next = (desc + h.n_descsz + mask) & ~mask;
    if (next > n)
      return false;
    notes += next;
    n -= next;
  }
  return false;
}

/* The build id of the shared object in the first SIZE bytes of FD. NULL and ID where it is a complete shared
 * object of this machine with a build id of ckjit's size, else what is wrong with it. */
static inline const char *ckjit_elf_read(int fd, uint64_t size, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  enum { MAX_SEGMENTS = 64, MAX_NOTES = 2048 };
  Elf64_Ehdr e;
  if (!ckjit_pread_all(fd, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not an ELF file";
  if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB || e.e_machine != EM_X86_64 ||
      e.e_type != ET_DYN || e.e_phentsize != sizeof(Elf64_Phdr) || e.e_phnum == 0 || e.e_phnum > MAX_SEGMENTS)
    return "is not a shared object of this machine";
  /* The section headers stand at the end of what a linker writes: with them in the file, nothing was cut off.
   */
  uint64_t sections = (uint64_t)e.e_shnum * e.e_shentsize;
  if (e.e_shoff > size || sections > size - e.e_shoff)
    return "is cut short";
  bool found = false;
  for (unsigned i = 0; i < e.e_phnum; i++) {
    Elf64_Phdr p;
    if (!ckjit_pread_all(fd, &p, sizeof p, e.e_phoff + i * sizeof p))
      return "is cut short";
    if (p.p_type != PT_NULL && (p.p_offset > size || p.p_filesz > size - p.p_offset))
      return "is cut short";
    if (p.p_type != PT_NOTE || found || p.p_filesz > MAX_NOTES)
      continue;
    unsigned char notes[MAX_NOTES];
    if (!ckjit_pread_all(fd, notes, p.p_filesz, p.p_offset))
      return "is cut short";
    found = ckjit_note_find(notes, p.p_filesz, p.p_align, id);
  }
  return found ? NULL : "has no build id of ckjit's";
}

/* The build id of the entry open at FD: NULL and ID where it is a shared object as above and its seal is
 * right, else what is wrong with it. */
static inline const char *ckjit_entry_read(int fd, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  struct stat st;
  if (fstat(fd, &st))
    return "cannot be examined";
  const char *why = ckjit_elf_read(fd, (uint64_t)st.st_size, id);
  return why ? why : ckjit_seal_check(fd, (uint64_t)st.st_size);
}

/* ---- whom to trust ---- */

/* Whether another user could have written what is described by ST: NULL, or what is wrong. */
static inline const char *ckjit_owner_check(const struct stat *st) {
  if (st->st_uid != geteuid() && st->st_uid != 0)
    return "belongs to another user";
  if (st->st_mode & (S_IWGRP | S_IWOTH))
    return "is writable by others";
  return NULL;
}

static inline bool ckjit_is_empty(const char *dir) {
  size_t n = 0;
  DIR *d = opendir(dir);
  while (d && n < 3 && readdir(d)) /* "." and ".." are always there */
    n++;
  bool empty = d && n < 3;
  if (d)
    closedir(d);
  return empty;
}

/* What to do about DIR, which others can read or write. To close /tmp, a home or a mounted disk to all others breaks the
 * machine: only what is a cache already is to be closed, and what is empty if it is for nothing else. */
static inline const char *ckjit_open_why(const char *dir, const struct stat *st) {
  char path[PATH_MAX];
  struct stat up, root;
  bool fits = snprintf(path, sizeof path, "%s/" CKJIT_LOCKS, dir) < PATH_MAX;
  bool is_cache = fits && access(path, F_OK) == 0 && !(st->st_mode & S_ISVTX);
  fits = snprintf(path, sizeof path, "%s/..", dir) < PATH_MAX;
  bool is_top = !fits || st->st_mode & S_ISVTX || stat(path, &up) || stat("/", &root) ||
                up.st_dev != st->st_dev || (up.st_dev == root.st_dev && up.st_ino == root.st_ino);
  if (!is_cache && (is_top || !ckjit_is_empty(dir)))
    return "is open to other users, and not for a cache alone; set CK_JIT_CACHE_DIR to a directory below it, which "
           "will be made with mode 0700";
  if (!is_cache)
    return "is open to other users; expected mode 0700: chmod 700 it if it is for a cache alone, or set CK_JIT_CACHE_DIR to "
           "a directory below it";
  return "is open to other users; expected mode 0700 (chmod 700)";
}

/* Whether DIR may be the cache: who can write into it decides what its users execute, and who can read it
 * learns what they compute. NULL and it is a directory of the effective user's, for nobody else; or what is
 * wrong, as text that follows its name. */
static inline const char *ckjit_cache_check(const char *dir) {
  struct stat st;
  if (lstat(dir, &st))
    return errno == ENOENT ? "is not there" : "cannot be examined; set CK_JIT_CACHE_DIR to another directory";
  if (S_ISLNK(st.st_mode))
    return "is a symbolic link; name the directory that it means";
  if (!S_ISDIR(st.st_mode))
    return "is not a directory; set CK_JIT_CACHE_DIR to one";
  if (st.st_uid != geteuid())
    return "belongs to another user; set CK_JIT_CACHE_DIR to one of your own";
  return st.st_mode & 077 ? ckjit_open_why(dir, &st) : NULL;
}

/* The same for a read-only one, which may be root's, and which everybody may read. */
static inline const char *ckjit_readonly_check(const char *dir) {
  struct stat st;
  if (lstat(dir, &st))
    return errno == ENOENT ? "is not there" : "cannot be examined";
  if (S_ISLNK(st.st_mode))
    return "is a symbolic link; name the directory that it means";
  return S_ISDIR(st.st_mode) ? ckjit_owner_check(&st) : "is not a directory";
}

/* ---- the look-up ---- */

/* What stands under a name of the cache. */
enum ckjit_entry_state {
  CKJIT_ENTRY_NONE,    /* nothing */
  CKJIT_ENTRY_HIT,     /* the wanted code */
  CKJIT_ENTRY_OTHER,   /* an entry of another install, compiler or set of architectures */
  CKJIT_ENTRY_DAMAGED, /* a file of ours that is no entry; may be replaced */
  CKJIT_ENTRY_FOREIGN, /* another's file, or one that another can write, or no regular file; never touched */
};

/* Look at PATH. *WHY is why it is DAMAGED or FOREIGN, as text that follows the name; static. */
static inline enum ckjit_entry_state
ckjit_entry_look(const char *path, const uint8_t want[CKJIT_BUILD_ID_SIZE], const char **why) {
  struct stat st;
  uint8_t have[CKJIT_BUILD_ID_SIZE];
  /* O_NONBLOCK: an open of a FIFO would wait for a writer. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return CKJIT_ENTRY_NONE;
    *why = errno == ELOOP ? "is a symbolic link" : "cannot be opened";
    return CKJIT_ENTRY_FOREIGN;
  }
  enum ckjit_entry_state state = CKJIT_ENTRY_FOREIGN;
  *why = NULL;
  if (fstat(fd, &st))
    *why = "cannot be examined";
  else if (!S_ISREG(st.st_mode))
    *why = "is not a regular file";
  else if ((*why = ckjit_owner_check(&st)))
    ;
  else if ((*why = ckjit_entry_read(fd, have)))
    state = CKJIT_ENTRY_DAMAGED;
  else
    state = memcmp(have, want, sizeof have) == 0 ? CKJIT_ENTRY_HIT : CKJIT_ENTRY_OTHER;
  close(fd);
  return state;
}

/* Look the entry of STEM (N bytes) with build id WANT up in DIR: the plain name, then the keyed one. True and
 * its name in PATH on a hit. On a miss, *WHY is why a file that stood there was refused, or NULL, and PATH is
 * that file. */
static inline bool ckjit_entry_find(char path[PATH_MAX], const char *dir, const char *stem, size_t n,
                                    const uint8_t want[CKJIT_BUILD_ID_SIZE], const char **why) {
  char hex[CKJIT_BUILD_ID_HEX_SIZE], keyed[PATH_MAX];
  const char *refused = NULL;
  ckjit_build_id_hex(hex, want);
  *why = NULL;
  if (!ckjit_entry_path(path, dir, stem, n, NULL) || !ckjit_entry_path(keyed, dir, stem, n, hex)) {
    *why = "has too long a name";
    return false;
  }
  if (ckjit_entry_look(path, want, why) == CKJIT_ENTRY_HIT)
    return true;
  if (ckjit_entry_look(keyed, want, &refused) == CKJIT_ENTRY_HIT) {
    memcpy(path, keyed, sizeof keyed);
    return true;
  }
  if (refused) {
    memcpy(path, keyed, sizeof keyed);
    *why = refused;
  }
  return false;
}

#endif
