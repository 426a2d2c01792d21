/* places.h - does every name on the way to an input stand for what it stood for, all through a
 * compile?
 *
 * The stamps of the files (inputs.h) say that they were not written to. They do not say that the
 * compiler read them: a link in their path may be turned and turned back while it runs, a
 * directory renamed, a mount come and go. So each link and each directory on the way has a stamp
 * as well:
 *
 *     a link         its inode and the time of its last change: one that is turned is another link
 *     a directory    its inode; and the time of its last change, unless it has other entries
 *                    since: a rename sets that alone
 *     a mount        whether any came or went, as the kernel says it (poll(2) of mountinfo)
 *
 * A directory that is renamed and gets or loses an entry, both while a compile runs, is not
 * seen.
 */
#ifndef CKJIT_COMPILE_PLACES_H
#define CKJIT_COMPILE_PLACES_H

#include "task.h"

struct places;

/* Records the directories that lead to T's source, to the headers and tools of its inputs and to
 * its compiler, as they are now. Returns NULL if T has no inputs. */
struct places *places_take(const struct compile_task *t);
/* Returns the first name that does not lead there any more; NULL: all of them do. Borrowed. */
const char *places_changed(const struct places *p);
/* Has nothing been mounted over it and gone again? A mount elsewhere that came and went looks
 * the same. */
bool places_mounts_same(const struct places *p);
void places_free(struct places *p);

#endif
