/* fresh.h - names that another machine has made, and that this one believes missing.
 *
 * Clients of a network file system remember for up to a minute that a name was missing. Here the
 * directory itself is read, which asks the server; and if it has the name, this machine is made to
 * forget what it believed. On local file systems nothing is done.
 *
 * Thread-safe. errno is kept.
 */
#ifndef CKJIT_FRESH_H
#define CKJIT_FRESH_H

#include "core/base/base.h"

#include <stdint.h>

/* PATH was not found. True: it is there after all, and will be found. */
bool fresh_file(const char *path);
/* The same for the entry of STEM with build id ID in the cache DIR. */
bool fresh_entry(const char *dir, const char *stem, const uint8_t *id);

#endif
