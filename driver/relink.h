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
  struct argv files;        /* as given */
  struct argv names, where; /* the kernels; "FILE:LINE" of each */
  bool given;
};

/* append what FILE lists; dies if it cannot be read or is no list, and warns of one that names nothing */
void aot_list_add(struct aot_list *list, const char *file);
void aot_list_free(struct aot_list *list);
/* Run the link step of each of LIBS again, with the kernels of LIST compiled into it. False, after saying why, if a kernel is
 * unknown to all libraries, and then nothing was linked, or if a link step fails. */
bool relink_libraries(const struct library *libs, size_t n, const struct aot_list *list, bool verbose);

#endif
