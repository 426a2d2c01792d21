/* rocm.h - the ROCm home of a hipcc.
 *
 * Thread safety: for the main thread.
 */
#ifndef CKJIT_DRIVER_ROCM_H
#define CKJIT_DRIVER_ROCM_H

/* The home of HIPCC, an absolute name; NULL if unknown. free() it. */
char *rocm_home(const char *hipcc);

#endif
