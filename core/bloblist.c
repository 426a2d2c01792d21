#include "bloblist.h"

#include "runtime/ck_jit_abi.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LINE without the white space around it */
static char *trim(char *line) {
  static const char space[] = " \t\r\n\f\v";
  line += strspn(line, space);
  size_t n = strlen(line);
  while (n && strchr(space, line[n - 1]))
    line[--n] = 0;
  return line;
}

/* Behind "42\t", or NULL where LINE does not begin with a number, one with a point where POINT says so, or -.
 */
static char *skip_figure(char *line, bool point) {
  size_t n = strspn(line, point ? "0123456789." : "0123456789");
  if (!n && *line == '-')
    n = 1;
  return n && line[n] == '\t' ? line + n + 1 : NULL;
}

/* "\n" and "\\" back to what they stand for */
static void unescape(char *s) {
  char *to = s;
  for (; *s; s++) {
    if (*s == '\\' && (s[1] == 'n' || s[1] == '\\'))
      *to++ = *++s == 'n' ? '\n' : '\\';
    else
      *to++ = *s;
  }
  *to = 0;
}

/* The name in a line of a capture, "CALLS\tPROCESSES\tSECONDS\tSTEM"; NULL where it is none. */
static char *captured(char *line) {
  char *at = skip_figure(line, false);
  at = at ? skip_figure(at, false) : NULL;
  at = at ? skip_figure(at, true) : NULL;
  if (!at || !*at)
    return NULL;
  unescape(at);
  return at;
}

/* The format that a first line of a capture says; 0 where it is none. */
static int capture_format(const char *line) {
  const char *word = CKJIT_CAPTURE_MARK;
  return strncmp(line, word, strlen(word)) == 0 ? atoi(line + strlen(word)) : 0;
}

bool bloblist_read(const char *file, struct argv *names, struct argv *where, char **err) {
  bool standard = strcmp(file, "-") == 0, ok = true;
  const char *name = standard ? "standard input" : file;
  FILE *in = standard ? stdin : fopen(file, "re");
  if (!in) {
    *err = xasprintf("%s: cannot read it: %s", name, strerror(errno));
    return false;
  }
  char *line = NULL;
  size_t cap = 0;
  errno = 0;
  for (unsigned long number = 1; ok && getline(&line, &cap, in) >= 0; number++) {
    bool first = number == 1 && strncmp(line, CKJIT_CAPTURE_MARK, strlen(CKJIT_CAPTURE_MARK)) == 0;
    if (first && capture_format(line) != CKJIT_CAPTURE_FORMAT) {
      *err =
          xasprintf("%s: a capture of another version of ckjit: expected '%s%d', found '%s'; capture again "
                    "with a library that this version linked",
                    name, CKJIT_CAPTURE_MARK, CKJIT_CAPTURE_FORMAT, trim(line));
      ok = false;
      break;
    }
    line[strcspn(line, "\r\n")] = 0;
    char *word = captured(line);
    if (!word)
      word = trim(line);
    if (!*word || *word == '#')
      continue;
    argv_add(names, word);
    argv_addf(where, "%s:%lu", name, number);
  }
  if (ok && ferror(in)) { /* a directory opens well and cannot be read */
    *err = xasprintf("%s: cannot read it: %s", name, strerror(errno));
    ok = false;
  }
  free(line);
  if (!standard)
    fclose(in);
  return ok;
}
