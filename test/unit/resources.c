/* resources.c - what a kernel takes of a GPU, read from its code. With ARCH and a file of code it prints a line for each kernel
 * (test/resources.sh compares them with the compilers' words); without, damaged input is read: any answer, but no crash.
 */
// tier: check
#include "core/base/elfwrite.h"
#include "core/base/path.h"
#include "core/device/resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print(const char *arch, const char *file) {
  struct resources_list all = {0};
  size_t n;
  char *code = file_read(file, &n);
  if (!code)
    return 1;
  char *compiler = resources_compiler(code, n);
  printf("by %s\n", compiler ? compiler : "?");
  resources_read(&all, arch, code, n);
  for (size_t i = 0; i < all.n; i++) {
    printf("%s", all.list[i].kernel);
    for (enum resource r = 0; r < RESOURCES; r++)
      printf(" %s=%lld", resource_name(r), (long long)all.list[i].of[r]);
    puts("");
  }
  resources_free(&all);
  free(compiler);
  free(code);
  return 0;
}

/* A code object with METADATA of N bytes, of which TORN are missing at the end. */
static size_t kernels_of(const unsigned char *metadata, size_t n, size_t torn) {
  struct {
    Elf64_Nhdr h;
    char name[8];
    unsigned char desc[256];
  } note = {.h = {7, (uint32_t)n, 32}, .name = "AMDGPU"};
  memcpy(note.desc, metadata, n);
  struct elf_part parts[3] = {
      {0}, {".note", &note, {.sh_type = SHT_NOTE, .sh_size = 20 + n - torn, .sh_addralign = 4}}};
  struct buf out = {0};
  struct resources_list all = {0};
  elf_write(&out, 224, parts, 2, 8);
  /* at the end of memory, where a sanitizer sees a byte too much */
  unsigned char *end = xmalloc(out.len);
  memcpy(end, out.data, out.len);
  resources_read(&all, "gfx942", end, out.len);
  size_t found =
      all.n && strcmp(all.list[0].kernel, "k") == 0 ? (size_t)all.list[0].of[RESOURCE_REGISTERS] : 0;
  resources_free(&all);
  free(resources_compiler(end, out.len));
  free(end);
  buf_free(&out);
  return found;
}

int main(int argc, char **argv) {
  static const char text[] =
      "\x82\xa1x\x93\x01\xd9\x02yy\xcb\0\0\0\0\0\0\0\0\xae"
      "amdhsa.kernels\x91\x83\xa5.name\xa1k\xab.vgpr_count\xcd\x01\x02\xa5.args\x91\x81\xa1z\xcf\1\0\0\0\0\0\0\0";
  unsigned char bytes[256];
  const size_t n = sizeof text - 1;
  if (argc == 3)
    return print(argv[1], argv[2]);
  memcpy(bytes, text, n);
  if (kernels_of(bytes, n, 0) != 258) {
    fprintf(stderr, "resources: %zu registers\n", kernels_of(bytes, n, 0));
    return 1;
  }
  for (size_t torn = 1; torn < n; torn++)
    kernels_of(bytes, n, torn);
  for (size_t cut = 1; cut < n; cut++)
    kernels_of(bytes, n - cut, 0);
  for (size_t i = 0; i < 8 * n; i++) {
    bytes[i / 8] ^= (unsigned char)(1u << i % 8);
    kernels_of(bytes, n, 0);
    bytes[i / 8] ^= (unsigned char)(1u << i % 8);
  }
  return 0;
}
