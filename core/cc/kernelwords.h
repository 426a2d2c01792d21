/* kernelwords.h - may there be kernels in a source and its headers, by the words in their text?
 *
 * Preprocessing a source costs up to a tenth of its compile, reading its files a hundredth.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_KERNELWORDS_H
#define CKJIT_KERNELWORDS_H

#include "core/base/argv.h"

/* Why a unit is not lazy; printf's, for the word that is missing. */
#define KERNELWORDS_NONE "neither it nor what it includes has %s in it"

/* Does one of FILES have the words of a kernel, or with DEVICE those of any device code? A file that
 * cannot be read has none. */
bool kernelwords_in(const struct argv *files, bool device);

#endif
