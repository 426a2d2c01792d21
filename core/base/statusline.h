/* statusline.h - one line on the terminal of standard output that is redrawn in place, for a
 * waiting user.
 *
 *     / 1m03s fwd 12/120, bwd 40/360, 8m20s left
 *
 * It has a moving sign, the time since status_line_start(), and the caller's text. There is one
 * line in a process. It is cut to the width of the terminal, which is queried each time. A message
 * (message.h) erases it first, and so does the end of the process. Thread safety: main thread only.
 */
#ifndef CKJIT_STATUSLINE_H
#define CKJIT_STATUSLINE_H

#include "base.h"

/* Is standard output a terminal on which a line can be redrawn and that is not one of an Open MPI
 * rank, and did the user not opt out (TERM=dumb, NO_COLOR)? */
bool status_line_wanted(void);
/* The time in the line counts from now. Without this call it counts from the first line. */
void status_line_start(void);
/* Draw TEXT in place of the present line. The caller repeats this while it waits, so that sign and
 * time move. */
void status_line_draw(const char *text);
/* The same, for a caller that works: a thread moves the line until it is redrawn or erased. */
void status_line_busy(const char *text);
/* Erase the line if it is on the screen. Call it before any other output to standard output. */
void status_line_clear(void);
/* Leave the text of the line, without sign and time, and begin the next line. */
void status_line_keep(void);

/* "1h02m", "3m20s", "12s". */
void status_line_time(char out[32], double seconds);

#endif
