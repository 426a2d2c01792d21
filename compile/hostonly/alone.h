/* alone.h - the functions of a HIP blob that launch nothing, without its kernels.
 *
 * Whoever calls get_name_ or ws_host_size_ of CK's blobs needs the host pass, a second, and not the device's, which takes a minute. The runtime
 * says for which function a blob is compiled (--function). When the host pass is done, its object shows which functions are of the host alone
 * (functions.h). If the one that is called is among them the device pass is ended, and they become an entry:
 *
 *     <cache>/.host/<stem>.so     the host's object, of which these functions can be called, and no other
 *
 * All other functions come from the blob's own entry, and so may these, in another process or later in the same one: they touch nothing that can be
 * written and reach no kernel, so that there may be two of them. If the function is not among them the compile goes on, and nothing
 * is different.
 *
 * The step begins behind the host pass and costs what it takes to look at an object, unless there is something to link.
 *
 * Device-pass work done up to that point (about the length of the host pass) is wasted. A function that is given nothing but numbers hardly launches: the runtime
 * says so (--likely). Then a host pass for this entry comes first, of a text without what is given a stream (lean.h), and all else behind it, unless
 * there is no precompiled header yet. If the function launches after all it waits that much longer.
 */
#ifndef CKJIT_COMPILE_HOSTONLY_ALONE_H
#define CKJIT_COMPILE_HOSTONLY_ALONE_H

#include "compile/plan.h"

/* whether the entry with the function that T is compiled for is in the cache */
bool hostonly_is_there(const struct compile_task *t);
/* whether T's compile may make one: it is the library's own build, of passes side by side */
bool hostonly_may_do(const struct compile_task *t);
/* T's inputs differ from the library's. Remove the cached entry: it was built from different source. */
void hostonly_outdate(const struct compile_task *t);

/* the functions of one compile */
struct hostalone {
  const struct compile_task *t;
  char *object, *depfile; /* of the host pass that it is made of; depfile may be NULL */
  bool lean;              /* … without what is given a stream */
  char *copy, *exports, *file;
};

/* Add the step that makes them to PLAN, of T in TEMPORARY. An attempt: none may be added. S and what it borrows, of the plan as well, live
 * as long as the plan. hostalone_free in any case. */
void hostalone_plan(struct hostalone *s, struct plan *plan, const struct compile_task *t,
                    const char *temporary);
void hostalone_free(struct hostalone *s);

#endif
