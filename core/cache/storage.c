/* storage.c - see storage.h.
 *
 * The socket is in a directory of the user's own, $XDG_RUNTIME_DIR/ckjit-storage or
 * /tmp/ckjit-storage-UID, under the digest of the variable: one helper for each value of it. Beside
 * it, DIGEST.down says by its time stamp when the server last failed to answer. */
#include "storage.h"
#include "key.h"
#include "core/base/argv.h"
#include "core/base/childenv.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "abi/ck_jit_artefact.h"
#include "abi/ck_jit_clock.h"
#include "abi/ck_jit_entry.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VARIABLE "CK_JIT_REMOTE_STORAGE"
#define KEY "ckjit1"
enum { DOWN_S = 60, IDLE_S = 60, GET_S = 10, VERSION = 1 };
enum { GET = 0, PUT = 1 };          /* requests; GET is the capability of both, too */
enum { OK = 0, NOOP = 1, ERR = 2 }; /* the first byte of an answer */

/* ---- bytes, until S->end ---- */

static void wait_anew(struct storage *s) {
  s->end = ckjit_seconds() + STORAGE_PATIENCE;
}

static bool ready(const struct storage *s, short events) {
  for (;;) {
    double left = s->end - ckjit_seconds();
    struct pollfd p = {.fd = s->fd, .events = events};
    int r = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
    if (r > 0)
      return true;
    if (r == 0)
      errno = ETIMEDOUT;
    if (r == 0 || errno != EINTR)
      return false;
  }
}

/* Send or receive N bytes. False with errno. */
static bool move(struct storage *s, void *bytes, size_t n, bool out) {
  for (char *at = bytes; n;) {
    ssize_t r = -1;
    if (!ready(s, out ? POLLOUT : POLLIN))
      return false;
    r = out ? send(s->fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(s->fd, at, n, MSG_DONTWAIT);
    if (r < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (r <= 0) {
      errno = r ? errno : EPIPE;
      return false;
    }
    at += r;
    n -= (size_t)r;
  }
  return true;
}

/* ---- the helper ---- */

/* The directory of sockets, made if it does not exist; free() it. NULL: *ERR. */
static char *directory(char **err) {
  const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
  char *dir = runtime && *runtime ? xasprintf("%s/ckjit-storage", runtime)
                                  : xasprintf("/tmp/ckjit-storage-%ld", (long)geteuid());
  char *why = mkdir(dir, 0700) && errno != EEXIST ? xasprintf("%s: %s", dir, strerror(errno))
                                                  : trust_own_why(dir, NULL);
  if (!why)
    return dir;
  free(dir);
  *err = why;
  return NULL;
}

/* Start the helper of the storage URL, with its attributes, for the socket ENDPOINT. */
static bool start(const struct argv *words, const char *endpoint, char **err) {
  const char *url = words->args[0];
  autofree_argv env = {0};
  autofree char *program = xasprintf("ccache-storage-%.*s", (int)strcspn(url, ":"), url);
  char text[32];
  char *args[] = {program, NULL};
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
  pid_t pid;
  childenv_copy(&env);
  childenv_set(&env, "CRSH_IPC_ENDPOINT", endpoint);
  childenv_set(&env, "CRSH_URL", url);
  snprintf(text, sizeof text, "%d", IDLE_S);
  childenv_set(&env, "CRSH_IDLE_TIMEOUT", text);
  snprintf(text, sizeof text, "%zu", words->n - 1);
  childenv_set(&env, "CRSH_NUM_ATTR", text);
  for (size_t i = 1; i < words->n; i++) {
    autofree char *name = xasprintf("CRSH_ATTR_KEY_%zu", i - 1),
                  *value = xasprintf("CRSH_ATTR_VALUE_%zu", i - 1);
    size_t n = strcspn(words->args[i], "=");
    autofree char *key = xstrndup(words->args[i], n);
    childenv_set(&env, name, key);
    childenv_set(&env, value, words->args[i] + n + (words->args[i][n] != 0));
  }
  argv_add_own(&env, NULL);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_init(&files);
  for (int fd = 0; fd < 3; fd++)
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  /* by a child that ends at once: a wait for all children of this process must not include it */
  int status = -1;
  pid_t between = fork();
  if (between == 0) {
    umask(077);
    _exit(posix_spawnp(&pid, program, &files, &attributes, args, env.args));
  }
  while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR)
    ;
  int error = between < 0 ? errno : WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error)
    err_fail(err,
             VARIABLE ": %s cannot be started: %s; expected a remote storage helper of "
                      "ccache for this URL on PATH",
             program, strerror(error));
  return !error;
}

