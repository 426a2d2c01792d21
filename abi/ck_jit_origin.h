/* ck_jit_origin.h - the name by which an object of this process was loaded, as an absolute path.
 *
 * l_name and dli_fname are the name that dlopen or LD_LIBRARY_PATH had. A relative one is relative
 * to the working directory of that moment, so it must not be opened later; the dynamic linker
 * remembers that directory (RTLD_DI_ORIGIN). The path may lead to another file now;
 * runtime/ck_jit_self.c compares it with the file that is mapped.
 *
 * libc only, no state, thread-safe. Asks the dynamic linker, and so may wait for its lock.
 */
#ifndef CK_JIT_ORIGIN_H
#define CK_JIT_ORIGIN_H

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CKJIT_ORIGIN_SIZE = 2 * PATH_MAX };

/* Write the absolute name of MAP's file to FILE. False if it is not known. */
static inline bool ckjit_loaded_as(struct link_map *map, char file[CKJIT_ORIGIN_SIZE]) {
  if (map->l_name[0] == '/')
    return snprintf(file, CKJIT_ORIGIN_SIZE, "%s", map->l_name) < CKJIT_ORIGIN_SIZE;
  if (!map->l_name[0]) {
    /* The main program: glibc's RTLD_DI_ORIGIN crashes if it was started by a relative name. */
    ssize_t n = readlink("/proc/self/exe", file, CKJIT_ORIGIN_SIZE - 1);
    file[n > 0 ? n : 0] = 0;
    return n > 0 && file[0] == '/';
  }
  if (dlinfo(map, RTLD_DI_ORIGIN, file))
    return false;
  const char *slash = strrchr(map->l_name, '/'), *base = slash ? slash + 1 : map->l_name;
  size_t n = strlen(file);
  return snprintf(file + n, CKJIT_ORIGIN_SIZE - n, "/%s", base) < (int)(CKJIT_ORIGIN_SIZE - n);
}

#endif
