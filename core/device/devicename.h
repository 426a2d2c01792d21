/* devicename.h - the name that a kernel has on the device, of the symbol that the host's compiler gives
 * its host function.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DEVICENAME_H
#define CKJIT_DEVICENAME_H

/* What the function SYMBOL of the host is called on the device, free() it; NULL: it is not certain. */
char *devicename(const char *symbol);
/* What it begins with there, as far as that is certain; free() it. */
char *devicename_begin(const char *symbol);

#endif
