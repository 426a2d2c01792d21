#include "nvvm.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of the format. */
enum {
  END_BLOCK = 0,
  ENTER_SUBBLOCK = 1,
  DEFINE_ABBREV = 2,
  UNABBREV_RECORD = 3,
  BLOCKINFO_BLOCK = 0,
  MODULE_BLOCK = 8,
  STRTAB_BLOCK = 23,
  MODULE_GLOBALVAR = 7,
  MODULE_FUNCTION = 8,
  STRTAB_BLOB = 1,
  LINKAGE_EXTERNAL = 0,
  LINKAGE_INTERNAL = 3,
  LINKAGE_LINKONCE = 18, /* linkonce_any: dropped where nobody uses it, and any value may be in it */
  LINKAGE_BITS = 5,
  MAX_ABBREVS = 64,
  MAX_OPS = 64,
};

enum encoding { LITERAL = 0, FIXED = 1, VBR = 2, ARRAY = 3, CHAR6 = 4, BLOB = 5 };

struct op {
  enum encoding encoding;
  uint64_t value;
};

struct abbrev {
  struct op ops[MAX_OPS];
  size_t n;
};

struct stream {
  unsigned char *bytes;
  uint64_t bits, at; /* at: bit */
  bool bad;
};

/* Where a value stands that can be written over: bit, and how many bits, 0: it cannot. */
struct place {
  uint64_t at;
  unsigned width;
};

/* One record, its first values. */
struct record {
  uint64_t code, values[MAX_OPS];
  struct place places[MAX_OPS];
  size_t n;
  uint64_t blob, blob_size; /* bytes */
};

/* A function or variable of the module, for when the names are known. */
struct symbol {
  uint64_t offset, size;
  struct place linkage;
  uint64_t linkage_was;
  enum { FUNCTION, INTERNAL, LIST, VARIABLE } what; /* INTERNAL: a function; LIST: llvm.used and its like */
};

struct module {
  struct symbol *symbols;
  size_t n;
  uint64_t strtab, strtab_size;
  struct nvvm_facts *facts;
};

static uint64_t take(struct stream *s, unsigned width) {
  uint64_t value = 0;
  if (width > 64 || s->bits - s->at < width) {
    s->bad = true;
    return 0;
  }
  for (unsigned i = 0; i < width; i++, s->at++)
    value |= (uint64_t)(s->bytes[s->at / 8] >> (s->at % 8) & 1) << i;
  return value;
}

static uint64_t take_vbr(struct stream *s, unsigned width) {
  uint64_t value = 0;
  if (width < 2 || width > 32) {
    s->bad = true;
    return 0;
  }
  for (unsigned shift = 0; !s->bad; shift += width - 1) {
    uint64_t piece = take(s, width), more = (uint64_t)1 << (width - 1);
    if (shift < 64)
      value |= (piece & (more - 1)) << shift;
    if (!(piece & more))
      return value;
  }
  return 0;
}

static void align32(struct stream *s) {
  s->at = (s->at + 31) / 32 * 32;
  s->bad |= s->at > s->bits;
}

static void read_abbrev(struct stream *s, struct abbrev *a) {
  uint64_t n = take_vbr(s, 5);
  a->n = 0;
  for (uint64_t i = 0; i < n && !s->bad; i++) {
    struct op op = {.encoding = LITERAL};
    if (take(s, 1)) {
      op.value = take_vbr(s, 8);
    } else {
      op.encoding = (enum encoding)take(s, 3);
      if (op.encoding == FIXED || op.encoding == VBR)
        op.value = take_vbr(s, 5);
      s->bad |= op.encoding < FIXED || op.encoding > BLOB;
    }
    s->bad |= a->n == MAX_OPS;
    if (!s->bad)
      a->ops[a->n++] = op;
  }
}

static void add_value(struct record *r, uint64_t value, uint64_t at, unsigned width) {
  if (r->n < MAX_OPS) {
    r->values[r->n] = value;
    r->places[r->n++] = (struct place){at, width};
  }
}

static uint64_t take_op(struct stream *s, const struct op *op) {
  switch (op->encoding) {
  case LITERAL:
    return op->value;
  case FIXED:
    return op->value ? take(s, (unsigned)op->value) : 0;
  case VBR:
    return op->value ? take_vbr(s, (unsigned)op->value) : 0;
  case CHAR6:
    return take(s, 6);
  default:
    s->bad = true;
    return 0;
  }
}

