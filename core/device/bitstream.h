/* bitstream.h - reads LLVM bitcode: blocks of records, packed into bits.
 *
 * A bitstream is a sequence of bits, the lowest of each byte first. It consists of blocks. A block
 * holds records and other blocks; a record is a code and numbers, and sometimes a blob of bytes. A
 * record is packed either in the general way (unabbreviated) or by an abbreviation that the block
 * has defined before. A block begins with its length, so blocks of no interest are skipped. ckjit
 * reads the symbol table for LLVM's linkers (rdc.c), and in the output of nvcc's front end the
 * functions (core/device/nvvm.c) and the names in their bodies (core/device/nvvmgraph.c); no LLVM
 * tool needs to be installed.
 *
 * Source: llvm.org/docs/BitCodeFormat.html. Only bitstream_blocks knows the abbreviations that a
 * BLOCKINFO block defines for other blocks: function bodies use them, the other blocks that are
 * read here do not.
 *
 * It never reads outside the given bytes, whatever the input. Damaged or unsupported input sets
 * `bad`, and all later reads return 0. Thread safety: no shared state.
 */
#ifndef CKJIT_BITSTREAM_H
#define CKJIT_BITSTREAM_H

#include "core/base/base.h"

struct bitstream_info;

struct bitstream {
  const unsigned char *bytes;
  uint64_t bits, at; /* in bits */
  bool bad;
  /* from BLOCKINFO; NULL: it is not read */
  struct bitstream_info *info;
};

/* The position of a value that can be overwritten: first bit and number of bits; 0 bits: it cannot
 * be. */
struct bit_place {
  uint64_t at;
  unsigned width;
};

struct bitstream_record {
  uint64_t code;
  uint64_t *values; /* the record's, during the call */
  struct bit_place *places;
  size_t n, room;
  bool has_blob;
  uint64_t blob, blob_size; /* in bytes, within the stream */
};

struct bitstream_block {
  uint64_t id;
  unsigned width; /* of abbreviation numbers */
  uint64_t end;
};

/* Open the N bytes of a module. False if they do not start with the magic of bitcode. */
bool bitstream_open(struct bitstream *s, const void *bytes, size_t n);
/* Read the head of the next block at the top level; the caller continues at B->end. False at the
 * end of the stream and if it is bad. */
bool bitstream_next(struct bitstream *s, struct bitstream_block *b);
/* Call EACH for the records of B, whose head was just read, but not for those of blocks inside
 * it. */
typedef void bitstream_each(const struct bitstream_record *r, void *user);
void bitstream_records(struct bitstream *s, const struct bitstream_block *b, bitstream_each *each,
                       void *user);
/* The same, with the abbreviations of BLOCKINFO; and call INNER for the blocks inside it, in their
 * order among the records, with their head just read. It may read them by this function. */
typedef void bitstream_inner(struct bitstream *s, const struct bitstream_block *b, void *user);
void bitstream_blocks(struct bitstream *s, const struct bitstream_block *b, bitstream_each *each,
                      bitstream_inner *inner, void *user);
/* Free the data of BLOCKINFO. */
void bitstream_close(struct bitstream *s);

#endif
