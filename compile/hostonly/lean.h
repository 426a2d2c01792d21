/* lean.h - a blob's source without the bodies of the functions that take a stream.
 *
 * A function that takes a stream launches. A compile for another function of the blob does not need
 * these: for CK's dot_do_o they are a third of the host pass's work. Each body becomes a call of a
 * HIP function that does not exist,
 *
 *     float f<T>(const stream_config &s, args a)
 *     { void left_out() __asm__("__hip_ckjit_left_out"); left_out(); __builtin_unreachable(); }
 *
 * so that the object still shows (functions.h) which functions lead to them. Line numbers and all
 * other text are preserved.
 *
 * These stay as they are: a body with a directive in it, one whose function is constexpr or has a
 * deduced type, all of a text that counts (__COUNTER__), and everything that is not an explicit
 * specialisation.
 */
#ifndef CKJIT_COMPILE_HOSTONLY_LEAN_H
#define CKJIT_COMPILE_HOSTONLY_LEAN_H

#include <stdbool.h>

/* Write SOURCE, so changed, to FILE. False: there is nothing to change, or it cannot be read or
 * written. */
bool lean_write(const char *source, const char *file);

#endif
