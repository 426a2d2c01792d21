/* alone.h - the functions of a HIP blob that launch nothing, without its kernels.
 *
 * A call of get_name_ or ws_host_size_ of CK's blobs needs the host pass, which takes a second, and
 * not the device pass, which takes a minute. The runtime says for which function a blob is compiled
 * (--function). When the host pass is done, its object shows which functions are host-only
 * (functions.h). If the called function is one of them, the device pass is ended, and these
 * functions become an entry:
 *
 *     <cache>/.host/<stem>.so     the host's object, in which only these functions can be called
 *
 * All other functions come from the blob's main entry, and so may these, in another process or
 * later in the same one: they touch nothing that can be written and reach no kernel, so two copies
 * of them do no harm. If the called function is not one of them, the compile continues unchanged.
 *
 * The step begins after the host pass; its cost is that of examining an object, unless there is
 * something to link.
 *
 * The device pass's work up to that point (about as long as the host pass) is wasted. A function
 * that takes only numbers rarely launches; the runtime says so (--likely). Then a host pass for
 * this entry comes first, of a text without the functions that take a stream (lean.h), and all
 * other work after it, unless there is no precompiled header yet. If the function launches after
 * all, it waits that much longer.
 */
#ifndef CKJIT_COMPILE_HOSTONLY_ALONE_H
#define CKJIT_COMPILE_HOSTONLY_ALONE_H

#include "compile/plan.h"

/* whether the entry with the function that T is compiled for is in the cache */
bool hostonly_is_there(const struct compile_task *t);
/* whether T's compile may make one: it is the library's own build, of passes side by side */
bool hostonly_may_do(const struct compile_task *t);
/* T's inputs differ from the library's. Remove the cached entry: it was built from different
 * source. */
void hostonly_outdate(const struct compile_task *t);

/* the functions of one compile */
struct hostalone {
  const struct compile_task *t;
  /* of the host pass that it is made of; depfile may be NULL */
  char *object, *depfile;
  bool lean; /* … without what is given a stream */
  char *copy, *exports, *file;
};

/* Add the step that makes them to PLAN, of T in TEMPORARY. An attempt: none may be added. S and
 * what it borrows, of the plan as well, live as long as the plan. hostalone_free in any case. */
void hostalone_plan(struct hostalone *s, struct plan *plan, const struct compile_task *t,
                    const char *temporary);
void hostalone_free(struct hostalone *s);

#endif
