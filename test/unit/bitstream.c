/* bitstream.c - records come out of bitcode as they were put in, in each form that the format has for them; what is
 * damaged is said so, and nothing outside of the bytes is read.
 *
 * The writer in this file is the counterpart of core/device/bitstream.c. It can be told which form to use for a record; LLVM's own
 * chooses for itself. So each form is written once, read back and compared. Then every prefix of the bytes is read, and the bytes with
 * each bit turned: any answer, but no crash (the sanitizers' builds see more).
 */
// tier: check
#include "core/device/bitstream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void check(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "bitstream: %s\n", what);
    bad = 1;
  }
}

/* ---- writing ---- */

struct writer {
  unsigned char bytes[1024];
  uint64_t at;
};

static void put(struct writer *w, uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; i++, w->at++)
    w->bytes[w->at / 8] |= (unsigned char)((value >> i & 1) << (w->at % 8));
}

static void put_vbr(struct writer *w, uint64_t value, unsigned width) {
  uint64_t more = UINT64_C(1) << (width - 1);
  for (; value >= more; value >>= width - 1)
    put(w, (value & (more - 1)) | more, width);
  put(w, value, width);
}

static void align(struct writer *w) {
  w->at = (w->at + 31) / 32 * 32;
}

/* the head of a block; where its length is to be written */
static uint64_t begin(struct writer *w, unsigned outer_width, unsigned id, unsigned width) {
  put(w, 1, outer_width);
  put_vbr(w, id, 8);
  put_vbr(w, width, 4);
  align(w);
  put(w, 0, 32);
  return w->at;
}

static void end(struct writer *w, uint64_t from, unsigned width) {
  put(w, 0, width);
  align(w);
  uint32_t words = (uint32_t)((w->at - from) / 32);
  memcpy(w->bytes + from / 8 - 4, &words, 4);
}

/* An abbreviation's operand: a literal, or an encoding with its width (0: it has none). */
static void literal(struct writer *w, uint64_t value) {
  put(w, 1, 1);
  put_vbr(w, value, 8);
}

static void operand(struct writer *w, unsigned encoding, unsigned width) {
  put(w, 0, 1);
  put(w, encoding, 3);
  if (width)
    put_vbr(w, width, 5);
}

enum { FIXED = 1, VBR, ARRAY, CHAR6, BLOB, WIDTH = 4, ID = 17 };

static void put_records(struct writer *w) {
  put(w, 3, WIDTH); /* 7 [1, 40, 2^63] */
  put_vbr(w, 7, 6);
  put_vbr(w, 3, 6);
  put_vbr(w, 1, 6);
  put_vbr(w, 40, 6);
  put_vbr(w, UINT64_C(1) << 63, 6);

  put(w, 2, WIDTH); /* abbreviation 4: [8, fixed 5, vbr 6, array of char6] */
  put_vbr(w, 5, 5);
  literal(w, 8);
  operand(w, FIXED, 5);
  operand(w, VBR, 6);
  operand(w, ARRAY, 0);
  operand(w, CHAR6, 0);
  put(w, 4, WIDTH);
  put(w, 21, 5);
  put_vbr(w, 1000, 6);
  put_vbr(w, 2, 6);
  put(w, 3, 6);
  put(w, 63, 6);

  uint64_t inner = begin(w, WIDTH, 99, 3); /* a block in it, whose records are not its own */
  put(w, 3, 3);
  put_vbr(w, 1, 6);
  put_vbr(w, 0, 6);
  end(w, inner, 3);

  put(w, 2, WIDTH); /* abbreviation 5: [fixed 3, blob] */
  put_vbr(w, 2, 5);
  operand(w, FIXED, 3);
  operand(w, BLOB, 0);
  put(w, 5, WIDTH);
  put(w, 6, 3);
  put_vbr(w, 5, 6);
  align(w);
  memcpy(w->bytes + w->at / 8, "bytes", 5);
  w->at += 5 * 8;
  align(w);
}

static size_t make(struct writer *w) {
  memcpy(w->bytes, "BC\xc0\xde", 4);
  w->at = 32;
  uint64_t other = begin(w, 2, 3, 2);
  end(w, other, 2);
  uint64_t from = begin(w, 2, ID, WIDTH);
  put_records(w);
  end(w, from, WIDTH);
  return w->at / 8;
}

