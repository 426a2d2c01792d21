/* embed.h - the manifest of one library in the two forms of docs/formats.md: the tables that are
 * linked into it, and ck_jit_manifest.json for ckjit-prebuild and for ckjit-compile's manifest
 * mode.
 *
 * Errors end the program with a message that names the file.
 */
#ifndef CKJIT_EMBED_H
#define CKJIT_EMBED_H

#include "fragments.h"
#include "lazyunits.h"
#include "tools.h"
#include "units.h"

#include "abi/ck_jit_machine.h"
#include "core/files/manifest.h"

struct embed {
  /* of this library's files in the work directory */
  const char *dir;
  struct tools *tools; /* of the compilers */
  const char *library; /* base name */
  /* directories below which names are stored relative */
  const struct argv *bases;
  /* the directory where they are found when the library is used */
  const char *root;
  const char *compiler; /* the real hipcc */
  const struct compiler *compiler_kind;
  struct fragments *fragments; /* gets keys and lists */
  const struct lazy_units *lazy;
  const struct ckjit_machine *machine; /* of the library */
  struct argv link;                    /* linklibs_read of the link command */
  bool bundle;                         /* the library carries ROOT with it */
  /* names of the lists of inputs that were written; start with {0} */
  struct argv lists;
};

/* the objects with the tables and with a bundle, in dir */
#define EMBED_TABLES "objs/ck_jit_tables.o"
#define EMBED_BUNDLE "objs/ck_jit_bundle.o"
/* manifest.c: the manifest of the forwarded blobs of U; manifest_free it. Writes the lists of
 * inputs, and sets keys and lists of the fragments. */
struct manifest *embed_manifest(struct embed *e, const struct units *u);

#endif
