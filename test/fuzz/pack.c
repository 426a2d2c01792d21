/* pack.c - the index of a pack, and the header of a member: any bytes. What is taken is written again to the same bytes. */
#include "fuzz.h"
#include "prebuild/packfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct pack p;
  struct buf again = {0};
  unsigned char block[PACK_BLOCK] = {0};
  char *err = NULL, *text = fuzz_text(data, size);
  uint64_t bytes;
  if (pack_index_read(&p, text, strlen(text), &err)) {
    pack_index_write(&again, &p);
    /* the version that wrote it may be another one */
    CHECK(!strstr(text, "\nckjit " CKJIT_VERSION "\n") || strcmp(again.data, text) == 0);
  }
  pack_free(&p);
  buf_free(&again);
  free(err);
  free(text);
  memcpy(block, data, size < sizeof block ? size : sizeof block);
  free(pack_header_check(block, PACK_INDEX_NAME, &bytes));
  return 0;
}