/* ---- reading ---- */

enum { MOST = 8 };
struct seen {
  const struct bitstream *s;
  struct bitstream_record records[8];
  uint64_t values[8][MOST];
  struct bit_place places[8][MOST];
  size_t n;
};

static void note_record(const struct bitstream_record *r, void *user) {
  struct seen *seen = user;
  if (seen->n < 8) {
    struct bitstream_record *copy = &seen->records[seen->n]; /* its values are another's after the call */
    *copy = *r;
    copy->n = r->n < MOST ? r->n : MOST;
    copy->values = memcpy(seen->values[seen->n], r->values, copy->n * sizeof *r->values);
    copy->places = memcpy(seen->places[seen->n], r->places, copy->n * sizeof *r->places);
  }
  seen->n++;
}

/* all blocks of N bytes that lie at the very end of their memory */
static void read_all(struct seen *seen, const void *bytes, size_t n, bool *damaged) {
  unsigned char *exact = xmalloc(n);
  memcpy(exact, bytes, n);
  struct bitstream s = {.bad = true};
  struct bitstream_block b;
  *seen = (struct seen){.s = &s};
  if (bitstream_open(&s, exact, n))
    while (bitstream_next(&s, &b)) {
      if (b.id == ID)
        bitstream_records(&s, &b, note_record, seen);
      s.at = b.end;
    }
  for (size_t i = 0; i < seen->n && i < 8; i++)
    check(seen->records[i].blob + seen->records[i].blob_size <= n, "a blob is within the bytes");
  *damaged = s.bad;
  free(exact);
}

static void check_records(void) {
  struct writer w = {0};
  struct seen seen;
  bool damaged;
  size_t n = make(&w);
  read_all(&seen, w.bytes, n, &damaged);
  check(!damaged && seen.n == 3, "three records");
  const struct bitstream_record *r = seen.records;
  check(r[0].code == 7 && r[0].n == 3 && r[0].values[0] == 1 && r[0].values[1] == 40 &&
            r[0].values[2] == UINT64_C(1) << 63,
        "a record without abbreviation");
  check(r[0].places[0].width == 6 && r[0].places[1].width == 0, "a small number can be written over");
  check(r[1].code == 8 && r[1].n == 4 && r[1].values[0] == 21 && r[1].values[1] == 1000 &&
            r[1].values[2] == 3 && r[1].values[3] == 63,
        "an abbreviated record");
  check(r[1].places[0].width == 5 && r[1].places[1].width == 0, "so can a fixed one");
  check(r[2].code == 6 && r[2].has_blob && !r[1].has_blob && r[2].blob_size == 5 &&
            memcmp(w.bytes + r[2].blob, "bytes", 5) == 0,
        "a blob");
}

static void check_damaged(void) {
  struct writer w = {0};
  struct seen seen;
  bool damaged;
  size_t n = make(&w);
  for (size_t k = 0; k < n; k++)
    read_all(&seen, w.bytes, k, &damaged);
  for (size_t bit = 32; bit < 8 * n; bit++) {
    w.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    read_all(&seen, w.bytes, n, &damaged);
    w.bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  read_all(&seen, "BC\xc0\xdf....", 8, &damaged);
  check(damaged && !seen.n, "other bytes are no bitcode");

  /* an array of 2^40 elements that take no room: it would never end */
  struct writer endless = {.bytes = "BC\xc0\xde", .at = 32};
  uint64_t from = begin(&endless, 2, ID, WIDTH);
  put(&endless, 2, WIDTH);
  put_vbr(&endless, 3, 5);
  literal(&endless, 1);
  operand(&endless, ARRAY, 0);
  literal(&endless, 0);
  put(&endless, 4, WIDTH);
  put_vbr(&endless, UINT64_C(1) << 40, 6);
  end(&endless, from, WIDTH);
  read_all(&seen, endless.bytes, endless.at / 8, &damaged);
  check(damaged && !seen.n, "an array of nothing is refused");
}

int main(void) {
  check_records();
  check_damaged();
  return bad;
}
