/* from_manifest.h - manifest mode: a task out of a ck_jit_manifest.json.
 *
 * Errors as in task.h.
 */
#ifndef CKJIT_COMPILE_FROM_MANIFEST_H
#define CKJIT_COMPILE_FROM_MANIFEST_H

#include "task.h"

/* what the manifest says beyond what goes into the task at once; start with {0} */
struct manifest_facts {
  struct buf archs; /* of the blob's group, a ';' list; buf_free it */
  uint8_t key[CKJIT_KEY_SIZE];
  bool has_key;
  char *compiler; /* free() it */
  const struct compiler *compiler_kind;
};

/* Fill in T's names and flags of the blob that O names, and FACTS. */
bool task_from_manifest(struct compile_task *t, const struct compile_options *o, struct manifest_facts *facts,
                        char **err);

#endif
