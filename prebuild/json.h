/* json.h - `list --json`: all facts about each kernel, one JSON object per line (docs/formats.md).
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_JSON_H
#define CKJIT_PREBUILD_JSON_H

#include "prebuild.h"

/* Print a line for each of N blobs, or for a name that matches no blob. */
void json_list_blobs(struct request *r, const struct manifest_blob *const *blobs, size_t n);
void json_list_unknown(const char *name);

#endif
