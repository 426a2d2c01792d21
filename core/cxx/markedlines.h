/* markedlines.h - the lines of a preprocessed text, with the file and line of each, as the line
 * markers in it say: `# 70 "x.h" 3`.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_MARKEDLINES_H
#define CKJIT_MARKEDLINES_H

#include <stdbool.h>
#include <stddef.h>

/* Start with {.next = TEXT}, which must stay valid. */
struct marked_lines {
  const char *next;
  /* the line: N bytes, with its newline */
  const char *p;
  size_t n;
  /* where it comes from; 1 and "" before the first marker. FILE_LEN bytes, as the marker spells
   * them */
  unsigned long line;
  const char *file;
  size_t file_len;
  bool marked; /* a marker precedes it */
};

/* Go to the next line that is not a marker. False: there is none. */
bool marked_next(struct marked_lines *l);

#endif
