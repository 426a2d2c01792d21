/* static_users.c - the user database of static programs: /etc/passwd and /etc/group.
 *
 * glibc's getpwuid() loads the modules that the machine's nsswitch.conf names, which need the glibc
 * of that machine, and a static program contains another one. `make wheel` links these functions
 * instead. So a static program does not know users that are only in LDAP: without HOME it asks for
 * --cache-dir, and considers no group a user's private one. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>

int getpwuid_r(uid_t uid, struct passwd *pw, char *text, size_t size, struct passwd **found) {
  FILE *f = fopen("/etc/passwd", "re");
  int error = f ? 0 : errno;
  while (f && !(error = fgetpwent_r(f, pw, text, size, found)) && pw->pw_uid != uid)
    ;
  if (f)
    fclose(f);
  if (!f || error)
    *found = NULL;
  return error == ENOENT ? 0 : error; /* the end of the file */
}

struct passwd *getpwuid(uid_t uid) {
  static struct passwd pw;
  static char text[4096];
  struct passwd *found = NULL;
  int error = getpwuid_r(uid, &pw, text, sizeof text, &found);
  if (error)
    errno = error;
  return found;
}

int getgrgid_r(gid_t gid, struct group *gr, char *text, size_t size, struct group **found) {
  FILE *f = fopen("/etc/group", "re");
  int error = f ? 0 : errno;
  while (f && !(error = fgetgrent_r(f, gr, text, size, found)) && gr->gr_gid != gid)
    ;
  if (f)
    fclose(f);
  if (!f || error)
    *found = NULL;
  return error == ENOENT ? 0 : error;
}
