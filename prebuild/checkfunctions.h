/* checkfunctions.h - `build --check`: does each entry define the functions that its library needs
 * of it? Thread safety: main thread only. */
#ifndef CKJIT_CHECKFUNCTIONS_H
#define CKJIT_CHECKFUNCTIONS_H

#include "prebuild.h"

/* Check the functions of all blobs that R wants, and complain about each that is missing. Returns
 * their number. */
size_t check_functions(const struct request *r);

#endif
