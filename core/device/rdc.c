#include "rdc.h"
#include "nvvm.h"
#include "nvvmgraph.h"
#include "bitstream.h"

#include "core/cc/ccargs.h"
#include "core/base/elf.h"

/* ---- the symbol table of LLVM's linkers ---- */

struct blob_at {
  const unsigned char *data;
  size_t n;
};

static uint32_t word(const struct blob_at *t, size_t index) {
  const unsigned char *p = t->data + 4 * index;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* irsymtab::storage, in 32-bit words. All versions to date have these fields in the same places. */
enum {
  VERSION = 0,
  VERSIONS_KNOWN = 8,
  SYMBOLS = 7, /* offset in bytes, then the count */
  HEADER_WORDS = 11,
  SYMBOL_WORDS = 6, /* name (offset, size), name in the IR (the same), comdat, flags */
  FLAG_VISIBILITY = 3,
  FLAG_UNDEFINED = 1 << 3,
  FLAG_WEAK = 1 << 4,
  FLAG_GLOBAL = 1 << 10,
  FLAG_FORMAT = 1 << 11, /* belongs to the format itself: llvm.used and the like */
  FLAG_EXECUTABLE = 1 << 13,
};

static bool read_symbols(const struct blob_at *symtab, const struct blob_at *strings,
                         rdc_each *each, void *user) {
  if (symtab->n < (size_t)4 * HEADER_WORDS || word(symtab, VERSION) > VERSIONS_KNOWN)
    return false;
  uint64_t at = word(symtab, SYMBOLS), count = word(symtab, SYMBOLS + 1);
  if (at % 4 || at + count * SYMBOL_WORDS * 4 > symtab->n)
    return false;
  for (uint64_t i = 0; i < count; i++) {
    size_t s = (size_t)(at / 4 + i * SYMBOL_WORDS);
    uint64_t name = word(symtab, s), size = word(symtab, s + 1);
    uint32_t flags = word(symtab, s + 5);
    if (!size || name + size > strings->n || memchr(strings->data + name, 0, (size_t)size))
      return false;
    if (flags & FLAG_FORMAT)
      continue;
    autofree char *text = xstrndup((const char *)strings->data + name, (size_t)size);
    struct rdc_symbol symbol = {.name = text,
                                .defined = !(flags & FLAG_UNDEFINED),
                                .weak = flags & FLAG_WEAK,
                                .global = flags & FLAG_GLOBAL,
                                .function = flags & FLAG_EXECUTABLE};
    each(&symbol, user);
  }
  return true;
}

struct blob_reader {
  const struct bitstream *s;
  struct blob_at *to;
};

static void take_blob(const struct bitstream_record *r, void *user) {
  const struct blob_reader *reader = user;
  if (r->has_blob && !reader->to->data)
    *reader->to = (struct blob_at){reader->s->bytes + r->blob, (size_t)r->blob_size};
}

bool bitcode_symbols(const void *bytes, size_t n, rdc_each *each, void *user) {
  enum { STRTAB_BLOCK = 23, SYMTAB_BLOCK = 25 }; /* each holds one blob */
  struct bitstream s;
  struct bitstream_block block;
  struct blob_at strings = {0}, symtab = {0};
  if (!bitstream_open(&s, bytes, n))
    return false;
  while (!(strings.data && symtab.data) && bitstream_next(&s, &block)) {
    if (block.id == STRTAB_BLOCK || block.id == SYMTAB_BLOCK)
      bitstream_records(&s, &block, take_blob,
                        &(struct blob_reader){&s, block.id == STRTAB_BLOCK ? &strings : &symtab});
    s.at = block.end;
  }
  return strings.data && symtab.data && read_symbols(&symtab, &strings, each, user);
}

/* ---- .llvm.offloading ---- */

static uint64_t long_at(const unsigned char *p) {
  return (uint64_t)word(&(struct blob_at){p, 8}, 1) << 32 | word(&(struct blob_at){p, 8}, 0);
}

/* Is the range of N bytes at AT within SIZE bytes? */
static bool within(uint64_t at, uint64_t n, uint64_t size) {
  return at <= size && n <= size - at;
}

/* llvm::object::OffloadBinary, of versions 1 and 2. Sizes are in bytes. */
enum {
  OFFLOAD_HEADER =
      32,             /* magic, version, then as 8 bytes each: size, offset and number of entries */
  OFFLOAD_ENTRY = 40, /* 24 bytes, then as 8 bytes each: offset and size of the image */
  OFFLOAD_ALIGN = 8,
};

/* Bitcode for one architecture, N BYTES; false: it is not understood. */
typedef bool image_each(const unsigned char *bytes, size_t n, void *user);

/* The images of one binary, N bytes at P. */
static bool read_images(const unsigned char *p, uint64_t n, image_each *each, void *user) {
  const uint32_t version = word(&(struct blob_at){p, OFFLOAD_HEADER}, 1);
  /* a binary of version 1 has one, and its size in place of the number */
  const uint64_t at = long_at(p + 16), count = version == 1 ? 1 : long_at(p + 24);
  bool read =
      (version == 1 || version == 2) && at <= n && count && count <= (n - at) / OFFLOAD_ENTRY;
  for (uint64_t i = 0; read && i < count; i++) {
    const unsigned char *entry = p + at + i * OFFLOAD_ENTRY;
    const uint64_t image = long_at(entry + 24), size = long_at(entry + 32);
    read = within(image, size, n) && each(p + image, (size_t)size, user);
  }
  return read;
}

/* The binaries of a section, one after the other. False: one of them is not understood. */
static bool read_offloading(const unsigned char *p, uint64_t n, image_each *each, void *user) {
  static const unsigned char magic[] = {0x10, 0xff, 0x10, 0xad};
  for (uint64_t at = 0; at < n;) {
    if (!within(at, OFFLOAD_HEADER, n) || memcmp(p + at, magic, sizeof magic) != 0)
      return false;
    const uint64_t size = long_at(p + at + 8);
    if (size < OFFLOAD_HEADER || !within(at, size, n) || !read_images(p + at, size, each, user))
      return false;
    at += (size + OFFLOAD_ALIGN - 1) / OFFLOAD_ALIGN * OFFLOAD_ALIGN;
  }
  return n > 0;
}

/* ---- the object ---- */

#define BUNDLE "__CLANG_OFFLOAD_BUNDLE__hip"

static enum rdc_state each_image(const void *bytes, size_t n, image_each *each, void *user) {
  enum rdc_state state = RDC_NONE;
  struct elf e;
  struct elf_section s;
  if (!elf_open(&e, bytes, n, NULL))
    return RDC_NONE;
  for (size_t i = 1; i < e.sections && elf_section(&e, i, &s); i++) {
    bool offloading = strcmp(s.name, ".llvm.offloading") == 0;
    if (!offloading && (!str_starts(s.name, BUNDLE) || s.size <= 1))
      continue; /* size 1: how the bundler writes an empty entry */
    if (!s.data ||
        !(offloading ? read_offloading(s.data, s.size, each, user) : each(s.data, s.size, user)))
      return RDC_UNKNOWN;
    state = RDC_READ;
  }
  return state;
}

struct symbol_reader {
  rdc_each *each;
  void *user;
};

static bool read_image(const unsigned char *bytes, size_t n, void *user) {
  const struct symbol_reader *r = user;
  return bitcode_symbols(bytes, n, r->each, r->user);
}

enum rdc_state rdc_symbols(const void *bytes, size_t n, rdc_each *each, void *user) {
  return each_image(bytes, n, read_image, &(struct symbol_reader){each, user});
}

static bool note_calls(const unsigned char *bytes, size_t n, void *user) {
  struct nvvm_graph g = {0};
  const char *why;
  bool *calls = user;
  *calls = *calls || !nvvm_graph_read(&g, bytes, n, &why) || nvvm_graph_calls(&g, true);
  nvvm_graph_free(&g);
  return true;
}

bool rdc_calls_by_address(const void *bytes, size_t n) {
  bool calls = false;
  each_image(bytes, n, note_calls, &calls);
  return calls;
}

/* The image is in BASE, which may be written. */
static bool drop_lists(const unsigned char *bytes, size_t n, void *base) {
  const struct symbol_reader *r = base;
  nvvm_drop_lists((unsigned char *)r->user + (bytes - (const unsigned char *)r->user), n);
  return true;
}

void rdc_drop_lists(void *bytes, size_t n) {
  each_image(bytes, n, drop_lists, &(struct symbol_reader){NULL, bytes});
}

/* ---- the flags ---- */

/* Does the option change the format of -fgpu-rdc's objects, or how they are linked? */
static bool is_other_form(const char *word) {
  static const char *const words[] = {
      "-foffload-lto",  "--no-gpu-bundle-output", "-fno-gpu-bundle",
      "--offload-link", "--offload-compress",     "-fopenmp-targets",
      "-flto"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (str_starts(word, words[i]))
      return true;
  return false;
}

bool rdc_is_asked(const struct ccargs *a) {
  bool asked = cc_rdc_is_bitcode(a->dialect) && a->rdc;
  for (size_t i = 0; i < a->nwords; i++)
    asked &= !is_other_form(a->args[a->words[i].arg]);
  return asked;
}
