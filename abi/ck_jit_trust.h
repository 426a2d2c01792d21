/* ck_jit_trust.h - could another user have written this file, or have put it where it is?
 *
 * ckjit neither executes nor loads a file that others could have written. For an open file, owner
 * and mode decide (ckjit_owner_check). For a name that was stored earlier, when a library was
 * built, every directory on the way to it decides: /tmp/ck_jit_build was the user's then, and
 * anybody may have made it anew since. So ckjit_path_check walks from the root directory to the
 * file as the kernel does, by descriptors and including symbolic links, and examines each part:
 *
 *     owner         root or the effective user; also of symbolic links
 *     permissions   no write permission for others, with two exceptions: a sticky directory such as
 *                   /tmp, where nobody else can rename or remove files of root or the user; and the
 *                   group, if it is the user's private one
 *
 * A result for all parts remains true until root or the user changes it: nobody else can exchange
 * one of them. So the name may be used after the check, by execve or open; another user cannot win
 * a race. (fexecve of the examined file would not help more, and fails for scripts and without
 * /proc.) Not covered: a user who opened the file for writing while others could write to it, and
 * the claims of a file system that another user has mounted with allow_other (FUSE).
 *
 * The private group. With a umask of 002, as on Fedora, the user's group, which has no other
 * member, can write all files that the user makes. It counts as the user if the user database says
 * that it is the user's own: primary, of the same name, without members but the user; and if the
 * file has no ACL, for which the group's permissions would be the mask. Users who share a group get
 * a message that advises chmod.
 *
 * The overflow id. An owner that a user namespace does not map appears as the overflow id
 * (/proc/sys/kernel/overflowuid, 65534). It may be root or anybody, so it is not trusted, not even
 * by a process that has this id itself. Where all ids are mapped (the initial namespace) it is an
 * ordinary id, and a user nobody owns files. fstat cannot tell the two apart; uid_map and gid_map
 * of the process can. This file has all comparisons of an owner with the user
 * (test/trust-paths.sh).
 *
 * Beside a library. A file in the directory that a library was loaded from needs only the trust
 * that the library has already, because the library's code runs: ckjit_beside_check starts at that
 * directory, and also trusts the owner of the library's file and all who may write that file.
 *
 * libc only, thread-safe. The only state is the overflow id, which is read once. ckjit_path_check
 * needs 20 KiB of stack, and queries the user database if it meets a file that its group may write.
 */
#ifndef CK_JIT_TRUST_H
#define CK_JIT_TRUST_H

#include "ck_jit_start.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Linux's bit, which glibc shows with _GNU_SOURCE only. */
#ifndef O_PATH
#define O_PATH 010000000
#endif

/* ---- open files ---- */

/* The id that stands for all ids that are not mapped, from the kernel's FILE; 65534 without /proc.
 * *KNOWN keeps it: only an administrator can change it. */
static inline unsigned ckjit_overflow_id(const char *file, unsigned *known) {
  char text[32];
  unsigned id = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!id) {
    id = ckjit_proc_text(file, text, sizeof text) ? (unsigned)strtoul(text, NULL, 10) : 0;
    id = id ? id : 65534;
    __atomic_store_n(known, id, __ATOMIC_RELAXED);
  }
  return id;
}

/* Whether the user namespace maps all ids, by MAP, which is uid_map or gid_map of the process. A
 * kernel without user namespaces has no such file. */
static inline bool ckjit_maps_all(const char *map) {
  char text[4096];
  unsigned long long all = 0, n;
  if (!ckjit_proc_text(map, text, sizeof text))
    return access("/proc/self/status", F_OK) == 0 && access(map, F_OK) != 0;
  for (const char *at = text; sscanf(at, "%*u %*u %llu", &n) == 1; at += *at == '\n') {
    all += n;
    at += strcspn(at, "\n");
  }
  return all >= UINT_MAX;
}

/* Whether UID is the owner's own number, not the one for owners that the user namespace does not
 * map. */
static inline bool ckjit_uid_is_known(uid_t uid) {
  static unsigned overflow;
  return uid != ckjit_overflow_id("/proc/sys/kernel/overflowuid", &overflow) ||
         ckjit_maps_all("/proc/self/uid_map");
}

