/* fatbin.h - the device's code object into the host's object file. */
#ifndef CKJIT_COMPILE_FATBIN_H
#define CKJIT_COMPILE_FATBIN_H

#include <stdbool.h>

/* Replace the content of section .hip_fatbin in OBJECT, which is that of the file STAND_IN, by that
 * of the file FATBIN. An OBJECT of a unit without device code has no such section, and is left as
 * it is. False if it cannot be done. */
bool fatbin_replace(const char *object, const char *stand_in, const char *fatbin);

#endif
