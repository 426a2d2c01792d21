/* pch.h - the precompiled header of one pass, in the cache.
 *
 * The order of calls: find; for those that are not there claim, in the order of their keys; of
 * those that are ours the command, run it, keep; free.
 */
#ifndef CKJIT_COMPILE_PCH_H
#define CKJIT_COMPILE_PCH_H

#include "head.h"
#include "plan.h"

#include <blake2.h>
#include <sys/stat.h>

/* bytes of what can be a header that was precompiled, and its list */
#define PCH_FILE_MOST ((uint64_t)16 << 30)

enum pch_state {
  PCH_NONE, /* cannot be had */
  /* there and current: file is its name */
  PCH_READY,
  /* to be made, by us: the lock is held */
  PCH_OURS,
};

struct pch {
  enum pch_state state;
  size_t head_bytes; /* of the source that it stands for */
  /* <cache>/.pch; the precompiled header */
  char *dir, *file;
  /* what it is made of; what it depends on */
  char *header, *list, *lock_path;
  /* in the temporary directory, if it is ours; before: see pch_before */
  char *made, *depfile, *before;
  char hex[CKJIT_BUILD_ID_HEX_SIZE]; /* its key */
  struct argv include_dirs;          /* all that are searched … */
  struct argv own_dirs;              /* … and those of -I */
  struct argv reads;                 /* files that options name: overlays, profiles */
  /* the command that says what making it will read */
  struct argv preprocess;
  const struct argv *env; /* for it; borrowed */
  double patience;        /* of the task */
  int lock;
};

/* Work out the name of the precompiled header of PASS and HEAD in the cache of T, and look whether
 * it is there. PCH_OURS is not among the answers. */
void pch_find(struct pch *p, const struct compile_task *t, const struct step *pass, const struct head *head);
/* If the header does not exist: gets the lock and with it PCH_OURS, or waits for the process that
 * has it. */
void pch_claim(struct pch *p);
/* The command that makes it, from that of PASS, into TEMPORARY, with the environment ENV. False if
 * it cannot be made. */
bool pch_command(struct pch *p, struct argv *command, const struct step *pass, const struct head *head,
                 const struct argv *env, const char *temporary);
/* Called in the child's process before the command (struct child), with the pch as DATA: records
 * the state of all headers that will be read. */
int pch_before(void *data);
/* The command has ended, DATA being the pch: give the precompiled header its name if it SUCCEEDED,
 * and release the lock. */
void pch_keep(void *data, bool succeeded);
void pch_free(struct pch *p);

/* ---- what those of lazy units share (compile/unit/header.h) ---- */

#define PCH_OF_UNIT ".unit.pch" /* what their names end with */

/* Add TEXT, with its NUL, to the hash of a key. */
void pch_hash_text(blake2b_state *h, const char *text);
/* Take the lock PATH for a header, as wait_for_lock; whoever waits is told of that. */
bool pch_take_lock(int *lock, const char *path, double patience, bool *waited);
/* Is FILE what has SIZE and HASH, and could nobody else have written it? */
bool pch_is_file(const char *file, long long size, uint64_t hash);
/* Write FILE through to the disk, and read what it is. */
bool pch_sync_file(const char *file, long long *size, uint64_t *hash);
/* If DIR has MOST or more whose names end with END, ".pch" or PCH_OF_UNIT, remove the least
 * recently used one. */
void pch_make_room(const char *dir, const char *end, size_t most);
/* Is there room for one on the disk? */
bool pch_has_room(const char *dir);

#endif
