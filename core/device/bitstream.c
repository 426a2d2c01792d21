/* bitstream.c - see bitstream.h. Three layers, bottom up: numbers of fixed or variable width,
 * blocks with their abbreviations, and records.
 *
 * The input is not trusted: it comes from object files of any origin. Every length is checked
 * against the bits that are left before it is used. After an error all reads return 0, so that the
 * code above checks `bad` once per record and not after each number. A record keeps its values, and
 * where in the stream each one is, so that a caller can overwrite it in place.
 */
#include "bitstream.h"
#include "core/base/vec.h"

/* ---- numbers ---- */

static uint64_t take(struct bitstream *s, unsigned width) {
  uint64_t value = 0;
  if (s->bad || width > 64 || s->bits - s->at < width) {
    s->bad = true;
    return 0;
  }
  for (unsigned done = 0; done < width;) {
    unsigned in = s->at % 8, n = 8 - in < width - done ? 8 - in : width - done;
    value |= (uint64_t)(s->bytes[s->at / 8] >> in & ((1u << n) - 1)) << done;
    done += n;
    s->at += n;
  }
  return value;
}

/* A number in groups of WIDTH bits (VBR): the highest bit of each group is set if another
 * follows. */
static uint64_t take_vbr(struct bitstream *s, unsigned width) {
  uint64_t value = 0;
  s->bad |= width < 2 || width > 32;
  for (unsigned shift = 0; shift < 64 && !s->bad; shift += width - 1) {
    uint64_t group = take(s, width), more = UINT64_C(1) << (width - 1);
    value |= (group & (more - 1)) << shift;
    if (!(group & more))
      return s->bad ? 0 : value;
  }
  s->bad = true;
  return 0;
}

static void align(struct bitstream *s) {
  s->at = (s->at + 31) & ~UINT64_C(31);
  if (s->at > s->bits) {
    s->at = s->bits;
    s->bad = true;
  }
}

/* ---- blocks ---- */

/* abbreviation numbers with a fixed meaning */
enum { END_BLOCK, ENTER_SUBBLOCK, DEFINE_ABBREV, UNABBREV_RECORD, FIRST_ABBREV };

/* Enter a block: read its head, after the number that announces it. */
static bool enter(struct bitstream *s, struct bitstream_block *b) {
  b->id = take_vbr(s, 8);
  b->width = (unsigned)take_vbr(s, 4);
  align(s);
  uint64_t words = take(s, 32);
  s->bad |= b->width < 2 || b->width > 32 || words > (s->bits - s->at) / 32;
  b->end = s->bad ? s->at : s->at + 32 * words;
  return !s->bad;
}

