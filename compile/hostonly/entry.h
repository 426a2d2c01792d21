/* entry.h - the host's side of a HIP blob, whose code object comes when it is needed.
 *
 * CK's blobs have functions such as get_name_ and ws_host_size_, and its newest dispatcher asks them of every row of its
 * table. Whoever calls one needs the host pass, a second, and not the device's, which takes a minute. So when a first
 * call says which function it is for (--function), the host's side is an entry of its own, made as soon as the host pass is done:
 *
 *     <cache>/.host/<stem>.so     the blob's host code, with runtime/ck_jit_hip_side.c in place of HIP's registrations
 *
 * The call gets that, and goes on. If the host's object shows that the function is of the host alone (functions.h), the device pass is
 * ended. If not, it goes on, in a process that nobody waits for (handover.h), and makes the whole entry, as if nothing had happened.
 * The first launch, or whatever else of HIP the host code calls, takes the code object out of that, waits for it, or has it
 * compiled (runtime/ck_jit_host.c).
 *
 * Both entries are made only if they are of the very inputs that the library was linked with, so they are of one text, whoever makes them,
 * and when.
 *
 * Only for a build that is the library's own, and for passes side by side; all others are compiled whole.
 */
#ifndef CKJIT_COMPILE_HOSTONLY_ENTRY_H
#define CKJIT_COMPILE_HOSTONLY_ENTRY_H

#include "functions.h"
#include "compile/plan.h"

/* the host's side of one compile */
struct hostside {
  const struct compile_task *t;
  const char *temporary, *object; /* the host pass's */
  const char *depfile;            /* the same; may be NULL */
  char *source, *calls, *options, *shim, *file;
};

/* whether the host's side with the function that T is compiled for is in the cache */
bool hostonly_is_there(const struct compile_task *t);
/* whether T's compile may make one */
bool hostonly_may_do(const struct compile_task *t);

/* Tell whoever waits for T's function that it needs the kernels, the first time that it is known. */
void hostonly_tell_not(const struct compile_task *t);

/* whether the function whose name has the hash FUNCTION is one of H's */
bool hostonly_has(const struct hostonly *h, uint64_t function);
/* Append to WORDS those of LINK, T's, with INSTEAD in the place of OBJECT, another OUTPUT and the build id of what is made. False: it is no link
 * that is known. */
bool hostonly_link(struct argv *words, const struct compile_task *t, const struct argv *link,
                   const char *object, const struct argv *instead, const char *output);
/* Add to PLAN the step that links WORDS, which it takes, behind the steps AFTER; PREPARE as in a step, SUFFICES as in a plan, both with DATA. Its
 * number. */
size_t hostonly_add_link(struct plan *plan, struct argv words, uint64_t after, int (*prepare)(void *data),
                         bool (*suffices)(void *data, bool left), void *data);
/* Give FILE its name in the cache, if it is of T's inputs, by DEPFILE, the host pass's (may be NULL), as well. */
bool hostonly_keep(const struct compile_task *t, const char *file, const char *depfile);
/* T's inputs differ from the library's. Remove cached host-side entries: they were built from different source. */
void hostonly_outdate(const struct compile_task *t);

/* Add the steps that make the host's side to PLAN, of T in TEMPORARY. Best effort: may add no steps. S and what it borrows, of the plan as
 * well, live as long as the plan. hostside_free in any case. */
void hostside_plan(struct hostside *s, struct plan *plan, const struct compile_task *t,
                   const char *temporary);
void hostside_free(struct hostside *s);

#endif
