#include "ids.h"
#include "base.h"

#include <unistd.h>

void ids_settle(void) {
  uid_t real = 0, uid = 0, saved = 0;
  gid_t real_group = 0, gid = 0, saved_group = 0;
  if (getresuid(&real, &uid, &saved) == 0 && getresgid(&real_group, &gid, &saved_group) == 0 &&
      real == uid && saved == uid && real_group == gid && saved_group == gid)
    return; /* a user namespace that does not map an id refuses even to set it again */
  if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
    die(EXIT_FAILED,
        "the real user %ld and the effective user %ld differ, and this program "
        "cannot become the effective one: %s; start it as one user",
        (long)real, (long)uid, strerror(errno));
}
