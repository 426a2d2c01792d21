#include "places.h"
#include "core/base/intern.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MOST = 40 }; /* as the kernel follows */

struct place {
  const char *name;
  struct stat st;
};

struct places {
  struct intern names;
  struct place *list;
  size_t n;
  /* /proc/self/mountinfo, opened before; -1: there is none */
  int mounts;
  char *mounted;
};

static void add_way(struct places *p, const char *path, int links);

/* Add what the link at NAME, whose parent is its first DIR bytes, leads over. */
static void add_target(struct places *p, const char *name, size_t dir, int links) {
  char to[PATH_MAX];
  ssize_t n = readlink(name, to, sizeof to - 1);
  if (n <= 0 || links >= LINKS_MOST)
    return;
  to[n] = 0;
  autofree char *path = *to == '/' ? xstrdup(to) : xasprintf("%.*s/%s", (int)dir, name, to);
  add_way(p, path, links + 1);
}

/* Add all that PATH leads over: its parts, and PATH itself if it is a link. */
static void add_way(struct places *p, const char *path, int links) {
  for (size_t n = 1; *path == '/'; n++) {
    size_t dir = n - 1;
    n += strcspn(path + n, "/");
    autofree char *part = xstrndup(path, n);
    struct stat st;
    size_t known = p->names.texts.n;
    bool last = !path[n];
    if (intern(&p->names, part) == known && lstat(part, &st) == 0 && !(last && !S_ISLNK(st.st_mode))) {
      vec_push(p->list, p->n, (struct place){p->names.texts.args[known], st});
      if (S_ISLNK(st.st_mode))
        add_target(p, part, dir, links);
    }
    if (last)
      return;
  }
}

static char *read_mounts(int fd) {
  struct buf b = {0};
  char piece[8192];
  buf_puts(&b, "");
  for (ssize_t n; (n = pread(fd, piece, sizeof piece, (off_t)b.len)) > 0;)
    buf_add(&b, piece, (size_t)n);
  return b.data;
}

struct places *places_take(const struct compile_task *t) {
  if (!t->inputs)
    return NULL;
  struct places *p = xcalloc(1, sizeof *p);
  p->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (p->mounts >= 0)
    p->mounted = read_mounts(p->mounts);
  add_way(p, t->source, 0);
  add_way(p, t->compiler, 0);
  for (size_t i = 0; i < t->inputs->nheaders; i++) {
    autofree char *file = task_expand(t, t->inputs->header[i].path);
    add_way(p, file, 0);
  }
  for (size_t i = 0; i < t->inputs->ntools; i++)
    add_way(p, t->inputs->tools[i].path, 0);
  return p;
}

static bool same_time(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same(const struct place *p) {
  struct stat now;
  const struct stat *was = &p->st;
  if (lstat(p->name, &now) || now.st_ino != was->st_ino || now.st_dev != was->st_dev ||
      (now.st_mode & S_IFMT) != (was->st_mode & S_IFMT))
    return false;
  return same_time(&now.st_ctim, &was->st_ctim) ||
         (S_ISDIR(now.st_mode) && !same_time(&now.st_mtim, &was->st_mtim));
}

const char *places_changed(const struct places *p) {
  for (size_t i = 0; p && i < p->n; i++)
    if (!is_same(&p->list[i]))
      return p->list[i].name;
  return NULL;
}

/* A mount that came and stayed, or went for good, has changed the meaning of the names, and their
 * stamps with it. A mount that came and went has left the list unchanged. */
bool places_mounts_same(const struct places *p) {
  if (!p || p->mounts < 0)
    return true;
  struct pollfd change = {.fd = p->mounts, .events = POLLPRI};
  if (poll(&change, 1, 0) != 1 || !(change.revents & (POLLPRI | POLLERR)))
    return true;
  autofree char *now = read_mounts(p->mounts);
  return strcmp(now, p->mounted) != 0;
}

void places_free(struct places *p) {
  if (!p)
    return;
  if (p->mounts >= 0)
    close(p->mounts);
  free(p->mounted);
  free(p->list);
  intern_free(&p->names);
  free(p);
}