bool bitstream_open(struct bitstream *s, const void *bytes, size_t n) {
  static const unsigned char magic[] = {'B', 'C', 0xc0, 0xde};
  if (n < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
    return false;
  *s = (struct bitstream){.bytes = bytes, .bits = (uint64_t)n / 4 * 32, .at = 8 * sizeof magic};
  return true;
}

bool bitstream_next(struct bitstream *s, struct bitstream_block *b) {
  enum { HEAD = 64, TOP_WIDTH = 2 };
  if (s->bad || s->bits - s->at < HEAD)
    return false;
  s->bad = take(s, TOP_WIDTH) != ENTER_SUBBLOCK;
  return enter(s, b);
}

/* ---- abbreviations ---- */

enum { MAX_ABBREVS = 64, MAX_OPS = 64 };

enum encoding { LITERAL = 0, FIXED = 1, VBR = 2, ARRAY = 3, CHAR6 = 4, BLOB = 5 };

struct op {
  enum encoding encoding;
  uint64_t value; /* the literal, or the width */
};

struct abbrev {
  struct op *ops;
  size_t n;
};

/* The abbreviations of a block, in the order of their numbers. */
struct abbrevs {
  struct abbrev *list;
  size_t n;
};

/* For blocks by their id; LLVM's are below 32. */
enum { MAX_BLOCKS = 32 };
struct bitstream_info {
  struct abbrevs of[MAX_BLOCKS];
};

static void free_abbrevs(struct abbrevs *a) {
  for (size_t i = 0; i < a->n; i++)
    free(a->list[i].ops);
  free(a->list);
}

void bitstream_close(struct bitstream *s) {
  for (size_t i = 0; s->info && i < MAX_BLOCKS; i++)
    free_abbrevs(&s->info->of[i]);
  free(s->info);
  s->info = NULL;
}

/* May OP describe the elements of an array? LLVM writes no others, and elements of no bits could
 * repeat without limit. */
static bool takes_bits(const struct op *op) {
  return op->encoding == CHAR6 || ((op->encoding == FIXED || op->encoding == VBR) && op->value);
}

static void read_abbrev(struct bitstream *s, struct abbrev *a) {
  for (uint64_t n = take_vbr(s, 5); n && !s->bad; n--) {
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
      vec_push(a->ops, a->n, op);
  }
}

/* ---- records ---- */

static void add_value(struct bitstream_record *r, uint64_t value, uint64_t at, unsigned width) {
  enum { FIRST = 64 };
  if (r->n == r->room) { /* shared by all records of a block: vec.h would begin anew with each */
    r->room = r->room ? 2 * r->room : FIRST;
    r->values = xrealloc(r->values, r->room * sizeof *r->values);
    r->places = xrealloc(r->places, r->room * sizeof *r->places);
  }
  r->values[r->n] = value;
  r->places[r->n++] = (struct bit_place){at, width};
}

static uint64_t take_op(struct bitstream *s, const struct op *op) {
  switch (op->encoding) {
  case LITERAL:
    return op->value;
  case FIXED:
    return op->value ? take(s, op->value > 64 ? 65 : (unsigned)op->value) : 0;
  case VBR:
    return op->value ? take_vbr(s, op->value > 32 ? 33 : (unsigned)op->value) : 0;
  case CHAR6:
    return take(s, 6);
  default:
    s->bad = true;
    return 0;
  }
}

static void read_blob(struct bitstream *s, struct bitstream_record *r) {
  r->has_blob = true;
  r->blob_size = take_vbr(s, 6);
  align(s);
  r->blob = s->at / 8;
  s->bad |= r->blob_size > (s->bits - s->at) / 8;
  if (!s->bad)
    s->at += 8 * r->blob_size;
  align(s);
}

static void read_abbreviated(struct bitstream *s, const struct abbrev *a,
                             struct bitstream_record *r) {
  bool has_code = false;
  for (size_t i = 0; i < a->n && !s->bad; i++) {
    const struct op *op = &a->ops[i];
    if (op->encoding == BLOB) {
      read_blob(s, r);
    } else if (op->encoding == ARRAY) {
      uint64_t n = take_vbr(s, 6);
      s->bad |= i + 2 != a->n || !takes_bits(&a->ops[i + 1]);
      for (; n && !s->bad; n--)
        add_value(r, take_op(s, &a->ops[i + 1]), 0, 0);
      break;
    } else if (!has_code) {
      r->code = take_op(s, op);
      has_code = true;
    } else {
      uint64_t at = s->at, value = take_op(s, op);
      add_value(r, value, at,
                op->encoding == FIXED && s->at - at <= 32 ? (unsigned)(s->at - at) : 0);
    }
  }
}

static void read_unabbreviated(struct bitstream *s, struct bitstream_record *r) {
  enum { WIDTH = 6 };
  r->code = take_vbr(s, WIDTH);
  for (uint64_t n = take_vbr(s, WIDTH); n && !s->bad; n--) {
    uint64_t at = s->at, value = take_vbr(s, WIDTH);
    add_value(r, value, at, value < 1 << (WIDTH - 1) ? WIDTH : 0);
  }
}

/* The owner of abbreviations that BLOCKINFO defines now: the block that it has named last. */
static struct abbrevs *named_block(struct bitstream *s, const struct bitstream_record *r) {
  enum { SETBID = 1 };
  if (r->code != SETBID)
    return NULL;
  s->bad |= !r->n || r->values[0] >= MAX_BLOCKS;
  return s->bad ? NULL : &s->info->of[r->values[0]];
}

/* A block's own abbreviations follow those that BLOCKINFO has for it. */
static const struct abbrev *find_abbrev(const struct bitstream *s, const struct bitstream_block *b,
                                        const struct abbrevs *own, uint64_t i) {
  if (s->info && b->id < MAX_BLOCKS) {
    const struct abbrevs *known = &s->info->of[b->id];
    if (i < known->n)
      return &known->list[i];
    i -= known->n;
  }
  return i < own->n ? &own->list[i] : NULL;
}

static void define_abbrev(struct bitstream *s, struct abbrevs *to) {
  s->bad |= !to || to->n == MAX_ABBREVS;
  if (!s->bad)
    read_abbrev(s, vec_add(to->list, to->n));
}

static void read_record(struct bitstream *s, const struct abbrev *a, bool abbreviated,
                        struct bitstream_record *r) {
  r->code = r->n = 0;
  r->has_blob = false;
  s->bad |= abbreviated && !a;
  if (!s->bad && abbreviated)
    read_abbreviated(s, a, r);
  else if (!s->bad)
    read_unabbreviated(s, r);
}

static void read_block(struct bitstream *s, const struct bitstream_block *b, bitstream_each *each,
                       bitstream_inner *inner, void *user) {
  enum { BLOCKINFO = 0 };
  bool is_info = s->info && b->id == BLOCKINFO;
  struct abbrevs own = {0}, *to = is_info ? NULL : &own;
  struct bitstream_record r = {0};
  while (!s->bad && s->at < b->end) {
    uint64_t what = take(s, b->width);
    struct bitstream_block block;
    if (s->bad || what == END_BLOCK)
      break;
    if (what == ENTER_SUBBLOCK) {
      if (!enter(s, &block))
        break;
      if (s->info && block.id == BLOCKINFO && !is_info)
        read_block(s, &block, NULL, NULL, NULL);
      else if (inner)
        inner(s, &block, user);
      s->at = block.end;
    } else if (what == DEFINE_ABBREV) {
      define_abbrev(s, to);
    } else {
      read_record(s, find_abbrev(s, b, &own, what - FIRST_ABBREV), what != UNABBREV_RECORD, &r);
      if (!s->bad && is_info)
        to = named_block(s, &r) ? named_block(s, &r) : to;
      else if (!s->bad)
        each(&r, user);
    }
  }
  free(r.values);
  free(r.places);
  free_abbrevs(&own);
}

void bitstream_records(struct bitstream *s, const struct bitstream_block *b, bitstream_each *each,
                       void *user) {
  read_block(s, b, each, NULL, user);
}

void bitstream_blocks(struct bitstream *s, const struct bitstream_block *b, bitstream_each *each,
                      bitstream_inner *inner, void *user) {
  if (!s->info)
    s->info = xcalloc(1, sizeof *s->info);
  read_block(s, b, each, inner, user);
}