/* A record in the form that A describes. */
static void read_abbreviated(struct stream *s, const struct abbrev *a, struct record *r) {
  bool code = true;
  for (size_t i = 0; i < a->n && !s->bad; i++) {
    const struct op *op = &a->ops[i];
    if (op->encoding == BLOB) {
      r->blob_size = take_vbr(s, 6);
      align32(s);
      r->blob = s->at / 8;
      s->bad |= r->blob_size > (s->bits - s->at) / 8;
      s->at += s->bad ? 0 : 8 * r->blob_size;
      align32(s);
    } else if (op->encoding == ARRAY) {
      uint64_t n = take_vbr(s, 6);
      s->bad |= i + 2 != a->n;
      for (uint64_t k = 0; k < n && !s->bad; k++)
        add_value(r, take_op(s, &a->ops[i + 1]), 0, 0);
      break;
    } else if (code) {
      r->code = take_op(s, op);
      code = false;
    } else {
      uint64_t at = s->at, value = take_op(s, op);
      add_value(r, value, at, op->encoding == FIXED && s->at - at <= 32 ? (unsigned)(s->at - at) : 0);
    }
  }
}

static void read_plain(struct stream *s, struct record *r) {
  r->code = take_vbr(s, 6);
  for (uint64_t n = take_vbr(s, 6); n && !s->bad; n--) {
    uint64_t at = s->at, value = take_vbr(s, 6);
    add_value(r, value, at, value < 32 ? 6 : 0);
  }
}

static void add_symbol(struct module *m, const struct record *r, int what) {
  vec_push(m->symbols, m->n, (struct symbol){r->values[0], r->values[1], r->places[5], r->values[5], what});
}

static void note_function(struct module *m, const struct record *r) {
  /* [offset, size, type, convention, is a declaration, linkage, …] */
  if (r->n >= 6 && !r->values[4])
    add_symbol(m, r, r->values[5] == LINKAGE_INTERNAL ? INTERNAL : FUNCTION);
}

/* Variables of the source's are in the address space of global memory. What has none is an image that the
 * front end itself makes, of an object that begins with constants: it looks as if it could be written, and
 * nobody does. CUTLASS's descriptors for Hopper leave some in the PTX of each kernel. */
static void note_variable(struct module *m, const struct record *r) {
  /* [offset, size, type, is constant | explicit << 1 | address space << 2, initialiser or 0, linkage, …] */
  enum { GENERIC = 0, SHARED = 3, CONSTANT = 4, APPENDING = 2, COMMON = 8, AVAILABLE = 12 };
  if (r->n < 6)
    return;
  uint64_t flags = r->values[3], space = flags >> 2, linkage = r->values[5];
  bool known = flags & 2, constant = flags & 1;
  bool elsewhere = !r->values[4] || linkage == COMMON || linkage == AVAILABLE;
  if (linkage == APPENDING) /* llvm.used */
    add_symbol(m, r, LIST);
  else if (!elsewhere && !constant && !(known && (space == GENERIC || space == SHARED || space == CONSTANT)))
    add_symbol(m, r, VARIABLE);
}

/* The records of one block, and of none in it. */
static void read_block(struct stream *s, uint64_t id, unsigned width, uint64_t end, struct module *m) {
  struct abbrev *abbrevs = xcalloc(MAX_ABBREVS, sizeof *abbrevs);
  size_t n = 0;
  while (!s->bad && s->at < end) {
    uint64_t what = take(s, width);
    if (what == END_BLOCK)
      break;
    if (what == ENTER_SUBBLOCK) {
      take_vbr(s, 8);
      take_vbr(s, 4);
      align32(s);
      uint64_t words = take(s, 32);
      s->bad |= words > (s->bits - s->at) / 32;
      s->at += s->bad ? 0 : 32 * words;
      continue;
    }
    if (what == DEFINE_ABBREV) {
      s->bad |= n == MAX_ABBREVS;
      if (!s->bad)
        read_abbrev(s, &abbrevs[n++]);
      continue;
    }
    struct record r = {0};
    if (what == UNABBREV_RECORD)
      read_plain(s, &r);
    else if (what - 4 < n)
      read_abbreviated(s, &abbrevs[what - 4], &r);
    else
      s->bad = true;
    if (s->bad)
      break;
    if (id == MODULE_BLOCK && r.code == MODULE_FUNCTION)
      note_function(m, &r);
    else if (id == MODULE_BLOCK && r.code == MODULE_GLOBALVAR)
      note_variable(m, &r);
    else if (id == STRTAB_BLOCK && r.code == STRTAB_BLOB) {
      m->strtab = r.blob;
      m->strtab_size = r.blob_size;
    }
  }
  free(abbrevs);
}

