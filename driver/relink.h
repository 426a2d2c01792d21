/* relink.h - runs the link step of libraries again, with kernels compiled into them.
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_RELINK_H
#define CKJIT_DRIVER_RELINK_H

#include "libraries.h"

/* Kernels to compile and link into the libraries. */
struct aot_list {
  struct argv files;        /* as given */
  struct argv names, where; /* the kernels; "FILE:LINE" of each */
  bool given;
  bool bundle; /* the libraries carry what their lazy kernels are compiled from */
};

/* Append the kernels of FILE; dies if it cannot be read or is not a list, warns if it names
 * nothing. */
void aot_list_add(struct aot_list *list, const char *file);
/* Run the link step of each of LIBS again, with the kernels of LIST compiled into it. False, after
 * a message, if a kernel is in no library, in which case nothing was linked, or if a link step
 * fails. */
bool relink_libraries(const struct library *libs, size_t n, const struct aot_list *list,
                      bool verbose);

#endif
