/* ar.h - reads the members of an `ar` archive in memory: GNU's and BSD's form, thin or with
 * contents.
 *
 * Nothing is copied: names and contents point into the caller's bytes, which must outlive the
 * reader. No input makes it read outside of them. The symbol index and the table of long names are
 * not members. Thread safety: no shared state.
 */
#ifndef CKJIT_AR_H
#define CKJIT_AR_H

#include "base.h"

#include <ar.h>

struct ar {
  const char *bytes;
  size_t size, at; /* at: the next header */
  bool thin;       /* the members are separate files */
  /* the table of long names, after its header; NULL: not seen yet */
  const char *names;
  size_t names_len;
};

struct ar_member {
  const struct ar_hdr *head;
  const char *name;
  size_t name_len;
  /* The content; NULL in a thin archive. BSD's form has the name between header and content. */
  const char *data;
  size_t size;
};

/* Start at the first of SIZE BYTES. False: they do not begin like an archive; 8 of them are
 * enough. */
bool ar_open(struct ar *a, const void *bytes, size_t size);
/* Get the next member. False at the end, and if the archive is damaged: *ERR then names the member;
 * free() it. *ERR is otherwise NULL, and ERR may be. */
bool ar_next(struct ar *a, struct ar_member *m, char **err);
/* The file of member M of the thin archive FILE, which names it relative to its own directory.
 * free() it. */
char *ar_member_file(const char *file, const struct ar_member *m);

#endif
