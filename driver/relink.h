/* relink.h - run the link step of libraries again, with kernels compiled into them.
 *
 * Functions end the program with a message, and status 1, if they cannot do what they say. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_RELINK_H
#define CKJIT_DRIVER_RELINK_H

#include "library.h"

/* kernels to be linked into the libraries, compiled */
struct aot_list {
  struct argv names, where; /* as given; "FILE:LINE" of each */
  bool given;
};

/* append what FILE lists; dies where it cannot be read */
void aot_list_add(struct aot_list *list, const char *file);
void aot_list_free(struct aot_list *list);
/* Run the link step of each of LIBS again, with the kernels of LIST compiled into it. Dies, before anything
 * is linked, where one of them is unknown to all; false, after saying why, where a link step fails. */
bool relink_libraries(const struct library *libs, size_t n, const struct aot_list *list, bool verbose);

#endif
