/* archive.c - see archive.h.
 *
 * `ar r` would go by names, and an archive may have several members of one name: CMake's OBJECT libraries put a/util.o and b/util.o there. So the
 * members are copied one by one, and ranlib makes the index anew.
 */
#include "archive.h"

#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char thin_magic[] = "!<thin>\n";

struct archive {
  const char *file;
  bool thin;
  const char *bytes;
  size_t n, at; /* at: of the member's header */
  struct ar_hdr h;
  const char *names; /* the table of long names; NULL: not seen yet */
  size_t names_len;
  const char *
      to; /* where the changed archive is written; NULL: the members of a thin one are exchanged where they are */
  archive_other *other;
  void *user;
  struct buf out;
  size_t exchanged;
};

void archive_tool(const struct argv *args) {
  struct job job = {.args = args->args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.output.len)
    fwrite(job.output.data, 1, job.output.len, stderr);
  char *text = argv_join(args->args);
  if (job.status)
    die(EXIT_FAILED, "%s ended with status %d\ncommand: %s", args->args[0], job.status, text);
  buf_free(&job.output);
  free(text);
}

void archive_replace(const char *file, const char *from) {
  struct stat st;
  bool known = stat(file, &st) == 0;
  char *tmp = path_beside(file, ".ckjit-tmp");
  bool done = file_copy(from, tmp) && rename(tmp, file) == 0;
  if (!done)
    die(EXIT_FAILED, "%s: cannot be replaced by what it stands for: %s", file, strerror(errno));
  if (known)
    utimensat(AT_FDCWD, file, (struct timespec[]){st.st_atim, st.st_mtim}, 0);
  free(tmp);
}

static _Noreturn void damaged(const struct archive *a) {
  die(EXIT_FAILED, "%s: the archive is damaged, or of a form that is not known; build it again", a->file);
}

static bool is_table(const struct archive *a, const char *name) {
  size_t n = strlen(name);
  return memcmp(a->h.ar_name, name, n) == 0 && (n == sizeof a->h.ar_name || a->h.ar_name[n] == ' ');
}

static bool is_index(const struct archive *a) {
  return is_table(a, "/") || is_table(a, "/SYM64/") || memcmp(a->h.ar_name, "__.SYMDEF", 9) == 0;
}

/* ---- a thin archive ---- */

/* The file of the member; free() it. */
static char *thin_file(const struct archive *a) {
  size_t at = strtoul(a->h.ar_name + 1, NULL, 10);
  bool is_long = a->h.ar_name[0] == '/';
  const char *name = is_long ? a->names + at : a->h.ar_name;
  size_t room = is_long ? a->names_len : sizeof a->h.ar_name;
  if (is_long && (!a->names || at >= a->names_len))
    damaged(a);
  room -= is_long ? at : 0;
  const char *end = is_long ? memmem(name, room, "/\n", 2) : memchr(name, '/', room);
  if (!end)
    damaged(a);
  char *dir = path_dir(a->file), *relative = xstrndup(name, (size_t)(end - name)),
       *file = path_join(dir, relative);
  free(dir);
  free(relative);
  return file;
}

static void exchange_file(struct archive *a) {
  size_t n;
  char *file = thin_file(a), *bytes = file_read(file, &n),
       *other = bytes && elf_magic(bytes, n) ? a->other(bytes, n, a->user) : NULL;
  if (other)
    archive_replace(file, other);
  a->exchanged += other != NULL;
  free(other);
  free(bytes);
  free(file);
}

/* ---- one with contents ---- */

/* The member's content, N bytes from P, or another in its place. BSD's `#1/LEN` has the name in front of the object. */
static void copy_member(struct archive *a, const char *p, size_t n) {
  size_t name = memcmp(a->h.ar_name, "#1/", 3) == 0 ? strtoul(a->h.ar_name + 3, NULL, 10) : 0, len = 0;
  if (name > n)
    damaged(a);
  char *other = elf_magic(p + name, n - name) ? a->other(p + name, n - name, a->user) : NULL,
       *bytes = other ? file_read(other, &len) : NULL, size[sizeof a->h.ar_size + 1];
  if (other && !bytes)
    die(EXIT_FAILED, "%s: cannot read: %s", other, strerror(errno));
  struct ar_hdr h = a->h;
  /* the file of a thin archive's member may have been written again since */
  if (snprintf(size, sizeof size, "%-10zu", bytes ? name + len : n) == (int)sizeof h.ar_size)
    memcpy(h.ar_size, size, sizeof h.ar_size);
  buf_add(&a->out, &h, sizeof h);
  buf_add(&a->out, p, bytes ? name : n);
  if (bytes)
    buf_add(&a->out, bytes, len);
  if (a->out.len & 1)
    buf_putc(&a->out, '\n');
  a->exchanged += bytes != NULL;
  free(bytes);
  free(other);
}

