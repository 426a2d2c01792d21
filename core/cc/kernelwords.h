/* kernelwords.h - may there be kernels in a source and its headers, by the words in their text?
 *
 * Preprocessing a source costs up to a tenth of its compile, reading its files a hundredth.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_KERNELWORDS_H
#define CKJIT_KERNELWORDS_H

#include "core/base/argv.h"

/* Does one of FILES have the words of a kernel, or with DEVICE those of any device code? A file that
 * cannot be read has none. */
bool kernelwords_in(const struct argv *files, bool device);

#endif
