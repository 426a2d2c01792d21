/* ck_jit_cuda_link.c - a program that links LTO-IR, and archives of CUDA's, by nvJitLink, a library
 * of the CUDA toolkit.
 *
 *     PROGRAM LIBRARY OUTPUT OPTION… -- FILE…
 *
 * ckjit-compile has it compiled by the host's compiler when it is needed (compile/unit/jitlink.c):
 * ckjit's own programs may be static, and load no library; and what the library does to its process
 * is nobody else's. With -ptx among the options the output is PTX, else a cubin.
 *
 * Exit status: 0; 1, with the reason on standard output, which is the compile's log.
 *
 * Sources: nvJitLink's documentation, docs.nvidia.com/cuda/nvjitlink, for the functions;
 * nvJitLink.h of CUDA 12 and 13 for types and values.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LTOIR = 3, LIBRARY = 6 }; /* nvJitLinkInputType */

typedef int size_of(void *handle, size_t *n);
typedef int take(void *handle, void *bytes);

static void *library;

static void *find(const char *name) {
  void *function = dlsym(library, name);
  if (!function) {
    printf("nvJitLink of this toolkit has no function %s\n", name);
    exit(1);
  }
  return function;
}

static char *read_file(const char *name, size_t *n) {
  FILE *f = fopen(name, "rb");
  long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  char *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (!bytes || fseek(f, 0, SEEK_SET) || fread(bytes, 1, (size_t)size, f) != (size_t)size) {
    printf("%s: %s\n", name, strerror(errno));
    exit(1);
  }
  fclose(f);
  *n = (size_t)size;
  return bytes;
}

/* Exit if CODE, which the library returned for WHAT, is an error. */
static void check(void *handle, const char *what, int code) {
  size_t n = 0;
  if (!code)
    return;
  printf("%s: error %d of nvJitLink\n", what, code);
  if (handle && !((size_of *)find("nvJitLinkGetErrorLogSize"))(handle, &n) && n) {
    char *log = calloc(1, n + 1);
    if (log && !((take *)find("nvJitLinkGetErrorLog"))(handle, log))
      printf("%s\n", log);
  }
  exit(1);
}

static void write_result(void *handle, int ptx, const char *output) {
  size_t n = 0;
  check(handle, output,
        ((size_of *)find(ptx ? "nvJitLinkGetLinkedPtxSize" : "nvJitLinkGetLinkedCubinSize"))(handle,
                                                                                             &n));
  char *bytes = malloc(n + 1);
  check(handle, output,
        bytes ? ((take *)find(ptx ? "nvJitLinkGetLinkedPtx" : "nvJitLinkGetLinkedCubin"))(handle,
                                                                                          bytes)
              : -1);
  FILE *f = fopen(output, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
    printf("%s: %s\n", output, strerror(errno));
    exit(1);
  }
}

int main(int argc, char **argv) {
  int ptx = 0, options = 0;
  void *handle = NULL;
  while (3 + options < argc && strcmp(argv[3 + options], "--") != 0)
    ptx |= strcmp(argv[3 + options++], "-ptx") == 0;
  if (3 + options >= argc)
    return printf("usage: LIBRARY OUTPUT OPTION... -- FILE...\n"), 1;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return printf("nvJitLink cannot be loaded: %s\n", dlerror()), 1;
  int (*create)(void **handle, uint32_t n, const char **options) = find("nvJitLinkCreate");
  int (*add)(void *handle, int type, const void *bytes, size_t n, const char *name) =
      find("nvJitLinkAddData");
  int code = create(&handle, (uint32_t)options, (const char **)argv + 3);
  if (code) { /* it has no log yet */
    printf("its options: error %d of nvJitLink:", code);
    for (int i = 0; i < options; i++)
      printf(" %s", argv[3 + i]);
    return puts(""), 1;
  }
  for (char **file = argv + 3 + options + 1; *file; file++) {
    size_t n;
    char *bytes = read_file(*file, &n);
    size_t len = strlen(*file);
    int type = len > 2 && strcmp(*file + len - 2, ".a") == 0 ? LIBRARY : LTOIR;
    check(handle, *file, add(handle, type, bytes, n, *file));
    free(bytes);
  }
  check(handle, "the link", ((int (*)(void *))find("nvJitLinkComplete"))(handle));
  write_result(handle, ptx, argv[2]);
  return 0;
}