static inline bool ckjit_gid_is_known(gid_t gid) {
  static unsigned overflow;
  return gid != ckjit_overflow_id("/proc/sys/kernel/overflowgid", &overflow) ||
         ckjit_maps_all("/proc/self/gid_map");
}

/* Whether the effective user owns the file that ST describes, and does not only appear to. */
static inline bool ckjit_is_own(const struct stat *st) {
  return st->st_uid == geteuid() && ckjit_uid_is_known(st->st_uid);
}

static inline bool ckjit_owner_is_trusted(const struct stat *st) {
  return (st->st_uid == geteuid() || st->st_uid == 0) && ckjit_uid_is_known(st->st_uid);
}

/* Why the owner of the file that ST describes is not trusted, as text that follows its name. */
static inline const char *ckjit_owner_why(const struct stat *st) {
  if (ckjit_uid_is_known(st->st_uid))
    return "belongs to another user";
  return st->st_uid == geteuid() ? "belongs to a user id that stands for every user whom this user "
                                   "namespace does not map: run "
                                   "this under another id, or in a namespace that maps all ids"
                                 : "belongs to a user whom this user namespace does not map";
}

/* NULL if no other user could have written the file that ST describes, otherwise the reason. */
static inline const char *ckjit_owner_check(const struct stat *st) {
  if (!ckjit_owner_is_trusted(st))
    return ckjit_owner_why(st);
  if (st->st_mode & (S_IWGRP | S_IWOTH))
    return "is writable by others";
  return NULL;
}

/* ---- paths ---- */

/* the part of a path that is not trusted */
struct ckjit_suspect {
  char path[PATH_MAX];
  struct stat st;
  /* the errno with which it could not be examined; 0: none */
  int error;
};

/* Start S at PATH, of which nothing is known. False: PATH is too long. */
static inline bool ckjit_suspect_start(struct ckjit_suspect *s, const char *path) {
  memset(&s->st, 0, sizeof s->st);
  s->error = 0;
  return snprintf(s->path, sizeof s->path, "%s", path) < (int)sizeof s->path;
}

/* S could not be examined, with errno ERROR. */
static inline const char *ckjit_unexamined(struct ckjit_suspect *s, int error) {
  s->error = error;
  return "cannot be examined";
}

/* Whether the group of FD's file, which ST describes, is the effective user's private one, and
 * nobody else beside the user may write to the file. */
static inline bool ckjit_group_is_private(int fd, const struct stat *st) {
  char name[64], users[2048], groups[2048];
  struct passwd pw, *user = NULL;
  struct group gr, *group = NULL;
  if (!ckjit_is_own(st) || st->st_uid == 0 || !ckjit_gid_is_known(st->st_gid))
    return false;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  if (getxattr(name, "system.posix_acl_access", NULL, 0) >= 0 ||
      (errno != ENODATA && errno != EOPNOTSUPP))
    return false;
  if (getpwuid_r(st->st_uid, &pw, users, sizeof users, &user) || !user ||
      user->pw_gid != st->st_gid)
    return false;
  if (getgrgid_r(st->st_gid, &gr, groups, sizeof groups, &group) || !group)
    return false;
  bool only = strcmp(user->pw_name, group->gr_name) == 0;
  for (char **member = group->gr_mem; only && *member; member++)
    only = strcmp(*member, user->pw_name) == 0;
  return only;
}

/* The same for a file beside LIBRARY, whose code runs already: LIBRARY's owner may own it. */
static inline bool ckjit_owner_is_trusted_as(const struct stat *st, const struct stat *library) {
  return ckjit_owner_is_trusted(st) ||
         (library && st->st_uid == library->st_uid && ckjit_uid_is_known(st->st_uid));
}

/* Whether all who may write the file that ST describes, by the BITS of its mode, may write LIBRARY
 * as well. */
static inline bool ckjit_writers_are_those_of(const struct stat *st, const struct stat *library,
                                              mode_t bits) {
  return library && library->st_mode & bits &&
         (bits == S_IWOTH || (st->st_gid == library->st_gid && ckjit_gid_is_known(st->st_gid)));
}

