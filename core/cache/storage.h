/* storage.h - entries in storage of others (S3, Redis, HTTP): a client of ccache's remote storage
 * helpers.
 *
 * CK_JIT_REMOTE_STORAGE names it: a URL, and attributes of its helper as NAME=VALUE after blanks.
 * The program ccache-storage-SCHEME of PATH is the helper; it stays for a minute after the last
 * use, so that later compiles find its connections open. The protocol is version 1 of ccache's
 * "remote storage helper specification". The key of an entry is "ckjit1" and its build id.
 *
 * A server that is dead costs at most a second, from the start of its helper to its answer: then
 * nothing on this machine asks it for a minute. Each piece of a value may take another second.
 *
 * Errors: a message in *ERR, which is the caller's to free(). Thread safety: none.
 */
#ifndef CKJIT_STORAGE_H
#define CKJIT_STORAGE_H

#include "core/base/base.h"

#include <stdint.h>

enum { STORAGE_PATIENCE = 1 }; /* seconds */

struct storage {
  int fd; /* of the connection; -1: none */
  char *down;
  double end; /* of the wait for the next bytes, by ckjit_seconds() */
};

/* Connect to it, and start its helper if none runs, which has SECONDS to listen: STORAGE_PATIENCE
 * for a call that waits. False with *ERR; *ERR is NULL if the variable
 * is unset, or it did not answer within the last minute. */
bool storage_open(struct storage *s, int seconds, char **err);
void storage_close(struct storage *s);
/* Write the value of build id ID to TO, an empty file. False: there is none (*ERR is NULL), or
 * *ERR. */
bool storage_get(struct storage *s, const uint8_t *id, int to, char **err);
/* Store FROM, a file of SIZE bytes, as the value of ID, unless there is one. */
bool storage_put(struct storage *s, const uint8_t *id, int from, uint64_t size, char **err);

#endif
