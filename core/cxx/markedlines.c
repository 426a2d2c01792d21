#include "markedlines.h"

#include <stdlib.h>
#include <string.h>

/* Read the marker at L->p, of which the next line is line NUMBER of its file. False: it is none. */
static bool take_marker(struct marked_lines *l, unsigned long *number) {
  char *end = NULL;
  if (l->p[0] != '#' || l->p[1] != ' ')
    return false;
  *number = strtoul(l->p + 2, &end, 10);
  if (end == l->p + 2 || end[0] != ' ' || end[1] != '"')
    return false;
  l->file = end + 2;
  l->file_len = strcspn(l->file, "\"\n");
  return true;
}

bool marked_next(struct marked_lines *l) {
  unsigned long number = l->p ? l->line + 1 : 1;
  l->marked = false;
  for (; *l->next; l->marked = true) {
    l->p = l->next;
    l->n = strcspn(l->p, "\n");
    l->n += l->p[l->n] == '\n';
    l->next += l->n;
    if (!take_marker(l, &number)) {
      l->line = number;
      return true;
    }
  }
  return false;
}
