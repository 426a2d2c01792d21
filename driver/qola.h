/* qola.h - QoLA's build of aiter's libraries, as `full --with-qola` runs it.
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_QOLA_H
#define CKJIT_DRIVER_QOLA_H

#include "full.h"
#include "libraries.h"

/* Dies unless --qola-dir has QoLA and --qola-manifest is a manifest. */
void qola_check(const struct full *f);
/* A digest of QoLA's files and the manifest; free() it. */
char *qola_digest(const struct full *f);
/* Copy QoLA into SHADOW, the copy of the checkout. */
void qola_copy(const struct full *f, const char *shadow);
/* The directory in SHADOW from which QoLA runs; free() it. */
char *qola_place(const char *shadow);
/* Append the command of the build. */
void qola_command(struct argv *command, const struct full *f, const char *shadow);
/* The libraries that the build has linked; none: NULL. */
struct library *qola_libraries(const struct full *f, size_t *n);
/* Before a build: remove the state files of all libraries in the work directory; with ALL, the
 * libraries. */
void qola_forget(const struct full *f, bool all);
/* Copy QoLA's output to --qola-output, with LIBS as they are now. */
void qola_deliver(const struct full *f, const struct library *libs, size_t n);

#endif
