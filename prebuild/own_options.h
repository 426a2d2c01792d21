/* own_options.h - the options that a command line of ckjit-prebuild may abbreviate. */
#ifndef CKJIT_PREBUILD_OWN_OPTIONS_H
#define CKJIT_PREBUILD_OWN_OPTIONS_H

#include "core/base/options.h"

/* The rows of the table ALL that belong to the command on the line, and those that are written out on it; all rows
 * if there is no command of that name. free() it. Thread-safe. */
struct option *own_options(int argc, char **argv, const struct option *all);

#endif
