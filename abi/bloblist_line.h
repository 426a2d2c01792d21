/* bloblist_line.h - one line of a list of kernels.
 *
 * core/files/bloblist.c and libckjit.so, which uses libc only, read lists with it. Header-only;
 * thread-safe; LINE is changed in place.
 */
#ifndef CKJIT_BLOBLIST_LINE_H
#define CKJIT_BLOBLIST_LINE_H

#include "ck_jit_protocol.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* LINE without the white space around it */
static inline char *bloblist_trim(char *line) {
  static const char space[] = " \t\r\n\f\v";
  line += strspn(line, space);
  size_t n = strlen(line);
  while (n && strchr(space, line[n - 1]))
    line[--n] = 0;
  return line;
}

/* The text after "42\t" or "-\t"; with POINT the number may have a decimal point. NULL if LINE
 * begins otherwise. */
static inline char *bloblist_skip_figure(char *line, bool point) {
  size_t n = strspn(line, point ? "0123456789." : "0123456789");
  if (!n && *line == '-')
    n = 1;
  return n && line[n] == '\t' ? line + n + 1 : NULL;
}

/* Replace "\n" and "\\" by the characters that they stand for. */
static inline void bloblist_unescape(char *s) {
  char *to = s;
  for (; *s; s++) {
    if (*s == '\\' && (s[1] == 'n' || s[1] == '\\'))
      *to++ = *++s == 'n' ? '\n' : '\\';
    else
      *to++ = *s;
  }
  *to = 0;
}

/* The name in a line of a capture, "CALLS\tPROCESSES\tSECONDS\tSTEM"; NULL if LINE is not such a
 * line. */
static inline char *bloblist_captured(char *line) {
  char *at = bloblist_skip_figure(line, false);
  at = at ? bloblist_skip_figure(at, false) : NULL;
  at = at ? bloblist_skip_figure(at, true) : NULL;
  if (!at || !*at)
    return NULL;
  bloblist_unescape(at);
  return at;
}

/* The name in LINE; NULL if it has none (empty, a comment). */
static inline char *bloblist_name(char *line) {
  line[strcspn(line, "\r\n")] = 0;
  char *name = bloblist_captured(line);
  if (!name)
    name = bloblist_trim(line);
  return *name && *name != '#' ? name : NULL;
}

/* Whether LINE, the first of a file, says that it is a capture of a format that this version cannot
 * read. */
static inline bool bloblist_is_foreign(const char *line) {
  size_t n = strlen(CKJIT_CAPTURE_MARK);
  return strncmp(line, CKJIT_CAPTURE_MARK, n) == 0 && atoi(line + n) != CKJIT_CAPTURE_FORMAT;
}

#endif
