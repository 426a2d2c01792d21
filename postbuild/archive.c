/* archive.c - see archive.h.
 *
 * `ar r` would go by names, and an archive may have several members of one name: CMake's OBJECT
 * libraries put a/util.o and b/util.o there. So the members are copied one by one, and ranlib makes
 * the index anew.
 */
#include "archive.h"

#include "core/base/ar.h"
#include "core/base/elf.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <fcntl.h>
#include <sys/stat.h>

struct exchange {
  const char *file;
  struct ar ar;
  archive_other *other;
  void *user;
  /* the archive with the exchanged members */
  struct buf out;
  size_t exchanged;
};

void archive_tool(const struct argv *args) {
  struct job job = {.args = args->args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.output.len)
    fwrite(job.output.data, 1, job.output.len, stderr);
  autofree char *text = argv_join(args->args);
  if (job.status)
    die(EXIT_FAILED, "%s ended with status %d\ncommand: %s", args->args[0], job.status, text);
  buf_free(&job.output);
}

void archive_replace(const char *file, const char *from) {
  struct stat st;
  bool known = stat(file, &st) == 0;
  autofree char *tmp = path_beside(file, ".ckjit-tmp");
  bool done = file_copy(from, tmp) && rename(tmp, file) == 0;
  if (!done)
    die(EXIT_FAILED, "%s: cannot be replaced by what it stands for: %s", file, strerror(errno));
  if (known)
    utimensat(AT_FDCWD, file, (struct timespec[]){st.st_atim, st.st_mtim}, 0);
}

/* Exchange the file of member M of a thin archive. */
static void exchange_file(struct exchange *x, const struct ar_member *m) {
  size_t n;
  autofree char *file = ar_member_file(x->file, m), *bytes = file_read(file, &n),
                *other = bytes && elf_magic(bytes, n) ? x->other(bytes, n, x->user) : NULL;
  if (other)
    archive_replace(file, other);
  x->exchanged += other != NULL;
}

/* Append M, whose content is the N BYTES, or another object in its place. BSD's form has the name
 * before the object. */
static void copy_member(struct exchange *x, const struct ar_member *m, const char *bytes, size_t n) {
  const char *begin = (const char *)(m->head + 1);
  size_t name = m->data ? (size_t)(m->data - begin) : 0, len;
  autofree char *other = x->other && elf_magic(bytes, n) ? x->other(bytes, n, x->user) : NULL,
                *content = other ? file_read(other, &len) : NULL;
  char size[sizeof m->head->ar_size + 1];
  if (other && !content)
    die(EXIT_FAILED, "%s: cannot read: %s", other, strerror(errno));
  struct ar_hdr h = *m->head;
  /* The file of a thin archive's member may have been written again since. */
  if (snprintf(size, sizeof size, "%-10zu", name + (content ? len : n)) == (int)sizeof h.ar_size)
    memcpy(h.ar_size, size, sizeof h.ar_size);
  buf_add(&x->out, &h, sizeof h);
  buf_add(&x->out, begin, name);
  buf_add(&x->out, content ? content : bytes, content ? len : n);
  if (x->out.len & 1)
    buf_putc(&x->out, '\n');
  x->exchanged += content != NULL;
}

/* Append a member of a thin archive to a copy, which is not thin: its parts may be elsewhere. */
static void copy_file(struct exchange *x, const struct ar_member *m) {
  size_t n;
  autofree char *file = ar_member_file(x->file, m), *bytes = file_read(file, &n);
  if (!bytes)
    die(EXIT_FAILED, "%s: its member %s: cannot read: %s", x->file, file, strerror(errno));
  copy_member(x, m, bytes, n);
}

/* Append the table of long names, once it was read: the members' headers refer to it. */
static void copy_names(struct exchange *x) {
  if (!x->ar.names || x->out.len != SARMAG)
    return;
  const struct ar_member table = {.head = (const struct ar_hdr *)x->ar.names - 1};
  copy_member(x, &table, x->ar.names, x->ar.names_len);
}

/* Exchange the members of X's file: those of a thin archive where they are, unless COPY. */
static void exchange(struct exchange *x, bool copy) {
  struct ar_member m;
  size_t n;
  autofree char *bytes = file_read(x->file, &n);
  char *err = NULL;
  if (!bytes || !ar_open(&x->ar, bytes, n))
    die(EXIT_FAILED, "%s: expected an archive; build it again", x->file);
  buf_add(&x->out, ARMAG, SARMAG);
  while (ar_next(&x->ar, &m, &err)) {
    copy_names(x);
    if (!x->ar.thin)
      copy_member(x, &m, m.data, m.size);
    else if (copy)
      copy_file(x, &m);
    else
      exchange_file(x, &m);
  }
  if (err)
    die(EXIT_FAILED, "%s: %s; build it again", x->file, err);
}

static void write_archive(const struct exchange *x, const char *to, mode_t mode) {
  if (!file_write(to, x->out.data, x->out.len, mode))
    die(EXIT_FAILED, "%s: cannot write: %s", to, strerror(errno));
}

static void make_index(const char *file) {
  autofree_argv ranlib = {0};
  argv_add(&ranlib, "ranlib");
  argv_add(&ranlib, file);
  archive_tool(&ranlib);
}

/* The index of a thin archive is of files that are named from where it is, so the file itself is
 * changed. The archive keeps its time. */
size_t archive_exchange(const char *file, const char *work, archive_other *other, void *user) {
  struct exchange x = {.file = file, .other = other, .user = user};
  struct stat st;
  bool known = stat(file, &st) == 0;
  exchange(&x, false);
  if (x.exchanged && x.ar.thin) {
    make_index(file);
    if (known)
      utimensat(AT_FDCWD, file, (struct timespec[]){st.st_atim, st.st_mtim}, 0);
  } else if (x.exchanged) {
    write_archive(&x, work, known ? st.st_mode & 0777 : 0666);
    make_index(work);
    archive_replace(file, work);
  }
  buf_free(&x.out);
  return x.exchanged;
}

size_t archive_copy(const char *file, const char *to, archive_other *other, void *user) {
  struct exchange x = {.file = file, .other = other, .user = user};
  exchange(&x, true);
  if (x.exchanged || !other) {
    write_archive(&x, to, 0666);
    make_index(to);
  }
  buf_free(&x.out);
  return x.exchanged;
}
