/* cudatext.h - the stub that nvcc's front end for the device writes, and when two of them say the same.
 *
 * The host's compiler has to wait for the stub, in which all kernels are registered. The front end writes it
 * at its end: for flash_fwd_hdim64_bf16_causal_sm80, after 33 s of instantiating what the kernels' bodies
 * use. Which kernels there are hardly ever depends on their bodies. So the same front end, given the text
 * without the bodies (core/cxx/devicetext.h), writes the same stub after 9 s.
 *
 * Thread safety: no shared state. Never reads outside of a text, whatever it holds.
 */
#ifndef CKJIT_CUDATEXT_H
#define CKJIT_CUDATEXT_H

#include "core/base/base.h"

/* Whether two stubs say the same. The front end numbers its temporary names, __T94475, and the numbers may
 * differ; so may the names that the stubs give themselves, `# 1 "x.cudafe1.stub.c"`. If they differ in
 * more, a body instantiates something that is registered, such as a variable template. */
bool cudatext_same_stub(const char *a, const char *b);

#endif