/* What is wrong with one part of a path, open at FD and described by ST; NULL: nothing. IN_STICKY:
 * others may make entries in its directory. LAST: the path ends with it. LIBRARY: the library
 * beside which it lies, or NULL. */
static inline const char *ckjit_part_check(int fd, const struct stat *st, bool in_sticky, bool last,
                                           const struct stat *library) {
  if (!ckjit_owner_is_trusted_as(st, library))
    return ckjit_owner_why(st);
  if (S_ISLNK(st->st_mode))
    return NULL;
  bool guarded = S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX && !last;
  if (st->st_mode & S_IWOTH && !guarded && !ckjit_writers_are_those_of(st, library, S_IWOTH))
    return "is writable by everybody";
  if (st->st_mode & S_IWGRP && !guarded && !ckjit_writers_are_those_of(st, library, S_IWGRP) &&
      !ckjit_group_is_private(fd, st))
    return "is writable by its group";
  /* It could be another user's hard link to a file of root's. */
  if (in_sticky && !S_ISDIR(st->st_mode))
    return "lies in a directory that others can write to";
  return NULL;
}

/* a walk along a path */
struct ckjit_walk {
  int dir;     /* the directory that it has reached */
  bool sticky; /* others may make entries in it */
  int links;   /* symbolic links followed so far */
  /* the library beside which it starts; NULL: it starts at the root directory */
  const struct stat *library;
  char rest[2 * PATH_MAX]; /* the path that remains to be walked */
};

/* Start W at the root directory, for REST. */
static inline const char *ckjit_walk_start(struct ckjit_walk *w, struct ckjit_suspect *s) {
  if (w->dir >= 0)
    close(w->dir);
  strcpy(s->path, "/");
  w->sticky = false;
  w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (w->dir < 0 || fstat(w->dir, &s->st))
    return ckjit_unexamined(s, errno);
  return ckjit_part_check(w->dir, &s->st, false, false, w->library);
}

/* Remove the last name from PATH. */
static inline void ckjit_walk_up(char *path) {
  char *slash = strrchr(path, '/');
  slash[slash == path] = 0;
}

/* Prepend the target of the symbolic link FD to the path that remains to be walked. */
static inline const char *ckjit_walk_link(struct ckjit_walk *w, int fd, struct ckjit_suspect *s) {
  enum { MOST_LINKS = 40 };
  char target[PATH_MAX];
  size_t rest = strlen(w->rest) + 1;
  ssize_t n = readlinkat(fd, "", target, sizeof target);
  if (n <= 0 || (size_t)n == sizeof target || (size_t)n + 1 + rest > sizeof w->rest ||
      ++w->links > MOST_LINKS)
    return "is a symbolic link that cannot be followed";
  memmove(w->rest + n + 1, w->rest, rest);
  memcpy(w->rest, target, (size_t)n);
  w->rest[n] = '/';
  if (target[0] == '/')
    return ckjit_walk_start(w, s);
  ckjit_walk_up(s->path);
  return NULL;
}

/* Move the next name of the remaining path into NAME. False: there is none. */
static inline bool ckjit_walk_next(struct ckjit_walk *w, char name[NAME_MAX + 1]) {
  const char *from = w->rest + strspn(w->rest, "/");
  size_t n = strcspn(from, "/");
  if (n > NAME_MAX) /* openat will say so */
    n = NAME_MAX;
  memcpy(name, from, n);
  name[n] = 0;
  memmove(w->rest, from + n, strlen(from + n) + 1);
  return n > 0;
}