/* ---- either ---- */

/* A member of a thin archive, for a copy, which is not thin: its parts may be elsewhere. */
static void copy_file(struct archive *a) {
  size_t n;
  char *file = thin_file(a), *bytes = file_read(file, &n);
  if (!bytes)
    die(EXIT_FAILED, "%s: its member %s: cannot read: %s", a->file, file, strerror(errno));
  copy_member(a, bytes, n);
  free(bytes);
  free(file);
}

/* The next member. */
static void take_member(struct archive *a) {
  if (a->n - a->at < sizeof a->h)
    damaged(a);
  memcpy(&a->h, a->bytes + a->at, sizeof a->h);
  size_t size = strtoul(a->h.ar_size, NULL, 10), at = a->at + sizeof a->h;
  bool names = is_table(a, "//"), index = is_index(a), outside = a->thin && !names && !index;
  if (memcmp(a->h.ar_fmag, ARFMAG, 2) != 0 || (!outside && size > a->n - at))
    damaged(a);
  if (names) {
    a->names = a->bytes + at;
    a->names_len = size;
  }
  if (outside && a->to) {
    copy_file(a);
  } else if (outside) {
    exchange_file(a);
  } else if (!index) {
    copy_member(a, a->bytes + at, size);
  }
  a->at = at + (outside ? 0 : size + (size & 1));
}

static void write_copy(const struct archive *a) {
  struct argv ranlib = {0};
  argv_add(&ranlib, "ranlib");
  argv_add(&ranlib, a->to);
  if (!file_write(a->to, a->out.data, a->out.len, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", a->to, strerror(errno));
  archive_tool(&ranlib);
  argv_free(&ranlib);
}

/* Write A, with an index; it keeps its time. The index of a thin archive is of files that are named from where it is, so the file itself is copied and changed. */
static void write_archive(const struct archive *a, const char *work) {
  struct argv ranlib = {0};
  struct stat st;
  bool known = stat(a->file, &st) == 0;
  argv_add(&ranlib, "ranlib");
  argv_add(&ranlib, a->thin ? a->file : work);
  if (!a->thin && !file_write(work, a->out.data, a->out.len, known ? st.st_mode & 0777 : 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", work, strerror(errno));
  archive_tool(&ranlib);
  if (!a->thin)
    archive_replace(a->file, work);
  else if (known)
    utimensat(AT_FDCWD, a->file, (struct timespec[]){st.st_atim, st.st_mtim}, 0);
  argv_free(&ranlib);
}

/* Read A's file, and exchange its members. */
static void exchange(struct archive *a) {
  a->bytes = file_read(a->file, &a->n);
  a->thin = a->bytes && a->n >= SARMAG && memcmp(a->bytes, thin_magic, SARMAG) == 0;
  if (!a->bytes || a->n < SARMAG || (!a->thin && memcmp(a->bytes, ARMAG, SARMAG) != 0))
    damaged(a);
  buf_add(&a->out, ARMAG, SARMAG);
  for (a->at = SARMAG; a->at < a->n && !(a->n - a->at == 1 && a->bytes[a->at] == '\n');)
    take_member(a);
}

static void close_archive(struct archive *a) {
  buf_free(&a->out);
  free((char *)a->bytes);
}

size_t archive_exchange(const char *file, const char *work, archive_other *other, void *user) {
  struct archive a = {.file = file, .other = other, .user = user};
  exchange(&a);
  if (a.exchanged)
    write_archive(&a, work);
  close_archive(&a);
  return a.exchanged;
}

size_t archive_copy(const char *file, const char *to, archive_other *other, void *user) {
  struct archive a = {.file = file, .to = to, .other = other, .user = user};
  exchange(&a);
  if (a.exchanged)
    write_copy(&a);
  close_archive(&a);
  return a.exchanged;
}
