/* embed.h - the manifest of one library, in the two forms of docs/formats.md: the tables that are linked
 * into it, and ck_jit_manifest.json for ckjit-prebuild and for ckjit-compile's manifest mode.
 *
 * Errors end the program with a message that names the file.
 */
#ifndef CKJIT_EMBED_H
#define CKJIT_EMBED_H

#include "fragments.h"
#include "units.h"

struct embed {
  const char *dir;             /* of this library's files in the work directory */
  const char *work;            /* the work directory */
  const char *library;         /* base name */
  const char *base;            /* of names that are stored relative, "" where there is none */
  const char *root;            /* where they are found when the library is used */
  const char *compiler;        /* the real hipcc */
  struct fragments *fragments; /* gets keys and lists */
  struct argv lists;           /* of inputs, all names; set by embed_write */
  struct argv link;            /* flags_libraries of the link command */
};

/* Write ck_jit_manifest_embedded.h, the tables (EMBED_TABLES, an assembler file, and the bytes that it
 * includes) and the JSON from the forwarded blobs of U. The units must be compiled (hashes, headers_digest).
 */
#define EMBED_TABLES "ck_jit_tables.S"
void embed_write(struct embed *e, const struct units *u);

#endif
