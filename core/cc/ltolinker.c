/* ltolinker.c - see ltolinker.h. A toolkit is laid out in one of several ways: NVIDIA's installer
 * has lib64 and nvvm/lib64, its packages and conda's targets/<machine>/lib, pip's wheels lib alone,
 * for libnvvm too. */
#include "ltolinker.h"
#include "abi/ck_jit_access.h"
#include "abi/ck_jit_machine.h"
#include "core/base/path.h"

#include <unistd.h>

/* FILE of DIR in TOP, or NULL. */
static char *file_in(const char *top, const char *dir, const char *file) {
  char *path = xasprintf("%s/%s/%s", top, dir, file);
  if (ckjit_may(path, R_OK))
    return path;
  free(path);
  return NULL;
}

/* NAME, or NAME.13 and so on: without the packages for developers a library has the name of its
 * release alone. */
static char *any_in(const char *top, const char *dir, const char *name) {
  static const char *const releases[] = {"", ".13", ".12", ".4", ".3"};
  char *found = NULL;
  for (size_t i = 0; !found && i < sizeof releases / sizeof *releases; i++) {
    autofree char *file = xasprintf("%s%s", name, releases[i]);
    found = file_in(top, dir, file);
  }
  return found;
}

/* NAME in a directory of libraries of the toolkit in TOP, or NULL. */
static char *library_in(const char *top, const char *name) {
  autofree char *target = xasprintf("targets/%s/lib", CKJIT_OWN.toolkit);
  char *found = NULL;
  const char *const places[] = {"lib64", "lib", target};
  for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++)
    found = any_in(top, places[i], name);
  return found;
}

static void find_nvlink(struct lto_linker *l, const char *top) {
  l->nvlink = file_in(top, "bin", "nvlink");
  l->nvvm = any_in(top, "nvvm/lib64", "libnvvm.so");
  l->nvvm = l->nvvm ? l->nvvm : library_in(top, "libnvvm.so");
  if (l->nvlink && l->nvvm)
    return;
  free(l->nvlink);
  free(l->nvvm);
  l->nvlink = l->nvvm = NULL;
}

bool lto_linker_find(struct lto_linker *l, const struct nvcc_plan *p, const char *name) {
  const char *top = nvcc_variable(p, "TOP");
  *l = (struct lto_linker){0};
  if (!top)
    return false;
  l->runtime = library_in(top, "libcudadevrt.a");
  if (name && strcmp(name, LTO_NVLINK) == 0)
    find_nvlink(l, top);
  if (!l->nvlink)
    l->jitlink = library_in(top, "libnvJitLink.so");
  if (!l->nvlink && !l->jitlink)
    find_nvlink(l, top);
  return l->jitlink || l->nvlink;
}

const char *lto_linker_name(const struct lto_linker *l) {
  return l->jitlink ? LTO_NVJITLINK : LTO_NVLINK;
}

void lto_linker_files(const struct lto_linker *l, struct argv *files) {
  const char *const all[] = {l->jitlink, l->nvlink, l->nvvm};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i])
      argv_add(files, all[i]);
}

void lto_linker_free(struct lto_linker *l) {
  free(l->jitlink);
  free(l->nvlink);
  free(l->nvvm);
  free(l->runtime);
  *l = (struct lto_linker){0};
}
