/* zstd.c - a stream through the program zstd. */
#include "zstd.h"
#include "core/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIPE_SIZE = 1 << 20 };

/* Start zstd with WORDS between IN and OUT. */
static pid_t start(char *const *words, int in, int out, const char *what) {
  posix_spawn_file_actions_t files;
  pid_t pid;
  char *program = path_which("zstd");
  if (!program)
    die(EXIT_FAILED,
        "%s: packs are compressed with the program zstd, which %s; install it (apt-get install zstd)", what,
        path_which_why("zstd"));
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  int error = posix_spawn(&pid, program, &files, NULL, words, environ);
  posix_spawn_file_actions_destroy(&files);
  if (error)
    die(EXIT_FAILED, "%s cannot be run: %s", program, strerror(error));
  free(program);
  return pid;
}

static void make_pipe(int end[2]) {
  if (pipe2(end, O_CLOEXEC))
    die(EXIT_FAILED, "a pipe cannot be made: %s", strerror(errno));
  fcntl(end[0], F_SETPIPE_SZ, PIPE_SIZE); /* fewer switches between the two; not all may have so much */
}

void zstd_compress(struct zstd *z, int out, const char *what) {
  static char *const words[] = {"zstd", "-q", "-c", "-T0", NULL};
  int end[2];
  make_pipe(end);
  signal(SIGPIPE, SIG_IGN); /* its end is an error of write */
  z->pid = start(words, end[0], out, what);
  z->fd = end[1];
  close(end[0]);
}

/* The next byte of FD, which is not taken; -1: there is none. FD may be a file, a pipe, or a socket, which a command of sshd has as standard
 * input. */
static int next_byte(int fd) {
  unsigned char next;
  int end[2];
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (at >= 0)
    return pread(fd, &next, 1, at) == 1 ? next : -1;
  if (recv(fd, &next, 1, MSG_PEEK) == 1)
    return next;
  make_pipe(end);
  bool there = tee(fd, end[1], 1, 0) == 1 && read(end[0], &next, 1) == 1;
  close(end[0]);
  close(end[1]);
  return there ? next : -1;
}

/* Source: RFC 8878: a frame begins with 28 b5 2f fd. The program would take gzip, xz and lz4 as well, and an older or another one would not. A
 * window of more than 128 MiB is refused, as is zstd's default. */
bool zstd_decompress(struct zstd *z, int in, char plain, const char *what) {
  static char *const words[] = {"zstd", "-q", "-d", "-c", NULL};
  int end[2], next = next_byte(in);
  if ((next == plain || next < 0) && (z->fd = fcntl(in, F_DUPFD_CLOEXEC, 0)) >= 0)
    return true;
  if (next != 0x28)
    return false;
  make_pipe(end);
  z->pid = start(words, in, end[1], what);
  z->fd = end[0];
  close(end[1]);
  return true;
}

bool zstd_end(struct zstd *z) {
  int status = 0;
  pid_t pid = z->pid;
  close(z->fd);
  z->pid = 0;
  while (pid && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  return status == 0;
}

void zstd_stop(struct zstd *z) {
  if (z->pid)
    kill(z->pid, SIGKILL);
  zstd_end(z);
}
