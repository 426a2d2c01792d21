/* devicename.h - the name that a kernel has on the device, of the symbol that the host's compiler
 * gives its host function.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DEVICENAME_H
#define CKJIT_DEVICENAME_H

/* The device name of the host function SYMBOL; free() it. NULL: it is not certain. */
char *devicename(const char *symbol);
/* The form of SYMBOL, of a host function or of the device, in which both names of a kernel agree;
 * other kernels may have the same. free() it; NULL: it is not understood. */
char *devicename_form(const char *symbol);
/* The certain first part of its device name; free() it. */
char *devicename_begin(const char *symbol);

#endif
