#include "streams.h"

#include "base.h"

#include <fcntl.h>
#include <sys/stat.h>

void streams_open(bool answers) {
  umask(umask(0) & 077);
  /* the wrong way round, so that use is an error */
  const int asked[3] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int fd = 0; fd < 3; fd++) /* open() takes the lowest free number */
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", answers ? asked[fd] : O_RDWR) < 0)
      die(EXIT_FAILED, "/dev/null cannot be opened, in place of standard %s, which is closed: %s",
          fd == 0   ? "input"
          : fd == 1 ? "output"
                    : "error",
          strerror(errno));
}

int streams_answered(void) {
  if (fflush(stdout) || ferror(stdout))
    die(EXIT_FAILED, "standard output cannot be written: %s", strerror(errno));
  return EXIT_OK;
}