static void read_blocks(struct stream *s, struct module *m) {
  enum { TOP_WIDTH = 2 };
  while (!s->bad && s->bits - s->at >= 64) {
    s->bad |= take(s, TOP_WIDTH) != ENTER_SUBBLOCK;
    uint64_t id = take_vbr(s, 8), width = take_vbr(s, 4);
    align32(s);
    uint64_t words = take(s, 32);
    if (s->bad || words > (s->bits - s->at) / 32 || width < 2 || width > 32) {
      s->bad = true;
      return;
    }
    uint64_t end = s->at + 32 * words;
    if (id == MODULE_BLOCK || id == STRTAB_BLOCK)
      read_block(s, id, (unsigned)width, end, m);
    s->at = end;
  }
}

static void put_linkage(struct stream *s, const struct place *p, unsigned linkage) {
  for (unsigned i = 0; i < p->width; i++) {
    uint64_t bit = p->at + i;
    unsigned char mask = (unsigned char)(1u << (bit % 8));
    if (linkage >> i & 1)
      s->bytes[bit / 8] |= mask;
    else
      s->bytes[bit / 8] &= (unsigned char)~mask;
  }
}

/* llvm.used keeps all kernels alive; under another name, and internal, it is a variable that nobody needs. It
 * has kept variables alive, too, and from being taken for their initial values where no kernel that is left
 * writes them: those become such as any value may be in. */
static bool is_used_list(const struct stream *s, const struct module *m, const struct symbol *y) {
  static const char name[] = "llvm.used";
  return y->size == sizeof name - 1 && memcmp(s->bytes + m->strtab + y->offset, name, y->size) == 0;
}

static const char *apply(struct stream *s, const struct module *m, const char *kernel) {
  size_t len = kernel ? strlen(kernel) : 0;
  for (size_t i = 0; i < m->n; i++) {
    const struct symbol *y = &m->symbols[i];
    if (y->offset > m->strtab_size || y->size > m->strtab_size - y->offset)
      return "a name is outside of the table of names";
    if (y->what == VARIABLE) {
      argv_add_own(&m->facts->variables, xstrndup((char *)s->bytes + m->strtab + y->offset, y->size));
      m->facts->internal_variables += y->linkage_was == LINKAGE_INTERNAL;
      if (kernel && y->linkage.width < LINKAGE_BITS)
        return "a record has another form than is known";
      if (kernel)
        put_linkage(s, &y->linkage, LINKAGE_LINKONCE);
      continue;
    }
    if (y->what == LIST && is_used_list(s, m, y) && kernel)
      s->bytes[m->strtab + y->offset + y->size - 1] = '_';
    bool function = y->what == FUNCTION || y->what == INTERNAL;
    bool wanted =
        function && kernel && y->size == len && memcmp(s->bytes + m->strtab + y->offset, kernel, len) == 0;
    m->facts->found |= wanted;
    m->facts->functions += y->what == FUNCTION || wanted;
    /* a static kernel is alive by the list alone: the one that is wanted comes to be seen from outside */
    bool stays = wanted ? y->what == FUNCTION : y->what == INTERNAL;
    if (stays || !kernel)
      continue;
    if (y->linkage.width < 2)
      return "a record has another form than is known";
    put_linkage(s, &y->linkage, wanted ? LINKAGE_EXTERNAL : LINKAGE_INTERNAL);
  }
  return NULL;
}

const char *nvvm_keep(void *bytes, size_t n, const char *kernel, struct nvvm_facts *facts) {
  static const unsigned char magic[] = {'B', 'C', 0xc0, 0xde};
  struct stream s = {.bytes = bytes, .bits = n / 4 * 32, .at = 32};
  struct module m = {.facts = facts};
  *facts = (struct nvvm_facts){0};
  if (n < 8 || memcmp(bytes, magic, sizeof magic) != 0)
    return "it is no LLVM bitcode";
  read_blocks(&s, &m);
  const char *why = s.bad ? "it is damaged, or of a form that is not known" : apply(&s, &m, kernel);
  if (!why && (!m.n || !m.strtab))
    why = "it has no functions with names";
  free(m.symbols);
  return why;
}
