/* driver.h - how clang's driver would do it: the steps that it lists when it is asked (-###).
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_EXPORT_DRIVER_H
#define CKJIT_COMPILE_EXPORT_DRIVER_H

#include "core/base/argv.h"
#include "core/files/exportformat.h"

struct export;

/* what it listed last */
struct driver {
  struct argv pass, link; /* for the device */
  struct argv bundler;
  /* the directory of the compiler proper; NULL: it has not been asked */
  char *tools;
  bool refused; /* it said what is wrong instead */
};

/* Fill in how X's compiler makes OUTPUT, FORMAT for ARCH (or a list), from the source. */
bool driver_ask(struct export *x, enum export_format format, const char *arch, const char *output,
                char **err);
/* Fill in tools alone, if they are not known yet. */
bool driver_ask_for_tools(struct export *x, char **err);
/* The program NAME that belongs to the compiler; free() it */
char *driver_tool(const struct export *x, const char *name, char **err);
void driver_free(struct driver *d);

#endif
