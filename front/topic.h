/* topic.h - prints docs/troubleshooting.md by topics: `ckjit help TOPIC`, for messages that end
 * with [ckjit help TOPIC].
 *
 * A topic is an anchor of the page, <a id="TOPIC"></a> on a separate line; its part ends before the
 * next anchor, or the next heading of chapters. The page is within the program, so it has the
 * program's version. Thread safety: constants.
 */
#ifndef CKJIT_FRONT_TOPIC_H
#define CKJIT_FRONT_TOPIC_H

#include "core/base/argv.h"

/* Append the names of all topics, in the order of the page. */
void topic_names(struct argv *names);
/* Print the part of TOPIC; false: there is no such topic. */
bool topic_print(const char *topic);

#endif
