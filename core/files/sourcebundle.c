/* sourcebundle.c - see sourcebundle.h. The index and the files are two zstd frames. The files are
 * one frame with a window for all of them, so headers and texts that resemble each other cost
 * little. The index alone is read each time that an unpacked bundle is verified. */
#include "sourcebundle.h"

#include "abi/ck_jit_bundle.h"
#include "abi/ck_jit_entry.h"
#include "core/base/elf.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/cachedir.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static const char HEAD[] = "ckjit-bundle 1";
enum { LEVEL = 19, WINDOW = 27 }; /* 128 MiB: more than the sources of any library so far */
#define MOST ((uint64_t)4 << 30)  /* bytes of a frame's content: more is damage */

/* ---- writing ---- */

void sourcebundle_add(struct sourcebundle_files *files, const char *name, char *bytes,
                      size_t size) {
  struct sourcebundle_file *f = NULL;
  for (size_t i = 0; i < files->n && !f; i++)
    f = strcmp(files->list[i].name, name) == 0 ? &files->list[i] : NULL;
  if (!f) {
    f = vec_add(files->list, files->n);
    f->name = xstrdup(name);
  }
  free(f->bytes);
  f->bytes = bytes;
  f->size = size;
}

void sourcebundle_drop(struct sourcebundle_files *files, const char *name) {
  for (size_t i = 0; i < files->n; i++)
    if (strcmp(files->list[i].name, name) == 0) {
      free(files->list[i].name);
      free(files->list[i].bytes);
      files->list[i--] = files->list[--files->n];
    }
}

static bool add_below(struct sourcebundle_files *files, const char *dir, const char *below,
                      char **err) {
  autofree char *whole = *below ? path_join(dir, below) : xstrdup(dir);
  DIR *d = opendir(whole);
  bool good = d != NULL;
  for (struct dirent *e; good && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    autofree char *name = *below ? path_join(below, e->d_name) : xstrdup(e->d_name),
                  *file = path_join(dir, name);
    char *bytes;
    size_t size;
    if (file_is_dir(file)) {
      good = add_below(files, dir, name, err);
    } else {
      good = (bytes = file_read(file, &size)) != NULL;
      if (good)
        sourcebundle_add(files, name, bytes, size);
      else
        *err = xasprintf("cannot read %s: %s", file, strerror(errno));
    }
  }
  if (!d)
    *err = xasprintf("cannot read the directory %s: %s", whole, strerror(errno));
  else
    closedir(d);
  return good;
}

bool sourcebundle_add_tree(struct sourcebundle_files *files, const char *dir, char **err) {
  return add_below(files, dir, "", err);
}

/* The program in FILE without what only debuggers read: all that follows its segments. */
static char *read_program(const char *file, size_t *size, char **err) {
  char *bytes = file_read(file, size);
  Elf64_Ehdr *head = (Elf64_Ehdr *)bytes;
  if (!bytes || !elf_magic(bytes, *size) || *size < sizeof *head) {
    *err = xasprintf("cannot read the program %s: %s; install ckjit again", file,
                     bytes ? "it is none" : strerror(errno));
    free(bytes);
    return NULL;
  }
  uint64_t end = head->e_phoff + (uint64_t)head->e_phnum * sizeof(Elf64_Phdr);
  for (size_t i = 0; end <= *size && i < head->e_phnum; i++) {
    const Elf64_Phdr *p = (const Elf64_Phdr *)(bytes + head->e_phoff) + i;
    if (p->p_offset + p->p_filesz > end && p->p_offset + p->p_filesz <= *size)
      end = p->p_offset + p->p_filesz;
  }
  head->e_shoff = head->e_shnum = head->e_shstrndx = 0;
  *size = end < *size ? (size_t)end : *size;
  return bytes;
}

bool sourcebundle_add_program(struct sourcebundle_files *files, const char *prebuild, char **err) {
  size_t size;
  char *bytes = read_program(prebuild, &size, err);
  if (!bytes)
    return false;
  sourcebundle_add(files, path_base(prebuild), bytes, size);
  files->list[files->n - 1].program = true;
  return true;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct sourcebundle_file *)a)->name,
                ((const struct sourcebundle_file *)b)->name);
}

/* Append BYTES as a frame. */
static uint64_t compress(struct buf *out, const struct buf *bytes) {
  ZSTD_CCtx *z = ZSTD_createCCtx();
  size_t room = ZSTD_compressBound(bytes->len), before = out->len, n = 0;
  if (!z || ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, LEVEL)) ||
      ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_enableLongDistanceMatching, 1)) ||
      ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, WINDOW)) ||
      ZSTD_isError(n = ZSTD_compress2(z, buf_room(out, room), room, bytes->data, bytes->len)))
    die(EXIT_FAILED, "cannot compress a bundle: zstd: %s", n ? ZSTD_getErrorName(n) : "no memory");
  ZSTD_freeCCtx(z);
  out->len += n;
  return out->len - before;
}

