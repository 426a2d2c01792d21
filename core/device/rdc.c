#include "rdc.h"

#include "core/cc/ccargs.h"
#include "core/base/elf.h"

#include <stdlib.h>
#include <string.h>

/* ---- bits ---- */

/* Bitcode is a stream of bits, the lowest of each byte first. A read behind the end gives 0 and sets bad. */
struct bits {
  const unsigned char *data;
  size_t n;    /* bytes */
  uint64_t at; /* bit */
  bool bad;
};

static uint64_t take(struct bits *b, unsigned width) {
  uint64_t value = 0;
  if (width > 64 || b->at + width > (uint64_t)b->n * 8) {
    b->bad = true;
    return 0;
  }
  for (unsigned i = 0; i < width; i++, b->at++)
    value |= (uint64_t)(b->data[b->at / 8] >> (b->at % 8) & 1) << i;
  return value;
}

/* a number in groups of WIDTH bits, the highest bit of each says that another follows */
static uint64_t take_vbr(struct bits *b, unsigned width) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !b->bad; shift += width - 1) {
    uint64_t group = take(b, width), more = UINT64_C(1) << (width - 1);
    value |= (group & (more - 1)) << shift;
    if (!(group & more))
      return value;
  }
  b->bad = true;
  return 0;
}

static void align(struct bits *b) {
  b->at = (b->at + 31) & ~UINT64_C(31);
}

/* ---- blocks ---- */

enum {
  END_BLOCK,
  ENTER_SUBBLOCK,
  DEFINE_ABBREV,
  UNABBREV_RECORD,
  FIRST_ABBREV,
  STRTAB_BLOCK = 23,
  SYMTAB_BLOCK = 25,
  BLOB_ENCODING = 5,
};

struct blob_at {
  const unsigned char *data;
  size_t n;
};

/* A definition of an abbreviation; the one that is wanted is [literal, blob]. */
static void skip_abbrev(struct bits *b) {
  uint64_t operands = take_vbr(b, 5);
  for (uint64_t i = 0; i < operands && !b->bad; i++) {
    if (take(b, 1)) {
      take_vbr(b, 8);
      continue;
    }
    uint64_t encoding = take(b, 3);
    if (encoding == 1 || encoding == 2)
      take_vbr(b, 5);
  }
}

static void skip_unabbreviated(struct bits *b) {
  take_vbr(b, 6);
  uint64_t operands = take_vbr(b, 6);
  for (uint64_t i = 0; i < operands && !b->bad; i++)
    take_vbr(b, 6);
}

/* The one blob in a string table or symbol table: b stands behind the block's head. */
static struct blob_at read_blob(struct bits *b, unsigned width) {
  while (!b->bad) {
    uint64_t id = take(b, width);
    if (id == DEFINE_ABBREV) {
      skip_abbrev(b);
    } else if (id == UNABBREV_RECORD) {
      skip_unabbreviated(b);
    } else if (id >= FIRST_ABBREV) {
      uint64_t n = take_vbr(b, 6); /* the record's code is a literal of the abbreviation */
      align(b);
      if (b->bad || b->at / 8 > b->n || n > b->n - b->at / 8)
        break;
      return (struct blob_at){b->data + b->at / 8, (size_t)n};
    } else {
      break;
    }
  }
  return (struct blob_at){0};
}

/* ---- the symbol table of LLVM's linkers ---- */

static uint32_t word(const struct blob_at *t, size_t index) {
  const unsigned char *p = t->data + 4 * index;
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* irsymtab::storage, in 32-bit words: its versions to date have these at the same places */
enum {
  VERSION = 0,
  VERSIONS_KNOWN = 8,
  SYMBOLS = 7, /* offset in bytes, then how many */
  HEADER_WORDS = 11,
  SYMBOL_WORDS = 6, /* name (offset, size), name in the IR (the same), comdat, flags */
  FLAG_VISIBILITY = 3,
  FLAG_UNDEFINED = 1 << 3,
  FLAG_WEAK = 1 << 4,
  FLAG_GLOBAL = 1 << 10,
  FLAG_FORMAT = 1 << 11, /* of the format itself, llvm.used and the like */
  FLAG_EXECUTABLE = 1 << 13,
};

static bool read_symbols(const struct blob_at *symtab, const struct blob_at *strings, rdc_each *each,
                         void *user) {
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
    char *text = xstrndup((const char *)strings->data + name, (size_t)size);
    struct rdc_symbol symbol = {.name = text,
                                .defined = !(flags & FLAG_UNDEFINED),
                                .weak = flags & FLAG_WEAK,
                                .global = flags & FLAG_GLOBAL,
                                .function = flags & FLAG_EXECUTABLE};
    each(&symbol, user);
    free(text);
  }
  return true;
}

bool bitcode_symbols(const void *bytes, size_t n, rdc_each *each, void *user) {
  static const unsigned char magic[] = {'B', 'C', 0xc0, 0xde};
  struct blob_at strings = {0}, symtab = {0};
  if (n < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
    return false;
  struct bits b = {.data = bytes, .n = n, .at = 8 * sizeof magic};
  while (b.at + 64 <= (uint64_t)n * 8 && !(strings.data && symtab.data)) {
    if (take(&b, 2) != ENTER_SUBBLOCK)
      break;
    uint64_t block = take_vbr(&b, 8);
    unsigned width = (unsigned)take_vbr(&b, 4);
    align(&b);
    uint64_t words = take(&b, 32), end = b.at + words * 32;
    if (b.bad || width < 2 || width > 32 || end > (uint64_t)n * 8)
      return false;
    struct bits inner = b;
    if (block == STRTAB_BLOCK)
      strings = read_blob(&inner, width);
    else if (block == SYMTAB_BLOCK)
      symtab = read_blob(&inner, width);
    b.at = end;
  }
  return strings.data && symtab.data && read_symbols(&symtab, &strings, each, user);
}

/* ---- the object ---- */

#define BUNDLE "__CLANG_OFFLOAD_BUNDLE__hip"

enum rdc_state rdc_symbols(const void *bytes, size_t n, rdc_each *each, void *user) {
  enum rdc_state state = RDC_NONE;
  struct elf e;
  struct elf_section s;
  if (!elf_open(&e, bytes, n, NULL))
    return RDC_NONE;
  for (size_t i = 1; i < e.sections && elf_section(&e, i, &s); i++) {
    if (strcmp(s.name, ".llvm.offloading") == 0)
      return RDC_UNKNOWN; /* of clang's other driver */
    if (!str_starts(s.name, BUNDLE) || s.size <= 1)
      continue; /* of size 1: the bundler's word for nothing */
    if (!s.data || !bitcode_symbols(s.data, s.size, each, user))
      return RDC_UNKNOWN;
    state = RDC_READ;
  }
  return state;
}

/* ---- the flags ---- */

/* Forms of -fgpu-rdc whose objects look otherwise, or that are linked otherwise. */
static bool is_other_form(const char *word) {
  static const char *const words[] = {"--offload-new-driver", "-foffload-lto",  "--no-gpu-bundle-output",
                                      "-fno-gpu-bundle",      "--offload-link", "--offload-compress",
                                      "-fopenmp-targets",     "-flto"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (str_starts(word, words[i]))
      return true;
  return false;
}

bool rdc_is_asked(char *const *flags) {
  struct ccargs a;
  ccargs_scan(&a, CC_GNU, flags);
  bool asked = a.rdc != NULL;
  for (size_t i = 0; i < a.nwords; i++)
    asked &= !is_other_form(flags[a.words[i].arg]);
  ccargs_free(&a);
  return asked;
}
