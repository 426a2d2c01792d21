/* json.h - `list --json`: all that is known of each kernel, one JSON object a line (docs/formats.md).
 *
 * Functions end the program with a message if they cannot do what they say. Thread safety: for the main thread.
 */
#ifndef CKJIT_PREBUILD_JSON_H
#define CKJIT_PREBUILD_JSON_H

#include "prebuild.h"

/* print a line for each of N blobs; for a name that means none */
void json_list_blobs(const struct request *r, const struct manifest_blob *const *blobs, size_t n);
void json_list_unknown(const char *name);

#endif