/* Step to NAME. */
static inline const char *ckjit_walk_step(struct ckjit_walk *w, const char *name,
                                          struct ckjit_suspect *s) {
  size_t n = strlen(s->path);
  const char *why;
  bool here = strcmp(name, ".") == 0, up = strcmp(name, "..") == 0;
  if (up)
    ckjit_walk_up(s->path);
  else if (!here && snprintf(s->path + n, sizeof s->path - n, "%s%s", n > 1 ? "/" : "", name) >=
                        (int)(sizeof s->path - n))
    return ckjit_unexamined(s, ENAMETOOLONG);
  int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &s->st))
    why = ckjit_unexamined(s, errno);
  else
    why = up && w->library
              ? NULL /* on the way to the library itself */
              : ckjit_part_check(fd, &s->st, w->sticky, !w->rest[strspn(w->rest, "/")], w->library);
  if (!why && S_ISLNK(s->st.st_mode)) {
    why = ckjit_walk_link(w, fd, s);
  } else if (!why) {
    close(w->dir);
    w->dir = fd;
    w->sticky = s->st.st_mode & (S_IWGRP | S_IWOTH) && s->st.st_mode & S_ISVTX;
    return NULL;
  }
  if (fd >= 0)
    close(fd);
  return why;
}

/* Walk all of W from its start, unless WHY says what is wrong there. */
static inline const char *ckjit_walk(struct ckjit_walk *w, const char *why,
                                     struct ckjit_suspect *s) {
  char name[NAME_MAX + 1];
  while (!why && ckjit_walk_next(w, name))
    why = ckjit_walk_step(w, name, s);
  if (w->dir >= 0)
    close(w->dir);
  return why;
}

/* NULL if PATH, which is absolute, leads to a file or directory that only root and the effective
 * user can write to or exchange; otherwise what is wrong with S, as text that follows its path.
 * errno is kept. */
static inline const char *ckjit_path_check(const char *path, struct ckjit_suspect *s) {
  struct ckjit_walk w = {.dir = -1};
  int saved = errno;
  bool fits = ckjit_suspect_start(s, path);
  const char *why = path[0] != '/' ? "is not an absolute path"
                    : fits         ? NULL
                                   : ckjit_unexamined(s, ENAMETOOLONG);
  if (!why) {
    strcpy(w.rest, s->path);
    why = ckjit_walk_start(&w, s);
  }
  why = ckjit_walk(&w, why, s);
  errno = saved;
  return why;
}

/* The same for REST, relative to DIR, the directory of a file that LIBRARY describes and whose code
 * runs already. DIR itself and its parents are not examined: those who could exchange that file are
 * trusted. */
static inline const char *ckjit_beside_check(const char *dir, const char *rest,
                                             const struct stat *library, struct ckjit_suspect *s) {
  struct ckjit_walk w = {.dir = -1, .library = library};
  int saved = errno;
  bool fits = ckjit_suspect_start(s, dir) &&
              snprintf(w.rest, sizeof w.rest, "%s", rest) < (int)sizeof w.rest;
  const char *why = fits ? NULL : ckjit_unexamined(s, ENAMETOOLONG);
  if (!why && ((w.dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0 || fstat(w.dir, &s->st)))
    why = ckjit_unexamined(s, errno);
  w.sticky = s->st.st_mode & S_IWOTH && s->st.st_mode & S_ISVTX;
  why = ckjit_walk(&w, why, s);
  errno = saved;
  return why;
}

/* A message with S, WHY it is not trusted, and advice. False: it does not fit. */
static inline bool ckjit_suspect_text(char *out, size_t size, const struct ckjit_suspect *s,
                                      const char *why) {
  if (s->error) {
    char error[256];
    ckjit_error_text(error, sizeof error, s->error);
    int length = snprintf(out, size, "%s cannot be examined: %s", s->path, error);
    return length >= 0 && (size_t)length < size;
  }
  bool writable = ckjit_owner_is_trusted(&s->st) && s->st.st_mode & (S_IWGRP | S_IWOTH) &&
                  !S_ISLNK(s->st.st_mode);
  int n = snprintf(out, size,
                   "%s %s (owner %ld, mode %04o)\n"
                   "expected: it and each directory of its path owned by root or user %ld, and "
                   "writable by nobody else%s",
                   s->path, why, (long)s->st.st_uid, (unsigned)s->st.st_mode & 07777,
                   (long)geteuid(), writable ? "; chmod go-w it if it is yours" : "");
  return n >= 0 && (size_t)n < size;
}

#endif
