#include "bloblist.h"

#include "abi/bloblist_line.h"

bool bloblist_read(const char *file, struct argv *names, struct argv *where, char **err) {
  bool standard = strcmp(file, "-") == 0, ok = true;
  const char *name = standard ? "standard input" : file;
  FILE *in = standard ? stdin : fopen(file, "re");
  if (!in)
    return err_fail(err, "%s: cannot read it: %s", name, strerror(errno));
  autofree char *line = NULL;
  size_t cap = 0;
  errno = 0;
  ssize_t n;
  for (unsigned long number = 1; ok && (n = getline(&line, &cap, in)) >= 0; number++) {
    if (memchr(line, 0, (size_t)n)) {
      *err =
          xasprintf("%s:%lu: not text; expected a list of kernels, one stem a line", name, number);
      ok = false;
      break;
    }
    if (number == 1 && bloblist_is_foreign(line)) {
      *err = xasprintf(
          "%s: a capture of another version of ckjit: expected '%s%d', found '%s'; capture again "
          "with a library that this version linked",
          name, CKJIT_CAPTURE_MARK, CKJIT_CAPTURE_FORMAT, bloblist_trim(line));
      ok = false;
      break;
    }
    const char *word = bloblist_name(line);
    if (!word)
      continue;
    argv_add(names, word);
    argv_addf(where, "%s:%lu", name, number);
  }
  if (ok && ferror(in)) { /* a directory can be opened but not read */
    *err = xasprintf("%s: cannot read it: %s", name, strerror(errno));
    ok = false;
  }
  if (!standard)
    fclose(in);
  return ok;
}
