#include "fatbinary.h"

#include <ctype.h>
#include <elf.h>

/* The architecture in the one --image3 of WORDS; 0: they ask for something else. Names such as
 * sm_90a need other flags. */
static uint32_t plain_arch(const struct argv *words) {
  static const char image[] = "--image3=kind=elf,sm=", file[] = ",file=";
  uint32_t arch = 0;
  for (size_t i = 1; i < words->n; i++) {
    const char *w = words->args[i];
    char *end = NULL;
    if (str_starts(w, image) && isdigit((unsigned char)w[strlen(image)]) && !arch)
      arch = (uint32_t)strtoul(w + strlen(image), &end, 10);
    bool known = end ? str_starts(end, file)
                     : strcmp(w, "-64") == 0 || str_starts(w, "--cicc-cmdline=") ||
                           str_starts(w, "--create=");
    if (!known)
      return 0;
  }
  return argv_has(words, "-64") ? arch : 0;
}

bool fatbinary_write(struct buf *out, const struct argv *words, const void *cubin, size_t n) {
  enum { HOST_LINUX_64 = 0x11, OLDEST_ABI = 7, NEWEST_ABI = 8, ALIGN = 8 };
  uint32_t arch = plain_arch(words);
  const unsigned char *ident = cubin;
  if (!arch || n < sizeof(Elf64_Ehdr) || n % ALIGN || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
      ident[EI_CLASS] != ELFCLASS64 || ident[EI_ABIVERSION] < OLDEST_ABI ||
      ident[EI_ABIVERSION] > NEWEST_ABI)
    return false;
  struct fatbinary_image image = {.kind = FATBINARY_CODE,
                                  .version = 0x101,
                                  .head = sizeof image,
                                  .size = n,
                                  .minor = ident[EI_ABIVERSION],
                                  .major = 1,
                                  .arch = arch,
                                  .flags = HOST_LINUX_64};
  struct fatbinary_head head = {FATBINARY_MAGIC, 1, sizeof head, sizeof image + n};
  buf_add(out, (const char *)&head, sizeof head);
  buf_add(out, (const char *)&image, sizeof image);
  buf_add(out, cubin, n);
  return true;
}
