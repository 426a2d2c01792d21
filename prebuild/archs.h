/* archs.h - which entries of a blob are wanted: one for each list of architectures that a library
 * looks up.
 *
 * Functions end the program with a message if they cannot do their task. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_PREBUILD_ARCHS_H
#define CKJIT_PREBUILD_ARCHS_H

#include "prebuild.h"

/* Check the words of --arch, if it was given. */
void archs_check_option(const struct request *r);

/* Set r->archs: for each group of the manifest the lists that its blobs are wanted for. That is
 * one, if --arch, CK_JIT_ARCH or this machine's GPUs decide it; else one for each kind of GPU that
 * the library was built for. */
void archs_choose(struct request *r);
/* Set r->archs to all lists that entries may have been made for: on this machine, on another with a
 * GPU that the library was built for, or for all of these at once. With --arch, to that list. */
void archs_choose_any(struct request *r);
/* Are the architectures MADE, those of an entry, what a user's LIST means? */
bool archs_mean(const char *list, const char *made);
/* For `build`: print the choice, if it may surprise the user. Dies if no choice is possible. */
void archs_tell(const struct request *r);

#endif