static int connect_to(const char *endpoint) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  if (strlen(endpoint) >= sizeof to.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(to.sun_path, endpoint);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
    return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

/* Connect to the helper of WORDS at ENDPOINT, which is started if none listens. */
static bool reach(struct storage *s, const struct argv *words, const char *endpoint, int seconds,
                  char **err) {
  bool started = false;
  while ((s->fd = connect_to(endpoint)) < 0) {
    if (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN)
      return err_fail(err, "%s: %s", endpoint, strerror(errno));
    if (!started && errno == ECONNREFUSED)
      unlink(endpoint); /* of a helper that was killed */
    if (!started && errno != EAGAIN && !start(words, endpoint, err))
      return false;
    started = true;
    if (ckjit_seconds() > s->end)
      return err_fail(err, VARIABLE ": its helper did not listen within %d s", seconds);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  if (seconds > STORAGE_PATIENCE)
    wait_anew(s);
  unsigned char head[2], capabilities[255];
  if (!move(s, head, 2, false) || !move(s, capabilities, head[1], false))
    return err_fail(err, VARIABLE ": its helper does not answer: %s", strerror(errno));
  if (head[0] != VERSION || !memchr(capabilities, GET, head[1]))
    return err_fail(err,
                    VARIABLE ": its helper speaks version %d of the protocol, expected "
                             "%d with get and put",
                    head[0], VERSION);
  return true;
}

/* Did the server fail to answer within the last minute? */
static bool is_down(const char *file) {
  struct stat st;
  time_t now = time(NULL);
  return stat(file, &st) == 0 && st.st_mtime <= now && now - st.st_mtime < DOWN_S;
}

static void set_down(const struct storage *s) {
  autoclose fd = open(s->down, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0)
    futimens(fd, NULL);
}

static bool is_url(const char *word) {
  size_t scheme = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789+-.");
  return scheme && str_starts(word + scheme, "://");
}

bool storage_open(struct storage *s, int seconds, char **err) {
  const char *set = env_get(VARIABLE);
  autofree_argv words = {0};
  *s = (struct storage){.fd = -1, .end = ckjit_seconds() + seconds};
  *err = NULL;
  autofree char *dir = set ? directory(err) : NULL;
  if (!dir)
    return false;
  char digest[DIGEST_HEX];
  autofree char *endpoint = NULL;
  digest_bytes(digest, set, strlen(set));
  endpoint = xasprintf("%s/%s", dir, digest);
  s->down = xasprintf("%s.down", endpoint);
  bool good = !is_down(s->down);
  if (good && (!argv_split(&words, set, strlen(set)) || !words.n || !is_url(words.args[0])))
    good = err_fail(err, VARIABLE ": expected URL [NAME=VALUE…], found '%s'", set);
  else if (good && !(good = reach(s, &words, endpoint, seconds, err)))
    set_down(s);
  if (!good)
    storage_close(s);
  return good;
}

void storage_close(struct storage *s) {
  if (s->fd >= 0)
    close(s->fd);
  free(s->down);
  *s = (struct storage){.fd = -1};
}

/* ---- requests ---- */

static bool lost(struct storage *s, char **err) {
  err_fail(err, VARIABLE ": its helper does not answer: %s", strerror(errno));
  set_down(s);
  return false;
}

/* Send REQUEST for the key of ID. */
static bool ask(struct storage *s, unsigned char request, const uint8_t *id) {
  unsigned char head[2 + sizeof KEY - 1 + CKJIT_BUILD_ID_SIZE] = {request, sizeof head - 2};
  memcpy(head + 2, KEY, sizeof KEY - 1);
  memcpy(head + 2 + sizeof KEY - 1, id, CKJIT_BUILD_ID_SIZE);
  return move(s, head, sizeof head, true);
}

/* The first byte of the answer; true if it is OK. */
static bool answer(struct storage *s, char **err) {
  unsigned char status, n;
  char text[256];
  if (!move(s, &status, 1, false))
    return lost(s, err);
  if (status == OK || status == NOOP)
    return status == OK;
  if (status != ERR) {
    set_down(s);
    return err_fail(err, VARIABLE ": its helper answers %d, expected 0, 1 or 2", status);
  }
  if (!move(s, &n, 1, false) || !move(s, text, n, false))
    return lost(s, err);
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)text[i] < ' ')
      text[i] = ' ';
  return err_fail(err, VARIABLE ": %.*s", (int)n, text);
}

enum { CHUNK = 1 << 16 };

bool storage_get(struct storage *s, const uint8_t *id, int to, char **err) {
  uint64_t size;
  *err = NULL;
  if (!ask(s, GET, id))
    return lost(s, err);
  if (!answer(s, err))
    return false;
  if (!move(s, &size, sizeof size, false))
    return lost(s, err);
  if (size > CKJIT_ENTRY_MOST)
    return err_fail(err, VARIABLE ": it has a value that is too large for an entry");
  autofree char *bytes = xmalloc(CHUNK);
  double last = ckjit_seconds() + GET_S;
  bool good = true;
  for (uint64_t n; good && size; size -= n) {
    n = size < CHUNK ? size : CHUNK;
    int error = 0;
    wait_anew(s); /* it answers: each piece may take a second */
    s->end = s->end < last ? s->end : last;
    if (!move(s, bytes, n, false))
      good = lost(s, err);
    else if ((error = ckjit_write_file(to, bytes, n)))
      good = err_fail(err, "its entry cannot be written: %s", strerror(error));
  }
  return good;
}

bool storage_put(struct storage *s, const uint8_t *id, int from, uint64_t size, char **err) {
  unsigned char flags = 0; /* do not overwrite */
  autofree char *bytes = xmalloc(CHUNK);
  *err = NULL;
  wait_anew(s);
  bool good = ask(s, PUT, id) && move(s, &flags, 1, true) && move(s, &size, sizeof size, true);
  for (uint64_t at = 0, n; good && at < size; at += n) {
    n = size - at < CHUNK ? size - at : CHUNK;
    errno = EIO;
    wait_anew(s);
    good = ckjit_pread_all(from, bytes, n, at) && move(s, bytes, n, true);
  }
  s->end = ckjit_seconds() + 30; /* the server stores it; no call waits for that */
  return good ? answer(s, err) || !*err : lost(s, err);
}
