/* entrycode.h - what the code in entries of the cache says of itself: what its kernels take of a
 * GPU, and which compiler made it. Thread-safe; it never reads outside a file, whatever that
 * contains. */
#ifndef CKJIT_PREBUILD_ENTRYCODE_H
#define CKJIT_PREBUILD_ENTRYCODE_H

#include "prebuild.h"
#include "core/device/resources.h"

#include <jansson.h>

/* Append to ALL the kernels of the entry FILE; none if it cannot be read. If COMPILER is not NULL,
 * *COMPILER becomes what resources_compiler says of its first code, or NULL; free() it. */
void entrycode_read(struct resources_list *all, char **compiler, const char *file);
/* The same for all entries of BLOB for the wanted architectures: the one that has all of it, and
 * those of the KERNELS, by mangled names. */
void entrycode_of_blob(struct resources_list *all, const struct request *r,
                       const struct manifest_blob *blob, const struct argv *kernels);

/* The rows of KERNEL in ALL, one for each architecture, as docs/formats.md has them. */
json_t *entrycode_json(const struct resources_list *all, const char *kernel);

#endif
