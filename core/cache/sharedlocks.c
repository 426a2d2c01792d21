/* sharedlocks.c - see sharedlocks.h. */
#include "sharedlocks.h"
#include "abi/ck_jit_network.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The mount of device DEVICE, "TYPE ROOT OPTIONS", as /proc/self/mountinfo has it; free() it. */
static char *mount_of(dev_t device) {
  char *found = NULL, number[32];
  autofree char *line = NULL;
  size_t room = 0;
  FILE *f = fopen("/proc/self/mountinfo", "re");
  snprintf(number, sizeof number, " %u:%u ", major(device), minor(device));
  while (f && !found && getline(&line, &room, f) > 0) {
    const char *end = strstr(line, " - ");
    if (end && strstr(line, number))
      found = xstrdup(end + 3);
  }
  if (f)
    fclose(f);
  return found;
}

/* Is OPTION among those at the end of MOUNT? */
static bool has_option(const char *mount, const char *option) {
  const char *options = strrchr(mount, ' ');
  size_t n = strlen(option);
  for (const char *at = options ? options + 1 : ""; *at; at += strcspn(at, ",\n"), at += *at != 0)
    if (strcspn(at, ",\n") == n && memcmp(at, option, n) == 0)
      return true;
  return false;
}

/* Does the server of MOUNT know the locks of all machines? */
static bool shares_locks(const char *mount) {
  return (str_starts(mount, "nfs") && has_option(mount, "local_lock=none") &&
          !has_option(mount, "nolock")) ||
         (str_starts(mount, "lustre ") && has_option(mount, "flock")) || str_starts(mount, "ceph ");
}

bool locks_are_shared(int fd) {
  struct stat st;
  if (!ckjit_on_network(fd))
    return true;
  autofree char *mount =
      ckjit_network_set() < 0 && fstat(fd, &st) == 0 ? mount_of(st.st_dev) : NULL;
  return mount && shares_locks(mount);
}