/* The program with its seal, which the runtime verifies. */
static bool add_compile(struct buf *out, const char *compile, char **err) {
  size_t size;
  autofree char *bytes = read_program(compile, &size, err);
  struct ckjit_seal seal = {.magic = CKJIT_SEAL_MAGIC, .size = size};
  autoclose fd = bytes ? memfd_create("program", MFD_CLOEXEC) : -1;
  bool sealed =
      fd >= 0 && write(fd, bytes, size) == (ssize_t)size && ckjit_xxh64(fd, size, &seal.hash);
  if (bytes && !sealed)
    *err = xasprintf("cannot seal %s: %s", compile, strerror(errno));
  if (sealed) {
    buf_add(out, bytes, size);
    buf_add(out, &seal, sizeof seal);
  }
  return sealed;
}

static void add_index(struct buf *index, struct buf *content, const struct sourcebundle_file *f) {
  char digest[DIGEST_HEX], size[24];
  digest_bytes(digest, f->bytes, f->size);
  snprintf(size, sizeof size, "%zu", f->size);
  lines_put(index, f->program ? "program" : "file", digest, size, f->name, NULL);
  buf_add(content, f->bytes, f->size);
}

bool sourcebundle_write(struct buf *out, struct sourcebundle_files *files, const char *compile,
                        const char *kind, const char *release, char **err) {
  struct ckjit_bundle head = {.magic = CKJIT_BUNDLE_MAGIC};
  autofree_buf index = {0}, content = {0};
  size_t start = out->len, after = start + sizeof head;
  qsort(files->list, files->n, sizeof *files->list, by_name);
  buf_printf(&index, "%s\n", HEAD);
  lines_put(&index, "compiler", kind, release, NULL);
  buf_puts(&content, "");
  for (size_t i = 0; i < files->n; i++) {
    add_index(&index, &content, &files->list[i]);
    free(files->list[i].name);
    free(files->list[i].bytes);
  }
  free(files->list);
  buf_add(out, &head, sizeof head);
  bool good = add_compile(out, compile, err);
  if (good) {
    head.program = out->len - after;
    head.index = compress(out, &index);
    head.files = compress(out, &content);
    digest_bytes(head.digest, out->data + after, out->len - after); /* 33 of the 40 bytes */
    memcpy(out->data + start, &head, sizeof head);
  }
  return good;
}

/* ---- reading ---- */

/* The bundle in FILE, of *SIZE bytes, within *BYTES, which is to be freed. NULL: there is none, or
 * with *ERR the file cannot be read. */
static const char *find(const char *file, char **bytes, size_t *size, char **err) {
  struct elf_section s;
  *bytes = file_read(file, size);
  if (!*bytes) {
    *err = xasprintf("cannot read %s: %s", file, strerror(errno));
    return NULL;
  }
  if (!elf_magic(*bytes, *size))
    return *bytes;
  free(*bytes);
  *bytes = elf_read_section(file, CKJIT_BUNDLE_SECTION, &s);
  *size = *bytes ? s.size : 0;
  return *bytes ? (const char *)s.data : NULL;
}

bool sourcebundle_is_in(const char *file) {
  autofree char *bytes = NULL, *err = NULL;
  size_t size;
  const char *at = find(file, &bytes, &size, &err);
  return at && size >= sizeof CKJIT_BUNDLE_MAGIC &&
         memcmp(at, CKJIT_BUNDLE_MAGIC, sizeof CKJIT_BUNDLE_MAGIC) == 0;
}

char *sourcebundle_of(const char *library) {
  if (sourcebundle_is_in(library))
    return xstrdup(library);
  autofree char *dir = path_dir(library);
  char *beside = path_join(dir, CKJIT_BUNDLE_FILE);
  if (file_exists(beside))
    return beside;
  free(beside);
  return NULL;
}

/* The content of the frame of N bytes; free() it. NULL: it is damaged. */
static char *decompress(const char *frame, size_t n, size_t *size) {
  unsigned long long want = ZSTD_getFrameContentSize(frame, n);
  if (want == ZSTD_CONTENTSIZE_ERROR || want == ZSTD_CONTENTSIZE_UNKNOWN || want > MOST)
    return NULL;
  char *content = xmalloc((size_t)want + 1);
  size_t is = ZSTD_decompress(content, (size_t)want, frame, n);
  content[want] = 0;
  *size = (size_t)want;
  if (!ZSTD_isError(is) && is == want)
    return content;
  free(content);
  return NULL;
}

/* A name that leaves the root is that of no sourcebundle_write. */
static bool is_below(const char *name) {
  autofree char *full = path_abs_in("/r", name);
  return path_below(full, "/r") && strcmp(path_below(full, "/r"), name) == 0;
}

