/* bitstream.h - reading LLVM bitcode: blocks of records, packed into bits.
 *
 * A bitstream is a sequence of bits, the lowest of each byte first. It consists of blocks; a block holds records and
 * other blocks; a record is a code and numbers, and at times a blob of bytes. How a record is packed is either the
 * same for all (unabbreviated) or told by an abbreviation that the block defines before. A block begins with its length,
 * so what is of no interest is skipped. LLVM's linkers' symbol table (rdc.c) and the functions of what nvcc's front
 * end writes (compile/cuda/nvvm.c) are read with this; no tool of LLVM needs to be installed.
 *
 * Source: llvm.org/docs/BitCodeFormat.html. Not known here: abbreviations that a BLOCKINFO block defines for others,
 * which no block that is read for us has, and records with more than BITSTREAM_VALUES abbreviated fields.
 *
 * No input makes it read outside of its bytes: what is damaged, or has another form, sets `bad`, and all that is read
 * from then on is 0. Thread safety: no shared state.
 */
#ifndef CKJIT_BITSTREAM_H
#define CKJIT_BITSTREAM_H

#include "core/base/base.h"

enum { BITSTREAM_VALUES = 64 };

struct bitstream {
  const unsigned char *bytes;
  uint64_t bits, at; /* in bits */
  bool bad;
};

/* Where a value stands that can be written over: bit, and how many bits; 0: it cannot. */
struct bit_place {
  uint64_t at;
  unsigned width;
};

struct bitstream_record {
  uint64_t code;
  uint64_t values[BITSTREAM_VALUES]; /* the first ones */
  struct bit_place places[BITSTREAM_VALUES];
  size_t n;
  bool has_blob;
  uint64_t blob, blob_size; /* in bytes, all of them within the stream */
};

struct bitstream_block {
  uint64_t id;
  unsigned width; /* of abbreviations' numbers */
  uint64_t end;
};

/* The N bytes of a module. False if they do not begin as bitcode does. */
bool bitstream_open(struct bitstream *s, const void *bytes, size_t n);
/* Go to the next block at the top and read its head; go on at B->end. False at the end of the stream, and if it is
 * bad. */
bool bitstream_next(struct bitstream *s, struct bitstream_block *b);
/* Call EACH for the records of B, whose head was just read, and not for those of blocks in it. */
typedef void bitstream_each(const struct bitstream_record *r, void *user);
void bitstream_records(struct bitstream *s, const struct bitstream_block *b, bitstream_each *each,
                       void *user);

#endif
