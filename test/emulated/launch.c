/* launch.c - what stands in the place of a program of another machine: it has qemu-user run the real one.
 *
 * The kernel refuses a program of another machine, unless binfmt_misc knows an interpreter for it, which is a setting of the whole machine.
 * So each of ckjit's programs that is built for AArch64 has this in its place, a program of this machine: it is started by whatever name,
 * by whomever, and may be copied, as an installation copies ckjit-compile and a fake home ckjit-wrap. The program believes itself to be where this
 * is: qemu is given this file's name, for its arguments and for /proc/self/exe, and open.c gives it the real file when it opens that name.
 *
 * Compiled with QEMU, OPEN and REAL, full names: the emulator, the library of open.c, the program. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static char self[PATH_MAX];
  const char *preload = getenv("LD_PRELOAD");
  char **words = calloc((size_t)argc + 10, sizeof *words);
  int n = 0;
  /* what a test has loaded into the programs of this machine is not for those of another */
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !words ||
      (preload && *preload && unsetenv("LD_PRELOAD")) || setenv("LD_PRELOAD", OPEN, 1) ||
      setenv("EMULATED_NAME", self, 1) || setenv("EMULATED_REAL", REAL, 1)) {
    perror("launch");
    return 127;
  }
  words[n++] = argc ? argv[0] : self; /* for who reads this process's command */
  words[n++] = "-0";
  words[n++] = argc ? argv[0] : self;
  words[n++] = "-L"; /* no other root directory: else a child may wait for the lock of its names for ever */
  words[n++] = "/";
  words[n++] = "-U";
  words[n++] = "LD_PRELOAD,EMULATED_NAME,EMULATED_REAL";
  words[n++] = self;
  for (int i = 1; i < argc; i++)
    words[n++] = argv[i];
  execv(QEMU, words);
  perror(QEMU);
  return 127;
}
