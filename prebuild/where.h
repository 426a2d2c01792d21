/* where.h - where the manifest and the sources of the library are. */
#ifndef CKJIT_PREBUILD_WHERE_H
#define CKJIT_PREBUILD_WHERE_H

#include "prebuild.h"

#define MANIFEST_NAME "ck_jit_manifest.json"

/* --manifest, CK_JIT_MANIFEST, or the manifest of the install that this program lies in: beside it or one level up.
 * free() it. NULL: none is named, and none lies there. */
char *where_manifest(const struct request *r);
/* The directory that {root} stands for in M; free() it. */
char *where_root(const struct request *r, const struct manifest *m);

#endif
