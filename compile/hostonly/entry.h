/* entry.h - the functions of a HIP blob that launch nothing, without its kernels.
 *
 * CK's blobs have functions such as get_name_ and ws_host_size_, and its newest dispatcher asks them of every row of its
 * table. Whoever calls one needs the host pass, a second, and not the device's, which takes a minute. So when a first
 * call says which function it is for, and the host's object shows that this one is of the host alone (functions.h), the
 * device pass is ended, and the entry is of such functions only:
 *
 *     <cache>/.host/<stem>.so     no kernel, no constructor, nothing that can be written, no call of HIP's but questions about devices
 *
 * Such functions may be in two places at once: in there, and in the blob's entry as a whole, which is made, as if nothing
 * had happened, when a function is called that is not of the host alone. The runtime's side of it is
 * runtime/ck_jit_host.c.
 *
 * Only for a build that is the library's own, and for passes side by side; all others are compiled whole.
 */
#ifndef CKJIT_COMPILE_HOSTONLY_ENTRY_H
#define CKJIT_COMPILE_HOSTONLY_ENTRY_H

#include "compile/plan.h"

/* whether the function that T is compiled for is in an entry of the host alone, in the cache */
bool hostonly_is_there(const struct compile_task *t);
/* whether T's compile may end with such an entry */
bool hostonly_may_do(const struct compile_task *t);

/* Tell whoever waits for T's function that it is compiled as a whole, the first time that it is known. */
void hostonly_tell_not(const struct compile_task *t);

/* The host pass of T has made OBJECT: is the function of the host alone? */
bool hostonly_suffices(const struct compile_task *t, const char *object);
/* Make the file of hostonly_file() in TEMPORARY: OBJECT, linked as LINK, the blob's, says. OBJECT is changed. False with
 * *WHY (plan.h). */
bool hostonly_link(const struct compile_task *t, const char *temporary, const char *object,
                   const struct step *link, const struct argv *env, int log, const char **why);
/* free() it */
char *hostonly_file(const char *temporary);
/* Give FILE, of hostonly_link, its name in the cache, if what its compile ran and read is what the key was made from.
 * Errors as in compile/task.h. */
bool hostonly_keep(const struct compile_task *t, const char *file, char **err);

#endif
