/* fatbinary.h - CUDA's fat binary: a head, and for each image a head and the image. NVIDIA does not
 * document the format; this is what fatbinary of CUDA 12 and 13 writes.
 */
#ifndef CKJIT_FATBINARY_H
#define CKJIT_FATBINARY_H

#include "core/base/argv.h"

#include <stdint.h>

enum { FATBINARY_MAGIC = 0xba55ed50, FATBINARY_PTX = 1, FATBINARY_CODE = 2 };

struct fatbinary_head {
  uint32_t magic;
  uint16_t version, head;
  uint64_t size; /* of the images after it */
};

struct fatbinary_image {
  uint16_t kind, version;
  uint32_t head;
  uint64_t size;
  uint32_t compressed, options;
  uint16_t minor, major; /* of the code's format */
  uint32_t arch, name, name_size;
  uint64_t flags, zero, decompressed;
};

/* Append to OUT the bytes that fatbinary would write for its command WORDS, with the N bytes at
 * CUBIN as its only image. False: the command asks for more than one plain image, or the cubin has
 * an unknown form; then fatbinary itself is needed. */
bool fatbinary_write(struct buf *out, const struct argv *words, const void *cubin, size_t n);

#endif
