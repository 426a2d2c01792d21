/* ltolinker.h - what links LTO-IR in a CUDA toolkit.
 *
 * nvJitLink, a library, since CUDA 12. In a toolkit that has none (CUDA 11; a container or a set of
 * packages without it) nvlink, which has libnvvm do the work. Both optimise over all that is
 * linked. Their code may differ, so who makes keys of it has to say which it is.
 *
 * Ownership: a linker owns its names; lto_linker_free it. Thread safety: no shared state.
 */
#ifndef CKJIT_LTOLINKER_H
#define CKJIT_LTOLINKER_H

#include "nvcc.h"

#define LTO_NVJITLINK "nvJitLink"
#define LTO_NVLINK "nvlink"

/* Either jitlink is there, or nvlink with nvvm. */
struct lto_linker {
  char *jitlink;       /* libnvJitLink.so */
  char *nvlink, *nvvm; /* the program, and libnvvm.so */
  /* libcudadevrt.a; NULL: the toolkit has none */
  char *runtime;
};

/* Find that of the toolkit that P's steps are of. NAME: of the two words above, the one to prefer
 * if both are there; NULL: nvJitLink. False: it has neither. */
bool lto_linker_find(struct lto_linker *l, const struct nvcc_plan *p, const char *name);
/* One of the words above. */
const char *lto_linker_name(const struct lto_linker *l);
/* Append the files that it consists of. */
void lto_linker_files(const struct lto_linker *l, struct argv *files);
void lto_linker_free(struct lto_linker *l);

#endif