static bool parse(struct sourcebundle *b, const char *text, size_t n) {
  struct lines l;
  bool good =
      lines_open_text(&l, b->file, text, n, HEAD) && lines_next(&l) && lines_is(&l, "compiler", 2);
  if (good) {
    b->kind = xstrdup(l.field[1]);
    b->release = xstrdup(l.field[2]);
  }
  while (good && lines_next(&l)) {
    bool program = lines_is(&l, "program", 3);
    good = (program || lines_is(&l, "file", 3)) && strlen(l.field[1]) == DIGEST_HEX - 1 &&
           is_below(l.field[3]);
    if (!good)
      break;
    vec_push(b->entries, b->n,
             (struct sourcebundle_entry){.digest = xstrdup(l.field[1]),
                                         .size = strtoull(l.field[2], NULL, 10),
                                         .name = xstrdup(l.field[3]),
                                         .program = program});
  }
  good = good && lines_ended(&l);
  lines_close(&l);
  return good;
}

/* Read the SIZE bytes at AT into B. NULL, or what is wrong with them. */
static const char *read_parts(struct sourcebundle *b, const char *at, size_t size) {
  struct ckjit_bundle head;
  char digest[DIGEST_HEX];
  if (size < sizeof head || memcmp(at, CKJIT_BUNDLE_MAGIC, sizeof head.magic) != 0)
    return "it does not begin as one of this version of ckjit";
  memcpy(&head, at, sizeof head);
  size -= sizeof head;
  at += sizeof head;
  if (head.program > size || head.index > size - head.program ||
      head.files > size - head.program - head.index)
    return "it is cut off";
  digest_bytes(digest, at, head.program + head.index + head.files);
  if (memcmp(digest, head.digest, DIGEST_HEX) != 0)
    return "its content does not have its digest";
  memcpy(b->digest, digest, DIGEST_HEX);
  b->files = at + head.program + head.index;
  b->files_size = head.files;
  size_t n;
  autofree char *text = decompress(at + head.program, head.index, &n);
  bool good = text && parse(b, text, n);
  return good ? NULL : "its index is not as this version of ckjit writes it";
}

struct sourcebundle *sourcebundle_open(const char *file, char **err) {
  struct sourcebundle *b = xcalloc(1, sizeof *b);
  size_t size;
  b->file = xstrdup(file);
  const char *at = find(file, &b->bytes, &size, err);
  const char *why = at ? read_parts(b, at, size) : NULL;
  if (at && !why)
    return b;
  if (why)
    *err = xasprintf("%s: its bundle, of what its kernels are compiled from, is damaged: %s; "
                     "install the package of %s again [ckjit help bundle-damaged]",
                     file, why, path_base(file));
  else if (b->bytes || !*err)
    *err = xasprintf(
        "%s: it has no section " CKJIT_BUNDLE_SECTION
        ", which ckjit bundle adds: it was removed, or never there; install its package again, and "
        "build the package without a tool that removes sections [ckjit help bundle-damaged]",
        file);
  sourcebundle_free(b);
  return NULL;
}

void sourcebundle_free(struct sourcebundle *b) {
  for (size_t i = 0; b && i < b->n; i++) {
    free(b->entries[i].digest);
    free(b->entries[i].name);
  }
  if (b) {
    free(b->entries);
    free(b->kind);
    free(b->release);
    free(b->file);
    free(b->bytes);
  }
  free(b);
}

/* ---- unpacking ---- */

static bool is_whole(const struct sourcebundle_entry *e, const char *file) {
  char digest[DIGEST_HEX];
  return digest_file(digest, file) && strcmp(digest, e->digest) == 0 &&
         (!e->program || file_is_program(file));
}

static bool put(const struct sourcebundle_entry *e, const char *file, const char *bytes,
                char **err) {
  autofree char *dir = path_dir(file);
  bool done = dir_make_own(dir) && file_write(file, bytes, e->size, e->program ? 0700 : 0600);
  if (!done)
    *err = cachedir_why("unpack what kernels are compiled from: cannot write", file, errno);
  return done;
}

bool sourcebundle_unpack(const struct sourcebundle *b, const char *root, size_t *written,
                         char **err) {
  autofree char *content = NULL;
  size_t size = 0, at = 0;
  bool good = true;
  *written = 0;
  for (size_t i = 0; good && i < b->n; at += b->entries[i++].size) {
    const struct sourcebundle_entry *e = &b->entries[i];
    autofree char *file = path_join(root, e->name);
    char digest[DIGEST_HEX];
    if (!is_whole(e, file)) {
      if (!content)
        content = decompress(b->files, b->files_size, &size);
      good = content && e->size <= size && at <= size - e->size;
      if (good)
        digest_bytes(digest, content + at, e->size);
      good = good && strcmp(digest, e->digest) == 0;
      if (!good)
        *err = xasprintf(
            "%s: its bundle is damaged: %s does not have its digest; install its package again "
            "[ckjit help bundle-damaged]",
            b->file, e->name);
      good = good && put(e, file, content + at, err);
      *written += good;
    }
  }
  return good;
}
