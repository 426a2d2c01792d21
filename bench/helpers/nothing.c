/* nothing.c - the smallest program that can replace a compiler: it writes OBJECT, a file embedded
 * when this was compiled, to the file after -o.
 *
 * With -DREAL it can replace one in a whole build. A call that makes neither an object file nor a
 * library, such as a probe of a flag, goes to the program REAL, with the path REAL_PATH and no fake
 * home in the environment, because Debian's hipcc is a script that would find this program again by
 * name and start it for ever. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char object[], object_end[];
__asm__(".pushsection .rodata; .globl object, object_end; object: .incbin \"" OBJECT
        "\"; object_end: .popsection");

#ifdef REAL
static int is_made(const char *output) {
  size_t n = strlen(output);
  return (n > 2 && strcmp(output + n - 2, ".o") == 0) ||
         (n > 3 && strcmp(output + n - 3, ".so") == 0);
}
#else
#define is_made(output) 1
#endif

int main(int argc, char **argv) {
  for (int i = 1; i < argc - 1; i++)
    if (strcmp(argv[i], "-o") == 0 && is_made(argv[i + 1])) {
      int fd = open(argv[i + 1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      size_t n = (size_t)(object_end - object);
      return fd < 0 || write(fd, object, n) != (ssize_t)n || close(fd);
    }
#ifdef REAL
  if (getenv("BENCH_NOTHING"))
    return 1; /* started by REAL */
  setenv("BENCH_NOTHING", "1", 1);
  setenv("PATH", REAL_PATH, 1);
  static const char *const homes[] = {"ROCM_PATH", "ROCM_HOME", "HIP_PATH"};
  for (int i = 0; i < 3; i++)
    unsetenv(homes[i]);
  argv[0] = REAL;
  execv(REAL, argv);
#endif
  return 1;
}
