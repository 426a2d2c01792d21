#include "failure.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static bool noted; /* of this process's compile */

void failure_note(bool of_key) {
  noted = of_key;
}

bool failure_is_of_key(void) {
  return noted;
}

/* Messages of compilers about their surroundings. A driver that reports a killed step does so in
 * its own words, with an ordinary status. */
static const char *const circumstances[] = {
    "No space left on device",
    "Disk quota exceeded",
    "Read-only file system",
    "Input/output error",
    "Stale file handle",
    "No such file or directory",
    "file not found",
    "Permission denied",
    "Too many open files",
    "Text file busy",
    "Resource temporarily unavailable",
    "annot allocate memory",
    "ut of memory",
    "memory exhausted",
    "bad_alloc",
    "illed",
    "signal",
    "unable to execute command",
};

bool failure_is_refusal(int status, const char *log, off_t from) {
  enum { MOST = 1 << 16 };
  if (!WIFEXITED(status) || !WEXITSTATUS(status))
    return false;
  autoclose fd = open(log, O_RDONLY | O_CLOEXEC);
  off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
  autofree char *text = xcalloc(MOST + 1, 1);
  ssize_t n = end > from ? pread(fd, text, MOST, end - from > MOST ? end - MOST : from) : 0;
  bool refusal = n > 0 && memmem(text, (size_t)n, "error", strlen("error"));
  for (size_t i = 0; i < sizeof circumstances / sizeof *circumstances && refusal; i++)
    refusal = !memmem(text, (size_t)n, circumstances[i], strlen(circumstances[i]));
  return refusal;
}

void failure_origin(char origin[DIGEST_HEX], const struct compile_task *t) {
  struct utsname machine = {0};
  uname(&machine);
  autofree char *text =
      xasprintf("%s\n%ld\n%s\n%s\n%s\n%s\n%g", machine.nodename, (long)geteuid(), t->root ? t->root : "",
                t->place, t->inputs_file ? t->inputs_file : "", t->compiler, t->timeout);
  digest_bytes(origin, text, strlen(text));
}
